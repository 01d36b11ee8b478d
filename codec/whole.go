package codec

import (
	"encoding/json"
	"slices"

	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Whole returns the messages of the reply without the calls that may be
// incomplete, and how many it left out. It returns a reply that was not
// interrupted unchanged.
//
// Of an interrupted one it leaves out a call whose arguments are not whole JSON, or
// that is the last part: an answer that is not streamed may close the brackets of
// what was cut. It also leaves out thinking at the end, which has no signature yet
// or nothing that follows it. Messages that lost a part are Edited; those that lost
// all are gone.
//
// The calls that remain are complete, but are for the record and must not be run
// (rule WE2): the model may have been about to say more. To continue the
// conversation, answer them with a result that says they were not run, or ask again
// from before the reply.
func (r *Reply) Whole() ([]message.Message, int) {
	ms := slices.Clone(r.Messages())
	if !r.interrupted() {
		return ms, 0
	}
	e := trimmer{last: true, noneKept: true}
	for i := len(ms) - 1; i >= 0; i-- {
		e.trim(&ms[i])
	}
	return slices.DeleteFunc(ms, func(m message.Message) bool { return m.Edited && len(m.Parts) == 0 }), e.cut
}

// interrupted reports whether the model was stopped while it wrote, which a filter
// may do, too.
func (r *Reply) interrupted() bool {
	return r.Stop == "" || r.Stop == StopRefusal || r.Stop.Truncated()
}

// trimmer walks over the parts of a reply from the last to the first.
type trimmer struct {
	last     bool // no part was seen yet
	noneKept bool // none was kept yet
	cut      int
}

func (e *trimmer) trim(m *message.Message) {
	var kept []message.Part
	for i := len(m.Parts) - 1; i >= 0; i-- {
		if p := m.Parts[i]; e.keeps(p) {
			kept = append(kept, p)
		}
	}
	if len(kept) < len(m.Parts) {
		slices.Reverse(kept)
		m.Parts, m.Edited = kept, true
	}
}

func (e *trimmer) keeps(p message.Part) bool {
	last := e.last
	e.last = false
	switch {
	case p.Kind == message.Call && (last || !complete(p)):
		e.cut++
		return false
	case p.Kind == message.Thinking && e.noneKept:
		return false
	}
	e.noneKept = false
	return true
}

// complete reports whether a call's arguments are whole. Those of a custom tool
// are free text.
func complete(p message.Part) bool {
	switch jsonedit.TextOf(jsonedit.Get(p.Raw, "type")) {
	case "custom", "custom_tool_call":
		return true
	}
	return p.Args == "" || json.Valid([]byte(p.Args))
}
