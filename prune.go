package precis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/strategy"
)

// rested is how long the thread lay still before this request: what the caller
// says, else what the store knows. Only policies that prune ask.
func (e *Engine) rested(ctx context.Context, in Input) (time.Duration, error) {
	if in.Rest > 0 || !e.policy.Prunes() {
		return in.Rest, nil
	}
	h, err := e.store.Head(ctx, store.Key{Tenant: e.tenant, Thread: in.Thread})
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read head of %s: %w", in.Thread, err)
	}
	return e.now().Sub(h.Updated), nil
}

// prune hides what is old while the provider's cache is cold (SPEC T5): nothing
// is lost in the cache then. It says whether it did anything.
func (e *Engine) prune(ctx context.Context, w *work) bool {
	if w.in.Rest == 0 || !e.policy.Prunes() || !e.policy.Cold(w.in.Model, w.in.Rest) {
		return false
	}
	v := e.view(w.board)
	v.Target = math.MinInt / 2 // all there is
	steps, errs := e.policy.Pruning(w.in.Budget, strategy.Warm(w.draft)).Run(ctx, v)
	w.turn.Steps, w.turn.Failures = append(w.turn.Steps, steps...), append(w.turn.Failures, errs...)
	return len(steps) > 0
}
