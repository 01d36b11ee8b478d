package planner

import (
	"context"
	"math"

	"github.com/seed-3db51b0e/precis/strategy"
)

// Prune hides what is old while the provider's cache is cold: nothing is lost in
// the cache then.
func (pl *Planner) Prune(ctx context.Context, d *Draft) ([]strategy.Step, []error) {
	r := &d.Request
	if r.NoCompact || r.Idle == 0 || !pl.Policy.Prunes() || !pl.cold(r) {
		return nil, nil
	}
	v := pl.view(d)
	v.Target = math.MinInt / 2 // all there is
	return strategy.PruningOf(pl.Policy, r.Budget, strategy.NewRelevance(d.Draft, r.Budget)).Run(ctx, v)
}
