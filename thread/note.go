package thread

import (
	"slices"
	"strings"
)

// noteTags enclose what agents' programs add to user messages on their own: reminders, the
// environment, that a turn was stopped, and the commands that the user ran past the agent.
var noteTags = []string{
	"system-reminder", "environment_context", "environment_details", "turn_aborted", "task-notification", "user_shell_command",
	"bash-input", "bash-stdout", "bash-stderr", "local-command-caveat", "local-command-stdout", "local-command-stderr",
}

// noteTexts are such texts without tags.
var noteTexts = []string{"[Request interrupted by user]", "[Request interrupted by user for tool use]", "The following tool was executed by the user"}

// isNote reports whether a text by itself is nothing but what the agent's own program put in the
// user's name: Claude Code puts reminders beside results, Codex its environment before the task,
// and both tell of commands that the user ran.
func isNote(text string) bool {
	text = strings.TrimSpace(text)
	return isTagged(text) || isEnvironment(text) || slices.Contains(noteTexts, text) || isFormed(text)
}

// isTagged reports whether a text is nothing but elements of such tags, one after the other.
func isTagged(text string) bool {
	for n := 0; ; n++ {
		rest, ok := afterNote(text)
		if !ok {
			return n > 0 && text == ""
		}
		text = strings.TrimSpace(rest)
	}
}

// isEnvironment reports whether a text is nothing but what Cline and its kin tell of the environment: it
// holds output of terminals, and what closes it may stand in there.
func isEnvironment(text string) bool {
	return strings.HasPrefix(text, "<environment_details>") && strings.HasSuffix(text, "</environment_details>")
}

// Untagged returns a note whose lines that are nothing but one of its tags are empty: they say
// nothing.
func Untagged(note string) string {
	lines := strings.Split(note, "\n")
	for i, l := range lines {
		tag, ok := strings.CutPrefix(strings.TrimSpace(l), "<")
		tag, closed := strings.CutSuffix(strings.TrimPrefix(tag, "/"), ">")
		if ok && closed && slices.Contains(noteTags, tag) {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

func afterNote(text string) (rest string, ok bool) {
	for _, tag := range noteTags {
		if body, begins := strings.CutPrefix(text, "<"+tag+">"); begins {
			_, rest, ok = strings.Cut(body, "</"+tag+">")
			return rest, ok
		}
	}
	return "", false
}

// form is how an agent's program words a text of its own: how it begins, what stands in its
// middle, and how it ends. Where an end is known, what a user says behind it is the user's.
type form struct{ head, middle, end string }

// forms tell of a command that the user ran, with its output, of an answer that broke off, and of one that
// called nothing.
var forms = []form{
	{"[user ran] ", "", ""},
	{"The user ran:\n", "\n\n", ""},
	{"I ran the following shell command:\n```", "```\n\nThis produced the following result:\n```", "```"},
	{"Ran `", "`\n```\n", "```"},
	{"Ran `", "`\n(no output)", ""},
	{"[ERROR] You did not use a tool in your previous response!", "", "(This is an automated message, so do not respond to it conversationally.)"}, // Cline
	{"The connection dropped mid-response. Resume directly", "<previous_response_suffix>", "</previous_response_suffix>"},                          // Qwen Code
}

// isFormed reports whether a text is worded so.
func isFormed(text string) bool {
	return slices.ContainsFunc(forms, func(r form) bool {
		body, ok := strings.CutPrefix(text, r.head)
		if !ok {
			return false
		}
		_, output, ok := strings.Cut(body, r.middle)
		return ok && strings.HasSuffix(withoutExit(output), r.end)
	})
}

// withoutExit takes off what pi tells below an output: how the command ended, and where all of
// the output is.
func withoutExit(output string) string {
	for {
		i := strings.LastIndex(output, "\n\n")
		if i < 0 {
			return output
		}
		last := output[i+2:]
		if last != "(command cancelled)" && !strings.HasPrefix(last, "Command exited with code ") && !strings.HasPrefix(last, "[Output truncated. Full output: ") || strings.Contains(last, "\n") {
			return output
		}
		output = output[:i]
	}
}
