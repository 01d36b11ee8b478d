package convert

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Messages reads the array of a request's messages. It takes over those that before
// finds, and reads the others with read. before may be nil.
func Messages(r *jsonedit.Reader, req *codec.Request, before codec.Before, read func(*jsonedit.Reader) (message.Message, error)) error {
	req.Messages, req.Known = []message.Message{}, 0
	first := true
	raw, err := r.Array(func() error {
		if first {
			first = false
			if known := takeKnown(r, req, before); known {
				return nil
			}
		}
		m, err := read(r)
		req.Messages = append(req.Messages, m)
		return err
	})
	req.From, req.Until = r.Offset()-len(raw), r.Offset()
	return err
}

// spareMessages is the room for messages that a request has beyond the known ones.
const spareMessages = 8

// takeKnown takes over the messages decoded before.
func takeKnown(r *jsonedit.Reader, req *codec.Request, before codec.Before) bool {
	if before == nil {
		return false
	}
	known, end := before(r.Rest())
	if len(known) == 0 {
		return false
	}
	req.Messages = append(make([]message.Message, 0, len(known)+spareMessages), known...)
	req.Known = len(known)
	r.Skip(end)
	return true
}
