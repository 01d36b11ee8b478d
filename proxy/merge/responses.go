package merge

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/seed-3db51b0e/precis/internal/jsonobject"
	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/recall"
)

const responsesAPI = "responses"

// responsesJoiner joins answers of OpenAI's Responses API. Reasoning is bound to the item
// that follows it, so it waits for that one: reasoning that led to look-ups and
// nothing else is left out with them.
type responsesJoiner struct {
	rounds  int               // before this one
	first   jsonobject.Object // the response as it began
	next    int               // the client's next output index
	number  int               // the client's next sequence number
	begun   bool              // number is known
	moved   bool              // the client gets less than came
	at      map[int]int       // the client's index of an item of this round, hidden or waiting
	late    []late            // what belongs to reasoning that waits
	looks   bool              // a look-up came since that reasoning
	output  map[int]json.RawMessage
	visible bool  // the client got something that is no reasoning
	tail    *late // how this round ends
}

// late is an event kept back.
type late struct {
	raw  []byte
	o    jsonobject.Object
	name string
}

// waiting is the index of reasoning for as long as nothing has followed it.
const waiting = -2

func newResponses() *responsesJoiner {
	return &responsesJoiner{at: map[int]int{}, output: map[int]json.RawMessage{}}
}

// asked reports whether an item is a call of a recall tool.
func asked(item jsonobject.Object) bool {
	return item.Text("type") == "function_call" && recall.Answers(item.Text("name"))
}

func (w *responsesJoiner) event(raw []byte, e sse.Event) []byte {
	o := jsonobject.Of(e.Data)
	v := late{raw, o, e.Name}
	switch o.Text("type") {
	case "response.created", "response.in_progress", "response.queued":
		if w.rounds > 0 {
			return nil
		}
		if w.first == nil {
			w.first = jsonobject.Of(o["response"])
		}
	case "response.completed", "response.incomplete", "response.failed":
		w.tail = &late{slices.Clone(raw), o, e.Name}
		return nil
	}
	if o == nil || o.Absent("output_index") {
		return w.numbered(v)
	}
	return w.item(v)
}

// item takes an event that is about an item.
func (w *responsesJoiner) item(v late) (out []byte) {
	index := v.o.Number("output_index", 0)
	item := jsonobject.Of(v.o["item"])
	if _, ok := w.at[index]; !ok {
		out = w.begin(index, item)
	}
	if w.at[index] == waiting {
		v.raw = slices.Clone(v.raw)
		w.late = append(w.late, v)
		return out
	}
	return append(out, w.placed(v)...)
}

// begin gives an item its index, and lets out the reasoning it follows.
func (w *responsesJoiner) begin(index int, item jsonobject.Object) (out []byte) {
	switch {
	case asked(item):
		w.at[index], w.moved, w.looks = hidden, true, true
	case item.Text("type") == "reasoning":
		if w.looks {
			w.forget()
		}
		w.at[index] = waiting
	default:
		out = w.release()
		w.at[index] = w.next
		w.next++
		w.visible = true
	}
	return out
}

// release lets out the reasoning that waits.
func (w *responsesJoiner) release() (out []byte) {
	vs := w.late
	w.late, w.looks = nil, false
	for _, v := range vs {
		if index := v.o.Number("output_index", 0); w.at[index] == waiting {
			w.at[index] = w.next
			w.next++
		}
		out = append(out, w.placed(v)...)
	}
	return out
}

// forget leaves out the reasoning that waits.
func (w *responsesJoiner) forget() {
	for _, v := range w.late {
		w.at[v.o.Number("output_index", 0)], w.moved = hidden, true
	}
	w.late, w.looks = nil, false
}

// placed writes an event of an item that the client gets.
func (w *responsesJoiner) placed(v late) []byte {
	index := v.o.Number("output_index", 0)
	n := w.at[index]
	if n == hidden {
		return nil
	}
	if v.o.Text("type") == "response.output_item.done" {
		w.output[n] = slices.Clone(v.o["item"])
	}
	if n != index {
		v.o.Set("output_index", n)
		v.raw = nil
	}
	return w.numbered(v)
}

// numbered writes an event with the client's next number: as it came, if it has
// that one.
func (w *responsesJoiner) numbered(v late) []byte {
	if v.o.Absent("sequence_number") {
		if v.raw == nil {
			return sse.Encode(v.name, jsonobject.Marshal(v.o))
		}
		return v.raw
	}
	n := v.o.Number("sequence_number", 0)
	if !w.begun {
		w.number, w.begun = n, true
	}
	if n != w.number {
		v.o.Set("sequence_number", w.number)
		v.raw = nil
	}
	w.number++
	if v.raw == nil {
		return sse.Encode(v.name, jsonobject.Marshal(v.o))
	}
	return v.raw
}

func (w *responsesJoiner) nextRound() {
	w.forget()
	w.complete()
	w.rounds, w.at, w.tail, w.moved = w.rounds+1, map[int]int{}, nil, true
}

// complete takes the items that only the end of a round has.
func (w *responsesJoiner) complete() {
	if w.tail == nil {
		return
	}
	for i, raw := range jsonobject.Of(w.tail.o["response"]).List("output") {
		n, ok := w.at[i]
		if !ok && asked(jsonobject.Of(raw)) {
			w.at[i], w.moved = hidden, true
			continue
		}
		if !ok {
			n, w.at[i] = w.next, w.next
			w.next++
			w.visible = w.visible || roleOf(jsonobject.Of(raw)) != reasons
		}
		if n >= 0 && w.output[n] == nil {
			w.output[n] = raw
		}
	}
}

func (w *responsesJoiner) end(stop bool) (out []byte) {
	if w.looks {
		w.forget()
	}
	out = w.release()
	if w.tail == nil {
		return out
	}
	w.complete()
	if !w.moved && !stop {
		return append(out, w.numbered(*w.tail)...)
	}
	if stop && !w.visible {
		out = append(out, w.say(lookUpsUsed)...)
	}
	r := jsonobject.Of(w.tail.o["response"])
	if r == nil {
		r = jsonobject.Object{}
	}
	for _, name := range []string{"id", "created_at"} {
		if !w.first.Absent(name) {
			r[name] = w.first[name]
		}
	}
	r.Set("output", w.got())
	w.tail.o.Set("response", r)
	w.tail.raw = nil
	return append(out, w.numbered(*w.tail)...)
}

// got are the items that the client got, in order.
func (w *responsesJoiner) got() []json.RawMessage {
	out := make([]json.RawMessage, 0, len(w.output))
	for _, i := range slices.Sorted(maps.Keys(w.output)) {
		out = append(out, w.output[i])
	}
	return out
}

// say writes the events of a message of the proxy's own.
func (w *responsesJoiner) say(text string) (out []byte) {
	n := w.next
	w.next++
	part := map[string]any{"type": "output_text", "text": text, "annotations": []any{}}
	item := spoken(text)
	w.output[n] = jsonobject.Marshal(item)
	empty := spoken("")
	empty["status"], empty["content"] = "in_progress", []any{}
	put := func(kind string, more map[string]any) {
		more["type"], more["output_index"], more["sequence_number"] = kind, n, w.number
		w.number++
		out = append(out, sse.Encode(kind, jsonobject.Marshal(more))...)
	}
	within := func(more map[string]any) map[string]any {
		more["item_id"], more["content_index"] = item["id"], 0
		return more
	}
	put("response.output_item.added", map[string]any{"item": empty})
	put("response.content_part.added", within(map[string]any{"part": map[string]any{"type": "output_text", "text": "", "annotations": []any{}}}))
	put("response.output_text.delta", within(map[string]any{"delta": text}))
	put("response.output_text.done", within(map[string]any{"text": text}))
	put("response.content_part.done", within(map[string]any{"part": part}))
	put("response.output_item.done", map[string]any{"item": item})
	return out
}

// spoken is a message of the proxy's own.
func spoken(text string) map[string]any {
	return map[string]any{
		"type": "message", "id": "msg_precis", "status": "completed", "role": "assistant",
		"content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}},
	}
}

func (w *responsesJoiner) fail(text string) []byte {
	r := jsonobject.Object{}
	maps.Copy(r, w.first)
	r.Set("status", "failed")
	r.Set("output", w.got())
	r.Set("error", map[string]string{"code": "server_error", "message": text})
	o := jsonobject.Object{"type": []byte(`"response.failed"`), "response": jsonobject.Marshal(r)}
	if w.begun {
		o.Set("sequence_number", w.number)
	}
	return sse.Encode("response.failed", jsonobject.Marshal(o))
}

func (w *responsesJoiner) bodies(rounds [][]byte, stop bool) []byte {
	out := []json.RawMessage{}
	var o jsonobject.Object
	visible := false
	for n, body := range rounds {
		o = jsonobject.Of(body)
		all := o.List("output")
		for _, i := range remaining(len(all), n == len(rounds)-1, func(i int) role { return roleOf(jsonobject.Of(all[i])) }) {
			out = append(out, all[i])
			visible = visible || roleOf(jsonobject.Of(all[i])) != reasons
		}
	}
	if stop && !visible {
		out = append(out, jsonobject.Marshal(spoken(lookUpsUsed)))
	}
	o.Set("output", out)
	return jsonobject.Marshal(o)
}

func roleOf(item jsonobject.Object) role {
	switch {
	case asked(item):
		return asks
	case item.Text("type") == "reasoning":
		return reasons
	}
	return speaks
}
