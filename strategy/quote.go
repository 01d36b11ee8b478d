package strategy

import (
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// speakers are the words for who a line of the log comes from.
var speakers = map[message.Role]string{message.User: "user: ", message.Assistant: "agent: ", message.Tool: "tool: ", message.System: "system: "}

// asContent returns content as it may stand in a summary: a line of it that could be taken
// for a heading, a number or a speaker of ours begins with a bar.
func asContent(text string) string {
	if strings.ContainsAny(text, "\u2028\u2029\u0085\v\f\r") {
		text = separators.Replace(text)
	}
	if !strings.Contains(text, "\n") {
		if imitates(text) {
			return "| " + text
		}
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if imitates(l) {
			lines[i] = "| " + l
		}
	}
	return strings.Join(lines, "\n")
}

// separators end a line for some readers.
var separators = strings.NewReplacer("\u2028", " ", "\u2029", " ", "\u0085", " ", "\v", " ", "\f", " ", "\r", " ")

// imitates reports whether a line begins as one of ours does.
func imitates(line string) bool {
	line = strings.TrimLeft(line, " \t*_>")
	if line == "" {
		return false
	}
	switch line[0] {
	case '#':
		rest := strings.TrimLeft(line, "#")
		return len(line)-len(rest) > 1 && strings.HasPrefix(rest, " ") || rest != "" && rest[0] >= '0' && rest[0] <= '9'
	case '[':
		return hasAnyPrefix(line, "[Précis", "[Summary", "[Context Summary", "[Externalized Content")
	case '<':
		return hasAnyPrefix(strings.ToLower(line[:min(len(line), 12)]), "<user", "<system", "<human", "<assistant")
	}
	head := strings.ToLower(line[:min(len(line), 18)])
	return hasAnyPrefix(head, "user:", "human:", "system:", "agent:", "assistant:", "tool:", "lines of the log", "current task", "asked so far", "constraints and")
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
