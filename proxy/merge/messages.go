package merge

import (
	"bytes"
	"encoding/json"

	"github.com/seed-3db51b0e/precis/internal/jsonobject"
	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/recall"
)

const messagesAPI = "anthropic"

// messagesJoiner joins answers of Anthropic's Messages API.
type messagesJoiner struct {
	rounds  int         // before this one
	next    int         // the client's next index
	at      map[int]int // the client's index of a block of this round, hidden if it gets none
	visible bool        // the client got something that is no thinking
	spent   json.RawMessage
	cost    json.RawMessage // of this round
	delta   []byte          // how this round ends, as it came
	tail    []byte          // delta and all behind it
}

const hidden = -1

// lookup reports whether a block is a call of a recall tool.
func lookup(block jsonobject.Object) bool {
	return block.Text("type") == "tool_use" && recall.Answers(block.Text("name"))
}

func (w *messagesJoiner) event(raw []byte, e sse.Event) []byte {
	o := jsonobject.Of(e.Data)
	switch o.Text("type") {
	case "message_start":
		w.cost = jsonobject.Of(o["message"])["usage"]
		if w.rounds > 0 {
			return nil
		}
	case "content_block_start":
		w.begin(o.Number("index", 0), jsonobject.Of(o["content_block"]))
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
func (w *messagesJoiner) begin(index int, block jsonobject.Object) {
	if lookup(block) {
		w.at[index] = hidden
		return
	}
	n := w.next
	if w.rounds == 0 && !w.hides() {
		n = index
	}
	w.at[index], w.next = n, max(w.next, n+1)
	if kind := block.Text("type"); kind != "thinking" && kind != "redacted_thinking" {
		w.visible = true
	}
}

func (w *messagesJoiner) hides() bool {
	for _, n := range w.at {
		if n == hidden {
			return true
		}
	}
	return false
}

func (w *messagesJoiner) numbered(raw []byte, o jsonobject.Object, name string) []byte {
	index := o.Number("index", 0)
	switch n, ok := w.at[index]; {
	case n == hidden:
		return nil
	case ok && n != index:
		o.Set("index", n)
		return sse.Encode(name, jsonobject.Marshal(o))
	}
	return raw
}

func (w *messagesJoiner) nextRound() {
	w.spent, w.cost = added(w.spent, w.cost), nil
	w.rounds, w.at, w.delta, w.tail = w.rounds+1, map[int]int{}, nil, nil
}

func (w *messagesJoiner) end(stop bool) []byte {
	if w.delta == nil || w.rounds == 0 && !stop {
		return w.tail
	}
	var out []byte
	put := func(kind string, more jsonobject.Object) {
		more.Set("type", kind)
		out = append(out, sse.Encode(kind, jsonobject.Marshal(more))...)
	}
	if stop && !w.visible {
		index := json.RawMessage(jsonobject.Marshal(w.next))
		put("content_block_start", jsonobject.Object{"index": index, "content_block": []byte(`{"type":"text","text":""}`)})
		put("content_block_delta", jsonobject.Object{"index": index, "delta": jsonobject.Marshal(map[string]string{"type": "text_delta", "text": lookUpsUsed})})
		put("content_block_stop", jsonobject.Object{"index": index})
	}
	o := jsonobject.Of(w.delta)
	if stop {
		d := jsonobject.Of(o["delta"])
		d.Set("stop_reason", "end_turn")
		o.Set("delta", d)
	}
	if sum := added(w.spent, w.cost); w.rounds > 0 && sum != nil {
		o["usage"] = sum
	}
	put("message_delta", o)
	put("message_stop", jsonobject.Object{})
	return out
}

func (*messagesJoiner) fail(text string) []byte {
	return sse.Encode("error", jsonobject.Marshal(map[string]any{"type": "error", "error": apiError(text)}))
}

func (w *messagesJoiner) bodies(rounds [][]byte, stop bool) []byte {
	var content []json.RawMessage
	var cost json.RawMessage
	visible := false
	for _, body := range rounds {
		o := jsonobject.Of(body)
		cost = added(cost, o["usage"])
		for _, raw := range o.List("content") {
			if b := jsonobject.Of(raw); !lookup(b) {
				content = append(content, raw)
				visible = visible || b.Text("type") != "thinking" && b.Text("type") != "redacted_thinking"
			}
		}
	}
	o := jsonobject.Of(rounds[len(rounds)-1])
	if stop {
		o.Set("stop_reason", "end_turn")
		if !visible {
			content = append(content, jsonobject.Marshal(map[string]string{"type": "text", "text": lookUpsUsed}))
		}
	}
	if content == nil {
		content = []json.RawMessage{}
	}
	o.Set("content", content)
	if cost != nil {
		o["usage"] = cost
	}
	return jsonobject.Marshal(o)
}

// latest merges two reports of the usage of one round: the later wins.
func latest(a, b json.RawMessage) json.RawMessage {
	x, y := jsonobject.Of(a), jsonobject.Of(b)
	if x == nil {
		return bytes.Clone(b)
	}
	for name := range y {
		if !y.Absent(name) {
			x[name] = y[name]
		}
	}
	return jsonobject.Marshal(x)
}
