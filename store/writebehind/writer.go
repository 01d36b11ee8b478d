package writebehind

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// grouped is a store that appends to several threads in one transaction. Each error is
// that of one addition, and does not concern the others.
type grouped interface {
	AppendAll(ctx context.Context, all []store.Addition) []error
}

// A transaction takes at most maxGroup threads, and no thread more when it has
// maxGroupEntries.
const (
	maxGroup        = 64
	maxGroupEntries = 1024
)

// maxSlice bounds the entries of one thread in a transaction: others write in between.
const maxSlice = 512

// slice parts what comes first from a batch with many entries.
func slice(b store.Batch) (first, rest store.Batch, many bool) {
	if len(b.Entries) <= maxSlice {
		return b, store.Batch{}, false
	}
	first, rest = b, b
	first.Entries, rest.Entries = b.Entries[:maxSlice:maxSlice], b.Entries[maxSlice:]
	first.Variants, first.Envelope = nil, nil
	rest.Tip, rest.ForkOf, rest.At = first.Last(), "", ""
	return first, rest, true
}

// writing is a thread's batch on its way to the store, with where its appends ended.
type writing struct {
	store.Addition
	tips []thread.ID
}

// write writes until nothing waits.
func (s *Store) write() {
	for {
		group := s.next()
		if len(group) == 0 {
			return
		}
		errs := s.append(group)
		for i, w := range group {
			err := errs[i]
			if errors.Is(err, store.ErrStale) {
				err = s.rejoin(context.Background(), w.Key, w.Batch)
			}
			if s.finished(w, err); err != nil {
				s.failed(w.Key, fmt.Errorf("log thread %s: %w", w.Key.Thread, err))
			}
		}
	}
}

// append writes a group, in one transaction if the store can.
func (s *Store) append(group []writing) []error {
	ctx := context.Background()
	if many, ok := s.Store.(grouped); ok && len(group) > 1 {
		all := make([]store.Addition, len(group))
		for i, w := range group {
			all[i] = w.Addition
		}
		return many.AppendAll(ctx, all)
	}
	errs := make([]error, len(group))
	for i, w := range group {
		_, errs[i] = s.Store.Append(ctx, w.Key, w.Batch)
	}
	return errs
}

// rejoin appends a batch to a thread that another process wrote to meanwhile. Where
// that was the same conversation, what the thread holds already is left out; otherwise
// the error is ErrStale.
func (s *Store) rejoin(ctx context.Context, k store.Key, b store.Batch) error {
	return store.Retry(ctx, func() error {
		es, err := s.Store.Load(ctx, k)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(es, func(e thread.Entry) bool { return e.ID == b.Tip })
		if at < 0 && b.Tip != "" {
			return store.ErrStale
		}
		rest := b
		for _, e := range es[at+1:] {
			if len(rest.Entries) == 0 {
				break // the other process went on
			}
			mine := rest.Entries[0]
			if mine.ID != e.ID {
				return store.ErrStale
			}
			if mine.Message.Raw != nil {
				rest.Variants = append(slices.Clip(rest.Variants), store.Variant{ID: mine.ID, Raw: mine.Message.Raw, Dialect: mine.Message.Dialect})
			}
			rest.Entries = rest.Entries[1:]
		}
		if len(es) > 0 {
			rest.Tip = es[len(es)-1].ID
		}
		_, err = s.Store.Append(ctx, k, rest)
		return err
	})
}

// next takes the threads that have waited longest.
func (s *Store) next() (group []writing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for entries := 0; len(group) < maxGroup && entries < maxGroupEntries; {
		k, ok := s.queue.pop()
		if !ok {
			break
		}
		p := s.pending[k]
		w := writing{store.Addition{Key: k, Batch: p.batch}, p.tips}
		if first, rest, many := slice(p.batch); many {
			w = writing{store.Addition{Key: k, Batch: first}, nil}
			p.batch = rest
			defer s.queue.push(k) // its next turn is in another transaction
		} else {
			p.batch, p.full, p.tips = store.Batch{}, false, nil
		}
		group = append(group, w)
		entries += len(w.Batch.Entries)
	}
	s.busy = len(group) > 0
	return group
}

// finished deletes a pending batch that is written, or that depends on a lost one: the
// next call sees the state of the store beneath.
func (s *Store) finished(w writing, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting -= len(w.Batch.Entries)
	s.moved++
	p := s.pending[w.Key]
	if err == nil {
		for _, tip := range w.tips {
			s.lost.Remove(appended{w.Key, tip})
		}
		if p.full {
			return
		}
	}
	if p.full {
		s.waiting -= len(p.batch.Entries)
		s.queue.remove(w.Key)
	}
	if err != nil {
		s.recent.Remove(w.Key)
		for _, tip := range slices.Concat(w.tips, p.tips) {
			s.lost.Set(appended{w.Key, tip}, err, 0)
		}
	}
	delete(s.pending, w.Key)
	p.err = err
	close(p.drained)
}
