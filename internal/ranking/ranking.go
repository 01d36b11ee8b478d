// Package ranking hands out entries by score, the best first.
//
// Use: New for the entries, then Pop, or Rescore where a score has fallen. Law: of equal scores the
// lower index comes first, so the order is the same on any machine. Promise: New takes time in
// proportion to the entries, and each other call a few steps, so that taking only the first ones is
// cheap.
package ranking

// Entry is the index of something in a list of the caller's, with its score.
type Entry struct {
	Score float64
	Index int32
}

func (e Entry) before(other Entry) bool {
	return e.Score > other.Score || e.Score == other.Score && e.Index < other.Index
}

// Ranking is a heap of entries; the first is the best.
type Ranking []Entry

// New makes a ranking of entries, in their place.
func New(entries []Entry) Ranking {
	r := Ranking(entries)
	for i := len(r)/2 - 1; i >= 0; i-- {
		r.down(i)
	}
	return r
}

// Pop takes the best entry off; there must be one.
func (r *Ranking) Pop() Entry {
	best, last := (*r)[0], len(*r)-1
	(*r)[0] = (*r)[last]
	*r = (*r)[:last]
	r.down(0)
	return best
}

// Rescore gives the best entry a lower score, and moves it to its place.
func (r Ranking) Rescore(score float64) {
	r[0].Score = score
	r.down(0)
}

// down moves the entry at i to its place among those below it.
func (r Ranking) down(i int) {
	for {
		best := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(r); c++ {
			if r[c].before(r[best]) {
				best = c
			}
		}
		if best == i {
			return
		}
		r[i], r[best] = r[best], r[i]
		i = best
	}
}
