package plan

import "github.com/seed-3db51b0e/precis/thread"

// Carry moves a plan from one branch to another that was edited from it: every
// record, pin and hold whose messages all still stand, in order, is addressed
// to the new branch's ids; the rest is left behind. So is a record whose text
// names messages by number, once their numbers have changed.
func Carry(p *Plan, from, to *thread.Thread) (*Plan, error) {
	ids := make(map[thread.ID]thread.ID, to.Len())
	moved := map[thread.ID]bool{}
	same := 0
	for i, j := range from.Align(to) {
		if j < 0 {
			continue
		}
		ids[from.At(j).ID] = to.At(i).ID
		moved[from.At(j).ID] = i != j
		if from.At(j).ID == to.At(i).ID {
			same++
		}
	}
	c := *p
	c.Base, c.ThreadVersion = to.Tip(), to.Len()
	if c.Strip != (Range{}) {
		c.Strip = Range{min(c.Strip.From, same), min(max(c.Strip.Until, same), to.Len())}
	}
	c.Records, c.Pins, c.Holds = nil, moveRefs(p.Pins, ids), moveRefs(p.Holds, ids)
	for _, r := range p.Records {
		if s, ok := moveSpan(r.Span, ids); ok && !(numbered(r) && anyMoved(r.Span, moved)) {
			r.Span = s
			c.Records = append(c.Records, r)
		}
	}
	return Build(c, to)
}

// numbered says whether a record's text may name messages by number.
func numbered(r Record) bool { return r.Text != "" && r.How != Reencoded }

func anyMoved(s Span, moved map[thread.ID]bool) bool {
	for _, id := range s.IDs {
		if moved[id] {
			return true
		}
	}
	return false
}

func moveSpan(s Span, ids map[thread.ID]thread.ID) (Span, bool) {
	moved := make([]thread.ID, len(s.IDs))
	for i, id := range s.IDs {
		to, ok := ids[id]
		if !ok {
			return s, false
		}
		moved[i] = to
	}
	s.IDs = moved
	return s, true
}

func moveRefs(refs []Ref, ids map[thread.ID]thread.ID) []Ref {
	var out []Ref
	for _, r := range refs {
		if to, ok := ids[r.ID]; ok {
			out = append(out, Ref{to, r.Part})
		}
	}
	return out
}
