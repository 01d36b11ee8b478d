package precis

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
)

// Shadow is what a turn would have been: in shadow mode the engine plans as
// ever but commits nothing, and the caller's messages go out as they came
// (SPEC B15).
type Shadow struct {
	Outcome   Outcome
	Plan      *plan.Plan        // that would be in force
	Messages  []message.Message // that would have been sent
	Compacted int               // their tokens, as a whole request
}

// observed turns a prepared turn into what shadow mode returns. The plan stays
// in the turn's Shadow and its report; nothing of it reaches the prompt.
func (e *Engine) observed(t *Turn, in Input) *Turn {
	e.emit(t.Key, event.Event{
		Kind: event.ShadowResult, Outcome: string(t.Outcome), Version: versionOf(t.Plan),
		TokensBefore: t.Original, TokensAfter: t.Compacted, Budget: t.Budget,
	})
	t.Shadow = &Shadow{Outcome: t.Outcome, Plan: t.Plan, Messages: t.Messages, Compacted: t.Compacted}
	t.Messages, t.Origins = in.Messages, nil
	t.Plan, t.Outcome, t.Before, t.Compacted = nil, Shadowed, t.Original, t.Original
	return t
}

// overlay is a store whose plans stay in memory and hide those below: what
// shadow mode would have committed, so that its next turn builds on it.
type overlay struct {
	store.Store
	mu    sync.Mutex
	plans map[store.Key]*plan.Plan
	kept  map[store.Key]map[string]artifact.Artifact
}

func newOverlay(s store.Store) *overlay {
	return &overlay{Store: s, plans: map[store.Key]*plan.Plan{}, kept: map[store.Key]map[string]artifact.Artifact{}}
}

// Head implements store.Log.
func (o *overlay) Head(ctx context.Context, k store.Key) (store.Head, error) {
	h, err := o.Store.Head(ctx, k)
	o.mu.Lock()
	defer o.mu.Unlock()
	h.PlanVersion = o.version(k)
	return h, err
}

// Plan implements store.Plans.
func (o *overlay) Plan(ctx context.Context, k store.Key) (*plan.Plan, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p := o.plans[k]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("read plan: %w", store.ErrNotFound)
}

func (o *overlay) version(k store.Key) int {
	if p := o.plans[k]; p != nil {
		return p.Version
	}
	return 0
}

// Commit implements store.Plans.
func (o *overlay) Commit(_ context.Context, k store.Key, p *plan.Plan, artifacts []artifact.Artifact) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p.Version != o.version(k)+1 {
		return fmt.Errorf("commit plan %d: %w", p.Version, store.ErrStale)
	}
	o.plans[k] = p
	if o.kept[k] == nil {
		o.kept[k] = map[string]artifact.Artifact{}
	}
	for _, a := range artifacts {
		o.kept[k][a.ID] = a
	}
	return nil
}

// Artifact implements store.Artifacts.
func (o *overlay) Artifact(ctx context.Context, k store.Key, id string) (artifact.Artifact, error) {
	o.mu.Lock()
	a, ok := o.kept[k][id]
	o.mu.Unlock()
	if ok {
		return a, nil
	}
	return o.Store.Artifact(ctx, k, id)
}
