package thread

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// Words tells what the user says in a message from what the agent's own program put there in the
// user's name.
type Words struct {
	m    *message.Message
	from int    // the part from which on the message hands on results of tools
	tool string // the tool of the first of them, "" for none
}

// WordsOf reads a message. From a text on that hands on the result of a tool, all of it is what
// tools and the program say: the output may stand in a part of its own. What a tool prints may be
// worded as a result, too, so that the first one decides whose it is.
func WordsOf(m *message.Message) Words {
	w := Words{m: m, from: len(m.Parts)}
	if m.Role != message.User {
		return w
	}
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Kind == message.Text {
			if tool, _ := Handed(p.Text); tool != "" {
				w.from, w.tool = i, tool
				return w
			}
		}
	}
	return w
}

// HandsOn reports whether the message hands on results of tools as text.
func (w Words) HandsOn() bool { return w.tool != "" }

// Handed reports whether a part is of those that hand results on.
func (w Words) Handed(i int) bool { return i >= w.from }

// Note reports whether a part is nothing but what the agent's own program, or a tool, says in the
// user's name: reminders beside results, the environment before the task, commands that the user
// ran, results as text. It is content like any other, but not a request of the user.
func (w Words) Note(i int) bool {
	p := &w.m.Parts[i]
	switch p.Kind {
	case message.Text:
		return w.Said(i) == "" && (p.Text != "" || w.Handed(i))
	case message.Media:
		return w.Handed(i)
	}
	return false
}

// Said returns what the user says in a part, "" for nothing.
func (w Words) Said(i int) string {
	p := &w.m.Parts[i]
	switch {
	case p.Kind != message.Text:
		return ""
	case i < w.from:
		if text := withoutEnvironment(p.Text); !isNote(text) {
			return saidIn(text)
		}
		return ""
	}
	body := p.Text
	if i == w.from {
		_, body = Handed(body)
	}
	if answering[w.tool] {
		return answerIn(body)
	}
	return remarkOn(w.tool, body)
}

// Result returns the result that a part begins to hand on, and its tool, "" for none: the result may
// stand in the part behind it. own is what of results stands in the part itself.
func (w Words) Result(i int) (tool, result, own string) {
	if i != w.from {
		return "", "", w.m.Parts[i].Text
	}
	tool, own = Handed(w.m.Parts[i].Text)
	if result = own; strings.TrimSpace(own) == "" && i+1 < len(w.m.Parts) {
		result = w.m.Parts[i+1].Text
	}
	return tool, result, own
}

// Handed returns the tool whose result a text is that an agent's program hands on in the user's
// role, and the result: "[read_file for 'src/a.ts'] Result:". The tool is "" for another text.
// A command in the head may have several lines.
func Handed(text string) (tool, result string) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "[") {
		return "", ""
	}
	n := 1
	for n < len(text) && (text[n] >= 'a' && text[n] <= 'z' || text[n] == '_') {
		n++
	}
	tool, rest := text[1:n], text[n:]
	if result, ok := strings.CutPrefix(rest, "] Result:"); ok && tool != "" {
		return tool, result
	}
	if !strings.HasPrefix(rest, " for ") || tool == "" {
		return "", ""
	}
	head, result, ok := strings.Cut(rest, "] Result:")
	if !ok || strings.Contains(head, "\n") && !(strings.HasPrefix(head, " for '") && strings.HasSuffix(head, "'")) {
		return "", ""
	}
	return tool, result
}

// answering are the tools whose results hold what the user answers, between answerTags.
var (
	answering  = map[string]bool{"attempt_completion": true, "ask_followup_question": true, "plan_mode_respond": true}
	answerTags = []string{"feedback", "answer", "user_message"}
)

// answerIn returns what the user answers in the result of such a tool, "" for nothing.
func answerIn(result string) string {
	for _, tag := range answerTags {
		if _, rest, ok := strings.Cut(result, "<"+tag+">"); ok {
			answer, _, _ := strings.Cut(rest, "</"+tag+">")
			return strings.TrimSpace(answer)
		}
	}
	return ""
}

// worded are other tools whose results begin with words of the agent's program, never with
// what a file or a server says: there the user may remark on the call.
var worded = map[string]bool{
	"execute_command": true, "write_to_file": true, "replace_in_file": true, "apply_diff": true,
	"insert_content": true, "search_and_replace": true, "search_files": true, "list_files": true,
	"new_task": true, "switch_mode": true,
}

// besides is a remark that may stand behind what a running command printed, the last of remarks.
const besides = "The user provided the following feedback:"

// remarks begin what the user remarks on a call, or on the work.
var remarks = []string{
	"The user denied this operation and provided the following feedback:",
	"The user approved this operation and provided the following context:",
	"You seem to be having trouble proceeding. The user has provided the following feedback to help guide you:",
	besides,
}

// remarkOn returns what the user remarks on a call of a tool, "" for nothing. Behind what a command has
// printed while it still runs, the program always has a last word, a remark or another: with the environment
// behind that, it cannot be told from what was printed.
func remarkOn(tool, result string) string {
	if !worded[tool] {
		return ""
	}
	result = strings.TrimSpace(result)
	if strings.HasPrefix(result, "Command is still running") {
		if i := strings.LastIndex(result, "\n"+besides); i >= 0 && strings.HasSuffix(result, "</feedback>") {
			result = result[i+1:]
		}
	}
	said, _ := remarkIn(result)
	return said
}

// remarkIn returns the remark that a text begins with and ends with, but for the environment.
func remarkIn(text string) (said string, ok bool) {
	i := slices.IndexFunc(remarks, func(r string) bool { return strings.HasPrefix(text, r) })
	if i < 0 {
		return "", false
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(text[len(remarks[i]):]), "<feedback>")
	said, rest, closed := strings.Cut(rest, "</feedback>")
	if rest = strings.TrimSpace(rest); !ok || !closed || rest != "" && !isEnvironment(rest) {
		return "", false
	}
	return strings.TrimSpace(said), true
}

// saidIn returns what the user says in a text that hands on no result: all of it, but for what the agent's
// program puts around a remark, or around what the user says as a task goes on.
func saidIn(text string) string {
	if said, ok := remarkIn(text); ok {
		return said
	}
	if !strings.HasPrefix(text, "[TASK RESUMPTION] This task was interrupted") {
		return text
	}
	said, ok := strings.CutSuffix(strings.TrimSpace(text), "</user_message>")
	i := strings.LastIndex(said, "<user_message>")
	if !ok || i < 0 {
		return ""
	}
	return strings.TrimSpace(said[i+len("<user_message>"):])
}

// withoutEnvironment takes off a text what the agent's program tells of the environment at its end.
func withoutEnvironment(text string) string {
	if !strings.HasSuffix(strings.TrimSpace(text), "</environment_details>") {
		return text
	}
	said, _, _ := strings.Cut(text, "<environment_details>")
	return strings.TrimRight(said, " \t\r\n")
}
