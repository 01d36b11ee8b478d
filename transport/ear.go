package transport

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/overflow"
)

// ear listens to an answer that passes by.
type ear struct {
	codec  Codec
	status int
	// deaf: the answer is compressed, too large, or no answer.
	deaf   bool
	parser *sse.Parser // of a stream
	words  codec.Assembler
	whole  []byte // of what is no stream
	// spoken: the model's own words have begun.
	spoken bool
	refuse *overflow.Overflow // inside a stream
}

// mostHeard is how much of an answer is kept to be read, in bytes.
const mostHeard = 32 << 20

func newEar(c Codec, resp *http.Response) *ear {
	e := &ear{codec: c, status: resp.StatusCode}
	enc := resp.Header.Get("Content-Encoding")
	e.deaf = enc != "" && !strings.EqualFold(enc, "identity")
	if resp.StatusCode/100 == 2 && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		e.words = c.Stream()
		e.parser = sse.NewParser(mostHeard, e.event)
	}
	return e
}

// write takes the next piece of the answer.
func (e *ear) write(b []byte) {
	switch {
	case e.deaf:
	case e.parser != nil:
		_, err := e.parser.Write(b)
		e.deaf = err != nil
	case len(e.whole)+len(b) > mostHeard:
		e.deaf, e.whole = true, nil
	default:
		e.whole = append(e.whole, b...)
	}
}

// preamble are the events that a stream may begin with before it is known
// whether the prompt is taken.
var preamble = map[string]bool{"response.created": true, "response.in_progress": true, "response.queued": true}

func (e *ear) event(ev sse.Event) error {
	err := e.words.Event(ev.Name, ev.Data)
	if e.spoken {
		return nil
	}
	var f *codec.Failure
	if errors.As(err, &f) {
		if o, ok := overflow.Classify(e.status, string(ev.Data)); ok {
			e.refuse = &o
			return nil
		}
	}
	e.spoken = !preamble[kind(ev)]
	return nil
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

// refusal says whether the answer so far, or all of it, says that the prompt is
// too long.
func (e *ear) refusal(ended bool) (overflow.Overflow, bool) {
	switch {
	case e.refuse != nil:
		return *e.refuse, true
	case e.deaf || e.parser != nil || !ended:
		return overflow.Overflow{}, false
	}
	return overflow.Classify(e.status, string(e.whole))
}

// reply is what was heard, nil if it is no answer of the provider's. A reply that
// was cut short says what it cost, too.
func (e *ear) reply() (r *codec.Reply) {
	if e.deaf || e.status/100 != 2 {
		return nil
	}
	if e.parser != nil {
		_ = e.parser.Close() // what was cut is no event
		r, _ = e.words.Reply()
		return r
	}
	r, _ = e.codec.Reply(e.status, e.whole)
	return r
}
