package merge

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/seed-3db51b0e/precis/internal/jsonobject"
	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/recall"
)

const messagesAPI = "anthropic"

// messagesJoiner joins answers of Anthropic's Messages API.
type messagesJoiner struct {
	rounds  int               // before this one
	next    int               // the client's next index
	at      map[int]int       // the client's index of a block of this round, hidden if it gets none
	visible bool              // the client got something that is no thinking
	said    bool              // the client got text in an earlier round
	speaks  bool              // text of this round has begun
	spent   []json.RawMessage // by the rounds before, an entry for each prompt
	cost    json.RawMessage   // of this round
	delta   []byte            // how this round ends, as it came
	tail    []byte            // delta and all behind it
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
	case "content_block_delta":
		if w.part(o) {
			raw = sse.Encode(e.Name, jsonobject.Marshal(o))
		}
		return w.numbered(raw, o, e.Name)
	case "content_block_stop":
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

// part sets the text of a later round off from what was said before: clients join
// blocks of text with nothing in between.
func (w *messagesJoiner) part(o jsonobject.Object) bool {
	d := jsonobject.Of(o["delta"])
	if d.Text("type") != "text_delta" || d.Text("text") == "" || w.speaks {
		return false
	}
	w.speaks = true
	if w.said {
		d.Set("text", "\n\n"+d.Text("text"))
		o.Set("delta", d)
	}
	return w.said
}

func (w *messagesJoiner) nextRound() {
	w.spent, w.cost = append(w.spent, iterations(w.cost)...), nil
	w.said, w.speaks = w.said || w.speaks, false
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
	if w.rounds > 0 && w.cost != nil {
		o["usage"] = listed(w.spent, w.cost)
	}
	put("message_delta", o)
	put("message_stop", jsonobject.Object{})
	return out
}

func (*messagesJoiner) fail(text string) []byte {
	return sse.Encode("error", jsonobject.Marshal(map[string]any{"type": "error", "error": apiError(text)}))
}

func (w *messagesJoiner) bodies(rounds [][]byte, stop bool) []byte {
	var content, spent []json.RawMessage
	visible, said := false, false
	for n, body := range rounds {
		o := jsonobject.Of(body)
		if n < len(rounds)-1 {
			spent = append(spent, iterations(o["usage"])...)
		}
		speaks := false
		for _, raw := range o.List("content") {
			b := jsonobject.Of(raw)
			if lookup(b) {
				continue
			}
			if text := b.Text("text"); b.Text("type") == "text" && text != "" && !speaks {
				if speaks = true; said {
					b.Set("text", "\n\n"+text)
					raw = jsonobject.Marshal(b)
				}
			}
			content = append(content, raw)
			visible = visible || b.Text("type") != "thinking" && b.Text("type") != "redacted_thinking"
		}
		said = said || speaks
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
	if len(rounds) > 1 && !o.Absent("usage") {
		o["usage"] = listed(spent, o["usage"])
	}
	return jsonobject.Marshal(o)
}

// iterations are the entries that the usage of a round stands for: those it lists, else
// itself.
func iterations(usage json.RawMessage) []json.RawMessage {
	o := jsonobject.Of(usage)
	if o == nil {
		return nil
	}
	if list := o.List("iterations"); len(list) > 0 {
		return list
	}
	entry := jsonobject.Object{"type": []byte(`"message"`)}
	for _, name := range []string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "cache_creation", "output_tokens"} {
		if !o.Absent(name) {
			entry[name] = o[name]
		}
	}
	return []json.RawMessage{jsonobject.Marshal(entry)}
}

// listed is the usage of the last round, by which clients tell how full the context is,
// with an entry for each prompt of the answer, by which it is billed.
func listed(spent []json.RawMessage, last json.RawMessage) json.RawMessage {
	o := jsonobject.Of(last)
	if o == nil {
		return last
	}
	o.Set("iterations", append(slices.Clip(spent), iterations(last)...))
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
