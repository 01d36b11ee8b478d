// Package exchange reads a provider's answer while it passes by.
//
// Use: New for an answer, Write each piece of it, then Refusal and Reply. Law: it
// changes nothing and holds nothing up. Promise: what it keeps is bounded; what
// it cannot read it leaves alone.
package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/overflow"
)

// ReplyReader reads one answer.
type ReplyReader struct {
	codec  codec.Replier
	status int
	// Unreadable is set where the answer is compressed or too large.
	Unreadable bool
	parser     *sse.Parser // of a stream
	words      codec.Assembler
	whole      []byte // of what is no stream
	// Spoken is set once the model's own words have begun.
	Spoken bool
	// Complete is set once the event that ends a stream has come: a client may take the
	// answer as whole.
	Complete bool
	refuse   *overflow.Overflow // inside a stream
}

// Most is how much of an answer is kept to be read, in bytes.
const Most = 32 << 20

// New reads the answer with this status and header, in c's format.
func New(c codec.Replier, status int, header http.Header) *ReplyReader {
	e := &ReplyReader{codec: c, status: status}
	enc := header.Get("Content-Encoding")
	e.Unreadable = enc != "" && !strings.EqualFold(enc, "identity")
	if status/100 == 2 && strings.HasPrefix(header.Get("Content-Type"), "text/event-stream") {
		e.words = c.Stream()
		e.parser = sse.NewParser(Most, e.event)
	}
	return e
}

// Streamed reports whether the answer is a stream of events.
func (e *ReplyReader) Streamed() bool { return e.parser != nil }

// Write takes the next piece of the answer.
func (e *ReplyReader) Write(b []byte) {
	switch {
	case e.Unreadable:
	case e.parser != nil:
		_, err := e.parser.Write(b)
		e.Unreadable = err != nil
	case len(e.whole)+len(b) > Most:
		e.Unreadable, e.whole = true, nil
	default:
		e.whole = append(e.whole, b...)
	}
}

// preamble are the events that a stream may begin with before it is known
// whether the prompt is taken.
var preamble = map[string]bool{"response.created": true, "response.in_progress": true, "response.queued": true}

func (e *ReplyReader) event(ev sse.Event) error {
	err := e.words.Event(ev.Name, ev.Data)
	e.Complete = e.Complete || ends(ev) || e.finished(ev)
	if e.Spoken {
		return nil
	}
	var f *codec.Failure
	if errors.As(err, &f) {
		if o, ok := overflow.Classify(e.status, string(ev.Data)); ok {
			e.refuse = &o
			return nil
		}
	}
	e.Spoken = !preamble[kind(ev)]
	return nil
}

// lastEvents end the streams of Messages and Responses; that of Chat Completions ends
// in doneEvent.
var lastEvents = map[string]bool{"message_stop": true, "response.completed": true, "response.incomplete": true, "response.failed": true}

const doneEvent = "[DONE]"

// ends reports whether an event ends a stream.
func ends(ev sse.Event) bool {
	if ev.Name == "" && len(ev.Data) > len(doneEvent)+2 && !bytes.Contains(ev.Data, []byte(`"message_stop"`)) && !bytes.Contains(ev.Data, []byte(`"response.`)) {
		return false // its kind need not be looked for
	}
	return string(bytes.TrimSpace(ev.Data)) == doneEvent || lastEvents[kind(ev)]
}

// finished reports whether the last event of a stream of Gemini's has come, which says
// why the answer ends.
func (e *ReplyReader) finished(ev sse.Event) bool {
	if !bytes.Contains(ev.Data, []byte(`"finishReason"`)) {
		return false
	}
	_, err := e.words.Reply()
	return err == nil
}

func kind(ev sse.Event) string {
	if ev.Name != "" {
		return ev.Name
	}
	var v struct{ Type string }
	if json.Unmarshal(ev.Data, &v) != nil {
		return ""
	}
	return v.Type
}

// Refusal reports whether the answer so far, or all of it where ended is set, says that
// the prompt is too long.
func (e *ReplyReader) Refusal(ended bool) (overflow.Overflow, bool) {
	switch {
	case e.refuse != nil:
		return *e.refuse, true
	case e.Unreadable || e.parser != nil || !ended:
		return overflow.Overflow{}, false
	}
	return overflow.Classify(e.status, string(e.whole))
}

// Reply returns what was read, nil if it is no answer of the provider's. A reply that was cut
// short states its usage, too.
func (e *ReplyReader) Reply() *codec.Reply {
	if e.Unreadable || e.status/100 != 2 {
		return nil
	}
	if e.parser != nil {
		_ = e.parser.Close() // what was cut is no event
		r, _ := e.words.Reply()
		return r
	}
	r, _ := e.codec.Reply(e.status, e.whole)
	return r
}
