package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/message"
)

// jsonl reads messages of an API: one a line, in an array, or in the
// messages of a row.
func (t *Transcript) jsonl(data []byte) error {
	ls := lines(data)
	if whole(data) {
		var err error
		if ls, err = t.row(data); err != nil {
			return err
		}
	}
	shape := OpenAI
	for _, l := range ls {
		if s := shapeOf(l.raw); s != "" {
			shape = s
			break
		}
	}
	rows := 0
	for _, l := range ls {
		rows += t.jsonlMessage(l, parsers[shape])
	}
	if len(t.Messages) == 0 && rows > 1 {
		return fmt.Errorf("%w: %d of them, one a line", ErrMany, rows)
	}
	return nil
}

var parsers = map[string]func(json.RawMessage) (message.Message, error){
	OpenAI: openai.ParseMessage, Anthropic: anthropic.ParseMessage, Responses: responses.ParseItem,
}

// jsonlMessage reads one message and says how many conversations the record was
// instead.
func (t *Transcript) jsonlMessage(l line, parse func(json.RawMessage) (message.Message, error)) int {
	var peek struct {
		Role     string          `json:"role"`
		Type     string          `json:"type"`
		Messages json.RawMessage `json:"messages"`
		Stamp    string          `json:"timestamp"`
	}
	if err := l.object(&peek); err != nil {
		t.broken(l, peek.Type, err)
		return 0
	}
	if peek.Role == "" && peek.Messages != nil {
		t.skip(l, "conversation", UnknownType, "")
		return 1
	}
	if peek.Role == "" && !responsesItem(peek.Type) {
		t.skip(l, peek.Type, UnknownType, "no role")
		return 0
	}
	m, err := parse(l.raw)
	switch {
	case err != nil:
		t.broken(l, peek.Role, err)
	case len(m.Parts) == 0:
		t.skip(l, peek.Role, Empty, "")
	default:
		t.add(l, m, peek.Stamp)
	}
	return 0
}

// row finds the messages of a value that is an array of them or an object
// with one.
func (t *Transcript) row(data []byte) ([]line, error) {
	var ls []line
	n := newlines{data: data}
	err := walk(data, func(name string, v []byte, at int) {
		switch name {
		case "id":
			t.Session = plainText(v)
		case "model":
			t.Model = plainText(v)
		case "system":
			t.rowSystem(line{no: n.at(at), offset: at, raw: v})
		case "tools":
			t.rowTools(line{no: n.at(at), offset: at, raw: v})
		case "":
			ls = append(ls, line{no: n.at(at), offset: at, raw: v})
		case "messages":
			ls = nil // of a name that comes twice the last one counts
			_ = walk(v, func(_ string, e []byte, in int) {
				ls = append(ls, line{no: n.at(at + in), offset: at + in, raw: e})
			})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", codec.ErrMalformed, err)
	}
	if len(ls) == 0 && bytes.TrimLeft(data, blank)[0] == '{' {
		ls = lines(data) // one message, alone
	}
	return ls, nil
}

// rowSystem takes the system prompt that a row has beside its messages, as a Messages
// request has it.
func (t *Transcript) rowSystem(l line) {
	switch got := around(anthropic.Codec{}, "messages", l.raw, nil); {
	case string(l.raw) == "null":
	case got == nil || l.raw[0] != '"' && l.raw[0] != '[':
		t.skip(l, "system", Malformed, "neither a text nor blocks of text")
	default:
		t.System = got.System
	}
}

// rowTools takes the tools that a row has, in the form of the API that they can be of.
func (t *Transcript) rowTools(l line) {
	var got *codec.Request
	switch api(members{"tools": l.raw}) {
	case Anthropic:
		got = around(anthropic.Codec{}, "messages", nil, l.raw)
	case OpenAI:
		got = around(openai.Codec{}, "messages", nil, l.raw)
	default:
		got = around(responses.Codec{}, "input", nil, l.raw)
	}
	switch {
	case string(l.raw) == "null":
	case got == nil || l.raw[0] != '[':
		t.skip(l, "tools", Malformed, "not a list of tools")
	default:
		t.Tools = got.Tools
	}
}

// walk visits the members of an object or, without names, the elements of an
// array; at is where the value starts in data. It stops after them.
func walk(data []byte, visit func(name string, v []byte, at int)) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if k := d.PeekKind(); k != '{' && k != '[' {
		return errors.New("neither an object nor an array")
	}
	open, err := d.ReadToken()
	if err != nil {
		return err
	}
	for named := open.Kind() == '{'; d.PeekKind() != '}' && d.PeekKind() != ']'; {
		name := ""
		if named {
			k, err := d.ReadToken()
			if err != nil {
				return err
			}
			name = k.String()
		}
		v, err := d.ReadValue()
		if err != nil {
			return err
		}
		end := int(d.InputOffset())
		visit(name, data[end-len(v):end:end], end-len(v))
	}
	_, err = d.ReadToken()
	return err
}

// newlines turns rising offsets into line numbers.
type newlines struct {
	data     []byte
	no, from int
}

func (n *newlines) at(offset int) int {
	if offset > n.from {
		n.no += bytes.Count(n.data[n.from:offset], []byte{'\n'})
		n.from = offset
	}
	return n.no + 1
}
