// Package writebehind writes what is appended to any store while the caller continues.
//
// Use: Over(store, failed) where a request must not wait for a disk, and Written where
// its answer must: before its last byte. Law: batches are written as they were
// appended, in their order, and nothing that depends on them (a plan, a fork, an
// erasure) is written before; Head includes them at once, every other read waits for
// them. Promise: an append that does not follow what is there fails as it does in the
// store beneath. What could not be written is an error of Written, and of a plan that
// is based on it.
//
// A crash can lose what was appended and for which Written has not returned nil; it
// loses no plan, since plans are durable when Commit returns. A client that sends its
// history again restores it. Batches of several threads that wait together are one
// transaction, where the store beneath has AppendAll. Tenants take turns, and a batch
// with many entries is written in slices of 512, each a transaction of its own: an error
// or a crash can leave the first of them.
package writebehind

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-3db51b0e/precis/internal/keylock"
	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// maxWaiting bounds the messages that wait to be written. An append beyond it waits
// until they are.
const maxWaiting = 16384

// Store writes behind. Safe for concurrent use.
type Store struct {
	store.Store // beneath
	failed      func(store.Key, error)

	mu      sync.Mutex
	pending map[store.Key]*pending
	recent  lru.Cache[store.Key, []thread.ID] // the last entries of threads written to
	lost    lru.Cache[appended, error]        // appends that could not be written
	queue   queue                             // threads that wait for the writer
	waiting int                               // entries of all pending batches
	busy    bool                              // there is a writer
	direct  map[store.Key]int                 // appends under way that do not wait
	large   keylock.Locks[struct{}]           // held for each slice of an append that does not wait
	moved   int                               // counts writes: a head read before one may be old
}

// pending holds what waits to be written to one thread. It is deleted when nothing
// waits.
type pending struct {
	head    store.Head // as it is when all is written
	batch   store.Batch
	full    bool        // batch holds something
	tips    []thread.ID // where the appends of batch ended
	drained chan struct{}
	err     error // set before drained is closed
}

// appended names an append by where it ended.
type appended struct {
	key store.Key
	tip thread.ID
}

// maxLost bounds how many appends that were not written are remembered.
const maxLost = 4096

var _ store.Store = (*Store)(nil)

// Over wraps s. It calls failed with what could not be written, once for each
// thread's loss; nil ignores it. The error is store.ErrStale where another process
// wrote something else to the thread: who waits for the append by Written may append
// anew. Closing the store writes what waits and closes s.
func Over(s store.Store, failed func(store.Key, error)) *Store {
	if failed == nil {
		failed = func(store.Key, error) {}
	}
	return &Store{
		Store: s, failed: failed, pending: map[store.Key]*pending{}, direct: map[store.Key]int{},
		recent: lru.Cache[store.Key, []thread.ID]{MaxEntries: maxRecentThreads}, lost: lru.Cache[appended, error]{MaxEntries: maxLost},
	}
}

// Head implements store.Log: the thread as it is when all is written.
func (s *Store) Head(ctx context.Context, k store.Key) (store.Head, error) {
	if h, ok := s.pendingHead(k); ok && ctx.Err() == nil {
		return h, nil
	}
	return s.Store.Head(ctx, k)
}

func (s *Store) pendingHead(k store.Key) (store.Head, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.pending[k]; p != nil {
		return p.head, true
	}
	return store.Head{}, false
}

// Append implements store.Log. A batch that only goes on from the thread's tip is
// written later, with other forms of the last entries before it; any other is written
// before Append returns.
func (s *Store) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	if b.ForkOf == "" && len(b.Entries) > 0 && b.Check() == nil && s.isRecent(k, b.Variants) {
		if h, ok := s.enqueue(ctx, k, b); ok {
			if ctx.Value(waiting{}) != nil {
				return h, s.Written(ctx, k, b.Last())
			}
			return h, nil
		}
	}
	s.countDirect(k, 1)
	defer s.countDirect(k, -1)
	for _, k := range []store.Key{k, {Tenant: k.Tenant, Thread: b.ForkOf}} {
		if err := s.Flush(ctx, k); err != nil {
			return store.Head{}, err
		}
	}
	h, err := s.inSlices(ctx, k, b)
	if err == nil {
		s.lost.Remove(appended{k, b.Last()})
	}
	return h, err
}

// inSlices appends a batch, a large one in several transactions: one such transaction at
// a time, and others write in between.
func (s *Store) inSlices(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	if len(b.Entries) <= maxSlice || b.Check() != nil {
		return s.Store.Append(ctx, k, b)
	}
	if h, err := s.Store.Head(ctx, k); err == nil && h.Tip == b.Last() { // it was written before
		return s.Store.Append(ctx, k, b)
	}
	for {
		first, rest, many := slice(b)
		unlock, err := s.large.Lock(ctx, struct{}{})
		if err != nil {
			return store.Head{}, fmt.Errorf("log thread %s: %w", k.Thread, err)
		}
		h, err := s.Store.Append(ctx, k, first)
		unlock()
		if err != nil || !many {
			return h, err
		}
		b = rest
	}
}

// The last recentEntries ids are remembered, of at most maxRecentThreads threads.
const (
	recentEntries    = 16
	maxRecentThreads = 1024
)

// waiting is the context key of Waiting.
type waiting struct{}

// Waiting returns a context with which Append returns when its batch is written, with
// the error of that.
func Waiting(ctx context.Context) context.Context { return context.WithValue(ctx, waiting{}, true) }

// isRecent reports whether all variants are of entries known to be the thread's.
func (s *Store) isRecent(k store.Key, vs []store.Variant) bool {
	ids, _ := s.recent.Get(k)
	return !slices.ContainsFunc(vs, func(v store.Variant) bool { return !slices.Contains(ids, v.ID) })
}

// noteRecent notes the last entries of a thread.
func (s *Store) noteRecent(k store.Key, es []thread.Entry) {
	s.recent.Update(k, func(ids []thread.ID, _ int) ([]thread.ID, int) {
		ids = slices.Clip(ids)
		for _, e := range es[max(0, len(es)-recentEntries):] {
			ids = append(ids, e.ID)
		}
		return slices.Clone(ids[max(0, len(ids)-recentEntries):]), 0
	})
}

// countDirect counts the appends under way that are not queued.
func (s *Store) countDirect(k store.Key, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved++
	if s.direct[k] += n; s.direct[k] == 0 {
		delete(s.direct, k)
	}
}

// tries is how often a head is read that others move meanwhile.
const tries = 4

// enqueue queues a batch if it follows the thread's tip.
func (s *Store) enqueue(ctx context.Context, k store.Key, b store.Batch) (store.Head, bool) {
	b = clone(b)
	for range tries {
		s.mu.Lock()
		moved := s.moved
		s.mu.Unlock()
		h, err := s.Head(ctx, k)
		if b.Tip != h.Tip || err != nil && (b.Tip != "" || !errors.Is(err, store.ErrNotFound)) {
			return h, false
		}
		if h, ok, again := s.addPending(k, h, b, moved); !again {
			return h, ok
		}
	}
	return store.Head{}, false
}

// addPending adds a batch to its thread's pending one, unless too much is waiting. h is
// the thread's head, read when s.moved was moved; again asks for a newer one.
func (s *Store) addPending(k store.Key, h store.Head, b store.Batch, moved int) (grew store.Head, ok, again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pending[k]
	switch {
	case s.direct[k] > 0, s.waiting+len(b.Entries) > maxWaiting:
		return h, false, false
	case p == nil && s.moved != moved:
		return h, false, true
	case p != nil && p.head.Tip != b.Tip:
		return h, false, false
	case p != nil:
		h = p.head
	default:
		p = &pending{drained: make(chan struct{})}
		s.pending[k] = p
	}
	if !p.full {
		s.queue.push(k)
	}
	p.head, p.batch, p.full, p.tips = headAfter(k, h, b), mergeBatches(p, b), true, append(p.tips, b.Last())
	s.waiting += len(b.Entries)
	s.noteRecent(k, b.Entries)
	if !s.busy {
		s.busy = true
		go s.write()
	}
	return p.head, true, false
}

// clone copies what the caller may change.
func clone(b store.Batch) store.Batch {
	b.Entries = slices.Clone(b.Entries)
	for i := range b.Entries {
		b.Entries[i].Message = b.Entries[i].Message.Clone()
	}
	b.Variants = slices.Clone(b.Variants)
	for i := range b.Variants {
		b.Variants[i].Raw = slices.Clone(b.Variants[i].Raw)
	}
	b.Envelope = slices.Clone(b.Envelope)
	return b
}

// headAfter returns the head of a thread once b is written.
func headAfter(k store.Key, h store.Head, b store.Batch) store.Head {
	now := b.Now.Round(0).UTC()
	if h.Tip == "" && h.Created.IsZero() {
		h.Created, h.Source = now, b.Source
	}
	h.Key, h.Tip, h.Len, h.Updated = k, b.Last(), h.Len+len(b.Entries), now
	return h
}

// mergeBatches appends a batch to the pending one, to be one transaction.
func mergeBatches(p *pending, b store.Batch) store.Batch {
	if !p.full {
		return b
	}
	one := p.batch
	one.Entries, one.Variants, one.Now = append(one.Entries, b.Entries...), append(one.Variants, b.Variants...), b.Now
	if b.Envelope != nil {
		one.Envelope = b.Envelope
	}
	return one
}

// Flush waits until what was appended to the thread is written. The error is that
// of the write, or the context's.
func (s *Store) Flush(ctx context.Context, k store.Key) error {
	written, err := s.wait(ctx, k)
	return cmp.Or(err, written)
}

// wait waits until what was appended to the thread is written, or could not be:
// written is the error of that, err the context's.
func (s *Store) wait(ctx context.Context, k store.Key) (written, err error) {
	s.mu.Lock()
	p := s.pending[k]
	s.mu.Unlock()
	if p == nil {
		return nil, nil
	}
	select {
	case <-p.drained:
		return p.err, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("log thread %s: %w", k.Thread, ctx.Err())
	}
}

// Written waits until an append to the thread is durable, and returns the error that
// kept it from being so; tip is where the append ended. ErrStale: another process wrote
// something else to the thread, and the same may be appended anew, as a fork.
func (s *Store) Written(ctx context.Context, k store.Key, tip thread.ID) error {
	if _, err := s.wait(ctx, k); err != nil {
		return err
	}
	if err, ok := s.lost.Get(appended{k, tip}); ok {
		return fmt.Errorf("log thread %s: %w", k.Thread, err)
	}
	return nil
}

// FlushAll waits until all that was appended before is written. Failures
// went to the function given to Over.
func (s *Store) FlushAll(ctx context.Context) error {
	s.mu.Lock()
	var all []*pending
	for _, p := range s.pending {
		all = append(all, p)
	}
	s.mu.Unlock()
	for _, p := range all {
		select {
		case <-p.drained:
		case <-ctx.Done():
			return fmt.Errorf("flush: %w", ctx.Err())
		}
	}
	return nil
}

// Close implements store.Store.
func (s *Store) Close() error {
	err := s.FlushAll(context.Background())
	return errors.Join(err, s.Store.Close())
}
