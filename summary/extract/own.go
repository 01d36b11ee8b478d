package extract

import (
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
)

// FirstLine returns the first line of a user's message that the user wrote, "" where all of
// it is somebody else's.
func FirstLine(text string) (first string) {
	ownLines(text, func(line string) {
		if first == "" && line != oneline.Ellipsis {
			first = line
		}
	})
	return first
}

// ownLines calls f with the lines that a user wrote, and an ellipsis for the others: not
// with what is fenced, quoted or between tags, forwarded mail, tools' output, stack
// traces and pasted code. What follows the head of a mail, or a line that lets somebody
// else speak, is theirs to the end.
func ownLines(text string, f func(line string)) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		line := strings.TrimSpace(lines[i])
		switch {
		case line == "":
			i++
		case lets(line), isMail(lines[i:]), startsAny(lowered(line), observed) && !strings.HasPrefix(line, "Error"):
			f(oneline.Ellipsis)
			return
		case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
			f(oneline.Ellipsis)
			i = after(lines, i+1, func(l string) bool { return strings.HasPrefix(l, line[:3]) })
		case line[0] == '<' && asked[tagOf(strings.Replace(line, "</", "<", 1))]:
			i++
		case line[0] == '<' && tagOf(line) != "":
			f(oneline.Ellipsis)
			i = afterTag(lines, i, tagOf(line))
		case line[0] == '>' || isData(line) || isPasted(line):
			f(oneline.Ellipsis)
			i++
		default:
			end := i + 1
			for end < len(lines) && strings.TrimSpace(lines[end]) != "" {
				end++
			}
			if isOutput(lines[i:end]) {
				f(oneline.Ellipsis)
				i = end
				continue
			}
			f(line)
			i++
		}
	}
}

// asked are the tags in which agents' programs hand on what the user asks.
var asked = map[string]bool{"task": true, "user_query": true, "user_request": true, "pr_description": true, "issue": true, "question": true, "request": true}

// after returns the position behind the first line from i on that ends something.
func after(lines []string, i int, ends func(string) bool) int {
	for ; i < len(lines); i++ {
		if ends(strings.TrimSpace(lines[i])) {
			return i + 1
		}
	}
	return i
}

// afterTag returns the position behind an element; a tag that nothing closes is a line.
func afterTag(lines []string, i int, tag string) int {
	for end := i; end < len(lines); end++ {
		if strings.Contains(lines[end], "</"+tag+">") {
			return end + 1
		}
	}
	return i + 1
}

// tagOf returns the name of the tag that a line opens, "" for none.
func tagOf(line string) string {
	n := 1
	for n < len(line) && (line[n]|0x20 >= 'a' && line[n]|0x20 <= 'z' || line[n] >= '0' && line[n] <= '9' || line[n] == '-' || line[n] == '_') {
		n++
	}
	if n == 1 || n == len(line) || line[n] != '>' && line[n] != ' ' {
		return ""
	}
	return line[1:n]
}

// observed begins what a tool or a program wrote.
var observed = openings(`observation | exitcode | exit code | stdout | stderr | tool output | tool result | tool response | function result | execution output | traceback most recent call last | begin forwarded message`)

// lets reports whether a line lets somebody else speak from the next line on.
func lets(line string) bool {
	if len(line) > 200 || !strings.HasSuffix(line, ":") {
		return strings.HasPrefix(line, "-----Original Message") || strings.HasPrefix(line, "---------- Forwarded")
	}
	low := strings.TrimRight(lowered(line), " ") + " "
	for _, w := range speaking {
		if strings.HasSuffix(low, w) {
			return true
		}
	}
	return false
}

var speaking = phrases(`wrote | writes | email | e-mail | mail | letter | this email | this e-mail | replied`)

// isMail reports whether lines begin with the head of a mail: two of its fields.
func isMail(lines []string) bool {
	fields := 0
	for _, l := range lines[:min(len(lines), 6)] {
		name, _, ok := strings.Cut(strings.Trim(l, " *"), ":")
		switch strings.ToLower(name) {
		case "from", "to", "subject", "sent", "date", "cc", "reply-to":
			if ok {
				fields++
				continue
			}
		}
		break
	}
	return fields >= 2
}

// isOutput reports whether a paragraph is code or output: three lines and more, a third
// of which end or begin as no prose does.
func isOutput(lines []string) bool {
	if len(lines) < 3 {
		return false
	}
	code := 0
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if _, item, _ := bullet(l); item || l == "" {
			continue
		}
		if strings.IndexByte("{};,([])", l[len(l)-1]) >= 0 || strings.HasPrefix(l, "at ") || strings.HasPrefix(l, "File \"") || strings.HasPrefix(l, "$ ") {
			code++
		}
	}
	return 3*code >= len(lines)
}

// isData reports whether a line is data rather than prose: longer than any line of prose, and
// without the ends of its sentences, or with marks of code.
func isData(line string) bool {
	return len(line) > maxLine && (isPasted(line) || len(line) > maxSentence*sentencesIn(line))
}

// maxSentence is how many bytes the sentences of prose have at most, taken together.
const maxSentence = 1000

func sentencesIn(line string) (n int) {
	for line != "" {
		end := sentenceEnd(line)
		if end < len(line) || strings.HasSuffix(line, "。") || strings.ContainsAny(line[len(line)-1:], ".!?") {
			n++
		}
		line = line[end:]
	}
	return n
}
