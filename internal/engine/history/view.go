package history

import (
	"context"
	"errors"

	"github.com/seed-3db51b0e/precis/internal/engine/session"
	"github.com/seed-3db51b0e/precis/internal/engine/variant"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// View is a history under a plan, nil where none says otherwise: then Messages are the
// client's own.
type View struct {
	Thread *thread.Thread
	Plan   *plan.Plan
	render.Result
}

// View renders a history under the plan in force and writes nothing: what the log
// does not know yet stands as it is.
func (h *History) View(ctx context.Context, k store.Key, ms []message.Message) (View, error) {
	at, err := h.find(ctx, Request{Key: k, Messages: ms})
	if errors.Is(err, store.ErrNotFound) {
		return own(ms), nil
	}
	if err != nil {
		return View{}, err
	}
	return h.render(ctx, at.Session, at.shared, ms)
}

func own(ms []message.Message) View { return View{Result: render.Result{Messages: ms}} }

// render renders a history that begins with the first n entries of a thread.
func (h *History) render(ctx context.Context, s session.Session, n int, ms []message.Message) (View, error) {
	head, err := h.Store.Head(ctx, s.Key)
	if err != nil {
		return View{}, err
	}
	t := s.Thread
	p, err := h.plan(ctx, &s, head.PlanVersion)
	if err != nil || p == nil {
		return own(ms), err
	}
	view, err := t.Prefix(n)
	if err == nil {
		view, err = view.Append(thread.Extend(t.TipAt(n), variant.Lasting(ms[n:])))
	}
	if err == nil {
		p, err = plan.Carry(p, t, view)
	}
	if err != nil || ChangesNothing(p) {
		return own(ms), err
	}
	if view, err = variant.Received(view, ms); err != nil {
		return View{}, err
	}
	v := View{view, p, render.Prompt(view, p, nil)}
	v.Messages = variant.Clone(v.Messages)
	return v, nil
}
