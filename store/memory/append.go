package memory

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Append implements store.Log.
func (s *Store) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	if err := ctx.Err(); err != nil {
		return store.Head{}, fmt.Errorf("append: %w", err)
	}
	if err := b.Check(); err != nil {
		return store.Head{}, fmt.Errorf("append: thread %q: %w", k.Thread, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.append(k, b)
	if err != nil {
		return store.Head{}, fmt.Errorf("append: thread %q: %w", k.Thread, err)
	}
	return h, nil
}

func (s *Store) append(k store.Key, b store.Batch) (store.Head, error) {
	br, repeat, err := s.target(k, b)
	if err != nil {
		return store.Head{}, err
	}
	if err := br.checkVariants(b); err != nil {
		return store.Head{}, err
	}
	s.threads[k] = br
	if repeat {
		br.keepForms(b)
	} else {
		br.extend(b)
	}
	for _, v := range b.Variants {
		br.keep(v)
	}
	if b.Envelope != nil {
		br.envelope = copied(b.Envelope)
	}
	return br.head, nil
}

// target finds or makes the thread a batch goes to. repeat says that the
// thread already ends in the batch. Nothing is changed yet.
func (s *Store) target(k store.Key, b store.Batch) (br *branch, repeat bool, err error) {
	br, ok := s.threads[k]
	switch {
	case !ok && b.ForkOf != "":
		br, err = s.fork(k, b)
		return br, false, err
	case !ok && b.Tip != "":
		return nil, false, store.ErrStale
	case !ok:
		return newBranch(k, b), false, nil
	case b.ForkOf == "" && br.head.Tip == b.Tip:
		return br, false, nil
	case br.head.Tip == b.Last() && (b.ForkOf == "" || b.ForkOf == br.head.Parent):
		return br, true, nil
	}
	return nil, false, store.ErrStale
}

func newBranch(k store.Key, b store.Batch) *branch {
	return &branch{
		head:          store.Head{Key: k, Source: b.Source, Parent: b.ForkOf, Created: b.Now.Round(0).UTC()},
		at:            map[thread.ID]int{},
		artifactsByID: map[string][]int{},
	}
}

func (s *Store) fork(k store.Key, b store.Batch) (*branch, error) {
	parent, ok := s.threads[store.Key{Tenant: k.Tenant, Thread: b.ForkOf}]
	if !ok {
		return nil, fmt.Errorf("parent %q: %w", b.ForkOf, store.ErrNotFound)
	}
	br := newBranch(k, b)
	br.parent, br.envelope = parent, parent.envelope
	br.head.Source = cmp.Or(b.Source, parent.head.Source)
	if b.At == "" {
		return br, nil
	}
	i, ok := parent.at[b.At]
	if !ok {
		return nil, fmt.Errorf("fork point %s: %w", b.At, store.ErrForeign)
	}
	br.shared = i + 1
	br.entries, br.ids = slices.Clone(parent.entries[:i+1]), slices.Clip(parent.ids[:i+1])
	for i, l := range br.entries {
		br.at[l.entry.ID] = i
	}
	return br, nil
}

func (br *branch) extend(b store.Batch) {
	for _, e := range b.Entries {
		br.at[e.ID] = len(br.entries)
		br.entries, br.ids = append(br.entries, &logged{entry: cloneEntry(e)}), append(br.ids, e.ID)
	}
	br.head.Tip, br.head.Len, br.head.Updated = b.Last(), len(br.entries), b.Now.Round(0).UTC()
}

func (br *branch) checkVariants(b store.Batch) error {
	for _, v := range b.Variants {
		_, old := br.at[v.ID]
		fresh := slices.ContainsFunc(b.Entries, func(e thread.Entry) bool { return e.ID == v.ID })
		if !old && !fresh {
			return fmt.Errorf("variant of %s: %w", v.ID, store.ErrNotFound)
		}
	}
	return nil
}

// keepForms keeps the raw forms in which a repeated batch brings its entries.
func (br *branch) keepForms(b store.Batch) {
	for _, e := range b.Entries {
		if e.Message.Raw != nil {
			br.keep(store.Variant{ID: e.ID, Raw: e.Message.Raw, Dialect: e.Message.Dialect})
		}
	}
}

// keep adds a raw form unless it is there, or was erased.
func (br *branch) keep(v store.Variant) {
	l := br.entries[br.at[v.ID]]
	if l.erased != nil {
		return
	}
	if l.entry.Message.Dialect == v.Dialect && bytes.Equal(l.entry.Message.Raw, v.Raw) {
		return
	}
	same := func(have store.Variant) bool { return have.Dialect == v.Dialect && bytes.Equal(have.Raw, v.Raw) }
	if slices.ContainsFunc(l.variants, same) {
		return
	}
	v.Raw = copied(v.Raw)
	l.variants = append(l.variants, v)
}
