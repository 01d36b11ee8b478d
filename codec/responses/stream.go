package responses

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// Stream implements codec.Replier.
func (Codec) Stream() codec.Assembler { return &assembler{slots: map[int]*slot{}} }

// assembler follows the items from their beginning to response.completed. An
// item that was done is final: what encrypts its reasoning is complete there
// (WO4). The response at the end gives what the items before did not.
type assembler struct {
	answer answer
	slots  map[int]*slot // by output index
	done   bool
}

// slot is one item of the output.
type slot struct {
	final []byte // once it is done
	item  *convert.Growing
	lists map[string]map[int]*convert.Growing // content and summary, by index
}

// place names where the pieces of an event belong: a member of the item, or of an
// element of one of its lists, which begins as start.
type place struct{ member, list, index, start string }

// places is by the event's type without its last word, delta or done.
var places = map[string]place{
	"response.output_text":                {"text", "content", "content_index", `{"type":"output_text","annotations":[],"text":""}`},
	"response.refusal":                    {"refusal", "content", "content_index", `{"type":"refusal","refusal":""}`},
	"response.reasoning_text":             {"text", "content", "content_index", `{"type":"reasoning_text","text":""}`},
	"response.reasoning_summary_text":     {"text", "summary", "summary_index", `{"type":"summary_text","text":""}`},
	"response.function_call_arguments":    {member: "arguments"},
	"response.mcp_call_arguments":         {member: "arguments"},
	"response.custom_tool_call_input":     {member: "input"},
	"response.code_interpreter_call_code": {member: "code"},
}

// Event implements codec.Assembler.
func (a *assembler) Event(name string, data []byte) error {
	if !jsonedit.IsObject(data) {
		return fmt.Errorf("read responses event %q: %w", name, codec.ErrMalformed)
	}
	e := readEvent(data)
	kind := cmp.Or(jsonedit.TextOf(e["type"]), name)
	switch kind {
	case "response.output_item.added":
		a.slots[e.int("output_index")] = &slot{
			item:  convert.Grow(e["item"]),
			lists: map[string]map[int]*convert.Growing{},
		}
	case "response.output_item.done":
		if jsonedit.IsObject(e["item"]) {
			a.slots[e.int("output_index")] = &slot{final: bytes.Clone(e["item"])}
		}
	case "response.created", "response.in_progress", "response.queued":
		a.take(e["response"])
	case "response.completed", "response.incomplete":
		a.take(e["response"])
		a.done = true
	case "response.failed":
		a.take(e["response"])
		return a.answer.failure(0)
	case "error", "":
		if f := codec.ReadFailure(0, data); f != nil {
			return f
		}
	default:
		if s := a.slots[e.int("output_index")]; s != nil && s.final == nil {
			s.grow(kind, e)
		}
	}
	return nil
}

// event holds the members of an event, raw.
type event map[string][]byte

func readEvent(data []byte) event {
	e := event{}
	for _, m := range jsonedit.Members(data) {
		e[m.Name] = m.Value
	}
	return e
}

func (e event) int(name string) int { return jsonedit.Int(e[name]) }

func (a *assembler) take(response []byte) {
	for _, m := range jsonedit.Members(response) {
		a.answer.set(m.Name, bytes.Clone(m.Value))
	}
}

func (s *slot) grow(kind string, e event) {
	stem, last := cutLast(kind)
	switch stem {
	case "response.content_part":
		s.setElement("content", e.int("content_index"), e["part"])
		return
	case "response.reasoning_summary_part":
		s.setElement("summary", e.int("summary_index"), e["part"])
		return
	case "response.output_text.annotation":
		s.element(places["response.output_text"], e).Append("annotations", e["annotation"])
		return
	}
	p, ok := places[stem]
	if !ok {
		return
	}
	g := s.item
	if p.list != "" {
		g = s.element(p, e)
	}
	if text, ok := jsonedit.Text(e["delta"]); ok && last == "delta" {
		g.Text(p.member, text)
	} else if whole := e[p.member]; whole != nil && last == "done" {
		g.Put(p.member, whole)
	}
}

func cutLast(kind string) (stem, last string) {
	i := strings.LastIndexByte(kind, '.')
	return kind[:max(i, 0)], kind[i+1:]
}

// setElement sets an element of a list as an event gives it whole, at its beginning
// and its end.
func (s *slot) setElement(list string, index int, part []byte) {
	if s.lists[list] == nil {
		s.lists[list] = map[int]*convert.Growing{}
	}
	s.lists[list][index] = convert.Grow(part)
}

// element is the element of a list that an event adds to.
func (s *slot) element(p place, e event) *convert.Growing {
	i := e.int(p.index)
	if s.lists[p.list][i] == nil {
		s.setElement(p.list, i, []byte(p.start))
	}
	return s.lists[p.list][i]
}

// json is the item as it is now. One that was not done is incomplete, whatever
// it said of itself when it began.
func (s *slot) json() []byte {
	if s.final != nil {
		return s.final
	}
	var ms []jsonedit.Member
	for _, list := range slices.Sorted(maps.Keys(s.lists)) {
		var elems [][]byte
		for _, i := range slices.Sorted(maps.Keys(s.lists[list])) {
			elems = append(elems, s.lists[list][i].JSON())
		}
		ms = append(ms, jsonedit.Member{Name: list, Value: jsonedit.Join(nil, elems)})
	}
	if s.item.Get("status") != nil {
		ms = append(ms, jsonedit.Member{Name: "status", Value: []byte(`"incomplete"`)})
	}
	return jsonedit.Set(s.item.JSON(), ms...)
}

// Reply implements codec.Assembler.
func (a *assembler) Reply() (*codec.Reply, error) {
	r, err := a.answer.reply(a.items())
	if err != nil {
		return nil, err
	}
	if !a.done {
		r.Stop, r.Reason = "", ""
		return r, fmt.Errorf("read responses stream: %w", codec.ErrCut)
	}
	return r, nil
}

// items are those of the stream, and those of the response at its end that the
// stream did not finish.
func (a *assembler) items() [][]byte {
	raw := map[int][]byte{}
	for i, s := range a.slots {
		raw[i] = s.json()
	}
	for i, it := range jsonedit.Elements(a.answer.output) {
		if s := a.slots[i]; s == nil || s.final == nil {
			raw[i] = it
		}
	}
	out := make([][]byte, 0, len(raw))
	for _, i := range slices.Sorted(maps.Keys(raw)) {
		out = append(out, bytes.Clone(raw[i]))
	}
	return out
}
