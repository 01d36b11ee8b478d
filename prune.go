package precis

import (
	"context"
	"math"
	"time"

	"github.com/seed-3db51b0e/precis/cachecost"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/strategy"
)

// rested is how long a thread lay still before this request: what the caller
// says, else the time since this engine last saw it, else since it was last
// written to before. Only policies that do more then ask.
func (e *Engine) rested(k store.Key, said time.Duration) time.Duration {
	if said > 0 || !e.policy.Rests() {
		return said
	}
	now := e.now()
	seen := e.recent.touch(k, now)
	if seen.IsZero() {
		return 0
	}
	return now.Sub(seen)
}

// prune hides what is old while the provider's cache is cold (SPEC T5): nothing
// is lost in the cache then. It says whether it did anything.
func (e *Engine) prune(ctx context.Context, w *work) bool {
	if w.in.Client.Idle == 0 || !e.policy.Prunes() || !cachecost.Cold(w.in.Model.Cache, e.policy.ColdTime(), w.in.Client.Idle) {
		return false
	}
	v := e.view(w.board)
	v.Target = math.MinInt / 2 // all there is
	steps, errs := strategy.PruningOf(e.policy, w.in.Budget, strategy.NewRelevance(w.draft, w.in.Budget)).Run(ctx, v)
	w.turn.Steps, w.turn.Failures = append(w.turn.Steps, steps...), append(w.turn.Failures, errs...)
	return len(steps) > 0
}
