package proxy

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/recall"
)

const responsesName = "responses"

// items weaves answers of OpenAI's Responses API. Reasoning is bound to the item
// that follows it (rule WO3), so it waits for that one: reasoning that led to
// look-ups and nothing else is left out with them.
type items struct {
	rounds int         // before this one
	first  object      // the response as it began
	next   int         // the client's next output index
	number int         // the client's next sequence number
	begun  bool        // number is known
	moved  bool        // the client gets less than came
	at     map[int]int // the client's index of an item of this round, hidden or waiting
	late   []late      // what belongs to reasoning that waits
	looks  bool        // a look-up came since that reasoning
	output map[int]json.RawMessage
	told   bool // the client got something that is no reasoning
	spent  json.RawMessage
	cost   json.RawMessage // of this round
	tail   *late           // how this round ends
}

// late is an event kept back.
type late struct {
	raw  []byte
	o    object
	name string
}

// waiting is the index of reasoning for as long as nothing has followed it.
const waiting = -2

func newItems() *items { return &items{at: map[int]int{}, output: map[int]json.RawMessage{}} }

// asked says whether an item is a call that is answered in here.
func asked(item object) bool {
	return item.text("type") == "function_call" && recall.Answers(item.text("name"))
}

func (w *items) event(raw []byte, e sse.Event) []byte {
	o := objectOf(e.Data)
	v := late{raw, o, e.Name}
	switch o.text("type") {
	case "response.created", "response.in_progress", "response.queued":
		if w.rounds > 0 {
			return nil
		}
		if w.first == nil {
			w.first = objectOf(o["response"])
		}
	case "response.completed", "response.incomplete", "response.failed":
		w.cost = objectOf(o["response"])["usage"]
		w.tail = &late{slices.Clone(raw), o, e.Name}
		return nil
	}
	if o == nil || o.absent("output_index") {
		return w.numbered(v)
	}
	return w.item(v)
}

// item takes an event that is about an item.
func (w *items) item(v late) (out []byte) {
	index := v.o.number("output_index", 0)
	item := objectOf(v.o["item"])
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
func (w *items) begin(index int, item object) (out []byte) {
	switch {
	case asked(item):
		w.at[index], w.moved, w.looks = hidden, true, true
	case item.text("type") == "reasoning":
		if w.looks {
			w.forget()
		}
		w.at[index] = waiting
	default:
		out = w.release()
		w.at[index] = w.next
		w.next++
		w.told = true
	}
	return out
}

// release lets out the reasoning that waits.
func (w *items) release() (out []byte) {
	vs := w.late
	w.late, w.looks = nil, false
	for _, v := range vs {
		if index := v.o.number("output_index", 0); w.at[index] == waiting {
			w.at[index] = w.next
			w.next++
		}
		out = append(out, w.placed(v)...)
	}
	return out
}

// forget leaves out the reasoning that waits.
func (w *items) forget() {
	for _, v := range w.late {
		w.at[v.o.number("output_index", 0)], w.moved = hidden, true
	}
	w.late, w.looks = nil, false
}

// placed writes an event of an item that the client gets.
func (w *items) placed(v late) []byte {
	index := v.o.number("output_index", 0)
	n := w.at[index]
	if n == hidden {
		return nil
	}
	if v.o.text("type") == "response.output_item.done" {
		w.output[n] = slices.Clone(v.o["item"])
	}
	if n != index {
		v.o.set("output_index", n)
		v.raw = nil
	}
	return w.numbered(v)
}

// numbered writes an event with the client's next number: as it came, if it has
// that one.
func (w *items) numbered(v late) []byte {
	if v.o.absent("sequence_number") {
		if v.raw == nil {
			return encoded(v.name, written(v.o))
		}
		return v.raw
	}
	n := v.o.number("sequence_number", 0)
	if !w.begun {
		w.number, w.begun = n, true
	}
	if n != w.number {
		v.o.set("sequence_number", w.number)
		v.raw = nil
	}
	w.number++
	if v.raw == nil {
		return encoded(v.name, written(v.o))
	}
	return v.raw
}

func (w *items) again() {
	w.forget()
	w.complete()
	w.spent, w.cost = added(w.spent, w.cost), nil
	w.rounds, w.at, w.tail, w.moved = w.rounds+1, map[int]int{}, nil, true
}

// complete takes the items that only the end of a round has.
func (w *items) complete() {
	if w.tail == nil {
		return
	}
	for i, raw := range objectOf(w.tail.o["response"]).list("output") {
		n, ok := w.at[i]
		if !ok && asked(objectOf(raw)) {
			w.at[i], w.moved = hidden, true
			continue
		}
		if !ok {
			n, w.at[i] = w.next, w.next
			w.next++
			w.told = w.told || roleOf(objectOf(raw)) != reasons
		}
		if n >= 0 && w.output[n] == nil {
			w.output[n] = raw
		}
	}
}

func (w *items) end(e ending) (out []byte) {
	if w.looks {
		w.forget()
	}
	out = w.release()
	if w.tail == nil {
		return out
	}
	w.complete()
	if !w.moved && !e.stop {
		return append(out, w.numbered(*w.tail)...)
	}
	if e.stop && !w.told {
		out = append(out, w.say(silent)...)
	}
	r := objectOf(w.tail.o["response"])
	if r == nil {
		r = object{}
	}
	for _, name := range []string{"id", "created_at"} {
		if !w.first.absent(name) {
			r[name] = w.first[name]
		}
	}
	r.set("output", w.got())
	if sum := added(w.spent, w.cost); w.rounds > 0 && sum != nil {
		r["usage"] = sum
	}
	w.tail.o.set("response", r)
	w.tail.raw = nil
	return append(out, w.numbered(*w.tail)...)
}

// got are the items that the client got, in order.
func (w *items) got() []json.RawMessage {
	out := make([]json.RawMessage, 0, len(w.output))
	for _, i := range slices.Sorted(maps.Keys(w.output)) {
		out = append(out, w.output[i])
	}
	return out
}

// say writes the events of a message of the proxy's own.
func (w *items) say(text string) (out []byte) {
	n := w.next
	w.next++
	part := map[string]any{"type": "output_text", "text": text, "annotations": []any{}}
	item := spoken(text)
	w.output[n] = written(item)
	empty := spoken("")
	empty["status"], empty["content"] = "in_progress", []any{}
	put := func(kind string, more map[string]any) {
		more["type"], more["output_index"], more["sequence_number"] = kind, n, w.number
		w.number++
		out = append(out, encoded(kind, written(more))...)
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

func (w *items) fail(text string) []byte {
	r := object{}
	maps.Copy(r, w.first)
	r.set("status", "failed")
	r.set("output", w.got())
	r.set("error", map[string]string{"code": "server_error", "message": text})
	o := object{"type": []byte(`"response.failed"`), "response": written(r)}
	if w.begun {
		o.set("sequence_number", w.number)
	}
	return encoded("response.failed", written(o))
}

func (w *items) whole(rounds [][]byte, e ending) []byte {
	out := []json.RawMessage{}
	var cost json.RawMessage
	var o object
	told := false
	for n, body := range rounds {
		o = objectOf(body)
		cost = added(cost, o["usage"])
		all := o.list("output")
		for _, i := range remaining(len(all), n == len(rounds)-1, func(i int) role { return roleOf(objectOf(all[i])) }) {
			out = append(out, all[i])
			told = told || roleOf(objectOf(all[i])) != reasons
		}
	}
	if e.stop && !told {
		out = append(out, written(spoken(silent)))
	}
	o.set("output", out)
	if cost != nil {
		o["usage"] = cost
	}
	return written(o)
}

// role is what an item is to what is left of an answer.
type role int

const (
	speaks role = iota
	reasons
	asks
)

func roleOf(item object) role {
	switch {
	case asked(item):
		return asks
	case item.text("type") == "reasoning":
		return reasons
	}
	return speaks
}

// remaining are those of n items of a round that the client gets: as items does
// with a stream. last says that no round follows.
func remaining(n int, last bool, is func(int) role) (out []int) {
	var waits []int
	looks := false
	for i := range n {
		switch is(i) {
		case asks:
			looks = true
		case reasons:
			if looks {
				waits, looks = nil, false
			}
			waits = append(waits, i)
		default:
			out = append(append(out, waits...), i)
			waits, looks = nil, false
		}
	}
	if last && !looks {
		out = append(out, waits...)
	}
	return out
}
