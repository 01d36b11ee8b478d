package codec

import (
	"bytes"
	"slices"

	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Incremental is a Codec that need not read again what it has decoded before: a
// proxy gets the whole conversation with every request.
type Incremental interface {
	Codec
	// DecodeAfter returns what Decode does, but for Known: messages that before
	// finds are taken over.
	DecodeAfter(body []byte, before Before) (*Request, error)
}

// Before finds the messages decoded before that the elements of an array begin
// with, and where the last of them ends (see Begins). rest begins with the first
// element and goes on beyond the array; it may hold anything.
type Before func(rest []byte) (known []message.Message, end int)

// Begins returns with how many of ms the elements of an array begin, and where the
// last of these ends. rest begins with the first element. One Codec must have
// decoded all of ms; an element of the same bytes is the same message.
func Begins(rest []byte, ms []message.Message) (n, end int) {
	at := 0
	for n < len(ms) {
		at = jsonedit.Blank(rest, at)
		if n > 0 {
			if at == len(rest) || rest[at] != ',' {
				break
			}
			at = jsonedit.Blank(rest, at+1)
		}
		raw := ms[n].Raw
		if len(raw) == 0 || raw[0] != '{' || !bytes.HasPrefix(rest[at:], raw) { // only what is closed ends with its bytes
			break
		}
		at += len(raw)
		n, end = n+1, at
	}
	return n, end
}

// Lasting puts the messages that were not known before into memory of their own,
// and returns all of them: without the rest of the body, they may be kept for a
// Before. From then on none may be changed.
func (r *Request) Lasting() []message.Message {
	for i := r.Known; i < len(r.Messages); i++ {
		r.Messages[i] = r.Messages[i].Lasting()
	}
	r.Messages = slices.Clip(r.Messages)
	return r.Messages
}
