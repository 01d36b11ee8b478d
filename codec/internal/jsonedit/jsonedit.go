// Package jsonedit walks JSON once and keeps positions instead of values, and
// edits JSON by splicing.
//
// Use: a Reader over a body; Set and Join to write. Law: bytes that are not
// replaced are copied as they are, duplicate names, odd spacing and invalid
// UTF-8 included. Promise: no input panics.
package jsonedit

import (
	"errors"
	"fmt"
)

// Reader reads one JSON text. The slices it returns alias the text.
type Reader struct {
	src   []byte
	at    int // behind what was read last
	depth int // of the arrays and objects that are being read
}

// NewReader reads src, which must not change while the results are in use.
func NewReader(src []byte) *Reader { return &Reader{src: src} }

// Kind is the kind of a JSON value, by the byte that it begins with.
type Kind byte

// The kinds of JSON value that callers branch on.
const (
	Object Kind = '{'
	Array  Kind = '['
)

// Kind is the kind of the next value: one of these, or the byte that it begins with
// whatever that is, 0 at the end of the text.
func (r *Reader) Kind() Kind {
	if r.at = Blank(r.src, r.at); r.at < len(r.src) {
		return Kind(r.src[r.at])
	}
	return 0
}

var errSyntax = errors.New("no JSON")

func (r *Reader) fail() error { return fmt.Errorf("%w at byte %d", errSyntax, r.at) }

// Value reads the next value whole.
func (r *Reader) Value() ([]byte, error) {
	from := Blank(r.src, r.at)
	end := value(r.src, from, r.depth)
	if end == invalid {
		r.at = from
		return nil, r.fail()
	}
	r.at = end
	return r.src[from:end:end], nil
}

// Object reads an object: f gets each member's decoded name, which is its own
// until it returns, and must read its value. The object's own bytes are returned.
func (r *Reader) Object(f func(name []byte) error) ([]byte, error) {
	from, more, err := r.open('{')
	for more && err == nil {
		var start, end int
		if start, end, err = r.name(); err != nil {
			break
		}
		if err = f(unquotedBytes(r.src[start:end])); err == nil {
			more, err = r.next('}')
		}
	}
	return r.from(from, err)
}

// Array reads an array: f must read one element. The array's own bytes are
// returned.
func (r *Reader) Array(f func() error) ([]byte, error) {
	from, more, err := r.open('[')
	for more && err == nil {
		if err = f(); err == nil {
			more, err = r.next(']')
		}
	}
	return r.from(from, err)
}

func (r *Reader) from(start int, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return r.src[start:r.at:r.at], nil
}

var errKind = errors.New("unexpected kind of value")

// open begins an array or an object. It returns where that starts and whether there
// is anything in it.
func (r *Reader) open(bracket byte) (start int, more bool, err error) {
	switch r.at = Blank(r.src, r.at); {
	case r.at == len(r.src), r.depth == maxDepth:
		return 0, false, r.fail()
	case r.src[r.at] != bracket:
		return 0, false, errKind
	}
	start = r.at
	r.at = Blank(r.src, start+1)
	r.depth++
	if r.at < len(r.src) && r.src[r.at] == bracket+2 { // in ASCII, ']' is '['+2 and '}' is '{'+2
		r.at, r.depth = r.at+1, r.depth-1
		return start, false, nil
	}
	return start, true, nil
}

// next reads what follows an element or a member, and reports whether there is
// another one.
func (r *Reader) next(end byte) (more bool, err error) {
	switch r.at = Blank(r.src, r.at); {
	case r.at == len(r.src):
		return false, r.fail()
	case r.src[r.at] == end:
		r.at, r.depth = r.at+1, r.depth-1
		return false, nil
	case r.src[r.at] != ',':
		return false, r.fail()
	}
	r.at++
	return true, nil
}

// name reads a member's name and the colon after it. It returns where the name
// stands, quotes included.
func (r *Reader) name() (start, end int, err error) {
	if r.at = Blank(r.src, r.at); r.at == len(r.src) || r.src[r.at] != '"' {
		return 0, 0, r.fail()
	}
	start = r.at
	if end = text(r.src, start); end == invalid {
		return 0, 0, r.fail()
	}
	if r.at = Blank(r.src, end); r.at == len(r.src) || r.src[r.at] != ':' {
		return 0, 0, r.fail()
	}
	r.at++
	return start, end, nil
}

// Rest returns the text that was not read yet.
func (r *Reader) Rest() []byte { return r.src[r.at:] }

// Skip goes n bytes on without reading them: they must be whole elements of the
// array that is being read, and what is between them.
func (r *Reader) Skip(n int) { r.at += n }

// Offset is where the reader stands in the text: after the value read last.
func (r *Reader) Offset() int { return r.at }

// End checks that nothing but white space is left.
func (r *Reader) End() error {
	if r.at = Blank(r.src, r.at); r.at < len(r.src) {
		return fmt.Errorf("trailing bytes at %d", r.at)
	}
	return nil
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value []byte // raw; nil in an edit deletes the member
}

// Members lists the members of an object in order, duplicates included. What
// is not an object has none.
func Members(raw []byte) []Member {
	var ms []Member
	r := NewReader(raw)
	_, err := r.Object(func(name []byte) error {
		v, err := r.Value()
		ms = append(ms, Member{string(name), v})
		return err
	})
	if err != nil {
		return nil
	}
	return ms
}

// Get returns the value of a member, the last one of that name, or nil.
func Get(raw []byte, name string) []byte {
	var v []byte
	r := NewReader(raw)
	_, err := r.Object(func(n []byte) error {
		x, err := r.Value()
		if string(n) == name {
			v = x
		}
		return err
	})
	if err != nil {
		return nil
	}
	return v
}

// Elements lists the elements of an array; what is not an array has none.
func Elements(raw []byte) [][]byte {
	var es [][]byte
	r := NewReader(raw)
	_, err := r.Array(func() error {
		v, err := r.Value()
		es = append(es, v)
		return err
	})
	if err != nil {
		return nil
	}
	return es
}
