package extract

import (
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
)

// pastedText stands for a message of which the user wrote nothing.
const pastedText = "[pasted text]"

// leastOwn is how many words behind a paste are the user's; fewer are the end of it, where no mark ends it.
const leastOwn = 4

// maxTitle is how many bytes of the line of an error stand for what was pasted.
const maxTitle = 160

// titled returns what stands for a message that is all pasted: with its first line that says what failed.
func titled(text string) string {
	if text = strings.TrimSpace(text); text == "" || text[0] == '<' {
		return pastedText
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); saysError(line) && len(line) < maxTitle {
			return pastedText + " " + oneline.Of(line)
		}
	}
	return pastedText
}

// saysError reports whether a line begins with the name of an error and says more.
func saysError(line string) bool {
	name, rest, ok := strings.Cut(line, ": ")
	if !ok || rest == "" || strings.ContainsAny(name, " \t(){}<>=\"'") {
		return false
	}
	return strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || name == "panic"
}

// isBehindMark reports whether the first line of a user's own stands right behind the mark that ends what
// was pasted: a fence, a closing tag, a quote.
func isBehindMark(text, line string) bool {
	before := strings.TrimSpace(text[:max(0, strings.LastIndex(text, line))])
	last := strings.TrimSpace(before[strings.LastIndexByte(before, '\n')+1:])
	return isFence(last) || strings.HasPrefix(last, "</") || strings.HasPrefix(last, ">")
}

// heads reports whether a line is words of a user's right above a trace.
func heads(line, next string) bool {
	next = strings.TrimSpace(next)
	if !saysError(next) && !strings.HasPrefix(next, "Traceback (") || words(line) > maxHeadWords {
		return false
	}
	for _, c := range strings.ToLower(line) {
		if (c < 'a' || c > 'z') && !strings.ContainsRune(" ,.:!?'’", c) && c < 0x80 {
			return false
		}
	}
	return !saysError(line)
}

// maxHeadWords is how many words such a line has.
const maxHeadWords = 18
