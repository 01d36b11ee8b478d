// Package sealed makes any store keep the content of artifacts encrypted.
//
// Use: Over(store, ring) wherever a store is wanted. Law: what is written is
// sealed for the thread it is written to, what is read is opened for the thread
// it is asked for, and nothing is returned that does not open.
// Promise: it behaves as the store beneath it in everything else. Metadata is
// read without a key; content whose key is missing is a *seal.KeyError.
//
// Only the content of artifacts is sealed, see package seal.
package sealed

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Store seals on the way into a store and opens on the way out. Safe for
// concurrent use.
type Store struct {
	store.Store // beneath
	ring        *seal.Keyring
}

var _ store.Store = (*Store)(nil)

// Over wraps a store with a ring of keys. Closing it closes the store.
func Over(s store.Store, ring *seal.Keyring) *Store { return &Store{s, ring} }

// Commit implements store.Plans. Content that is there already, sealed with the
// primary key, is handed down as it lies, so that a repeated commit is one:
// sealing gives other bytes each time.
func (s *Store) Commit(ctx context.Context, k store.Key, p *plan.Plan, artifacts []artifact.Artifact) error {
	kept := make([]artifact.Artifact, len(artifacts))
	for i, a := range artifacts {
		var err error
		if kept[i], err = s.sealed(ctx, k, a); err != nil {
			return fmt.Errorf("commit plan: thread %q: %w", k.Thread, err)
		}
	}
	return s.Store.Commit(ctx, k, p, kept)
}

func (s *Store) sealed(ctx context.Context, k store.Key, a artifact.Artifact) (artifact.Artifact, error) {
	a.Tenant, a.Thread, a.Erased = k.Tenant, k.Thread, nil
	a, err := s.ring.Open(a) // the caller may have sealed it
	if err != nil {
		return a, err
	}
	have, err := s.Store.Artifact(ctx, k, a.ID)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrErased):
		return s.ring.Seal(a)
	case err != nil:
		return a, err
	case have.Thread == k.Thread && have.KeyID == s.ring.Primary() && s.opensAs(k, have, a):
		return have, nil
	}
	return s.ring.Seal(a)
}

// opensAs reports whether what lies in the store is a.
func (s *Store) opensAs(k store.Key, have, a artifact.Artifact) bool {
	have.Tenant = k.Tenant
	opened, err := s.ring.Open(have)
	if err != nil || !opened.Created.Equal(a.Created) || string(opened.Content) != string(a.Content) {
		return false
	}
	opened.Created, opened.Content, a.Content = a.Created, nil, nil
	return reflect.DeepEqual(opened, a)
}

// Artifact implements store.Artifacts. KeyID is "": the content is opened.
func (s *Store) Artifact(ctx context.Context, k store.Key, id string) (artifact.Artifact, error) {
	a, err := s.Store.Artifact(ctx, k, id)
	if err != nil {
		return a, err
	}
	a.Tenant = k.Tenant
	if a, err = s.ring.Open(a); err != nil {
		return a, fmt.Errorf("read artifact: thread %q: %w", k.Thread, err)
	}
	return a, nil
}

// Reseal moves the thread's own artifacts to the primary key, also those that
// are not sealed yet, and returns how many it moved. It is a commit of the
// current plan, with their content anew. What lay there before stays in an
// append-only store, unread: under an old key until that is removed from the
// ring, in the clear until the artifact is erased.
//
// store.ErrStale when a plan was committed meanwhile: try again.
func (s *Store) Reseal(ctx context.Context, k store.Key) (int, error) {
	list, err := s.Store.ArtifactList(ctx, k)
	if err != nil {
		return 0, err
	}
	p, err := s.Store.Plan(ctx, k)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil // no plan, no artifacts of its own
	}
	if err != nil {
		return 0, err
	}
	var moved []artifact.Artifact
	for _, a := range list {
		if a.Thread != k.Thread || a.Erased != nil || a.KeyID == s.ring.Primary() {
			continue
		}
		if a, err = s.Artifact(ctx, k, a.ID); err != nil {
			return 0, err
		}
		moved = append(moved, a)
	}
	if len(moved) == 0 {
		return 0, nil
	}
	return len(moved), s.Commit(ctx, k, p, moved)
}

// LoadRange implements store.Partial.
func (s *Store) LoadRange(ctx context.Context, k store.Key, from, to int) ([]thread.Entry, error) {
	return store.LoadRange(ctx, s.Store, k, from, to)
}

// LoadHaving implements store.Partial.
func (s *Store) LoadHaving(ctx context.Context, k store.Key, have []message.Message) ([]thread.Entry, error) {
	return store.LoadHaving(ctx, s.Store, k, have)
}

// Usage implements store.Measured, where the store beneath does.
func (s *Store) Usage(ctx context.Context, tenant string) (store.Usage, error) {
	m, ok := s.Store.(store.Measured)
	if !ok {
		return store.Usage{}, errors.ErrUnsupported
	}
	return m.Usage(ctx, tenant)
}
