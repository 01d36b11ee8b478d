package llm

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/thread"
)

// caps are the most characters shown of one tool result and of one message.
type caps struct{ result, message int }

// half returns what is left to halve for a message that is too large by itself.
func (c caps) half() caps { return caps{max(c.result/2, minCap), max(c.message/2, minCap)} }

const minCap = 50

// separator stands between messages.
const separator = "\n\n---\n\n"

// written shows a message as the model sees it: "[#12] ROLE:" and its parts, a
// part to a line. name gives the tool of a call id.
func (c caps) written(n int, m *message.Message, name func(callID string) string) string {
	return head(n, m) + "\n" + c.body(m, name)
}

func head(n int, m *message.Message) string {
	role := string(m.Role)
	if m.Role == message.User && !thread.Speaks(*m) {
		role = string(message.Tool) // results in Anthropic's form
	}
	if m.Name != "" {
		role += " " + escape(m.Name)
	}
	return "[" + ref.Message(n).String() + "] " + strings.ToUpper(role) + ":"
}

// excerpt is one part on its way: what frames it, and what may be cut of it.
type excerpt struct {
	before, text, after string
	most                int // characters of text
	mark                string
}

// body shows a message's parts. Where they are too long together, each gives as
// much as it has above an equal share, so that none disappears.
func (c caps) body(m *message.Message, name func(string) string) string {
	var parts []excerpt
	for i := range m.Parts {
		if s, ok := c.part(&m.Parts[i], name); ok {
			parts = append(parts, s)
		}
	}
	share(parts, c.message)
	var b strings.Builder
	for i, s := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s.before + cut(s.text, s.most, s.mark) + s.after)
	}
	return b.String()
}

func (c caps) part(p *message.Part, name func(string) string) (excerpt, bool) {
	s := excerpt{most: c.message, mark: "\n[...truncated...]"}
	switch p.Kind {
	case message.Text:
		s.text = escape(p.Text)
		return s, p.Text != ""
	case message.Call:
		s.before, s.text, s.after = "[Tool: "+escape(p.Name)+"(", escape(p.Args), ")]"
	case message.Result:
		s.before, s.text, s.after = "[Result"+of(p, name)+": ", escape(resultText(p)), "]"
		s.most, s.mark = min(c.result, c.message), "..."
	case message.Media:
		s.text = media(p)
	case message.Opaque, message.Fixed:
		s.text = "[content that cannot be shown]"
	default:
		return s, false // thinking is not part of what was said
	}
	return s, true
}

// of names the tool of a result, and says when it failed.
func of(p *message.Part, name func(string) string) string {
	tool := p.Name
	if tool == "" {
		tool = name(p.CallID)
	}
	s := ""
	if tool != "" {
		s = " of " + escape(tool)
	}
	if p.Failed {
		s += ", failed"
	}
	return s
}

func resultText(p *message.Part) string {
	text := p.Body()
	for i := range p.Parts {
		if p.Parts[i].Kind == message.Media {
			text += media(&p.Parts[i])
		}
	}
	return text
}

func media(p *message.Part) string {
	return fmt.Sprintf("[%s, %d bytes]", escape(p.MediaType), p.Size)
}

// escape keeps content from looking like the head of a message.
func escape(text string) string { return strings.ReplaceAll(text, "[#", "[ #") }

// share lowers what each part may show until all of them fit.
func share(parts []excerpt, most int) {
	left, open := most, len(parts)
	settled := make([]bool, len(parts))
	for again := true; again && open > 0; {
		again = false
		for i := range parts {
			n := min(utf8.RuneCountInString(parts[i].text), parts[i].most)
			if !settled[i] && n <= left/open {
				settled[i], again = true, true
				left, open = left-n, open-1
				if open == 0 {
					return
				}
			}
		}
	}
	for i := range parts {
		if !settled[i] {
			parts[i].most = left / open
		}
	}
}

// tailFrom is the length from which a cut text keeps its end too, where tools
// tell what went wrong.
const tailFrom = 1000

// cut shortens text to n characters and marks it. It never cuts inside one.
func cut(text string, n int, mark string) string {
	if len(text) <= n {
		return text
	}
	runes := utf8.RuneCountInString(text)
	if runes <= n {
		return text
	}
	tail := 0
	if mark == "..." && n >= tailFrom {
		tail = n / 4
	}
	cutText := text[:at(text, n-tail)] + mark
	if tail > 0 {
		cutText += text[at(text, runes-tail):]
	}
	return cutText
}

// at returns the byte position of the n-th character.
func at(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}
