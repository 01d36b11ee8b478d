package openai

import (
	"bytes"
	"fmt"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/bridge"
	"github.com/seed-3db51b0e/precis/codec/internal/span"
)

// Stream implements codec.Replier.
func (Codec) Stream() codec.Assembler {
	return &assembler{
		message: bridge.Grow([]byte(`{"role":"assistant","content":null}`)),
		at:      map[string]int{},
	}
}

// assembler follows the chunks to [DONE].
type assembler struct {
	answer  answer
	message *bridge.Growing
	// What grows inside the message: audio, and the call of the days before
	// tools.
	audio, legacy *bridge.Growing
	calls         []*growingCall
	at            map[string]int // calls by their index, as written
	done, failed  bool
}

// growingCall is an element of tool_calls. Its body is its function or custom
// member, whichever it has.
type growingCall struct {
	outer, body *bridge.Growing
	kind        string
}

// Event implements codec.Assembler.
func (a *assembler) Event(name string, data []byte) error {
	if string(bytes.TrimSpace(data)) == "[DONE]" {
		a.done = true
		return nil
	}
	if !span.IsObject(data) {
		return fmt.Errorf("read openai event %q: %w", name, codec.ErrMalformed)
	}
	suspect := false
	for _, m := range span.Members(data) {
		switch m.Name {
		case "choices":
			for _, c := range span.Elements(m.Value) {
				a.choose(c)
			}
		case "error", "type":
			suspect = true
		default:
			a.answer.set(m.Name, bytes.Clone(m.Value))
		}
	}
	if suspect {
		if f := codec.ReadFailure(0, data); f != nil {
			a.failed = true
			return f
		}
	}
	return nil
}

// choose takes what a chunk says of the first choice. The last chunk, with the
// usage, has no choice.
func (a *assembler) choose(raw []byte) {
	var delta, reason []byte
	for _, m := range span.Members(raw) {
		switch m.Name {
		case "index":
			if span.Int(m.Value) != 0 {
				return
			}
		case "delta":
			delta = m.Value
		case "finish_reason":
			reason = m.Value
		}
	}
	if !span.IsNull(reason) {
		a.answer.reason = bytes.Clone(reason)
	}
	for _, m := range span.Members(delta) {
		a.grow(m)
	}
}

func (a *assembler) grow(m span.Member) {
	switch m.Name {
	case "role":
	case "tool_calls":
		for _, c := range span.Elements(m.Value) {
			a.call(c)
		}
	case "audio":
		a.audio = add(a.audio, m.Value)
	case "function_call":
		a.legacy = add(a.legacy, m.Value)
	default:
		merge(a.message, m)
	}
}

// merge adds to a member: text to text, elements to elements. null adds
// nothing, and any other value replaces.
func merge(g *bridge.Growing, m span.Member) {
	s, isText := span.Text(m.Value)
	switch {
	case span.IsNull(m.Value):
	case isText && s == "" && m.Name != "content":
	case isText:
		g.Text(m.Name, s)
	case m.Value[0] == '[':
		for _, e := range span.Elements(m.Value) {
			g.Append(m.Name, e)
		}
	default:
		g.Put(m.Name, m.Value)
	}
}

// add merges all members of an object but the names of things, which are not
// put together from pieces.
func add(g *bridge.Growing, raw []byte) *bridge.Growing {
	if g == nil {
		g = bridge.Grow(nil)
	}
	for _, m := range span.Members(raw) {
		switch m.Name {
		case "id", "type", "name":
			name(g, m)
		default:
			merge(g, m)
		}
	}
	return g
}

// name sets a member that some repeat in every chunk, and some leave empty in
// all but the first.
func name(g *bridge.Growing, m span.Member) {
	if s := span.TextOf(m.Value); s != "" {
		g.Put(m.Name, m.Value)
	}
}

// call adds a piece to the call of its index; some leave that out, and begin the
// next call with its id.
func (a *assembler) call(raw []byte) {
	index := span.Get(raw, "index")
	i, ok := a.at[string(index)]
	switch {
	case span.IsNull(index) && len(a.calls) > 0 && span.TextOf(span.Get(raw, "id")) == "":
		i = len(a.calls) - 1
	case span.IsNull(index) || !ok:
		i = len(a.calls)
		a.calls = append(a.calls, &growingCall{outer: bridge.Grow(nil), kind: "function", body: bridge.Grow(nil)})
		a.at[string(index)] = i
	}
	c := a.calls[i]
	for _, m := range span.Members(raw) {
		switch m.Name {
		case "index":
		case "function", "custom":
			c.kind = m.Name
			add(c.body, m.Value)
		case "id", "type":
			name(c.outer, m)
		default:
			merge(c.outer, m)
		}
	}
}

// json is the call as an element of a message's tool_calls.
func (c *growingCall) json() []byte {
	ms := []span.Member{{Name: c.kind, Value: c.body.JSON()}}
	if c.outer.Get("type") == nil {
		ms = append(ms, typed(c.kind))
	}
	return span.Set(c.outer.JSON(), ms...)
}

// Reply implements codec.Assembler.
func (a *assembler) Reply() (*codec.Reply, error) {
	an := a.answer
	an.message = a.whole()
	complete := a.done && !a.failed // some end with [DONE] even then
	r, err := an.reply(complete)
	if err == nil && !complete {
		err = fmt.Errorf("read openai stream: %w", codec.ErrCut)
	}
	return r, err
}

func (a *assembler) whole() []byte {
	ms := []span.Member{{Name: "tool_calls"}, {Name: "function_call"}, {Name: "audio"}}
	if len(a.calls) > 0 {
		calls := make([][]byte, len(a.calls))
		for i, c := range a.calls {
			calls[i] = c.json()
		}
		ms[0].Value = span.Join(nil, calls)
	}
	if a.legacy != nil {
		ms[1].Value = a.legacy.JSON()
	}
	if a.audio != nil {
		ms[2].Value = a.audio.JSON()
	}
	return span.Set(a.message.JSON(), ms...)
}
