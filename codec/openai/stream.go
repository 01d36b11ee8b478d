package openai

import (
	"bytes"
	"fmt"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// Stream implements codec.Replier.
func (Codec) Stream() codec.Assembler {
	return &assembler{
		message: convert.Grow([]byte(`{"role":"assistant","content":null}`)),
		at:      map[string]int{},
	}
}

// assembler follows the chunks to [DONE].
type assembler struct {
	answer  answer
	message *convert.Growing
	// What grows inside the message: audio, and the call of the days before
	// tools.
	audio, legacy *convert.Growing
	calls         []*growingCall
	at            map[string]int // calls by their index, as written
	done, failed  bool
}

// growingCall is an element of tool_calls. Its body is its function or custom
// member, whichever it has.
type growingCall struct {
	outer, body *convert.Growing
	kind        string
}

// Event implements codec.Assembler.
func (a *assembler) Event(name string, data []byte) error {
	if string(bytes.TrimSpace(data)) == "[DONE]" {
		a.done = true
		return nil
	}
	if !jsonedit.IsObject(data) {
		return fmt.Errorf("read openai event %q: %w", name, codec.ErrMalformed)
	}
	suspect := false
	for _, m := range jsonedit.Members(data) {
		switch m.Name {
		case "choices":
			for _, c := range jsonedit.Elements(m.Value) {
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
	for _, m := range jsonedit.Members(raw) {
		switch m.Name {
		case "index":
			if jsonedit.Int(m.Value) != 0 {
				return
			}
		case "delta":
			delta = m.Value
		case "finish_reason":
			reason = m.Value
		}
	}
	if !jsonedit.IsNull(reason) {
		a.answer.reason = bytes.Clone(reason)
	}
	for _, m := range jsonedit.Members(delta) {
		a.grow(m)
	}
}

func (a *assembler) grow(m jsonedit.Member) {
	switch m.Name {
	case "role":
	case "tool_calls":
		for _, c := range jsonedit.Elements(m.Value) {
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
func merge(g *convert.Growing, m jsonedit.Member) {
	s, isText := jsonedit.Text(m.Value)
	switch {
	case jsonedit.IsNull(m.Value):
	case isText && s == "" && m.Name != "content":
	case isText:
		g.Text(m.Name, s)
	case m.Value[0] == '[':
		for _, e := range jsonedit.Elements(m.Value) {
			g.Append(m.Name, e)
		}
	default:
		g.Put(m.Name, m.Value)
	}
}

// add merges all members of an object but the names of things, which are not
// put together from pieces.
func add(g *convert.Growing, raw []byte) *convert.Growing {
	if g == nil {
		g = convert.Grow(nil)
	}
	for _, m := range jsonedit.Members(raw) {
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
func name(g *convert.Growing, m jsonedit.Member) {
	if s := jsonedit.TextOf(m.Value); s != "" {
		g.Put(m.Name, m.Value)
	}
}

// call adds a piece to the call of its index; some leave that out, and begin the
// next call with its id.
func (a *assembler) call(raw []byte) {
	index := jsonedit.Get(raw, "index")
	i, ok := a.at[string(index)]
	switch {
	case jsonedit.IsNull(index) && len(a.calls) > 0 && jsonedit.TextOf(jsonedit.Get(raw, "id")) == "":
		i = len(a.calls) - 1
	case jsonedit.IsNull(index) || !ok:
		i = len(a.calls)
		a.calls = append(a.calls, &growingCall{outer: convert.Grow(nil), kind: "function", body: convert.Grow(nil)})
		a.at[string(index)] = i
	}
	c := a.calls[i]
	for _, m := range jsonedit.Members(raw) {
		if jsonedit.IsNull(m.Value) {
			continue
		}
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
	ms := []jsonedit.Member{{Name: c.kind, Value: c.body.JSON()}}
	if c.outer.Get("type") == nil {
		ms = append(ms, convert.Type(c.kind))
	}
	return jsonedit.Set(c.outer.JSON(), ms...)
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
	ms := []jsonedit.Member{{Name: "tool_calls"}, {Name: "function_call"}, {Name: "audio"}}
	if len(a.calls) > 0 {
		calls := make([][]byte, len(a.calls))
		for i, c := range a.calls {
			calls[i] = c.json()
		}
		ms[0].Value = jsonedit.Join(nil, calls)
	}
	if a.legacy != nil {
		ms[1].Value = a.legacy.JSON()
	}
	if a.audio != nil {
		ms[2].Value = a.audio.JSON()
	}
	return jsonedit.Set(a.message.JSON(), ms...)
}
