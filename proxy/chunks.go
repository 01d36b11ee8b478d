package proxy

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/recall"
)

const openaiName = "openai"

// chunks weaves answers of OpenAI's Chat Completions API.
type chunks struct {
	rounds  int              // before this one
	id      json.RawMessage  // of the first
	next    int              // the client's next call
	at      map[int]int      // the client's index of a call of this round, hidden if it gets none
	waiting map[int][]object // pieces of calls whose name is not known yet
	last    int              // index of the call that came last
	told    bool             // the client got text or a call
	parted  bool             // text of this round has begun
	spent   json.RawMessage
	cost    json.RawMessage // of this round
	closing bool            // the reason to end has come
	tail    []tail
}

// tail is an event kept back: as it came, and its object, nil for [DONE].
type tail struct {
	raw []byte
	o   object
}

func (w *chunks) event(raw []byte, e sse.Event) []byte {
	o := objectOf(e.Data)
	if o == nil {
		if string(bytes.TrimSpace(e.Data)) == "[DONE]" {
			w.tail = append(w.tail, tail{raw: raw})
			return nil
		}
		return raw
	}
	if w.id == nil && o.text("id") != "" {
		w.id = o["id"]
	}
	if !o.absent("usage") {
		w.cost = o["usage"]
	}
	choices := o.list("choices")
	if len(choices) == 0 {
		if w.closing {
			w.tail = append(w.tail, tail{raw, o})
			return nil
		}
		return raw
	}
	return w.choice(raw, o, objectOf(choices[0]))
}

// choice takes a piece of the answer.
func (w *chunks) choice(raw []byte, o, c object) []byte {
	d := objectOf(c["delta"])
	if d == nil {
		d = object{}
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
	says := d.text("content") != "" || d["tool_calls"] != nil
	w.told = w.told || says
	if c.absent("finish_reason") {
		switch {
		case !changed:
			return raw
		case len(d) == 0 || !says && w.rounds > 0 && d.text("content") == "" && len(d) == 1 && d["content"] != nil:
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
	w.tail = append(w.tail, tail{piece(o, c, object{}), o})
	return out
}

// piece writes a chunk with its one choice.
func piece(o, c, d object) []byte {
	c.set("delta", d)
	o.set("choices", []object{c})
	return encoded("", written(o))
}

// part sets the text of a later round off from what was said before.
func (w *chunks) part(d object) {
	text := d.text("content")
	if text == "" || w.parted {
		return
	}
	w.parted = true
	if w.told {
		d.set("content", "\n\n"+text)
	}
}

// calls leaves out what is answered in here, and says whether anything changed.
func (w *chunks) calls(d object) bool {
	es := d.list("tool_calls")
	if es == nil {
		return false
	}
	changed := false
	var kept []object
	for _, raw := range es {
		e := objectOf(raw)
		index := w.index(e)
		if _, ok := w.at[index]; !ok {
			name := objectOf(e["function"]).text("name") + objectOf(e["custom"]).text("name")
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
			if e.number("index", hidden) != n {
				e.set("index", n)
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
		d.set("tool_calls", kept)
	}
	return changed
}

// index is that of a piece of a call; where it is left out, an id begins a call.
func (w *chunks) index(e object) int {
	n := w.last
	if !e.absent("index") {
		n = e.number("index", 0)
	} else if e.text("id") != "" {
		n = len(w.at) + len(w.waiting)
	}
	w.last = n
	return n
}

func (w *chunks) again() {
	w.spent, w.cost = added(w.spent, w.cost), nil
	w.rounds, w.at, w.waiting, w.last = w.rounds+1, map[int]int{}, map[int][]object{}, 0
	w.parted, w.closing, w.tail = false, false, nil
}

func (w *chunks) end(e ending) []byte {
	var out []byte
	for _, t := range w.tail {
		if t.o == nil || w.rounds == 0 && !e.stop {
			out = append(out, t.raw...)
			continue
		}
		if choices := t.o.list("choices"); len(choices) > 0 && e.stop {
			c := objectOf(choices[0])
			if !w.told {
				c["finish_reason"] = []byte("null")
				out = append(out, piece(t.o, c, object{"content": written(silent)})...)
			}
			c.set("finish_reason", "stop")
			c.set("delta", object{})
			t.o.set("choices", []object{c})
		}
		if !t.o.absent("usage") {
			t.o["usage"] = added(w.spent, t.o["usage"])
		}
		if w.id != nil {
			t.o["id"] = w.id
		}
		out = append(out, encoded("", written(t.o))...)
	}
	return out
}

func (*chunks) fail(text string) []byte {
	return encoded("", written(map[string]any{"error": failure(text)}))
}

func (w *chunks) whole(rounds [][]byte, e ending) []byte {
	var said []string
	var cost json.RawMessage
	var calls []json.RawMessage
	var o, c, m object
	for _, body := range rounds {
		o = objectOf(body)
		cost = added(cost, o["usage"])
		c = nil
		if choices := o.list("choices"); len(choices) > 0 {
			c = objectOf(choices[0])
		}
		if c == nil {
			return body
		}
		m = objectOf(c["message"])
		if text := m.text("content"); text != "" {
			said = append(said, text)
		}
		for _, raw := range m.list("tool_calls") {
			if !recall.Answers(objectOf(objectOf(raw)["function"]).text("name")) {
				calls = append(calls, raw)
			}
		}
	}
	if m == nil {
		m = object{"role": []byte(`"assistant"`)}
	}
	if e.stop {
		c.set("finish_reason", "stop")
		if len(said) == 0 {
			said = []string{silent}
		}
	}
	if len(said) > 0 {
		m.set("content", strings.Join(said, "\n\n"))
	}
	delete(m, "tool_calls")
	if len(calls) > 0 {
		m.set("tool_calls", calls)
	}
	c.set("message", m)
	o.set("choices", []object{c})
	if cost != nil {
		o["usage"] = cost
	}
	return written(o)
}
