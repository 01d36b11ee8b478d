package extract

import "strings"

// leading is a heading, or the lead of a list, that decides, with what stands under it.
type leading struct {
	text  string
	lines int  // of what stands under it
	says  bool // it decides by itself
}

// takes reports whether a sentence stands under the lead: in its first line, or in an item of
// its list. It adds what the lead does not have.
func (l *leading) takes(s sentence) bool {
	if l.text == "" || s.box != 0 || s.head || strings.HasSuffix(s.text, ":") {
		return false
	}
	if l.lines > 0 && !strings.HasPrefix(s.line, s.text) { // a later sentence of a line
		return strings.HasSuffix(l.text, s.line)
	}
	if l.lines > 0 && !s.item || len(l.text)+len(s.line) > maxParagraph {
		return false
	}
	if l.lines > 0 {
		l.text += ";"
	}
	l.text += " " + s.line
	l.lines++
	return true
}
