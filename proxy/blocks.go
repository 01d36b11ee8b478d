package proxy

import (
	"bytes"
	"encoding/json"

	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/recall"
)

// blocks weaves answers of Anthropic's Messages API.
type blocks struct {
	rounds int         // before this one
	next   int         // the client's next index
	at     map[int]int // the client's index of a block of this round, hidden if it gets none
	told   bool        // the client got something that is no thinking
	spent  json.RawMessage
	cost   json.RawMessage // of this round
	delta  []byte          // how this round ends, as it came
	tail   []byte          // delta and all behind it
}

const hidden = -1

// lookup says whether a block is a call that is answered in here.
func lookup(block object) bool {
	return block.text("type") == "tool_use" && recall.Answers(block.text("name"))
}

func (w *blocks) event(raw []byte, e sse.Event) []byte {
	o := objectOf(e.Data)
	switch o.text("type") {
	case "message_start":
		w.cost = objectOf(o["message"])["usage"]
		if w.rounds > 0 {
			return nil
		}
	case "content_block_start":
		w.begin(o.number("index", 0), objectOf(o["content_block"]))
		return w.numbered(raw, o, e.Name)
	case "content_block_delta", "content_block_stop":
		return w.numbered(raw, o, e.Name)
	case "message_delta":
		w.delta, w.cost = bytes.Clone(e.Data), latest(w.cost, o["usage"])
		w.tail = append(w.tail, raw...)
		return nil
	case "message_stop":
		w.tail = append(w.tail, raw...)
		return nil
	}
	return raw
}

// begin gives a block its index: its own for as long as nothing was left out.
func (w *blocks) begin(index int, block object) {
	if lookup(block) {
		w.at[index] = hidden
		return
	}
	n := w.next
	if w.rounds == 0 && !w.hides() {
		n = index
	}
	w.at[index], w.next = n, max(w.next, n+1)
	if kind := block.text("type"); kind != "thinking" && kind != "redacted_thinking" {
		w.told = true
	}
}

func (w *blocks) hides() bool {
	for _, n := range w.at {
		if n == hidden {
			return true
		}
	}
	return false
}

func (w *blocks) numbered(raw []byte, o object, name string) []byte {
	index := o.number("index", 0)
	switch n, ok := w.at[index]; {
	case n == hidden:
		return nil
	case ok && n != index:
		o.set("index", n)
		return encoded(name, written(o))
	}
	return raw
}

func (w *blocks) again() {
	w.spent, w.cost = added(w.spent, w.cost), nil
	w.rounds, w.at, w.delta, w.tail = w.rounds+1, map[int]int{}, nil, nil
}

func (w *blocks) end(e ending) []byte {
	if w.delta == nil || w.rounds == 0 && !e.stop {
		return w.tail
	}
	var out []byte
	put := func(kind string, more object) {
		more.set("type", kind)
		out = append(out, encoded(kind, written(more))...)
	}
	if e.stop && !w.told {
		index := json.RawMessage(written(w.next))
		put("content_block_start", object{"index": index, "content_block": []byte(`{"type":"text","text":""}`)})
		put("content_block_delta", object{"index": index, "delta": written(map[string]string{"type": "text_delta", "text": silent})})
		put("content_block_stop", object{"index": index})
	}
	o := objectOf(w.delta)
	if e.stop {
		d := objectOf(o["delta"])
		d.set("stop_reason", "end_turn")
		o.set("delta", d)
	}
	if sum := added(w.spent, w.cost); w.rounds > 0 && sum != nil {
		o["usage"] = sum
	}
	put("message_delta", o)
	put("message_stop", object{})
	return out
}

func (*blocks) fail(text string) []byte {
	return encoded("error", written(map[string]any{"type": "error", "error": failure(text)}))
}

func (w *blocks) whole(rounds [][]byte, e ending) []byte {
	var content []json.RawMessage
	var cost json.RawMessage
	told := false
	for _, body := range rounds {
		o := objectOf(body)
		cost = added(cost, o["usage"])
		for _, raw := range o.list("content") {
			if b := objectOf(raw); !lookup(b) {
				content = append(content, raw)
				told = told || b.text("type") != "thinking" && b.text("type") != "redacted_thinking"
			}
		}
	}
	o := objectOf(rounds[len(rounds)-1])
	if e.stop {
		o.set("stop_reason", "end_turn")
		if !told {
			content = append(content, written(map[string]string{"type": "text", "text": silent}))
		}
	}
	if content == nil {
		content = []json.RawMessage{}
	}
	o.set("content", content)
	if cost != nil {
		o["usage"] = cost
	}
	return written(o)
}

// latest puts what is said later over what was said of the same round.
func latest(a, b json.RawMessage) json.RawMessage {
	x, y := objectOf(a), objectOf(b)
	if x == nil {
		return bytes.Clone(b)
	}
	for name := range y {
		if !y.absent(name) {
			x[name] = y[name]
		}
	}
	return written(x)
}
