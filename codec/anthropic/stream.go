package anthropic

import (
	"bytes"
	"fmt"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Stream implements codec.Replier.
func (Codec) Stream() codec.Assembler { return &assembler{at: map[string]int{}} }

// assembler follows message_start, blocks and message_delta to message_stop.
type assembler struct {
	answer answer
	blocks []growing
	at     map[string]int // blocks by their index, as written
	done   bool
}

// growing is a content block that is still streamed. The arguments of a call come as
// text, and need not be JSON before their end (WE3).
type growing struct {
	*convert.Growing
	input []byte
}

// Event implements codec.Assembler.
func (a *assembler) Event(name string, data []byte) error {
	if !jsonedit.IsObject(data) {
		return fmt.Errorf("read anthropic event %q: %w", name, codec.ErrMalformed)
	}
	e := readEvent(name, data)
	switch e.kind {
	case "message_start":
		a.take(jsonedit.Members(e.message))
	case "content_block_start":
		a.at[string(e.index)] = len(a.blocks)
		a.blocks = append(a.blocks, growing{Growing: convert.Grow(e.block)})
	case "content_block_delta":
		if i, ok := a.at[string(e.index)]; ok {
			a.blocks[i].grow(e.delta)
		}
	case "message_delta":
		a.take(jsonedit.Members(e.delta))
		a.take(e.rest)
	case "message_stop":
		a.done = true
	default:
		if f := codec.ReadFailure(0, data); f != nil {
			return f
		}
	}
	return nil
}

// event holds the members of an event, raw.
type event struct {
	kind                         string // its type, or the event's name
	index, message, block, delta []byte
	rest                         []jsonedit.Member
}

func readEvent(name string, data []byte) event {
	e := event{kind: name}
	for _, m := range jsonedit.Members(data) {
		switch m.Name {
		case "type":
			e.kind = jsonedit.TextOf(m.Value)
		case "index":
			e.index = m.Value
		case "message":
			e.message = m.Value
		case "content_block":
			e.block = m.Value
		case "delta":
			e.delta = m.Value
		default:
			e.rest = append(e.rest, m)
		}
	}
	return e
}

// take takes over the members of a message object, or of a change of it. Counts are
// totals so far: they replace earlier ones, and others stay (WU3).
func (a *assembler) take(ms []jsonedit.Member) {
	for _, m := range ms {
		v := bytes.Clone(m.Value)
		switch m.Name {
		case "content": // made of the blocks
		case "usage":
			a.count(v)
		default:
			a.answer.set(m.Name, v)
		}
	}
}

func (a *assembler) count(raw []byte) {
	if a.answer.usage == nil {
		a.answer.set("usage", raw)
		return
	}
	var es []jsonedit.Member
	for _, m := range jsonedit.Members(raw) {
		if !jsonedit.IsNull(m.Value) {
			es = append(es, m)
		}
	}
	a.answer.usage = jsonedit.Set(a.answer.usage, es...)
}

// deltaMembers names the member of each kind of delta that belongs to the block; other
// members describe the stream.
var deltaMembers = map[string]string{
	"text_delta":       "text",
	"thinking_delta":   "thinking",
	"signature_delta":  "signature",
	"citations_delta":  "citation",
	"input_json_delta": "partial_json",
}

// grow adds a delta to its block. One of a kind that is not known adds to the
// members that it names.
func (g *growing) grow(delta []byte) {
	ms := jsonedit.Members(delta)
	var kind string
	for _, m := range ms {
		if m.Name == "type" {
			kind = jsonedit.TextOf(m.Value)
		}
	}
	only, known := deltaMembers[kind]
	for _, m := range ms {
		s, isText := jsonedit.Text(m.Value)
		switch {
		case m.Name == "type" || known && m.Name != only || jsonedit.IsNull(m.Value):
		case kind == "citations_delta":
			g.Append("citations", m.Value)
		case kind == "input_json_delta":
			g.input = append(g.input, s...)
		case isText:
			g.Text(m.Name, s)
		case !known:
			g.Put(m.Name, m.Value)
		}
	}
}

// Reply implements codec.Assembler.
func (a *assembler) Reply() (*codec.Reply, error) {
	an := a.answer
	raw := make([][]byte, len(a.blocks))
	for i := range a.blocks {
		raw[i] = a.blocks[i].json()
	}
	an.content = jsonedit.Join(nil, raw)
	r, err := an.reply()
	if err != nil {
		return nil, err
	}
	for i := range a.blocks {
		p := &r.Message.Parts[i]
		if args := a.blocks[i].input; len(args) > 0 && p.Kind == message.Call && !jsonedit.IsObject(args) {
			p.Args = string(args)
		}
	}
	if !a.done {
		return r, fmt.Errorf("read anthropic stream: %w", codec.ErrCut)
	}
	return completed(r), nil
}

func (g *growing) json() []byte {
	raw := g.JSON()
	if len(g.input) == 0 {
		return raw
	}
	return jsonedit.Set(raw, jsonedit.Member{Name: "input", Value: convert.Arguments(string(g.input))})
}
