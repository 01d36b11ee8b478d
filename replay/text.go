package replay

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// text is one piece of a message as a reader sees it: JSON is unescaped.
type text struct {
	s string
	// leaves marks a JSON document turned into "name: value" lines; whole short
	// string values of it are phrases without needing quotes.
	leaves []leaf
}

// leaf is a string value of a JSON document: s[start:end] of its text.
type leaf struct{ start, end int }

// texts returns what a message says, part by part: text, thinking, calls'
// arguments, results. Tool names are not content.
func texts(m message.Message) []text {
	var ts []text
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case message.Call:
			ts = append(ts, decoded(p.Args))
		case message.Result:
			for j := range p.Parts {
				ts = append(ts, decoded(p.Parts[j].Text))
			}
		default:
			if p.Text != "" {
				ts = append(ts, decoded(p.Text))
			}
		}
	}
	return ts
}

// said is all the text of a message.
func said(m message.Message) string {
	var b strings.Builder
	for _, t := range texts(m) {
		b.WriteString(t.s)
		b.WriteByte('\n')
	}
	return b.String()
}

// argumentBytes returns how much of said is arguments of calls.
func argumentBytes(m message.Message) int {
	n := 0
	for i := range m.Parts {
		if m.Parts[i].Kind == message.Call {
			n += len(decoded(m.Parts[i].Args).s) + 1
		}
	}
	return n
}

// decoded unfolds a JSON object or array; anything else stands for itself.
func decoded(s string) text {
	trimmed := strings.TrimSpace(s)
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' || !json.Valid([]byte(trimmed)) {
		return text{s: s}
	}
	d := json.NewDecoder(strings.NewReader(trimmed))
	d.UseNumber()
	var u unfolder
	u.value(d, "")
	return text{s: u.b.String(), leaves: u.leaves}
}

// unfolder writes a JSON document as lines of "name: value".
type unfolder struct {
	b      bytes.Buffer
	leaves []leaf
}

func (u *unfolder) value(d *json.Decoder, name string) {
	tok, err := d.Token()
	if err != nil {
		return
	}
	switch v := tok.(type) {
	case json.Delim:
		u.members(d, v == '{', name)
	case string:
		u.line(name, v)
	case json.Number:
		u.line(name, v.String())
	}
}

func (u *unfolder) members(d *json.Decoder, object bool, name string) {
	for d.More() {
		if object {
			key, err := d.Token()
			if err != nil {
				return
			}
			name, _ = key.(string)
		}
		u.value(d, name)
	}
	_, _ = d.Token() // the closing delimiter: the document is valid
}

func (u *unfolder) line(name, v string) {
	if name != "" {
		u.b.WriteString(name + ": ")
	}
	start := u.b.Len()
	u.b.WriteString(v)
	u.leaves = append(u.leaves, leaf{start, u.b.Len()})
	u.b.WriteByte('\n')
}

// argumentNames adds the names of the outermost arguments of a call to set.
func argumentNames(args string, set map[string]bool) {
	d := json.NewDecoder(strings.NewReader(args))
	var m map[string]json.RawMessage
	if err := d.Decode(&m); err != nil && err != io.EOF {
		return
	}
	for k := range m {
		set[k] = true
	}
}

// values returns the values of a text, whole short JSON strings included.
func (t text) values() []value {
	vs := valuesOf(t.s)
	for _, l := range t.leaves {
		if p := t.s[l.start:l.end]; isPhrase(p) {
			vs = append(vs, value{kindPhrase, p, l.start, l.end})
		}
	}
	return vs
}
