package extract

// ranking gives candidates out by score, of equal ones the first: a heap, as only
// a few of them are asked for.
type ranking struct {
	order  []int32
	scores []float64
}

func (ids *identifiers) ranked() *ranking {
	r := &ranking{order: make([]int32, len(ids.cands)), scores: make([]float64, len(ids.cands))}
	for i := range ids.cands {
		r.order[i], r.scores[i] = int32(i), ids.score(&ids.cands[i])
	}
	for i := len(r.order)/2 - 1; i >= 0; i-- {
		r.sink(i)
	}
	return r
}

// next takes the best one off; there must be one.
func (r *ranking) next() int32 {
	best, last := r.order[0], len(r.order)-1
	r.order[0] = r.order[last]
	r.order = r.order[:last]
	r.sink(0)
	return best
}

// sink moves a candidate down to its place.
func (r *ranking) sink(i int) {
	for {
		k := 2*i + 1
		if k >= len(r.order) {
			return
		}
		if k+1 < len(r.order) && r.before(k+1, k) {
			k++
		}
		if !r.before(k, i) {
			return
		}
		r.order[i], r.order[k] = r.order[k], r.order[i]
		i = k
	}
}

func (r *ranking) before(i, k int) bool {
	a, b := r.order[i], r.order[k]
	return r.scores[a] > r.scores[b] || r.scores[a] == r.scores[b] && a < b
}
