package precis_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/store"
)

// A larger budget plans anew, once, and puts back what there is room for. That is told as
// what it is: it is not weighed against the whole log, which no request held.
//
// SPEC: B5, V6
func TestLargerBudgetPutsBack(t *testing.T) {
	known, _ := model.Lookup("claude-sonnet-4-5")
	for name, larger := range map[string]int{"compacted again": 9_000, "everything fits": 100_000} {
		s := newSession(t, "balanced")
		ms := work(150, 40)
		in := precis.Input{Messages: ms, Model: known, Budget: 4_000}
		first := s.prepare(in)
		if first.Economy == nil || first.Outgrew != 0 {
			t.Fatalf("%s: the first plan: sums %v, outgrew %d", name, first.Economy, first.Outgrew)
		}
		in.Budget = larger
		second := s.prepare(in)
		if second.Outgrew != 4_000 || second.Compacted <= first.Compacted || second.Plan.Version != 2 {
			t.Errorf("%s: plan %d of %d tokens after %d, outgrew %d", name, second.Plan.Version, second.Compacted, first.Compacted, second.Outgrew)
		}
		if stored, err := s.store.Plan(t.Context(), store.Key{Thread: "t"}); err != nil || stored.Economy != nil || second.Economy != nil {
			t.Errorf("%s: %v; it was weighed: %+v", name, err, second.Economy)
		}
		if again := s.prepare(in); again.Outgrew != 0 || again.Plan.Version != 2 {
			t.Errorf("%s: again: plan %d, outgrew %d", name, again.Plan.Version, again.Outgrew)
		}
	}
}
