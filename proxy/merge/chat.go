package merge

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/jsonobject"
	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/recall"
)

const chatAPI = "openai"

// chatJoiner joins answers of OpenAI's Chat Completions API.
type chatJoiner struct {
	rounds  int                         // before this one
	id      json.RawMessage             // of the first
	next    int                         // the client's next call
	at      map[int]int                 // the client's index of a call of this round, hidden if it gets none
	waiting map[int][]jsonobject.Object // pieces of calls whose name is not known yet
	last    int                         // index of the call that came last
	visible bool                        // the client got text or a call
	parted  bool                        // text of this round has begun
	closing bool                        // the reason to end has come
	tail    []tail
}

// tail is an event kept back: as it came, and its object, nil for [DONE].
type tail struct {
	raw []byte
	o   jsonobject.Object
}

func (w *chatJoiner) event(raw []byte, e sse.Event) []byte {
	o := jsonobject.Of(e.Data)
	if o == nil {
		if string(bytes.TrimSpace(e.Data)) == "[DONE]" {
			w.tail = append(w.tail, tail{raw: raw})
			return nil
		}
		return raw
	}
	if w.id == nil && o.Text("id") != "" {
		w.id = o["id"]
	}
	choices := o.List("choices")
	if len(choices) == 0 {
		if w.closing {
			w.tail = append(w.tail, tail{raw, o})
			return nil
		}
		return raw
	}
	return w.choice(raw, o, jsonobject.Of(choices[0]))
}

// choice takes a piece of the answer.
func (w *chatJoiner) choice(raw []byte, o, c jsonobject.Object) []byte {
	d := jsonobject.Of(c["delta"])
	if d == nil {
		d = jsonobject.Object{}
	}
	changed := w.calls(d)
	if w.rounds > 0 {
		changed = true
		delete(d, "role")
		if w.id != nil {
			o["id"] = w.id
		}
		w.part(d)
	}
	says := d.Text("content") != "" || d["tool_calls"] != nil
	w.visible = w.visible || says
	if c.Absent("finish_reason") {
		switch {
		case !changed:
			return raw
		case len(d) == 0 || !says && w.rounds > 0 && d.Text("content") == "" && len(d) == 1 && d["content"] != nil:
			return nil
		}
		return piece(o, c, d)
	}
	w.closing = true
	if !says {
		if changed {
			raw = piece(o, c, d)
		}
		w.tail = append(w.tail, tail{raw, o})
		return nil
	}
	reason := c["finish_reason"]
	c["finish_reason"] = []byte("null")
	out := piece(o, c, d)
	c["finish_reason"] = reason
	w.tail = append(w.tail, tail{piece(o, c, jsonobject.Object{}), o})
	return out
}

// piece writes a chunk with its one choice.
func piece(o, c, d jsonobject.Object) []byte {
	c.Set("delta", d)
	o.Set("choices", []jsonobject.Object{c})
	return sse.Encode("", jsonobject.Marshal(o))
}

// part sets the text of a later round off from what was said before.
func (w *chatJoiner) part(d jsonobject.Object) {
	text := d.Text("content")
	if text == "" || w.parted {
		return
	}
	w.parted = true
	if w.visible {
		d.Set("content", "\n\n"+text)
	}
}

// calls leaves out look-ups, and reports whether anything changed.
func (w *chatJoiner) calls(d jsonobject.Object) bool {
	es := d.List("tool_calls")
	if es == nil {
		return false
	}
	changed := false
	var kept []jsonobject.Object
	for _, raw := range es {
		e := jsonobject.Of(raw)
		index := w.index(e)
		if _, ok := w.at[index]; !ok {
			name := jsonobject.Of(e["function"]).Text("name") + jsonobject.Of(e["custom"]).Text("name")
			if name == "" {
				w.waiting[index] = append(w.waiting[index], e)
				changed = true
				continue
			}
			w.at[index] = hidden
			if !recall.Answers(name) {
				w.at[index] = w.next
				w.next++
			}
		}
		n := w.at[index]
		for _, e := range append(w.waiting[index], e) {
			if n == hidden {
				changed = true
				continue
			}
			if e.Number("index", hidden) != n {
				e.Set("index", n)
				changed = true
			}
			kept = append(kept, e)
		}
		delete(w.waiting, index)
	}
	switch {
	case !changed:
	case len(kept) == 0:
		delete(d, "tool_calls")
	default:
		d.Set("tool_calls", kept)
	}
	return changed
}

// index is that of a piece of a call; where it is left out, an id begins a call.
func (w *chatJoiner) index(e jsonobject.Object) int {
	n := w.last
	if !e.Absent("index") {
		n = e.Number("index", 0)
	} else if e.Text("id") != "" {
		n = len(w.at) + len(w.waiting)
	}
	w.last = n
	return n
}

func (w *chatJoiner) nextRound() {
	w.rounds, w.at, w.waiting, w.last = w.rounds+1, map[int]int{}, map[int][]jsonobject.Object{}, 0
	w.parted, w.closing, w.tail = false, false, nil
}

func (w *chatJoiner) end(stop bool) []byte {
	var out []byte
	for _, t := range w.tail {
		if t.o == nil || w.rounds == 0 && !stop {
			out = append(out, t.raw...)
			continue
		}
		if choices := t.o.List("choices"); len(choices) > 0 && stop {
			c := jsonobject.Of(choices[0])
			if !w.visible {
				c["finish_reason"] = []byte("null")
				out = append(out, piece(t.o, c, jsonobject.Object{"content": jsonobject.Marshal(lookUpsUsed)})...)
			}
			c.Set("finish_reason", "stop")
			c.Set("delta", jsonobject.Object{})
			t.o.Set("choices", []jsonobject.Object{c})
		}
		if w.id != nil {
			t.o["id"] = w.id
		}
		out = append(out, sse.Encode("", jsonobject.Marshal(t.o))...)
	}
	return out
}

func (*chatJoiner) fail(text string) []byte {
	return sse.Encode("", jsonobject.Marshal(map[string]any{"error": apiError(text)}))
}

func (w *chatJoiner) bodies(rounds [][]byte, stop bool) []byte {
	var said []string
	var calls []json.RawMessage
	var o, c, m jsonobject.Object
	for _, body := range rounds {
		o = jsonobject.Of(body)
		c = nil
		if choices := o.List("choices"); len(choices) > 0 {
			c = jsonobject.Of(choices[0])
		}
		if c == nil {
			return body
		}
		m = jsonobject.Of(c["message"])
		if text := m.Text("content"); text != "" {
			said = append(said, text)
		}
		for _, raw := range m.List("tool_calls") {
			if !recall.Answers(jsonobject.Of(jsonobject.Of(raw)["function"]).Text("name")) {
				calls = append(calls, raw)
			}
		}
	}
	if m == nil {
		m = jsonobject.Object{"role": []byte(`"assistant"`)}
	}
	if stop {
		c.Set("finish_reason", "stop")
		if len(said) == 0 {
			said = []string{lookUpsUsed}
		}
	}
	if len(said) > 0 {
		m.Set("content", strings.Join(said, "\n\n"))
	}
	delete(m, "tool_calls")
	if len(calls) > 0 {
		m.Set("tool_calls", calls)
	}
	c.Set("message", m)
	o.Set("choices", []jsonobject.Object{c})
	return jsonobject.Marshal(o)
}
