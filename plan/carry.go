package plan

import "github.com/seed-3db51b0e/precis/thread"

// Carry moves a plan from one branch to another that was edited from it: every
// record, pin and hold whose messages all still stand, in order, is addressed
// to the new branch's ids; the rest is left behind.
func Carry(p *Plan, from, to *thread.Thread) (*Plan, error) {
	ids := make(map[thread.ID]thread.ID, to.Len())
	for i, j := range from.Align(to) {
		if j >= 0 {
			ids[from.At(j).ID] = to.At(i).ID
		}
	}
	c := *p
	c.Base, c.ThreadVersion = to.Tip(), to.Len()
	c.Records, c.Pins, c.Holds = nil, moveRefs(p.Pins, ids), moveRefs(p.Holds, ids)
	for _, r := range p.Records {
		if s, ok := moveSpan(r.Span, ids); ok {
			r.Span = s
			c.Records = append(c.Records, r)
		}
	}
	return Build(c, to)
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
