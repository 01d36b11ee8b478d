package precis

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// View is what the plan in force makes of a history, for whoever only wants to
// know: nothing is logged, planned or repaired, and what the log does not know
// yet stands as it is. Where no plan says otherwise it is in.Messages. Of the
// input, Thread and Messages are read.
func (e *Engine) View(ctx context.Context, in Input) ([]message.Message, error) {
	k := store.Key{Tenant: e.tenant, Thread: in.Thread}
	for {
		t, err := e.load(ctx, k)
		if errors.Is(err, store.ErrNotFound) {
			return in.Messages, nil
		}
		if err != nil {
			return nil, fmt.Errorf("view thread %s: %w", k.Thread, err)
		}
		n := t.Match(in.Messages)
		if n < len(in.Messages) && n < t.Len() {
			next := forkKey(k, t, n, in.Messages[n])
			if _, err := e.store.Head(ctx, next); err == nil {
				k = next
				continue
			}
		}
		ms, err := e.seen(ctx, k, t, n, in.Messages)
		if err != nil {
			return nil, fmt.Errorf("view thread %s: %w", k.Thread, err)
		}
		return ms, nil
	}
}

// seen renders a history that begins with the first n entries of a thread.
func (e *Engine) seen(ctx context.Context, k store.Key, t *thread.Thread, n int, ms []message.Message) ([]message.Message, error) {
	h, err := e.store.Head(ctx, k)
	if err != nil {
		return nil, err
	}
	p, err := e.stored(ctx, k, h.PlanVersion)
	if err != nil || p == nil {
		return ms, err
	}
	view, err := t.Prefix(n)
	if err == nil {
		view, err = view.Append(thread.Extend(tipAt(t, n), lasting(ms[n:])))
	}
	if err == nil {
		p, err = plan.Carry(p, t, view)
	}
	if err != nil || idle(p) {
		return ms, err
	}
	if view, err = asSeen(view, ms); err != nil {
		return nil, err
	}
	return owned(render.Prompt(view, p, nil).Messages), nil
}
