// Package overlay is a store whose plans stay in memory.
//
// Use: New over the store that holds the log, for an engine in shadow mode. Law:
// no plan and no artifact reaches the store below, and none of its plans is seen.
// Promise: a plan that was committed is the current one, so a shadow engine builds each
// plan on the one before, until its thread is none of the last MaxThreads that were planned
// or the process ends: then planning begins anew.
package overlay

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// MaxThreads is the most threads whose plans are kept.
const MaxThreads = 1024

// Store is a store.Store over another one. It is safe for concurrent use.
type Store struct {
	store.Store
	mu   sync.Mutex // guards the artifacts of what is kept, and the order of versions
	kept lru.Cache[store.Key, planned]
}

// planned is what was committed of a thread.
type planned struct {
	plan      *plan.Plan // nil: none
	artifacts map[string]artifact.Artifact
}

// New returns a store over s with no plans.
func New(s store.Store) *Store {
	o := &Store{Store: s}
	o.kept.MaxEntries = MaxThreads
	return o
}

// Head implements store.Log.
func (o *Store) Head(ctx context.Context, k store.Key) (store.Head, error) {
	h, err := o.Store.Head(ctx, k)
	known, _ := o.kept.Get(k)
	h.PlanVersion = known.version()
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

// version is that of the plan, 0 where there is none.
func (x planned) version() int {
	if x.plan == nil {
		return 0
	}
	return x.plan.Version
}

// Plan implements store.Plans.
func (o *Store) Plan(_ context.Context, k store.Key) (*plan.Plan, error) {
	if known, _ := o.kept.Get(k); known.plan != nil {
		return known.plan, nil
	}
	return nil, fmt.Errorf("read plan: %w", store.ErrNotFound)
}

// PlanAt implements store.Plans. Earlier versions are not kept.
func (o *Store) PlanAt(ctx context.Context, k store.Key, version int) (*plan.Plan, error) {
	p, err := o.Plan(ctx, k)
	if err == nil && p.Version != version {
		return nil, fmt.Errorf("read plan %d: %w", version, store.ErrNotFound)
	}
	return p, err
}

// PlanVersions implements store.Plans.
func (o *Store) PlanVersions(_ context.Context, k store.Key) ([]store.PlanInfo, error) {
	if known, _ := o.kept.Get(k); known.plan != nil {
		return []store.PlanInfo{store.InfoOf(known.plan)}, nil
	}
	return nil, nil
}

// Commit implements store.Plans.
func (o *Store) Commit(_ context.Context, k store.Key, p *plan.Plan, artifacts []artifact.Artifact) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	known, _ := o.kept.Get(k)
	if p.Version != known.version()+1 {
		return fmt.Errorf("commit plan %d: %w", p.Version, store.ErrStale)
	}
	if known.plan = p; known.artifacts == nil {
		known.artifacts = map[string]artifact.Artifact{}
	}
	for _, a := range artifacts {
		known.artifacts[a.ID] = a
	}
	o.kept.Set(k, known, 0)
	return nil
}

// Artifact implements store.Artifacts.
func (o *Store) Artifact(ctx context.Context, k store.Key, id string) (artifact.Artifact, error) {
	o.mu.Lock()
	known, _ := o.kept.Get(k)
	a, ok := known.artifacts[id]
	o.mu.Unlock()
	if ok {
		return a, nil
	}
	return o.Store.Artifact(ctx, k, id)
}
