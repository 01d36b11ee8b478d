// Package judge measures a prompt against what the agent really did next,
// without a model of language from outside.
//
// Use: SaidOf reads messages; CopiesOf says what of the next action repeats the
// history, and Held how much of that a prompt still holds; Model.Bits
// says how many bits the action costs after a prompt. Law: the judge reads text
// only and shares no code with what it judges. Promise: whole numbers throughout, so
// the same texts give the same figures on any machine.
package judge

import (
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// Said is one message as its reader sees it.
type Said struct {
	Role message.Role
	Text string // a line with the role, then what was said, then the calls
}

// unescape reads what JSON escapes in arguments as it was meant.
var unescape = [...]*strings.Replacer{
	strings.NewReplacer(`\n`, "\n"), strings.NewReplacer(`\t`, "\t"), strings.NewReplacer(`\"`, `"`), strings.NewReplacer(`\\`, `\`),
}

// SaidOf reads a message. What holds results is a tool's, whoever brings it. Thinking and media are not text that an action copies.
func SaidOf(m message.Message) Said {
	var texts, calls []string
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case message.Text, message.Result:
			texts = append(texts, p.Body())
		case message.Call:
			args := p.Name + " " + p.Args
			for _, r := range unescape {
				args = r.Replace(args)
			}
			calls = append(calls, args)
		}
	}
	role := m.Role
	if m.Has(message.Result) {
		role = message.Tool
	}
	text := "<" + string(role) + ">\n" + strings.Join(texts, "\n")
	if len(calls) > 0 {
		text += "\n" + strings.Join(calls, "\n")
	}
	return Said{role, text + "\n"}
}

// Join is the text of several messages.
func Join(ms []Said) string {
	var b strings.Builder
	for i := range ms {
		b.WriteString(ms[i].Text)
	}
	return b.String()
}
