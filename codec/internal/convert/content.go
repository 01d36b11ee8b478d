package convert

import (
	"errors"
	"fmt"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Parse reads one JSON value with read; what names it in errors.
func Parse[T any](raw []byte, what string, read func(*jsonedit.Reader) (T, error)) (v T, err error) {
	r := jsonedit.NewReader(raw)
	if v, err = read(r); err == nil {
		err = r.End()
	}
	if err != nil {
		var none T
		return none, fmt.Errorf("parse %s: %w: %w", what, codec.ErrMalformed, err)
	}
	return v, nil
}

// Answer reads the members of a whole answer with set. missing names what makes it
// an answer and is not there, "" if all is.
func Answer(dialect string, status int, body []byte, set func(name string, v []byte), missing func() string) error {
	if f := codec.ReadFailure(status, body); f != nil {
		return f
	}
	r := jsonedit.NewReader(body)
	_, err := r.Object(func(name []byte) error {
		v, err := r.Value()
		set(string(name), v)
		return err
	})
	if err == nil {
		err = r.End()
	}
	if err == nil && missing() != "" {
		err = errors.New("no " + missing())
	}
	if err != nil {
		return fmt.Errorf("read %s reply: %w: %w", dialect, codec.ErrMalformed, err)
	}
	return nil
}

// Plain reads content that is not an array: a string or null, else a fixed part.
func Plain(raw []byte, dialect string) []message.Part {
	if s, ok := jsonedit.Text(raw); ok && s != "" {
		return []message.Part{{Kind: message.Text, Text: s}}
	} else if ok || jsonedit.IsNull(raw) {
		return nil
	}
	return []message.Part{FixedPart(raw, dialect)}
}

// Content reads a string, null, or an array whose elements part reads.
func Content(r *jsonedit.Reader, dialect string, part func(raw []byte) message.Part) ([]message.Part, error) {
	if r.Kind() != jsonedit.Array {
		v, err := r.Value()
		return Plain(v, dialect), err
	}
	var ps []message.Part
	_, err := r.Array(func() error {
		v, err := r.Value()
		if err != nil {
			return err
		}
		p := part(v)
		p.Raw, p.Dialect = v, dialect
		ps = append(ps, p)
		return nil
	})
	return ps, err
}

// Form is how a dialect writes the content of a message.
type Form struct {
	Dialect string
	Text    string                        // type of a text element
	Media   func(message.Part) []byte     // nil where no media may stand
	Read    func(raw []byte) message.Part // reads an element
}

// Content writes what a message says, spaced like orig; nil if nothing. One text is
// a string, unless orig is an array.
func (f Form) Content(orig []byte, parts []message.Part) []byte {
	array := len(orig) > 0 && orig[0] == '['
	var out [][]byte
	var text *string
	for i := range parts {
		p := &parts[i]
		if p.Kind == message.Thinking || p.Kind == message.Text && p.Text == "" {
			continue
		}
		var raw []byte
		raw, text = f.element(p)
		out = append(out, raw)
	}
	switch {
	case len(out) == 0:
		return nil
	case len(out) == 1 && text != nil && !array:
		return jsonedit.Quote(*text)
	}
	return jsonedit.Join(orig, out)
}

// element writes one part of a content array, and returns its text if it is nothing
// else.
func (f Form) element(p *message.Part) ([]byte, *string) {
	own := Own(*p, f.Dialect)
	switch {
	case own && !p.Edited:
		return p.Raw, nil
	case own && p.Kind == message.Text && f.Read(p.Raw).Kind == message.Text:
		return jsonedit.Set(p.Raw, String("text", p.Text)), nil
	case p.Kind == message.Media && f.Media != nil:
		if raw := f.Media(*p); raw != nil {
			return raw, nil
		}
	}
	text := Readable(*p)
	return jsonedit.Build(Type(f.Text), String("text", text)), &text
}

// Readable is a part's text, or its placeholder.
func Readable(p message.Part) string {
	if p.Kind == message.Text {
		return p.Text
	}
	return Placeholder(p)
}

// Type is the member that names the type of an object.
func Type(kind string) jsonedit.Member { return String("type", kind) }

// String is a member whose value is a string.
func String(name, s string) jsonedit.Member {
	return jsonedit.Member{Name: name, Value: jsonedit.Quote(s)}
}

// Optional is String, left out where s is empty.
func Optional(name, s string) jsonedit.Member {
	if s == "" {
		return jsonedit.Member{Name: name}
	}
	return String(name, s)
}

// Count is a member whose value is a number, left out where n is not positive.
func Count(name string, n int) jsonedit.Member {
	if n <= 0 {
		return jsonedit.Member{Name: name}
	}
	return jsonedit.Member{Name: name, Value: []byte(fmt.Sprint(n))}
}

// Flag is a member that is true, or left out.
func Flag(name string, on bool) jsonedit.Member {
	if !on {
		return jsonedit.Member{Name: name}
	}
	return jsonedit.Member{Name: name, Value: []byte("true")}
}

// MoveFirst moves the elements that first chooses before the others; both keep
// their order.
func MoveFirst[T any](list []T, first func(T) bool) {
	var others []T
	n := 0
	for _, v := range list {
		if first(v) {
			list[n] = v
			n++
		} else {
			others = append(others, v)
		}
	}
	copy(list[n:], others)
}
