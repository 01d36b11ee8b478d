// Package transfer copies threads from one store to another, while both are in use.
//
// Use: Copy, and again until it finds nothing new; then let the programs use the other
// store. Law: the source is only read, and what the target holds already is never
// changed. Promise: each thread that was copied is read back and compared: messages
// and their other forms, every version of the plan, artifacts, what was erased. Not
// copied are caches, what stood in requests before their last, and the tombstones of
// threads that were retired.
package transfer

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// ErrDiffers: a thread of that key in the target is another conversation, or is not
// what was copied.
var ErrDiffers = errors.New("the threads differ")

// Source is a store that threads are copied from.
type Source interface {
	store.Store
	// AllHeads lists the threads of all tenants.
	AllHeads(ctx context.Context) ([]store.Head, error)
	// Tombstones returns what is known of a thread's erased entries.
	Tombstones(ctx context.Context, k store.Key) (map[thread.ID]artifact.Tombstone, error)
}

// Result counts what was copied.
type Result struct {
	Threads  int `json:"threads"`  // that were new, or went on
	Messages int `json:"messages"` // copied
	Plans    int `json:"plans"`    // versions copied
	Verified int `json:"verified"` // threads that were compared
	// Damaged are the threads of which Salvage could not copy all.
	Damaged []Damaged `json:"damaged,omitempty"`
}

// Copy copies all threads of all tenants. progress is told of each thread; nil ignores it.
func Copy(ctx context.Context, from Source, to store.Store, progress func(done, of int)) (Result, error) {
	return (&copier{from: from, to: to}).all(ctx, progress)
}

func (c *copier) all(ctx context.Context, progress func(done, of int)) (Result, error) {
	heads, err := c.from.AllHeads(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("copy store: %w", err)
	}
	c.heads, c.done = map[store.Key]store.Head{}, map[store.Key]bool{}
	for _, h := range heads {
		c.heads[h.Key] = h
	}
	for i, h := range heads {
		if err := c.sound(ctx, h); err != nil {
			return c.result, fmt.Errorf("copy thread %q of tenant %q: %w", h.Key.Thread, h.Key.Tenant, err)
		}
		if progress != nil {
			progress(i+1, len(heads))
		}
	}
	return c.result, nil
}

// copier is one run of Copy.
type copier struct {
	from   Source
	to     store.Store
	heads  map[store.Key]store.Head
	done   map[store.Key]bool
	result Result

	damaged func(error) bool // of Salvage; nil: what is damaged ends the copy
}

// parent is the thread that a thread was forked from, where that is kept.
func (c *copier) parent(h store.Head) (parent store.Head, forked bool) {
	parent, forked = c.heads[store.Key{Tenant: h.Key.Tenant, Thread: h.Parent}]
	return parent, forked && h.Parent != "" && h.Parent != h.Key.Thread
}

// thread copies a thread, after the one that it was forked from.
func (c *copier) thread(ctx context.Context, h store.Head) error {
	if parent, forked := c.parent(h); forked {
		if err := c.sound(ctx, parent); err != nil {
			return err
		}
	}
	es, err := c.from.Load(ctx, h.Key)
	if errors.Is(err, store.ErrNotFound) {
		return nil // retired meanwhile
	}
	if err != nil {
		return err
	}
	have, err := c.to.Head(ctx, h.Key)
	if errors.Is(err, store.ErrNotFound) {
		have, err = c.begin(ctx, h, es)
	}
	if err != nil {
		return err
	}
	if err := c.goesOn(ctx, h, have, es); err != nil {
		return err
	}
	if err := c.log(ctx, h, have, es); err != nil {
		return err
	}
	arts, err := c.artifacts(ctx, h.Key, es)
	if err != nil {
		return err
	}
	if err := c.plans(ctx, h, have.PlanVersion, arts); err != nil {
		return err
	}
	return c.verify(ctx, h, es, arts)
}

// goesOn checks, before anything is written, that the thread of the target is a beginning
// of that of the source: its messages, but for those that were erased in the source since,
// and the versions of its plan. What erasing takes out of a version is no difference.
func (c *copier) goesOn(ctx context.Context, h, have store.Head, es []thread.Entry) error {
	if have.Len > len(es) || have.Len > 0 && es[have.Len-1].ID != have.Tip {
		return fmt.Errorf("%w: the target holds another conversation of that name", ErrDiffers)
	}
	if have.PlanVersion > h.PlanVersion {
		return fmt.Errorf("%w: the target has version %d of the plan, the source %d", ErrDiffers, have.PlanVersion, h.PlanVersion)
	}
	if have.Len > 0 {
		there, err := c.to.Load(ctx, h.Key)
		if err != nil {
			return err
		}
		for i := range min(len(there), len(es)) {
			if !es[i].Erased && !reflect.DeepEqual(there[i], es[i]) {
				return fmt.Errorf("%w: messages", ErrDiffers)
			}
		}
	}
	if have.PlanVersion == 0 {
		return nil
	}
	return c.samePlans(ctx, h.Key, have.PlanVersion)
}

// samePlans compares what is told of the first n versions of a plan.
func (c *copier) samePlans(ctx context.Context, k store.Key, n int) error {
	want, err := c.from.PlanVersions(ctx, k)
	if err != nil {
		return err
	}
	have, err := c.to.PlanVersions(ctx, k)
	if err != nil {
		return err
	}
	for i := range min(n, len(want), len(have)) {
		w, h := want[i], have[i]
		w.Records, h.Records = 0, 0
		if !reflect.DeepEqual(w, h) {
			return fmt.Errorf("%w: version %d of the plan", ErrDiffers, h.Version)
		}
	}
	return nil
}

// begin makes the thread in the target; a fork shares what both have in common.
func (c *copier) begin(ctx context.Context, h store.Head, es []thread.Entry) (store.Head, error) {
	b := store.Batch{Source: h.Source, Now: h.Created}
	if from, forked := c.parent(h); forked {
		parent, err := c.to.Load(ctx, from.Key)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return store.Head{}, err
		}
		n := 0
		for n < len(parent) && n < len(es) && parent[n].ID == es[n].ID {
			n++
		}
		if err == nil { // else it was retired meanwhile, or nothing of it can be read
			b.ForkOf = h.Parent
		}
		if n > 0 {
			b.At = es[n-1].ID
		}
	}
	c.result.Threads++
	return c.to.Append(ctx, h.Key, b)
}

// log appends what the target lacks of the log.
func (c *copier) log(ctx context.Context, h, have store.Head, es []thread.Entry) error {
	b := store.Batch{Tip: have.Tip, Entries: slices.Clone(es[have.Len:]), Now: h.Updated}
	erased, err := c.from.Tombstones(ctx, h.Key)
	if err != nil {
		return err
	}
	for i := range b.Entries {
		b.Entries[i].Erased = false // it is erased again in the target
	}
	if b.Variants, err = c.variants(ctx, h.Key, es); err != nil {
		return err
	}
	if b.Envelope, err = c.from.Envelope(ctx, h.Key); err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if _, err := c.to.Append(ctx, h.Key, b); err != nil {
		return err
	}
	c.result.Messages += len(b.Entries)
	for _, e := range es {
		if why, ok := erased[e.ID]; ok {
			if err := c.to.EraseEntry(ctx, h.Key, e.ID, why); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *copier) variants(ctx context.Context, k store.Key, es []thread.Entry) (all []store.Variant, err error) {
	for _, e := range es {
		vs, err := c.from.Variants(ctx, k, e.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, vs...)
	}
	return all, nil
}

// plans commits the versions that the target lacks, the artifacts with the last. Those
// that the source got meanwhile are for the next run.
func (c *copier) plans(ctx context.Context, h store.Head, have int, arts []artifact.Artifact) error {
	for v := min(have+1, h.PlanVersion); v <= h.PlanVersion && v > 0; v++ {
		p, err := c.from.PlanAt(ctx, h.Key, v)
		if err != nil {
			return err
		}
		var with []artifact.Artifact
		if v == h.PlanVersion {
			with = arts
		}
		if err := c.to.Commit(ctx, h.Key, p, with); err != nil {
			return err
		}
		if v > have {
			c.result.Plans++
		}
	}
	for _, a := range arts {
		if a.Erased == nil {
			continue
		}
		if err := c.to.Erase(ctx, h.Key, a.ID, *a.Erased); err != nil {
			return err
		}
	}
	return nil
}

// artifacts reads the thread's own artifacts of entries; those that are erased have a
// tombstone and no content.
func (c *copier) artifacts(ctx context.Context, k store.Key, es []thread.Entry) (own []artifact.Artifact, err error) {
	list, err := c.from.ArtifactList(ctx, k)
	if err != nil {
		return nil, err
	}
	known := make(map[thread.ID]bool, len(es))
	for i := range es {
		known[es[i].ID] = true
	}
	for _, a := range list {
		if a.Thread != k.Thread || !known[a.Source] { // its owner's are copied; what came meanwhile is for the next run
			continue
		}
		if a.Erased == nil {
			if a, err = c.from.Artifact(ctx, k, a.ID); err != nil {
				return nil, err
			}
		}
		own = append(own, a)
	}
	return own, nil
}

// verify compares a thread in the target with what was read of the source.
func (c *copier) verify(ctx context.Context, h store.Head, es []thread.Entry, arts []artifact.Artifact) error {
	have, err := c.to.Load(ctx, h.Key)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(have, es) {
		return fmt.Errorf("%w: messages", ErrDiffers)
	}
	for v := 1; v <= h.PlanVersion; v++ {
		want, err := c.from.PlanAt(ctx, h.Key, v)
		if err != nil {
			return err
		}
		have, err := c.to.PlanAt(ctx, h.Key, v)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(have, want) {
			return fmt.Errorf("%w: version %d of the plan", ErrDiffers, v)
		}
	}
	for _, a := range arts {
		have, err := c.to.Artifact(ctx, h.Key, a.ID)
		if a.Erased != nil && errors.Is(err, store.ErrErased) {
			continue
		}
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(have, a) {
			return fmt.Errorf("%w: artifact %s", ErrDiffers, a.ID)
		}
	}
	c.result.Verified++
	return nil
}
