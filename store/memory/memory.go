// Package memory keeps threads, plans and artifacts in memory.
//
// Use: New, in tests and for conversations that need not outlive the process.
// Law: the contract of package store. Promise: it behaves as store/sqlite does
// in all but durability.
package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Store is a store in memory. Safe for concurrent use.
type Store struct {
	mu        sync.RWMutex
	threads   map[store.Key]*branch
	summaries map[string]*summaries // by tenant
}

var _ store.Store = (*Store)(nil)

// branch is one thread. Logged entries are shared with its forks.
type branch struct {
	head          store.Head
	entries       []*logged
	ids           []thread.ID       // of entries; what is there is never changed
	at            map[thread.ID]int // position of each entry
	parent        *branch
	shared        int // entries shared with parent
	envelope      []byte
	plans         []committed // version i+1 at i
	artifacts     []artifact.Artifact
	artifactsByID map[string][]int // positions in artifacts, in order
}

// committed is a plan version; sum identifies a repeated commit.
type committed struct {
	plan *plan.Plan
	sum  [sha256.Size]byte
	// records is how many the plan had when it was committed: erasing takes some out.
	records int
}

// logged is an entry with its other raw forms, and what was erased of it.
type logged struct {
	entry      thread.Entry
	variants   []store.Variant
	erased     *artifact.Tombstone           // of the entry
	tombstones map[string]artifact.Tombstone // of artifacts taken from it, by id
}

// New returns an empty store.
func New() *Store {
	return &Store{threads: map[store.Key]*branch{}, summaries: map[string]*summaries{}}
}

// Close forgets everything.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.threads, s.summaries = map[store.Key]*branch{}, map[string]*summaries{}
	return nil
}

// view runs f on a thread under the read lock.
func (s *Store) view(ctx context.Context, verb string, k store.Key, f func(*branch) error) error {
	return s.under(ctx, s.mu.RLocker(), verb, k, f)
}

// change runs f on a thread under the write lock.
func (s *Store) change(ctx context.Context, verb string, k store.Key, f func(*branch) error) error {
	return s.under(ctx, &s.mu, verb, k, f)
}

func (s *Store) under(ctx context.Context, lock sync.Locker, verb string, k store.Key, f func(*branch) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	lock.Lock()
	defer lock.Unlock()
	b, ok := s.threads[k]
	if !ok {
		return fmt.Errorf("%s: thread %q: %w", verb, k.Thread, store.ErrNotFound)
	}
	if err := f(b); err != nil {
		return fmt.Errorf("%s: thread %q: %w", verb, k.Thread, err)
	}
	return nil
}

// Head implements store.Log.
func (s *Store) Head(ctx context.Context, k store.Key) (h store.Head, err error) {
	err = s.view(ctx, "read head", k, func(b *branch) error {
		h = b.head
		return nil
	})
	return h, err
}

// Heads implements store.Log.
func (s *Store) Heads(ctx context.Context, tenant string) ([]store.Head, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("list heads: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var hs []store.Head
	for k, b := range s.threads {
		if k.Tenant == tenant {
			hs = append(hs, b.head)
		}
	}
	slices.SortFunc(hs, func(a, b store.Head) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.Key.Thread, b.Key.Thread))
	})
	return hs, nil
}

// Load implements store.Log.
func (s *Store) Load(ctx context.Context, k store.Key) (es []thread.Entry, err error) {
	err = s.view(ctx, "load", k, func(b *branch) error {
		es = make([]thread.Entry, len(b.entries))
		for i, l := range b.entries {
			es[i] = cloneEntry(l.entry)
		}
		return nil
	})
	return es, err
}

// Variants implements store.Log.
func (s *Store) Variants(ctx context.Context, k store.Key, id thread.ID) (vs []store.Variant, err error) {
	err = s.view(ctx, "read variants", k, func(b *branch) error {
		i, ok := b.at[id]
		if !ok {
			return fmt.Errorf("entry %s: %w", id, store.ErrNotFound)
		}
		for _, v := range b.entries[i].variants {
			v.Raw = copied(v.Raw)
			vs = append(vs, v)
		}
		return nil
	})
	return vs, err
}

// Envelope implements store.Log.
func (s *Store) Envelope(ctx context.Context, k store.Key) (e []byte, err error) {
	err = s.view(ctx, "read envelope", k, func(b *branch) error {
		if b.envelope == nil {
			return store.ErrNotFound
		}
		e = copied(b.envelope)
		return nil
	})
	return e, err
}

// copied copies bytes; the copy is not nil.
func copied(b []byte) []byte { return append([]byte{}, b...) }

func cloneEntry(e thread.Entry) thread.Entry {
	e.Message = e.Message.Clone()
	return e
}
