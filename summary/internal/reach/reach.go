// Package reach finds where the messages of a span stand in their thread.
//
// Use: Of, then Len, Without, Union and Holds. Law: a span may name its messages in
// any order. Promise: a few stretches, however many messages a span names.
package reach

import (
	"cmp"
	"slices"
	"sort"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// Stretch is the entries [From, To) of a thread.
type Stretch struct{ From, To int }

// Reach holds where a span stands in its thread, in the span's order.
type Reach []Stretch

// Of finds a span in a thread; ids that the thread does not hold are left out.
func Of(t *thread.Thread, span plan.Span) Reach {
	var r Reach
	for _, at := range t.Positions(span.IDs) {
		switch last := len(r) - 1; {
		case at < 0:
		case last >= 0 && r[last].To == at:
			r[last].To++
		default:
			r = append(r, Stretch{at, at + 1})
		}
	}
	return r
}

// Len returns the number of entries.
func (r Reach) Len() (n int) {
	for _, x := range r {
		n += x.To - x.From
	}
	return n
}

// Without returns what is left without the entries of s, and how many those are.
func (r Reach) Without(s Stretch) (left Reach, taken int) {
	for _, x := range r {
		from, to := max(x.From, s.From), min(x.To, s.To)
		if from >= to {
			left = append(left, x)
			continue
		}
		taken += to - from
		if x.From < from {
			left = append(left, Stretch{x.From, from})
		}
		if to < x.To {
			left = append(left, Stretch{to, x.To})
		}
	}
	return left, taken
}

// Union returns the reach in the thread's order, no entry twice.
func (r Reach) Union() Reach {
	r = slices.Clone(r)
	slices.SortFunc(r, func(a, b Stretch) int { return cmp.Compare(a.From, b.From) })
	out := r[:0]
	for _, x := range r {
		if last := len(out) - 1; last >= 0 && x.From <= out[last].To {
			out[last].To = max(out[last].To, x.To)
			continue
		}
		out = append(out, x)
	}
	return out
}

// Holds reports whether a Union has the entry at position i.
func (r Reach) Holds(i int) bool {
	n := sort.Search(len(r), func(n int) bool { return r[n].To > i })
	return n < len(r) && r[n].From <= i
}
