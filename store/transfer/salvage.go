package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Damaged is a thread that Salvage could not copy whole.
type Damaged struct {
	Tenant   string `json:"tenant,omitempty"`
	Thread   string `json:"thread"`
	Messages int    `json:"messages"` // that stand in the target
	Lost     int    `json:"lost"`     // messages behind them
	Why      string `json:"why"`
}

// Salvage is Copy of a source that is damaged, as damaged tells by an error of reading it.
// Of a thread that cannot be copied whole, the target gets the messages up to the first
// that cannot be read, and the versions of its plan before the first that cannot be:
// what later ones had left out is in the prompt again until the next compaction.
func Salvage(ctx context.Context, from Source, to store.Store, damaged func(error) bool, progress func(done, of int)) (Result, error) {
	return (&copier{from: from, to: to, damaged: damaged}).all(ctx, progress)
}

// sound copies a thread once, or what can be read of it where the source is damaged.
func (c *copier) sound(ctx context.Context, h store.Head) error {
	if c.done[h.Key] {
		return nil
	}
	c.done[h.Key] = true
	err := c.thread(ctx, h)
	if err == nil || c.damaged == nil || !c.damaged(err) {
		return err
	}
	n, err2 := c.rescue(ctx, h)
	if err2 != nil {
		return errors.Join(err, err2)
	}
	c.result.Damaged = append(c.result.Damaged, Damaged{Tenant: h.Key.Tenant, Thread: h.Key.Thread, Messages: n, Lost: h.Len - n, Why: err.Error()})
	return nil
}

// rescue copies the messages of a damaged thread that can be read, and returns how many of
// it stand in the target.
func (c *copier) rescue(ctx context.Context, h store.Head) (int, error) {
	es, err := c.readable(ctx, h)
	if err != nil {
		return 0, err
	}
	have, err := c.to.Head(ctx, h.Key)
	if errors.Is(err, store.ErrNotFound) {
		if len(es) == 0 {
			return 0, nil
		}
		have, err = c.begin(ctx, h, es)
	}
	if err != nil || have.Len >= len(es) {
		return have.Len, err
	}
	if have.Len > 0 && es[have.Len-1].ID != have.Tip {
		return have.Len, fmt.Errorf("%w: the target holds another conversation of that name", ErrDiffers)
	}
	return c.append(ctx, h, have, es)
}

// append appends messages that can be read, and erases again those that were erased; other
// forms of them are left out, and the request around them where it cannot be read.
func (c *copier) append(ctx context.Context, h, have store.Head, es []thread.Entry) (int, error) {
	erased, err := c.from.Tombstones(ctx, h.Key)
	if err != nil { // nobody knows when, by whom and why
		at := slices.IndexFunc(es, func(x thread.Entry) bool { return x.Erased })
		if at >= 0 {
			es = es[:max(at, have.Len)]
		}
	}
	b := store.Batch{Tip: have.Tip, Entries: slices.Clone(es[have.Len:]), Now: h.Updated}
	for i := range b.Entries {
		b.Entries[i].Erased = false // it is erased again in the target
	}
	if around, err := c.from.Envelope(ctx, h.Key); err == nil {
		b.Envelope = around
	}
	if _, err := c.to.Append(ctx, h.Key, b); err != nil {
		return have.Len, err
	}
	c.result.Messages += len(b.Entries)
	for i := range es {
		if why, ok := erased[es[i].ID]; ok {
			if err := c.to.EraseEntry(ctx, h.Key, es[i].ID, why); err != nil {
				return len(es), err
			}
		}
	}
	return len(es), nil
}

// chunk is how many messages are read at once.
const chunk = 64

// readable reads the messages of a thread up to the first that cannot be read.
func (c *copier) readable(ctx context.Context, h store.Head) (es []thread.Entry, err error) {
	for size := chunk; len(es) < h.Len; {
		more, err := store.LoadRange(ctx, c.from, h.Key, len(es), min(len(es)+size, h.Len))
		switch {
		case err == nil && len(more) > 0:
			es = append(es, more...)
		case err == nil || c.damaged(err) && size == 1:
			return es, nil
		case c.damaged(err):
			size = 1
		default:
			return nil, err
		}
	}
	return es, nil
}
