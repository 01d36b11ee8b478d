package plan

import (
	"slices"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// Carry moves a plan from one branch to another that was edited from it. Records,
// pins and holds whose messages are all still there, in order, get the new branch's
// ids; others are dropped, and so are records whose text names messages by numbers
// that have changed, or that tells what only messages said which the branch does not
// hold. The new plan leaves out the thinking that p leaves out, and the
// thinking after a change.
func Carry(p *Plan, from, to *thread.Thread) (*Plan, error) {
	m := newMover(from, to)
	absent := newAbsentText(p, m)
	c := *p
	c.Base, c.ThreadVersion = to.Tip(), to.Len()
	c.Pins, c.Holds, c.Records = m.refs(p.Pins), m.refs(p.Holds), nil
	changed := m.same // the first position whose rendering changes
	for _, r := range p.Records {
		if moved, ok := m.record(r, absent); ok {
			c.Records = append(c.Records, moved)
		} else if at, ok := from.Find(r.Span.Start()); ok {
			changed = min(changed, at)
		}
	}
	c.NoThinking = m.noThinking(p.NoThinking, changed)
	return Rebuild(c, to)
}

// withChanged extends the range to [changed, same), on a branch that shares the first
// same messages with the one the range is of.
func (r Range) withChanged(changed, same int) Range {
	r = Range{min(r.From, same), min(r.Until, same)}
	if changed < same {
		r = Range{min(r.From, changed), same}
	}
	return r
}

// namesNumbers reports whether a record's text may name messages by number.
func namesNumbers(r Record) bool {
	return (r.Text != "" || len(r.Excerpts) > 0) && r.Kind != Reencoded
}

// mover translates references to one branch into references to another.
type mover struct {
	from, to *thread.Thread
	ids      map[thread.ID]thread.ID // of from, by what to has in their place
	moved    map[thread.ID]bool      // of from, at another position of to
	held     map[int]bool            // positions of from that to holds
	same     int                     // entries that both share
	edited   bool                    // to holds a message of from in another entry
}

func newMover(from, to *thread.Thread) *mover {
	m := &mover{from: from, to: to, ids: make(map[thread.ID]thread.ID, to.Len()), moved: map[thread.ID]bool{}, held: map[int]bool{}}
	for i, j := range from.Align(to) {
		if j < 0 {
			continue
		}
		was, is := from.At(j).ID, to.At(i).ID
		m.held[j], m.ids[was], m.moved[was] = true, is, i != j
		if was == is {
			m.same++
		} else {
			m.edited = true
		}
	}
	return m
}

// record returns the record as the other branch may have it, or false where it cannot stand there.
func (m *mover) record(r Record, absent *absentText) (Record, bool) {
	s, ok := m.span(r.Span)
	if !ok || namesNumbers(r) && slices.ContainsFunc(r.Span.IDs, func(id thread.ID) bool { return m.moved[id] }) {
		return r, false
	}
	r, ok = absent.without(r)
	r.Span = s
	return r, ok
}

// noThinking returns where thinking is left out of the other branch, whose rendering changes from a
// position on.
func (m *mover) noThinking(was Range, changed int) Range {
	switch {
	case was == Range{}:
		return was
	case m.edited:
		return Range{min(was.From, changed), m.to.Len()}
	}
	return was.withChanged(changed, m.same)
}

func (m *mover) span(s Span) (Span, bool) {
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

func (m *mover) refs(refs []Ref) []Ref {
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

// part returns the number of a part on the other branch, where the message may have
// other thinking and empty text, which no digest reads. It returns 0 for a part of
// those kinds if they differ.
func (m *mover) part(id thread.ID, n int) int {
	i, ok := m.from.Find(id)
	if !ok {
		return 0
	}
	j, _ := m.to.Find(m.ids[id])
	old, now := m.from.At(i).Message.Parts, m.to.At(j).Message.Parts
	if n > len(old) {
		return 0
	}
	if slices.EqualFunc(old, now, func(a, b message.Part) bool { return a.Kind == b.Kind && notDigested(&a) == notDigested(&b) }) {
		return n
	}
	if notDigested(&old[n-1]) {
		return 0
	}
	nth := 0
	for k := range n {
		if !notDigested(&old[k]) {
			nth++
		}
	}
	for k := range now {
		if !notDigested(&now[k]) {
			if nth--; nth == 0 {
				return k + 1
			}
		}
	}
	return 0
}

// notDigested reports whether no digest reads the part.
func notDigested(p *message.Part) bool {
	return p.Kind == message.Thinking || p.Kind == message.Text && p.Text == ""
}
