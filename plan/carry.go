package plan

import (
	"slices"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// Carry moves a plan from one branch to another that was edited from it: every
// record, pin and hold whose messages all still stand, in order, is addressed
// to the new branch's ids; the rest is left behind. So is a record whose text
// names messages by number, once their numbers have changed. Where the plan
// strips thinking, so does the new one, and of what stands behind a change.
func Carry(p *Plan, from, to *thread.Thread) (*Plan, error) {
	ids := make(map[thread.ID]thread.ID, to.Len())
	moved := map[thread.ID]bool{}
	same, edited := 0, false
	for i, j := range from.Align(to) {
		if j < 0 {
			continue
		}
		ids[from.At(j).ID] = to.At(i).ID
		moved[from.At(j).ID] = i != j
		if from.At(j).ID == to.At(i).ID {
			same++
		} else {
			edited = true
		}
	}
	m := mover{from, to, ids}
	c := *p
	c.Base, c.ThreadVersion = to.Tip(), to.Len()
	lost := same // the first position whose rendering changes
	c.Records, c.Pins, c.Holds = nil, m.refs(p.Pins), m.refs(p.Holds)
	for _, r := range p.Records {
		if s, ok := m.span(r.Span); ok && !(numbered(r) && anyMoved(r.Span, moved)) {
			r.Span = s
			c.Records = append(c.Records, r)
		} else if at, ok := from.Find(r.Span.Start()); ok {
			lost = min(lost, at)
		}
	}
	if edited && p.NoThinking != (Range{}) {
		c.NoThinking = Range{min(p.NoThinking.From, lost), to.Len()}
	} else if p.NoThinking != (Range{}) {
		c.NoThinking = p.NoThinking.over(lost, same)
	}
	return Rebuild(c, to)
}

// over is the range and what lies from lost to same, of a branch that shares so
// many messages with the one that the range is of.
func (r Range) over(lost, same int) Range {
	r = Range{min(r.From, same), min(r.Until, same)}
	if lost < same {
		r = Range{min(r.From, lost), same}
	}
	return r
}

// numbered reports whether a record's text may name messages by number.
func numbered(r Record) bool { return r.Text != "" && r.Kind != Reencoded }

func anyMoved(s Span, moved map[thread.ID]bool) bool {
	for _, id := range s.IDs {
		if moved[id] {
			return true
		}
	}
	return false
}

// mover addresses what was said of one branch to another.
type mover struct {
	from, to *thread.Thread
	ids      map[thread.ID]thread.ID
}

func (m mover) span(s Span) (Span, bool) {
	moved := make([]thread.ID, len(s.IDs))
	for i, id := range s.IDs {
		to, ok := m.ids[id]
		if !ok {
			return s, false
		}
		moved[i] = to
	}
	if s.Part > 0 {
		if s.Part = m.part(s.IDs[0], s.Part); s.Part == 0 {
			return s, false
		}
	}
	s.IDs = moved
	return s, true
}

func (m mover) refs(refs []Ref) []Ref {
	var out []Ref
	for _, r := range refs {
		to, ok := m.ids[r.ID]
		part := r.Part
		if ok && part > 0 {
			part = m.part(r.ID, part)
			ok = part > 0
		}
		if ok {
			out = append(out, Ref{to, part})
		}
	}
	return out
}

// part is where a part of a message stands on the other branch, whose form may
// have other thinking and empty text, which no digest reads; 0 if it is one of
// those and the form is another.
func (m mover) part(id thread.ID, n int) int {
	i, ok := m.from.Find(id)
	if !ok {
		return 0
	}
	j, _ := m.to.Find(m.ids[id])
	old, now := m.from.At(i).Message.Parts, m.to.At(j).Message.Parts
	if n > len(old) {
		return 0
	}
	if slices.EqualFunc(old, now, func(a, b message.Part) bool { return a.Kind == b.Kind && unread(&a) == unread(&b) }) {
		return n
	}
	if unread(&old[n-1]) {
		return 0
	}
	nth := 0
	for k := range n {
		if !unread(&old[k]) {
			nth++
		}
	}
	for k := range now {
		if !unread(&now[k]) {
			if nth--; nth == 0 {
				return k + 1
			}
		}
	}
	return 0
}

// unread reports whether a part is none that a digest reads.
func unread(p *message.Part) bool {
	return p.Kind == message.Thinking || p.Kind == message.Text && p.Text == ""
}
