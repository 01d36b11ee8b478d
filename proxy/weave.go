package proxy

import (
	"bytes"
	"encoding/json"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/exchange"
	"github.com/seed-3db51b0e/precis/internal/sse"
)

// weaver makes one answer of the rounds of a call, in which the model looks
// things up in between: what it looked up is left out, the rest is numbered
// through, and the cost is that of all rounds.
type weaver interface {
	// event takes an event of a stream, with its bytes as they came, and returns
	// what the client gets of it now. What ends the answer is kept back.
	event(raw []byte, e sse.Event) []byte
	// again says that the stream of another round follows.
	again()
	// end closes the answer.
	end(ending) []byte
	// fail closes it in the middle, with an error of the proxy's own.
	fail(text string) []byte
	// whole makes one body of those of all rounds.
	whole(rounds [][]byte, e ending) []byte
}

// ending is how the answer ends for the client.
type ending struct {
	// stop: the model wanted look-ups and nothing else, and gets no more.
	stop bool
}

// silent stands where a model that looks things up for ever said nothing else.
const silent = "(The look-ups for this answer are used up, and nothing was said.)"

func newWeaver(dialect string) weaver {
	switch dialect {
	case anthropicName:
		return &blocks{at: map[int]int{}}
	case openaiName:
		return &chunks{at: map[int]int{}, waiting: map[int][]object{}}
	case responsesName:
		return newItems()
	}
	return nil
}

// loom feeds a weaver with the bytes of a stream, and reads along what comes out
// of it, as the client will.
type loom struct {
	weaver
	codec  Codec
	parser *sse.Parser
	frame  []byte // of the event that is being read, as it came
	inside bool   // a line that is not blank has begun
	out    []byte
	deaf   bool // an event was too large: all passes as it is
	client codec.Assembler
	reader *sse.Parser
}

func newLoom(c Codec) *loom {
	l := &loom{weaver: newWeaver(c.Name()), codec: c, client: c.Stream()}
	l.parser = sse.NewParser(exchange.Most, l.event)
	l.reader = sse.NewParser(exchange.Most, func(e sse.Event) error {
		_ = l.client.Event(e.Name, e.Data) // what is wrong with it is the provider's
		return nil
	})
	return l
}

// write takes a piece of a round and returns what the client gets of it.
func (l *loom) write(b []byte) []byte {
	l.out = nil
	for len(b) > 0 && !l.deaf {
		n := bytes.IndexByte(b, '\n') + 1
		if n == 0 {
			n = len(b)
		}
		l.frame = append(l.frame, b[:n]...)
		_, err := l.parser.Write(b[:n])
		l.deaf = err != nil
		ends, blank := b[n-1] == '\n', len(bytes.TrimRight(b[:n], "\r\n")) == 0
		if l.deaf || ends && blank && !l.inside { // what is left are comments
			l.flush()
		}
		l.inside = !ends && (l.inside || !blank)
		b = b[n:]
	}
	return l.sent(append(l.out, b...))
}

func (l *loom) event(e sse.Event) error {
	raw := l.frame
	if !bytes.HasSuffix(raw, []byte("\n")) { // it ends otherwise, or more begins behind it
		raw = encoded(e.Name, e.Data)
	}
	l.frame = nil
	l.out = append(l.out, l.weaver.event(raw, e)...)
	return nil
}

func (l *loom) flush() { l.out, l.frame = append(l.out, l.frame...), nil }

// next begins another round.
func (l *loom) next() {
	l.frame, l.inside, l.parser = nil, false, sse.NewParser(exchange.Most, l.event)
	l.again()
}

// close returns what closes the answer.
func (l *loom) close(e ending) []byte {
	l.out = nil
	_ = l.parser.Close() // what was cut is no event
	l.flush()
	return l.sent(append(l.out, l.end(e)...))
}

func (l *loom) sent(b []byte) []byte {
	_, _ = l.reader.Write(b) // what is too large to be read is not put back
	return b
}

// encoded writes an event.
func encoded(name string, data []byte) []byte {
	var b bytes.Buffer
	if name != "" {
		b.WriteString("event: " + name + "\n")
	}
	for line := range bytes.Lines(data) {
		b.WriteString("data: ")
		b.Write(bytes.TrimSuffix(line, []byte("\n")))
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// object is a JSON object whose members are as they came.
type object map[string]json.RawMessage

func objectOf(raw []byte) object {
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

func (o object) text(name string) (s string) {
	if json.Unmarshal(o[name], &s) != nil {
		return ""
	}
	return s
}

// number is a member that is a whole number, or other.
func (o object) number(name string, other int) int {
	n := other
	if o.absent(name) || json.Unmarshal(o[name], &n) != nil {
		return other
	}
	return n
}

func (o object) absent(name string) bool {
	v := o[name]
	return len(v) == 0 || string(v) == "null"
}

func (o object) list(name string) (es []json.RawMessage) {
	if json.Unmarshal(o[name], &es) != nil {
		return nil
	}
	return es
}

func (o object) set(name string, v any) { o[name] = written(v) }

// written is JSON without more escapes than it needs.
func written(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// added adds up what two rounds cost: numbers are summed, members of objects one
// by one, and of anything else the later stands.
func added(a, b json.RawMessage) json.RawMessage {
	var x, y json.Number
	ox, oy := objectOf(a), objectOf(b)
	switch {
	case len(b) == 0 || string(b) == "null":
		return a
	case ox != nil && oy != nil:
		for name, v := range oy {
			ox[name] = added(ox[name], v)
		}
		return written(ox)
	case len(a) > 0 && a[0] != '"' && b[0] != '"' && json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil:
		n, err := x.Int64()
		m, err2 := y.Int64()
		if err == nil && err2 == nil {
			return written(n + m)
		}
	}
	return b
}
