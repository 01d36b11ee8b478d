// Package jsonobject reads and changes JSON objects whose other members stay as
// they came, byte for byte.
//
// Use: Of, then the accessors and Set. Law: a member that is not set keeps its
// bytes. Promise: what cannot be read is zero, never a panic; a nil Object reads as
// one without members.
package jsonobject

import (
	"bytes"
	"encoding/json"
)

// Object is a JSON object: the bytes of each member by its name.
type Object map[string]json.RawMessage

// Of reads an object; nil where raw is none.
func Of(raw []byte) Object {
	var o Object
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// Text returns a member that is a string, else "".
func (o Object) Text(name string) (s string) {
	if json.Unmarshal(o[name], &s) != nil {
		return ""
	}
	return s
}

// Number returns a member that is a whole number, else other.
func (o Object) Number(name string, other int) int {
	n := other
	if o.Absent(name) || json.Unmarshal(o[name], &n) != nil {
		return other
	}
	return n
}

// Absent reports whether a member is missing or null.
func (o Object) Absent(name string) bool {
	v := o[name]
	return len(v) == 0 || string(v) == "null"
}

// List returns the elements of a member that is an array, else nil.
func (o Object) List(name string) (es []json.RawMessage) {
	if json.Unmarshal(o[name], &es) != nil {
		return nil
	}
	return es
}

// Set sets a member to the JSON of v.
func (o Object) Set(name string, v any) { o[name] = Marshal(v) }

// Marshal returns the JSON of v without escapes for HTML; "null" where it has none.
func Marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
