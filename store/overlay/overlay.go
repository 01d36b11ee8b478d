// Package overlay is a store whose plans stay in memory.
//
// Use: New over the store that holds the log, for an engine in shadow mode. Law:
// no plan and no artifact reaches the store below, and none of its plans is seen.
// Promise: a plan that was committed is the current one until the process ends,
// so a shadow engine builds each plan on the one before.
package overlay

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Store is a store.Store over another one. It is safe for concurrent use.
type Store struct {
	store.Store
	mu    sync.Mutex
	plans map[store.Key]*plan.Plan
	kept  map[store.Key]map[string]artifact.Artifact
}

// New returns a store over s with no plans.
func New(s store.Store) *Store {
	return &Store{Store: s, plans: map[store.Key]*plan.Plan{}, kept: map[store.Key]map[string]artifact.Artifact{}}
}

// Head implements store.Log.
func (o *Store) Head(ctx context.Context, k store.Key) (store.Head, error) {
	h, err := o.Store.Head(ctx, k)
	o.mu.Lock()
	defer o.mu.Unlock()
	h.PlanVersion = o.version(k)
	return h, err
}

// LoadRange implements store.Partial.
func (o *Store) LoadRange(ctx context.Context, k store.Key, from, to int) ([]thread.Entry, error) {
	return store.LoadRange(ctx, o.Store, k, from, to)
}

// LoadHaving implements store.Partial.
func (o *Store) LoadHaving(ctx context.Context, k store.Key, have []message.Message) ([]thread.Entry, error) {
	return store.LoadHaving(ctx, o.Store, k, have)
}

// Plan implements store.Plans.
func (o *Store) Plan(ctx context.Context, k store.Key) (*plan.Plan, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p := o.plans[k]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("read plan: %w", store.ErrNotFound)
}

func (o *Store) version(k store.Key) int {
	if p := o.plans[k]; p != nil {
		return p.Version
	}
	return 0
}

// Commit implements store.Plans.
func (o *Store) Commit(_ context.Context, k store.Key, p *plan.Plan, artifacts []artifact.Artifact) error {
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
func (o *Store) Artifact(ctx context.Context, k store.Key, id string) (artifact.Artifact, error) {
	o.mu.Lock()
	a, ok := o.kept[k][id]
	o.mu.Unlock()
	if ok {
		return a, nil
	}
	return o.Store.Artifact(ctx, k, id)
}
