package strategy

import (
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// spanAt is the span of the entries at the positions.
func (d *Draft) spanAt(at []int) plan.Span {
	var s plan.Span
	if len(at) == 0 {
		return s
	}
	s.IDs = make([]thread.ID, 0, len(at))
	for _, i := range at {
		s.IDs = append(s.IDs, d.T.ID(i))
	}
	s.FirstTurn, s.LastTurn = d.T.Turn(at[0]), d.T.Turn(at[len(at)-1])
	return s
}

// partSpan is the span of part n (from 1) of entry i.
func (d *Draft) partSpan(i, n int) plan.Span {
	s := d.spanAt([]int{i})
	s.Part = n
	return s
}

// costOf returns what the entries of a span cost under the draft.
func (d *Draft) costOf(s plan.Span) (n int) {
	for _, i := range d.T.Positions(s.IDs) {
		n += d.Cost(i)
	}
	return n
}

// positions returns the positions of the entries of a span.
func positions(v *View, s plan.Span) []int {
	at := make([]int, 0, len(s.IDs))
	for _, i := range v.T.Positions(s.IDs) {
		at = append(at, i)
	}
	return at
}

// unitsOf groups positions by the unit they are of, as ranges of at.
func (v *View) unitsOf(at []int) [][2]int {
	var out [][2]int
	last := -1
	for n, i := range at {
		if u := v.T.UnitOf(i).Start; u != last || n == 0 {
			out, last = append(out, [2]int{n, n}), u
		}
		out[len(out)-1][1] = n + 1
	}
	return out
}
