package thread

import (
	"bytes"
	"slices"

	"github.com/seed-3db51b0e/precis/message"
)

// Unit is a run of entries that is cut, kept or replaced as one: a tool round (assistant
// messages, the reasoning bound to them, and all results; several rounds where a tool that
// the provider runs made their calls), or a single message outside a round. Neighbouring
// texts of the agent are a unit each: nothing pairs them. A cut point is the start of a unit.
type Unit struct {
	Start, End int // entries [Start, End)
	Round      bool
	// Open is set on a round at the tip some of whose calls have no result yet.
	Open bool
}

// Len is the number of entries.
func (u Unit) Len() int { return u.End - u.Start }

// Holds reports whether the entry at position i is of the unit.
func (u Unit) Holds(i int) bool { return u.Start <= i && i < u.End }

// units groups neighbours: assistant messages belong together where one of two holds
// more than text, and results belong to the assistant messages before them. Anything
// else stands alone.
// known are the units of a prefix of es; only the last of them can still grow.
func units(known []Unit, es []*Entry) []Unit {
	us, i := known, 0
	if len(known) > 0 {
		last := known[len(known)-1]
		if u := unitAt(es, last.Start); u != last {
			us = append(slices.Clip(known[:len(known)-1]), u) // other views hold the last one as it was
			last = u
		}
		i = last.End
	}
	for i < len(es) {
		u := unitAt(es, i)
		us = append(us, u)
		i = u.End
	}
	return us
}

// unitAt is the unit that starts at position i.
func unitAt(es []*Entry, i int) Unit {
	if es[i].Message.Role == message.Assistant {
		return round(es, i)
	}
	return Unit{Start: i, End: i + 1}
}

// round is the unit that starts with the assistant message at position i.
func round(es []*Entry, i int) Unit {
	r := rounder{es: es, u: Unit{Start: i, End: i}, open: map[string]bool{}, provider: providerCalls{waits: map[string]bool{}}}
	for more := true; more; more = r.u.End < len(es) && r.provider.goesOn(es[r.u.End].Message) {
		r.calls()
		r.results()
	}
	r.u.Open = r.u.End == len(es) && anyOpen(r.open)
	return r.u
}

// rounder reads a round message by message.
type rounder struct {
	es       []*Entry
	u        Unit            // what was read
	open     map[string]bool // by id, the calls of the round: false for those that are answered
	provider providerCalls
}

// calls reads assistant messages as far as they belong to the round.
func (r *rounder) calls() {
	for r.u.End < len(r.es) && r.takes(&r.es[r.u.End].Message) {
		m := r.es[r.u.End].Message
		markCalls(r.open, m, true)
		r.provider.mark(m)
		r.u.End++
	}
	r.u.Round = len(r.open) > 0
}

// takes reports whether the next message is an assistant's that belongs to the round: what goes on
// with a call that the provider runs does, and no other behind results.
func (r *rounder) takes(m *message.Message) bool {
	switch {
	case m.Role != message.Assistant:
		return false
	case r.provider.goesOn(*m):
		return true
	case r.u.Round:
		return false
	}
	return r.u.End == r.u.Start || len(r.open) > 0 || paired(&r.es[r.u.End-1].Message, m)
}

// results reads the results of the round's calls.
func (r *rounder) results() {
	for r.u.Round && r.u.End < len(r.es) && hasResultOf(r.open, r.es[r.u.End].Message) {
		markResults(r.open, r.es[r.u.End].Message)
		r.u.End++
	}
}

// providerCalls are calls that the provider runs.
type providerCalls struct {
	waits   map[string]bool // by id: false for those that are answered
	waiting int             // how many are not
}

// mark notes the calls of a message: the first part that names one is the call, what follows its
// result.
func (c *providerCalls) mark(m message.Message) {
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.CallID == "" || p.Kind != message.Opaque && p.Kind != message.Fixed {
			continue
		}
		switch waits, known := c.waits[p.CallID]; {
		case !known:
			c.waits[p.CallID] = true
			c.waiting++
		case waits:
			c.waits[p.CallID] = false
			c.waiting--
		}
	}
}

// goesOn reports whether a message of the assistant names a call in quotes that is not answered yet:
// what runs there calls the client's tools, and its result comes after theirs.
func (c *providerCalls) goesOn(m message.Message) bool {
	if m.Role != message.Assistant || c.waiting == 0 {
		return false
	}
	for i := range m.Parts {
		_, rest, more := bytes.Cut(m.Parts[i].Raw, []byte{'"'})
		for more {
			var quoted []byte
			if quoted, rest, more = bytes.Cut(rest, []byte{'"'}); more && c.waits[string(quoted)] {
				return true
			}
		}
	}
	return false
}

// paired reports whether two neighbouring assistant messages may belong together: a text
// belongs to no other text.
func paired(a, b *message.Message) bool { return !textAlone(a) || !textAlone(b) }

func textAlone(m *message.Message) bool {
	for i := range m.Parts {
		if m.Parts[i].Kind != message.Text {
			return false
		}
	}
	return true
}

// hasResultOf reports whether m holds a result of one of the calls.
func hasResultOf(calls map[string]bool, m message.Message) bool {
	for i := range m.Parts {
		if _, ok := calls[m.Parts[i].CallID]; ok && m.Parts[i].Kind == message.Result {
			return true
		}
	}
	return false
}

func markCalls(open map[string]bool, m message.Message, v bool) {
	for i := range m.Parts {
		if m.Parts[i].Kind == message.Call {
			open[m.Parts[i].CallID] = v
		}
	}
}

func markResults(open map[string]bool, m message.Message) {
	for i := range m.Parts {
		if _, ok := open[m.Parts[i].CallID]; ok && m.Parts[i].Kind == message.Result {
			open[m.Parts[i].CallID] = false
		}
	}
}

func anyOpen(open map[string]bool) bool {
	for _, v := range open {
		if v {
			return true
		}
	}
	return false
}

// turns numbers entries by turn: see Thread.Turn. known are the numbers of a
// prefix of es.
func turns(known []int, es []*Entry) []int {
	out, n, afterResult := known, 0, false
	if len(known) > 0 {
		n, afterResult = known[len(known)-1], hasResult(&es[len(known)-1].Message)
	}
	for i := len(known); i < len(es); i++ {
		m := es[i].Message
		if Speaks(m) || (m.Role == message.Assistant && afterResult) {
			n++
		}
		out = append(out, n)
		afterResult = hasResult(&m)
	}
	return out
}

// hasResult reports whether a message holds results, in parts of their own or as text.
func hasResult(m *message.Message) bool {
	return m.Has(message.Result) || WordsOf(m).HandsOn()
}

// Speaks reports whether a user message has content of its own beside results, notes
// and what is not known.
func Speaks(m message.Message) bool {
	if m.Role != message.User || m.Meta {
		return false
	}
	w := WordsOf(&m)
	for i := range m.Parts {
		if m.Parts[i].Kind != message.Result && m.Parts[i].Kind != message.Fixed && !w.Note(i) {
			return true
		}
	}
	return false
}
