// Package merge makes one answer of the rounds of a call in which the model looked
// things up with the recall tools in between: the client gets no look-up, the rest
// is numbered through, and the usage is that of the last round, which clients take for
// the size of the context; Anthropic's lists all rounds besides.
//
// Use: NewWriter for a streamed answer, Bodies for one that is not; LookUps and
// Visible for what is in a round. Law: an answer of one round without look-ups passes
// byte for byte. Promise: what cannot be read passes as it is, and the events that
// end an answer wait until no round follows.
package merge

import (
	"bytes"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/exchange"
	"github.com/seed-3db51b0e/precis/internal/jsonobject"
	"github.com/seed-3db51b0e/precis/internal/sse"
)

// joiner joins the rounds of an answer of one API.
type joiner interface {
	// event takes an event of a stream, with its bytes as they came, and returns
	// what the client gets of it now. What ends the answer is kept back.
	event(raw []byte, e sse.Event) []byte
	// nextRound tells that the stream of another round follows.
	nextRound()
	// end closes the answer. stop is set where the model wanted look-ups and nothing
	// else, and gets no more.
	end(stop bool) []byte
	// fail closes it in the middle, with an error of the proxy's own.
	fail(text string) []byte
	// bodies joins answers that are not streamed.
	bodies(rounds [][]byte, stop bool) []byte
}

// lookUpsUsed is said for a model that only looks things up, for ever.
const lookUpsUsed = "(The look-ups for this answer are used up, and nothing was said.)"

func newJoiner(api string) joiner {
	switch api {
	case messagesAPI:
		return &messagesJoiner{at: map[int]int{}}
	case chatAPI:
		return &chatJoiner{at: map[int]int{}, waiting: map[int][]jsonobject.Object{}}
	case responsesAPI:
		return newResponses()
	case geminiAPI:
		return &geminiJoiner{}
	}
	return nil
}

// Supports reports whether answers of the API can be merged.
func Supports(api string) bool { return newJoiner(api) != nil }

// Bodies makes one body of those of all rounds. stop is as for Writer.Close.
func Bodies(api string, rounds [][]byte, stop bool) []byte {
	return newJoiner(api).bodies(rounds, stop)
}

// Writer merges the streams of the rounds. Make it with NewWriter.
type Writer struct {
	joiner joiner
	parser *sse.Parser
	frame  []byte // of the event that is being read, as it came
	inside bool   // a line that is not blank has begun
	out    []byte
	// unreadable is set after an event that was too large: all passes as it is.
	unreadable bool
	client     codec.Assembler // reads what the client gets
	reader     *sse.Parser
}

// NewWriter makes a writer for answers of an API that Supports accepts.
func NewWriter(api string, c codec.Replier) *Writer {
	w := &Writer{joiner: newJoiner(api), client: c.Stream()}
	w.parser = sse.NewParser(exchange.Most, w.event)
	w.reader = sse.NewParser(exchange.Most, func(e sse.Event) error {
		_ = w.client.Event(e.Name, e.Data) // what is wrong with it is the provider's
		return nil
	})
	return w
}

// Write takes a piece of a round and returns what the client gets of it.
func (w *Writer) Write(b []byte) []byte {
	w.out = nil
	for len(b) > 0 && !w.unreadable {
		n := bytes.IndexByte(b, '\n') + 1
		if n == 0 {
			n = len(b)
		}
		w.frame = append(w.frame, b[:n]...)
		_, err := w.parser.Write(b[:n])
		w.unreadable = err != nil
		ends, blank := b[n-1] == '\n', len(bytes.TrimRight(b[:n], "\r\n")) == 0
		if w.unreadable || ends && blank && !w.inside { // what is left are comments
			w.flush()
		}
		w.inside = !ends && (w.inside || !blank)
		b = b[n:]
	}
	return w.sent(append(w.out, b...))
}

func (w *Writer) event(e sse.Event) error {
	raw := w.frame
	if !bytes.HasSuffix(raw, []byte("\n")) { // it ends otherwise, or more begins behind it
		raw = sse.Encode(e.Name, e.Data)
	}
	w.frame = nil
	w.out = append(w.out, w.joiner.event(raw, e)...)
	return nil
}

func (w *Writer) flush() { w.out, w.frame = append(w.out, w.frame...), nil }

// NextRound begins another round.
func (w *Writer) NextRound() {
	w.frame, w.inside, w.parser = nil, false, sse.NewParser(exchange.Most, w.event)
	w.joiner.nextRound()
}

// Close returns what ends the answer. stop makes it an answer that the model ended,
// where it wanted look-ups and nothing else and gets no more.
func (w *Writer) Close(stop bool) []byte {
	w.out = nil
	_ = w.parser.Close() // what was cut is no event
	w.flush()
	return w.sent(append(w.out, w.joiner.end(stop)...))
}

// Fail returns what ends the answer in the middle, with an error of the proxy's own.
func (w *Writer) Fail(text string) []byte { return w.joiner.fail(text) }

// Reply returns what the client got; nil where that cannot be read.
func (w *Writer) Reply() *codec.Reply {
	r, _ := w.client.Reply() // what was cut will not come back
	return r
}

func (w *Writer) sent(b []byte) []byte {
	_, _ = w.reader.Write(b) // what is too large to be read is not put back
	return b
}

// apiError is an error of the proxy's own within a stream.
func apiError(text string) map[string]string {
	return map[string]string{"type": "api_error", "message": text}
}
