package tool

import (
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// LineReader reads JSON as a person does. The zero value is ready; what it is made of is
// used again for each text.
type LineReader struct{ d jsontext.Decoder }

// Lines returns the arguments of a call as lines: strings as they are, the rest behind
// the name it has. What is not JSON is returned as it is.
func (r *LineReader) Lines(args string) string {
	d := &r.d
	Decode(d, args)
	var b strings.Builder
	b.Grow(len(args))
	for {
		name := d.StackDepth() > 0 && NextIsName(d)
		t, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return strings.TrimSuffix(b.String(), "\n")
		}
		if err != nil {
			return args
		}
		switch t.Kind() {
		case '{', '}', '[', ']':
			continue
		}
		b.WriteString(t.String())
		if name {
			b.WriteString(": ")
		} else {
			b.WriteByte('\n')
		}
	}
}

// NextIsName reports whether the next token is an object member's name.
func NextIsName(d *jsontext.Decoder) bool {
	kind, n := d.StackIndex(d.StackDepth())
	return kind == '{' && n%2 == 0
}

// WasName reports whether the token just read was an object member's name.
func WasName(d *jsontext.Decoder) bool {
	kind, n := d.StackIndex(d.StackDepth())
	return kind == '{' && n%2 == 1
}
