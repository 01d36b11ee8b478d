package strategy

import (
	"context"

	"github.com/seed-3db51b0e/precis/plan"
)

// Drop leaves the oldest units out of the prompt: the rung before the last resort.
// The log keeps them and the plan lists them.
type Drop struct{}

// Name implements Strategy.
func (Drop) Name() string { return "drop" }

// Analyze implements Strategy.
func (s Drop) Analyze(v *View) []Proposal {
	var out []Proposal
	for _, u := range v.T.Units() {
		var bare []int
		for i := u.Start; i < u.End && v.free(u.Start, u.End, Old) > 0; i++ {
			if v.Whole(i) == nil {
				bare = append(bare, i)
			}
		}
		if span := v.spanAt(bare); len(bare) > 0 {
			out = append(out, Proposal{Strategy: s.Name(), Span: span, Saves: v.free(u.Start, u.End, Old), Reason: "oldest unit, budget pressed"})
		}
	}
	return out
}

// Execute implements Strategy.
func (s Drop) Execute(_ context.Context, _ *View, p Proposal) (Result, error) {
	return Result{Record: plan.Record{Action: plan.Drop, Span: p.Span, Strategy: p.Strategy, Reason: p.Reason}}, nil
}
