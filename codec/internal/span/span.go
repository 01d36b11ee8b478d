// Package span walks JSON once and keeps positions instead of values, and
// edits JSON by splicing.
//
// Use: a Reader over a body; Set and Join to write. Law: bytes that are not
// replaced are copied as they are, duplicate names, odd spacing and invalid
// UTF-8 included (SPEC V11). Promise: no input panics.
package span

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Reader reads one JSON text. The slices it returns alias the text.
type Reader struct {
	d   *jsontext.Decoder
	src []byte
}

// NewReader reads src, which must not change while the results are in use.
func NewReader(src []byte) *Reader {
	d := jsontext.NewDecoder(bytes.NewBuffer(src),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return &Reader{d: d, src: src}
}

// The kinds of JSON value that callers branch on.
const (
	String = jsontext.KindString
	Object = jsontext.KindBeginObject
	Array  = jsontext.KindBeginArray
)

// Kind is the kind of the next value.
func (r *Reader) Kind() jsontext.Kind { return r.d.PeekKind() }

// Value reads the next value whole.
func (r *Reader) Value() ([]byte, error) {
	v, err := r.d.ReadValue()
	if err != nil {
		return nil, err
	}
	end := int(r.d.InputOffset())
	return r.src[end-len(v) : end : end], nil
}

// Object reads an object: f gets each member's decoded name and must read its
// value. The object's own bytes are returned.
func (r *Reader) Object(f func(name string) error) ([]byte, error) {
	return r.compound(Object, func() error {
		name, err := r.Value()
		if err != nil {
			return err
		}
		return f(unquoted(name))
	})
}

// Array reads an array: f must read one element. The array's own bytes are
// returned.
func (r *Reader) Array(f func() error) ([]byte, error) { return r.compound(Array, f) }

var errKind = errors.New("unexpected kind of value")

func (r *Reader) compound(kind jsontext.Kind, f func() error) ([]byte, error) {
	tok, err := r.d.ReadToken()
	if err != nil {
		return nil, err
	}
	if tok.Kind() != kind {
		return nil, errKind
	}
	start := int(r.d.InputOffset()) - 1
	for k := r.d.PeekKind(); k != jsontext.KindEndObject && k != jsontext.KindEndArray; k = r.d.PeekKind() {
		if k == jsontext.KindInvalid {
			_, err := r.d.ReadToken()
			return nil, err
		}
		if err := f(); err != nil {
			return nil, err
		}
	}
	if _, err := r.d.ReadToken(); err != nil {
		return nil, err
	}
	end := int(r.d.InputOffset())
	return r.src[start:end:end], nil
}

// Offset is where the reader stands in the text: after the value read last.
func (r *Reader) Offset() int { return int(r.d.InputOffset()) }

// End checks that nothing but white space is left.
func (r *Reader) End() error {
	_, err := r.d.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		return errors.New("trailing bytes")
	}
	return err
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
	_, err := r.Object(func(name string) error {
		v, err := r.Value()
		ms = append(ms, Member{name, v})
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
	for _, m := range Members(raw) {
		if m.Name == name {
			v = m.Value
		}
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
