package tool

import (
	"encoding/json"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// WrittenCalls takes apart a text in which an agent without a protocol for calls writes them as elements, as
// Cline and Roo Code do: what it says, and the calls, without ids. What calls only say to the user is said.
func WrittenCalls(text string) (said string, calls []message.Part) {
	if !strings.Contains(text, "_") || !strings.Contains(text, "</") {
		return text, nil
	}
	w := writtenReader{rest: text, unclosed: map[string]bool{}}
	for w.rest != "" {
		if !w.call() {
			w.line()
		}
	}
	if !w.found {
		return text, nil
	}
	return w.said.String(), w.calls
}

// writtenReader takes a text apart line by line.
type writtenReader struct {
	rest          string
	said          strings.Builder
	calls         []message.Part
	found, fenced bool
	unclosed      map[string]bool // names that nothing closes in the rest
}

// line reads a line as what is said.
func (w *writtenReader) line() {
	line, after, _ := strings.Cut(w.rest, "\n")
	if strings.HasPrefix(strings.TrimSpace(line), "```") {
		w.fenced = !w.fenced
	}
	w.said.WriteString(line + "\n")
	w.rest = after
}

// call reads the call that the rest begins with, and reports whether there is one. What is fenced is an
// example, and what nothing closes was cut short.
func (w *writtenReader) call() bool {
	name := writtenName(strings.TrimLeft(clip(w.rest, mostTag), " \t"))
	if name == "" || w.fenced || w.unclosed[name] {
		return false
	}
	_, body, _ := strings.Cut(w.rest, ">")
	body, behind, ok := strings.Cut(body, "</"+name+">")
	if !ok {
		w.unclosed[name] = true
		return false
	}
	fields := elementsOf(body)
	if field := talks[name]; field != "" {
		w.said.WriteString(fields[field] + "\n")
	} else {
		w.calls = append(w.calls, writtenCall(name, fields))
	}
	w.found, w.rest = true, behind
	return true
}

// talks are the tools that say something to the user, and the fields in which they do.
var talks = map[string]string{"attempt_completion": "result", "ask_followup_question": "question", "plan_mode_respond": "response"}

// mostTag is how many bytes are read for the name of a call.
const mostTag = 80

// writtenName returns the name of the tool of which a text begins a call, "" for none: such names are of
// several words, which other elements' seldom are.
func writtenName(text string) string {
	if !strings.HasPrefix(text, "<") {
		return ""
	}
	name, _, ok := strings.Cut(text[1:], ">")
	if !ok || !strings.Contains(name, "_") {
		return ""
	}
	if _, is := table[name]; !is && talks[name] == "" {
		return ""
	}
	return name
}

// bodies are the fields that may hold elements themselves: they end where the call does.
var bodies = map[string]bool{"content": true, "diff": true, "command": true, "args": true, "result": true, "response": true}

// elementsOf returns the text of elements that follow each other, by name.
func elementsOf(body string) map[string]string {
	fields := map[string]string{}
	for {
		head, rest, _ := strings.Cut(strings.TrimSpace(body), ">")
		name, ok := strings.CutPrefix(head, "<")
		if !ok {
			return fields
		}
		end := strings.Index(rest, "</"+name+">")
		if bodies[name] {
			end = strings.LastIndex(rest, "</"+name+">")
		}
		if end < 0 {
			return fields
		}
		fields[name] = strings.Trim(rest[:end], "\n")
		body = rest[end+len("</>")+len(name):]
	}
}

// writtenCall returns the call that such fields make. Roo Code names the file to read in an element of its
// own.
func writtenCall(name string, fields map[string]string) message.Part {
	if file, ok := strings.CutPrefix(strings.TrimSpace(fields["args"]), "<file>"); ok && strings.Count(file, "<path>") == 1 {
		_, file, _ = strings.Cut(file, "<path>")
		file, _, _ = strings.Cut(file, "</path>")
		fields = map[string]string{"path": strings.TrimSpace(file)}
	}
	args, err := json.Marshal(fields)
	if err != nil { // text always is
		return message.Part{Kind: message.Call, Name: name}
	}
	return message.Part{Kind: message.Call, Name: name, Args: string(args)}
}
