package writebehind

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// afterFlush runs f when what was appended to the thread is written, or another process
// wrote in its place.
func afterFlush[T any](ctx context.Context, s *Store, k store.Key, f func() (T, error)) (T, error) {
	if err := s.Flush(ctx, k); err != nil && !errors.Is(err, store.ErrStale) {
		var none T
		return none, err
	}
	return f()
}

// afterFlushDo is afterFlush for functions that return only an error.
func afterFlushDo(ctx context.Context, s *Store, k store.Key, f func() error) error {
	if err := s.Flush(ctx, k); err != nil && !errors.Is(err, store.ErrStale) {
		return err
	}
	return f()
}

// Heads implements store.Log.
func (s *Store) Heads(ctx context.Context, tenant string) ([]store.Head, error) {
	if err := s.FlushAll(ctx); err != nil {
		return nil, err
	}
	return s.Store.Heads(ctx, tenant)
}

// Load implements store.Log.
func (s *Store) Load(ctx context.Context, k store.Key) ([]thread.Entry, error) {
	return afterFlush(ctx, s, k, func() ([]thread.Entry, error) { return s.Store.Load(ctx, k) })
}

// LoadRange implements store.Partial.
func (s *Store) LoadRange(ctx context.Context, k store.Key, from, to int) ([]thread.Entry, error) {
	return afterFlush(ctx, s, k, func() ([]thread.Entry, error) { return store.LoadRange(ctx, s.Store, k, from, to) })
}

// LoadHaving implements store.Partial.
func (s *Store) LoadHaving(ctx context.Context, k store.Key, have []message.Message) ([]thread.Entry, error) {
	return afterFlush(ctx, s, k, func() ([]thread.Entry, error) { return store.LoadHaving(ctx, s.Store, k, have) })
}

// Variants implements store.Log.
func (s *Store) Variants(ctx context.Context, k store.Key, id thread.ID) ([]store.Variant, error) {
	return afterFlush(ctx, s, k, func() ([]store.Variant, error) { return s.Store.Variants(ctx, k, id) })
}

// Envelope implements store.Log.
func (s *Store) Envelope(ctx context.Context, k store.Key) ([]byte, error) {
	return afterFlush(ctx, s, k, func() ([]byte, error) { return s.Store.Envelope(ctx, k) })
}

// PlanVersions implements store.Plans.
func (s *Store) PlanVersions(ctx context.Context, k store.Key) ([]store.PlanInfo, error) {
	return afterFlush(ctx, s, k, func() ([]store.PlanInfo, error) { return s.Store.PlanVersions(ctx, k) })
}

// Plan implements store.Plans.
func (s *Store) Plan(ctx context.Context, k store.Key) (*plan.Plan, error) {
	return afterFlush(ctx, s, k, func() (*plan.Plan, error) { return s.Store.Plan(ctx, k) })
}

// PlanAt implements store.Plans.
func (s *Store) PlanAt(ctx context.Context, k store.Key, version int) (*plan.Plan, error) {
	return afterFlush(ctx, s, k, func() (*plan.Plan, error) { return s.Store.PlanAt(ctx, k, version) })
}

// Commit implements store.Plans. A plan whose base could not be written has that
// write's error; ErrForeign where another process wrote something else to the thread.
func (s *Store) Commit(ctx context.Context, k store.Key, p *plan.Plan, artifacts []artifact.Artifact) error {
	if p == nil {
		return s.Store.Commit(ctx, k, p, artifacts)
	}
	err := s.Written(ctx, k, p.Base)
	if errors.Is(err, store.ErrStale) {
		return fmt.Errorf("commit plan %d on %s: another process was first: %w", p.Version, p.Base, store.ErrForeign)
	}
	if err != nil {
		return err
	}
	return s.Store.Commit(ctx, k, p, artifacts)
}

// Artifact implements store.Artifacts.
func (s *Store) Artifact(ctx context.Context, k store.Key, id string) (artifact.Artifact, error) {
	return afterFlush(ctx, s, k, func() (artifact.Artifact, error) { return s.Store.Artifact(ctx, k, id) })
}

// ArtifactList implements store.Artifacts.
func (s *Store) ArtifactList(ctx context.Context, k store.Key) ([]artifact.Artifact, error) {
	return afterFlush(ctx, s, k, func() ([]artifact.Artifact, error) { return s.Store.ArtifactList(ctx, k) })
}

// Erase implements store.Erasures.
func (s *Store) Erase(ctx context.Context, k store.Key, id string, why artifact.Tombstone) error {
	return afterFlushDo(ctx, s, k, func() error { return s.Store.Erase(ctx, k, id, why) })
}

// Expire implements store.Erasures.
func (s *Store) Expire(ctx context.Context, tenant string, now time.Time) (int, error) {
	if err := s.FlushAll(ctx); err != nil {
		return 0, err
	}
	return s.Store.Expire(ctx, tenant, now)
}

// EraseEntry implements store.Erasures.
func (s *Store) EraseEntry(ctx context.Context, k store.Key, id thread.ID, why artifact.Tombstone) error {
	return afterFlushDo(ctx, s, k, func() error { return s.Store.EraseEntry(ctx, k, id, why) })
}
