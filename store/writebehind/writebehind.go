// Package writebehind lets what is appended to any store be written while the caller
// goes on.
//
// Use: Over(store, failed) where an answer must not wait for a disk, and Flush or
// Close where it must. Law: what is written is what was appended, in its order,
// and nothing that rests on it (a plan, a fork, an erasure) is written before it;
// Head tells of it at once, every other reading waits for it. Promise: an append
// that does not follow what is there fails as it does in the store beneath.
//
// What a crash can take is what was appended in the last moments: at most what
// one write of the store takes, and no plan, for those are durable when Commit
// returns. A client that sends its history again brings it back, so a log that
// is fed by such clients heals itself (SPEC V9).
package writebehind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Most is how many messages may wait to be written. An append beyond waits until
// they are.
const Most = 16384

// Store writes behind. Safe for concurrent use.
type Store struct {
	store.Store // beneath
	failed      func(store.Key, error)

	mu      sync.Mutex
	lines   map[store.Key]*line
	tails   lru.Cache[store.Key, []thread.ID] // the last entries of threads written to
	queue   []store.Key                       // lines that wait for the writer, first come first
	waiting int                               // entries in all lines
	busy    bool                              // there is a writer
	direct  map[store.Key]int                 // appends under way that do not wait
	moved   int                               // counts writes: a head read before one may be old
}

// line is what waits to be written to one thread. It is forgotten when nothing
// waits.
type line struct {
	head    store.Head // as it is when all is written
	batch   store.Batch
	full    bool // batch holds something
	drained chan struct{}
	err     error // set before drained is closed
}

var _ store.Store = (*Store)(nil)

// Over writes behind to s. failed is told what could not be written, once for
// each thread's loss; nil tells nobody. Closing the store writes what waits and
// closes s.
func Over(s store.Store, failed func(store.Key, error)) *Store {
	if failed == nil {
		failed = func(store.Key, error) {}
	}
	return &Store{Store: s, failed: failed, lines: map[store.Key]*line{}, tails: lru.Cache[store.Key, []thread.ID]{MaxEntries: tracked}, direct: map[store.Key]int{}}
}

// Head implements store.Log: the thread as it is when all is written.
func (s *Store) Head(ctx context.Context, k store.Key) (store.Head, error) {
	if h, ok := s.ahead(k); ok && ctx.Err() == nil {
		return h, nil
	}
	return s.Store.Head(ctx, k)
}

func (s *Store) ahead(k store.Key) (store.Head, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.lines[k]; l != nil {
		return l.head, true
	}
	return store.Head{}, false
}

// Append implements store.Log. A batch that only goes on from the thread's tip is
// written later, with other forms of the last entries before it; any other is written before Append returns.
func (s *Store) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	if b.ForkOf == "" && len(b.Entries) > 0 && b.Check() == nil && s.recent(k, b.Variants) {
		if h, ok := s.later(ctx, k, b); ok {
			return h, nil
		}
	}
	s.directly(k, 1)
	defer s.directly(k, -1)
	for _, k := range []store.Key{k, {Tenant: k.Tenant, Thread: b.ForkOf}} {
		if err := s.Flush(ctx, k); err != nil {
			return store.Head{}, err
		}
	}
	return s.Store.Append(ctx, k, b)
}

// A thread's tail is so many entries long, and so many threads have one.
const (
	tail    = 16
	tracked = 1024
)

// recent reports whether all variants are of entries that are surely the thread's.
func (s *Store) recent(k store.Key, vs []store.Variant) bool {
	ids, _ := s.tails.Get(k)
	return !slices.ContainsFunc(vs, func(v store.Variant) bool { return !slices.Contains(ids, v.ID) })
}

// ends notes the last entries of a thread.
func (s *Store) ends(k store.Key, es []thread.Entry) {
	s.tails.Update(k, func(ids []thread.ID, _ int) ([]thread.ID, int) {
		ids = slices.Clip(ids)
		for _, e := range es[max(0, len(es)-tail):] {
			ids = append(ids, e.ID)
		}
		return slices.Clone(ids[max(0, len(ids)-tail):]), 0
	})
}

// directly notes that an append which does not wait begins or ends.
func (s *Store) directly(k store.Key, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved++
	if s.direct[k] += n; s.direct[k] == 0 {
		delete(s.direct, k)
	}
}

// tries is how often a head is read that others move meanwhile.
const tries = 4

// later has a batch written later, if it follows the thread's tip.
func (s *Store) later(ctx context.Context, k store.Key, b store.Batch) (store.Head, bool) {
	b = clone(b)
	for range tries {
		s.mu.Lock()
		moved := s.moved
		s.mu.Unlock()
		h, err := s.Head(ctx, k)
		if b.Tip != h.Tip || err != nil && (b.Tip != "" || !errors.Is(err, store.ErrNotFound)) {
			return h, false
		}
		if h, ok, again := s.wait(k, h, b, moved); !again {
			return h, ok
		}
	}
	return store.Head{}, false
}

// wait puts a batch into its thread's line, unless there are too many. h is the
// thread's head, read when moved was what it was: again asks for another.
func (s *Store) wait(k store.Key, h store.Head, b store.Batch, moved int) (grew store.Head, ok, again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lines[k]
	switch {
	case s.direct[k] > 0, s.waiting+len(b.Entries) > Most:
		return h, false, false
	case l == nil && s.moved != moved:
		return h, false, true
	case l != nil && l.head.Tip != b.Tip:
		return h, false, false
	case l != nil:
		h = l.head
	default:
		l = &line{drained: make(chan struct{})}
		s.lines[k] = l
	}
	if !l.full {
		s.queue = append(s.queue, k)
	}
	l.head, l.batch, l.full = grown(k, h, b), joined(l, b), true
	s.waiting += len(b.Entries)
	s.ends(k, b.Entries)
	if !s.busy {
		s.busy = true
		go s.write()
	}
	return l.head, true, false
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

// grown is the head of a thread when b is written.
func grown(k store.Key, h store.Head, b store.Batch) store.Head {
	now := b.Now.Round(0).UTC()
	if h.Tip == "" && h.Created.IsZero() {
		h.Created, h.Source = now, b.Source
	}
	h.Key, h.Tip, h.Len, h.Updated = k, b.Last(), h.Len+len(b.Entries), now
	return h
}

// joined is the line's batch with another at its end, to be one transaction.
func joined(l *line, b store.Batch) store.Batch {
	if !l.full {
		return b
	}
	one := l.batch
	one.Entries, one.Variants, one.Now = append(one.Entries, b.Entries...), append(one.Variants, b.Variants...), b.Now
	if b.Envelope != nil {
		one.Envelope = b.Envelope
	}
	return one
}

// write writes until nothing waits.
func (s *Store) write() {
	for {
		k, b, ok := s.next()
		if !ok {
			return
		}
		_, err := s.Store.Append(context.Background(), k, b)
		if s.wrote(k, len(b.Entries), err); err != nil {
			s.failed(k, fmt.Errorf("log thread %s: %w", k.Thread, err))
		}
	}
}

func (s *Store) next() (store.Key, store.Batch, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		s.busy, s.queue = false, nil
		return store.Key{}, store.Batch{}, false
	}
	k := s.queue[0]
	s.queue = s.queue[1:]
	l := s.lines[k]
	b := l.batch
	l.batch, l.full = store.Batch{}, false
	return k, b, true
}

// wrote forgets a line that is done, or that rests on what was lost: whoever asks
// next sees what the store beneath has.
func (s *Store) wrote(k store.Key, n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting -= n
	s.moved++
	l := s.lines[k]
	if l.full && err == nil {
		return
	}
	if l.full {
		s.waiting -= len(l.batch.Entries)
		s.queue = slices.DeleteFunc(s.queue, func(x store.Key) bool { return x == k })
	}
	if err != nil {
		s.tails.Remove(k)
	}
	delete(s.lines, k)
	l.err = err
	close(l.drained)
}

// Flush waits until what was appended to the thread is written. The error is that
// of the write, or the context's.
func (s *Store) Flush(ctx context.Context, k store.Key) error {
	s.mu.Lock()
	l := s.lines[k]
	s.mu.Unlock()
	if l == nil {
		return nil
	}
	select {
	case <-l.drained:
		return l.err
	case <-ctx.Done():
		return fmt.Errorf("log thread %s: %w", k.Thread, ctx.Err())
	}
}

// FlushAll waits until all that was appended before is written. What failed was
// told.
func (s *Store) FlushAll(ctx context.Context) error {
	s.mu.Lock()
	var all []*line
	for _, l := range s.lines {
		all = append(all, l)
	}
	s.mu.Unlock()
	for _, l := range all {
		select {
		case <-l.drained:
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
