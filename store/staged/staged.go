// Package staged holds back what a request writes until it is known whether it counts.
//
// Use: Over each store, Begin for a request, and its context with every call; then
// Write or Drop. Law: until Write nothing reaches the store beneath; the request itself reads
// what it wrote. Promise: Write makes the same calls of the store beneath, in their
// order, and returns the first error; after Drop nothing was written.
package staged

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Store is a store.Store over another one. It is safe for concurrent use.
type Store struct {
	store.Store // beneath
}

// Over returns a store over s in which requests may write on trial.
func Over(s store.Store) *Store { return &Store{s} }

// Stage holds what one request wrote. Make it with Begin.
type Stage struct {
	plans bool

	mu      sync.Mutex
	ended   bool
	threads map[store.Key]*branch
	writes  []func(context.Context) error // in their order
}

// branch holds what was written to one thread.
type branch struct {
	head      store.Head
	below     store.Key      // the thread beneath that entries go on from
	from      int            // how many of its entries come first
	entries   []thread.Entry // behind them
	plans     []*plan.Plan
	artifacts []artifact.Artifact // the newest last
}

type key struct{}

// Begin returns a stage, and the context whose calls of stores write to it. Where plans
// are not held back, the first one ends the stage: all before it is written.
func Begin(ctx context.Context, plans bool) (context.Context, *Stage) {
	st := &Stage{plans: plans, threads: map[store.Key]*branch{}}
	return context.WithValue(ctx, key{}, st), st
}

// Write writes what was held back, and ends the stage. It does nothing when the stage
// has ended.
func (st *Stage) Write(ctx context.Context) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.write(ctx)
}

func (st *Stage) write(ctx context.Context) error {
	writes := st.writes
	st.end()
	for _, write := range writes {
		if err := write(ctx); err != nil {
			return fmt.Errorf("write what was held back: %w", err)
		}
	}
	return nil
}

// Drop forgets what was held back, and ends the stage.
func (st *Stage) Drop() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.end()
}

func (st *Stage) end() { st.ended, st.threads, st.writes = true, nil, nil }

// locked returns the stage of a context, locked, and its unlock; nil where there is
// none, or it has ended.
func locked(ctx context.Context) (*Stage, func()) {
	st, ok := ctx.Value(key{}).(*Stage)
	if !ok {
		return nil, nil
	}
	if st.mu.Lock(); st.ended {
		st.mu.Unlock()
		return nil, nil
	}
	return st, st.mu.Unlock
}

// Head implements store.Log.
func (s *Store) Head(ctx context.Context, k store.Key) (store.Head, error) {
	if st, unlock := locked(ctx); st != nil {
		defer unlock()
		return st.head(ctx, s.Store, k)
	}
	return s.Store.Head(ctx, k)
}

func (st *Stage) head(ctx context.Context, beneath store.Store, k store.Key) (store.Head, error) {
	if b := st.threads[k]; b != nil {
		return b.head, nil
	}
	return beneath.Head(ctx, k)
}

// Load implements store.Log.
func (s *Store) Load(ctx context.Context, k store.Key) ([]thread.Entry, error) {
	if st, unlock := locked(ctx); st != nil {
		defer unlock()
		return st.load(ctx, s.Store, k, nil)
	}
	return s.Store.Load(ctx, k)
}

// LoadRange implements store.Partial.
func (s *Store) LoadRange(ctx context.Context, k store.Key, from, to int) ([]thread.Entry, error) {
	st, unlock := locked(ctx)
	if st == nil {
		return store.LoadRange(ctx, s.Store, k, from, to)
	}
	defer unlock()
	if st.threads[k] == nil {
		return store.LoadRange(ctx, s.Store, k, from, to)
	}
	es, err := st.load(ctx, s.Store, k, nil)
	return store.Range(es, from, to), err
}

// LoadHaving implements store.Partial.
func (s *Store) LoadHaving(ctx context.Context, k store.Key, have []message.Message) ([]thread.Entry, error) {
	if st, unlock := locked(ctx); st != nil {
		defer unlock()
		return st.load(ctx, s.Store, k, have)
	}
	return store.LoadHaving(ctx, s.Store, k, have)
}

func (st *Stage) load(ctx context.Context, beneath store.Store, k store.Key, have []message.Message) ([]thread.Entry, error) {
	b := st.threads[k]
	switch {
	case b == nil:
		return store.LoadHaving(ctx, beneath, k, have)
	case b.from == 0:
		return slices.Clone(b.entries), nil
	}
	es, err := store.LoadHaving(ctx, beneath, b.below, have)
	if err != nil {
		return nil, err
	}
	return slices.Concat(es[:min(b.from, len(es))], b.entries), nil
}

// Append implements store.Log.
func (s *Store) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	st, unlock := locked(ctx)
	if st == nil {
		return s.Store.Append(ctx, k, b)
	}
	defer unlock()
	if err := b.Check(); err != nil {
		return store.Head{}, err
	}
	h, err := st.append(ctx, s.Store, k, b)
	if err != nil {
		return h, fmt.Errorf("append to %s: %w", k.Thread, err)
	}
	b.Entries = slices.Clone(b.Entries)
	st.writes = append(st.writes, func(ctx context.Context) error {
		_, err := s.Store.Append(ctx, k, b)
		return err
	})
	return h, nil
}

func (st *Stage) append(ctx context.Context, beneath store.Store, k store.Key, b store.Batch) (store.Head, error) {
	h, err := st.head(ctx, beneath, k)
	missing := errors.Is(err, store.ErrNotFound)
	switch {
	case err != nil && !missing:
		return h, err
	case missing && b.ForkOf != "":
		if err := st.fork(ctx, beneath, k, b); err != nil {
			return h, err
		}
	case missing && b.Tip == "":
		st.threads[k] = &branch{head: store.Head{Key: k, Source: b.Source, Created: b.Now.Round(0).UTC()}}
	case missing:
		return h, store.ErrStale
	case h.Tip == b.Last() && (b.ForkOf == "" || b.ForkOf == h.Parent):
		return h, nil // it was brought before
	case b.ForkOf != "" || h.Tip != b.Tip:
		return h, store.ErrStale
	}
	to := st.changed(k, h)
	to.entries = append(to.entries, b.Entries...)
	to.head.Tip, to.head.Len, to.head.Updated = b.Last(), to.head.Len+len(b.Entries), b.Now.Round(0).UTC()
	return to.head, nil
}

// changed is the branch of a thread that is written to.
func (st *Stage) changed(k store.Key, h store.Head) *branch {
	if st.threads[k] == nil {
		st.threads[k] = &branch{head: h, below: k, from: h.Len}
	}
	return st.threads[k]
}

// fork begins a branch of a thread.
func (st *Stage) fork(ctx context.Context, beneath store.Store, k store.Key, b store.Batch) error {
	from := store.Key{Tenant: k.Tenant, Thread: b.ForkOf}
	parent, err := st.head(ctx, beneath, from)
	if err != nil {
		return err
	}
	es, err := st.load(ctx, beneath, from, nil)
	if err != nil {
		return err
	}
	n := 0
	if b.At != "" {
		if n = 1 + slices.IndexFunc(es, func(e thread.Entry) bool { return e.ID == b.At }); n == 0 {
			return store.ErrForeign
		}
	}
	if b.Source == "" {
		b.Source = parent.Source
	}
	st.threads[k] = &branch{
		head:    store.Head{Key: k, Tip: b.At, Len: n, Source: b.Source, Parent: b.ForkOf, Created: b.Now.Round(0).UTC()},
		entries: es[:n:n],
	}
	return nil
}

// Commit implements store.Plans.
func (s *Store) Commit(ctx context.Context, k store.Key, p *plan.Plan, artifacts []artifact.Artifact) error {
	st, unlock := locked(ctx)
	if st == nil || p == nil {
		return s.Store.Commit(ctx, k, p, artifacts)
	}
	defer unlock()
	if !st.plans {
		if err := st.write(ctx); err != nil {
			return err
		}
		return s.Store.Commit(ctx, k, p, artifacts)
	}
	h, err := st.head(ctx, s.Store, k)
	if err != nil {
		return err
	}
	if p.Version != h.PlanVersion+1 {
		return fmt.Errorf("commit plan %d: %w", p.Version, store.ErrStale)
	}
	to := st.changed(k, h)
	to.head.PlanVersion, to.head.Updated = p.Version, latest(h.Updated, p.CreatedAt)
	to.plans = append(to.plans, p)
	for _, a := range artifacts {
		to.artifacts = append(to.artifacts, kept(k, a))
	}
	st.writes = append(st.writes, func(ctx context.Context) error { return s.Store.Commit(ctx, k, p, artifacts) })
	return nil
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Plan implements store.Plans.
func (s *Store) Plan(ctx context.Context, k store.Key) (*plan.Plan, error) {
	if st, unlock := locked(ctx); st != nil {
		defer unlock()
		if b := st.threads[k]; b != nil && len(b.plans) > 0 {
			return b.plans[len(b.plans)-1], nil
		}
	}
	return s.Store.Plan(ctx, k)
}

// PlanAt implements store.Plans.
func (s *Store) PlanAt(ctx context.Context, k store.Key, version int) (*plan.Plan, error) {
	if st, unlock := locked(ctx); st != nil {
		defer unlock()
		if b := st.threads[k]; b != nil {
			for _, p := range b.plans {
				if p.Version == version {
					return p, nil
				}
			}
		}
	}
	return s.Store.PlanAt(ctx, k, version)
}

// PlanVersions implements store.Plans.
func (s *Store) PlanVersions(ctx context.Context, k store.Key) ([]store.PlanInfo, error) {
	all, err := s.Store.PlanVersions(ctx, k)
	st, unlock := locked(ctx)
	if st == nil {
		return all, err
	}
	defer unlock()
	b := st.threads[k]
	if b == nil || err != nil && !errors.Is(err, store.ErrNotFound) {
		return all, err
	}
	for _, p := range b.plans {
		all = append(all, store.InfoOf(p))
	}
	return all, nil
}

// PutSummary implements store.Summaries.
func (s *Store) PutSummary(ctx context.Context, tenant, name string, data []byte, now time.Time) error {
	st, unlock := locked(ctx)
	if st == nil {
		return s.Store.PutSummary(ctx, tenant, name, data, now)
	}
	defer unlock()
	st.writes = append(st.writes, func(ctx context.Context) error { return s.Store.PutSummary(ctx, tenant, name, data, now) })
	return nil
}
