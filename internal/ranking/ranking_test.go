package ranking

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Entries come in the order of their scores, equal ones in that of their indexes, also where a score
// falls in between.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var entries []Entry
		for i, score := range rapid.SliceOf(rapid.IntRange(0, 9)).Draw(rt, "scores") {
			entries = append(entries, Entry{float64(score), int32(i)})
		}
		want := slices.Clone(entries)
		r := New(entries)
		if len(r) > 0 {
			fallen := r[0]
			fallen.Score -= float64(rapid.IntRange(0, 9).Draw(rt, "fall"))
			r.Rescore(fallen.Score)
			want[fallen.Index] = fallen
		}
		slices.SortFunc(want, func(a, b Entry) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
		})
		for n, w := range want {
			if got := r.Pop(); got != w {
				rt.Fatalf("entry %d is %v, want %v", n, got, w)
			}
		}
		if len(r) != 0 {
			rt.Fatalf("%d entries are left", len(r))
		}
	})
}
