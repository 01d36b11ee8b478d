package tool

import (
	"strings"
	"unicode"
)

// leastIndent is how many blanks stand before a line of code that is not at the head of it.
const leastIndent = 4

// codeWords begin statements of programs.
var codeWords = map[string]bool{
	"return": true, "raise": true, "def": true, "class": true, "if": true, "elif": true, "else:": true, "for": true, "while": true, "with": true,
	"try:": true, "except": true, "except:": true, "finally:": true, "pass": true, "yield": true, "const": true, "let": true, "var": true, "}": true, "};": true, "})": true,
}

// listing is a part of a program that an output shows, read from its end.
type listing struct {
	within bool
	text   bool   // a text of several lines, of which the end was read
	end    string // its last line
}

// textMark begins and ends such a text.
const textMark = `"""`

// mark reads a line that may begin or end a text of several lines.
func (l *listing) mark(line string) {
	if l.within && line == textMark {
		l.text = !l.text
	}
}

// takes reports whether the line above those read before is one of it.
func (l *listing) takes(line string) bool {
	if l.within {
		l.within = l.text || isListed(line)
	} else {
		l.within, l.end = isCodeLine(line), strings.TrimSpace(line)
	}
	return l.within
}

// isAccount reports whether a line above those read before shows that they are no listing, but the end of an
// account of an error in Python.
func (l *listing) isAccount(line string) bool {
	return l.within && strings.HasPrefix(line, `File "`) && strings.Contains(line, `", line `)
}

// isListed reports whether a line above one of a program may be one of it, too: it is indented, stands behind its number,
// begins a block or stands at the head of one or of a program, or says what is shown.
func isListed(line string) bool {
	text := strings.TrimLeft(line, " \t")
	_, _, numbered := cutNumber(text)
	heads := strings.HasPrefix(line, "@") || strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "from ")
	return len(text) < len(line) || numbered || heads || strings.HasSuffix(strings.TrimRight(line, "\r "), ":")
}

// cutNumber takes the number off a line that stands behind it.
func cutNumber(text string) (rest string, indent int, ok bool) {
	behind := strings.TrimLeftFunc(text, unicode.IsDigit)
	if behind == "" || len(behind) == len(text) || strings.IndexByte("-:\t", behind[0]) < 0 {
		return text, 0, false
	}
	rest = strings.TrimLeft(behind[1:], " \t")
	return rest, len(behind) - 1 - len(rest), true
}

// isCodeLine reports whether a line of an output is one of a program that is shown: it is indented behind
// its number, is indented and begins as a statement does, or ends as one that goes on, or is the head of a function
// or a class.
func isCodeLine(line string) bool {
	line = strings.TrimRight(line, "\r ")
	text := strings.TrimLeft(line, " \t")
	if rest, indent, ok := cutNumber(text); ok {
		return rest == "" || indent >= leastIndent
	}
	if (strings.HasPrefix(line, "def ") || strings.HasPrefix(line, "class ")) && strings.HasSuffix(line, ":") {
		return true
	}
	if len(line)-len(text) < leastIndent && !strings.HasPrefix(line, "\t") {
		return false
	}
	if strings.HasSuffix(text, "(") || strings.HasSuffix(text, "),") {
		return true
	}
	first, rest, _ := strings.Cut(text, " ")
	return codeWords[first] && (rest != "" || first == text) || strings.HasPrefix(first, "self.") || strings.HasPrefix(first, "this.") || strings.HasSuffix(text, ":") && codeWords[first+":"]
}
