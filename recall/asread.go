package recall

import (
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
)

// asRead is the text of a part as its reader takes it: JSON in which something is escaped,
// as in the arguments of a call that writes a file, is the strings it holds, line by line.
// Searches look in this text, and the model's read tool shows it, so that the lines of a
// hit are the lines to read.
func asRead(p message.Part) string {
	text := Text(p)
	if p.Kind != message.Call && p.Kind != message.Result {
		return text
	}
	return unescaped(text)
}

// unescaped is asRead of a text.
func unescaped(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	if s := strings.TrimLeft(text, " \t\r\n"); s == "" || s[0] != '{' && s[0] != '[' {
		return text
	}
	var r tool.LineReader
	return r.Lines(text)
}
