package strategy_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/strategy"
)

// Every strategy that a policy may name is built, in the order of its rungs; what
// waits for a cold cache is built apart.
//
// SPEC: L10, L20
func TestLadderOf(t *testing.T) {
	p := policy.Policy{VerbatimShare: .5}
	for _, name := range policy.Strategies {
		p.Rungs = append(p.Rungs, policy.Rung{Strategy: name, Cold: name == "hide"})
	}
	ladder, pruning := strategy.LadderOf(p, 10_000, nil, nil), strategy.PruningOf(p, 10_000, nil)
	if len(ladder)+1 != len(policy.Strategies) || len(pruning) != 1 || pruning[0].Name() != "hide" {
		t.Fatalf("%d rungs of %d, and %d for a cold cache", len(ladder), len(policy.Strategies), len(pruning))
	}
	for i, name := range append(policy.Strategies[:9:9], policy.Strategies[10:]...) {
		if got := ladder[i].Name(); got != name {
			t.Errorf("rung %d is %s, want %s", i, got, name)
		}
	}
	p.VerbatimShare = 0
	if l := strategy.LadderOf(p, 10_000, nil, nil); len(l) != len(ladder)+1 || l[0].Name() != "preview" {
		t.Errorf("where summaries hold no lines, the first rung of %d is %s", len(l), l[0].Name())
	}
}
