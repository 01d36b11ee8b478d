package inspect

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store"
)

// trial is a store whose next plan of one thread stays in memory: what an engine
// commits to it is what an action would do.
type trial struct {
	store.Store
	key store.Key

	mu   sync.Mutex
	next *plan.Plan
}

// Plan implements store.Plans.
func (t *trial) Plan(ctx context.Context, k store.Key) (*plan.Plan, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k == t.key && t.next != nil {
		return t.next, nil
	}
	return t.Store.Plan(ctx, k)
}

// Head implements store.Log.
func (t *trial) Head(ctx context.Context, k store.Key) (store.Head, error) {
	h, err := t.Store.Head(ctx, k)
	t.mu.Lock()
	defer t.mu.Unlock()
	if k == t.key && t.next != nil {
		h.PlanVersion = t.next.Version
	}
	return h, err
}

// Commit implements store.Plans.
func (t *trial) Commit(_ context.Context, _ store.Key, p *plan.Plan, _ []artifact.Artifact) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next = p
	return nil
}

// Append implements store.Log: nothing is logged.
func (t *trial) Append(ctx context.Context, k store.Key, _ store.Batch) (store.Head, error) {
	return t.Head(ctx, k)
}

// PutSummary implements store.Summaries: nothing is kept.
func (t *trial) PutSummary(context.Context, string, string, []byte, time.Time) error { return nil }

// asSeen is a store that commits a plan of one thread only on the version that a page
// has seen.
type asSeen struct {
	store.Store
	key     store.Key
	version int
}

// Commit implements store.Plans.
func (s asSeen) Commit(ctx context.Context, k store.Key, p *plan.Plan, artifacts []artifact.Artifact) error {
	if k == s.key && p.Version != s.version+1 {
		return stalePage(s.version, p.Version-1)
	}
	err := s.Store.Commit(ctx, k, p, artifacts)
	if k == s.key && errors.Is(err, store.ErrStale) {
		return stalePage(s.version, s.version+1)
	}
	return err
}

// stalePage tells that a plan was made since the page was loaded.
func stalePage(seen, now int) error {
	return fault{409, "stale", fmt.Sprintf("This page shows plan %d, and plan %d is in force by now. Nothing was changed: look at the new plan, and try again.", seen, now)}
}

// engine makes one over a store, with the policy of a thread's own plan.
func (a *api) engine(o precis.Options, s store.Store, v *view) (*precis.Engine, error) {
	o.Store, o.Tenant, o.Shadow, o.Background = s, a.o.Tenant, false, false
	if p := v.current(); p != nil && p.Policy != o.Policy.Name {
		if own, err := policy.Named(p.Policy); err == nil {
			o.Policy = own
		}
	}
	return precis.New(o)
}

// preview runs an action whose plan nobody keeps. No model is asked and no hook is told.
func (a *api) preview(ctx context.Context, v *view, do func(context.Context, *precis.Engine) (*plan.Plan, error)) (*plan.Plan, error) {
	o := a.o.Engine
	o.Summarizer, o.Hooks, o.Events = nil, event.Hooks{}, nil
	e, err := a.engine(o, &trial{Store: a.store, key: v.head.Key}, v)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return do(ctx, e)
}

// Cost compares the next request with and without an action. Sizes are tokens.
type Cost struct {
	Before int `json:"before_tokens"`
	After  int `json:"after_tokens"`
	// Kept of After stands at the head as it did: a provider's cache still has it.
	// Rewritten is the rest.
	Kept      int `json:"kept_tokens"`
	Rewritten int `json:"rewritten_tokens"`
	// Back are messages that come back whole, Out those that leave.
	Back int `json:"messages_back"`
	Out  int `json:"messages_out"`
	// USD is the extra cost of the next request; absent where no prices are known.
	USD *float64 `json:"usd,omitempty"`
	// Share is After of the budget, absent where none is known.
	Share *float64 `json:"share_of_budget,omitempty"`
	// Outcome is how a compaction ends, "" for other actions.
	Outcome string `json:"outcome,omitempty"`
}

// cost compares the next request under the plan in force and under another.
func (v *view) cost(next *sketch) *Cost {
	now, n := v.current(), v.t.Len()
	was, will := stands(v.t, now, nil, n), stands(v.t, next, now, n)
	before, after := v.fixed(now), v.fixed(now)
	v.add(&before, was, 0)
	v.add(&after, will, 0)
	c := &Cost{Before: before.tokens, After: after.tokens, Kept: min(v.kept(now, next), after.tokens)}
	c.Rewritten = c.After - c.Kept
	for i := range was {
		switch {
		case was[i].record != nil && will[i].record == nil:
			c.Back++
		case !was[i].state.left() && will[i].state.left():
			c.Out++
		}
	}
	if v.model.listed && v.model.model.PriceOf(1).In > 0 {
		more := v.bill(c.After, c.Kept, false).usd - v.bill(c.Before, c.Before, false).usd
		c.USD = &more
	}
	if p := v.limitsAt(&step{plan: now}); p != nil {
		share := float64(c.After) / float64(p.Inputs.Budget)
		c.Share = &share
	}
	return c
}
