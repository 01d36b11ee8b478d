package summary

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
)

// entry returns what a reader can see of a message, on one line: texts, arguments as
// written and decoded, results, names.
func (v *verifier) entry(i int) string {
	if s, ok := v.text[i]; ok {
		return s
	}
	var b strings.Builder
	v.write(&b, i)
	v.text[i] = b.String()
	return v.text[i]
}

func (v *verifier) write(b *strings.Builder, i int) {
	m, from := &v.t.At(i).Message, b.Len()
	oneline.Append(b, from, m.Name)
	for j := range m.Parts {
		writePart(b, from, &m.Parts[j])
	}
}

func writePart(b *strings.Builder, from int, p *message.Part) {
	body := p.Body()
	b.Grow(len(p.Name) + len(p.CallID) + len(body) + len(p.URL) + 4)
	for _, s := range [...]string{p.Name, p.CallID, body, p.URL} {
		oneline.Append(b, from, s)
	}
	if p.Kind != message.Call {
		return
	}
	if strings.IndexByte(p.Args, '\\') >= 0 {
		writeDecoded(b, from, p.Args)
	}
	if listsWords(p.Args) {
		oneline.Append(b, from, tool.Of(*p, nil).Command)
	}
}

// listsWords reports whether arguments may hold a command word by word: a list that begins with a string.
func listsWords(args string) bool {
	for _, list, ok := strings.Cut(args, "["); ok; _, list, ok = strings.Cut(list, "[") {
		if strings.HasPrefix(strings.TrimLeft(list, " \t\r\n"), `"`) {
			return true
		}
	}
	return false
}

// writeDecoded adds the strings of JSON arguments, unescaped.
func writeDecoded(b *strings.Builder, from int, args string) {
	d := tool.Decode(new(jsontext.Decoder), args)
	for {
		t, err := d.ReadToken()
		if err != nil {
			return
		}
		if t.Kind() == '"' {
			oneline.Append(b, from, t.String())
		}
	}
}

// whole returns the text of the span, joined once, only when an item is not where it
// says it is.
func (v *verifier) whole() string {
	if v.joined == "" {
		var b strings.Builder
		for _, x := range v.reach {
			for i := x.From; i < x.To; i++ {
				v.write(&b, i)
				b.WriteByte(' ')
			}
		}
		v.joined = b.String()
	}
	return v.joined
}
