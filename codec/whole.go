package codec

import (
	"encoding/json"
	"slices"

	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Whole returns the messages of the reply without the calls that may be
// incomplete, and how many those were (SPEC G2). A reply that did not break off
// is returned as it is.
//
// Of one that did, a call is left out if its arguments are not whole JSON, or if
// it is the last part: an answer that is not streamed may close the brackets of
// what was cut, so no look at it tells. So is thinking at the end, which has no
// signature yet or nothing that follows it. Messages that lost a part are
// Edited; those that lost all are gone.
//
// The calls that remain were written to their end, but they are for the record
// and not for running (rule WE2): the model may have been about to say more.
// Who goes on with the conversation answers them with a result that says they
// were not run, or asks again from before the reply.
func (r *Reply) Whole() ([]message.Message, int) {
	ms := slices.Clone(r.Messages())
	if !r.brokeOff() {
		return ms, 0
	}
	e := ending{last: true, bare: true}
	for i := len(ms) - 1; i >= 0; i-- {
		e.trim(&ms[i])
	}
	return slices.DeleteFunc(ms, func(m message.Message) bool { return m.Edited && len(m.Parts) == 0 }), e.cut
}

// brokeOff reports whether the model was stopped while it wrote. A filter may do
// that, too.
func (r *Reply) brokeOff() bool {
	return r.Stop == "" || r.Stop == StopRefusal || r.Stop.Truncated()
}

// ending is a walk over the parts of a reply from its last to its first.
type ending struct {
	last bool // no part was seen yet
	bare bool // none was kept yet
	cut  int
}

func (e *ending) trim(m *message.Message) {
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

func (e *ending) keeps(p message.Part) bool {
	last := e.last
	e.last = false
	switch {
	case p.Kind == message.Call && (last || !complete(p)):
		e.cut++
		return false
	case p.Kind == message.Thinking && e.bare:
		return false
	}
	e.bare = false
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
