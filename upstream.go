package precis

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// eraseUpstream erases what only the provider sees of a conversation: what the
// model looked up in it may quote any of its messages. A branch has what the
// conversation has that it was forked from.
func (e *Engine) eraseUpstream(ctx context.Context, k store.Key, why artifact.Tombstone) error {
	for {
		if err := e.eraseAll(ctx, k.Upstream(), why); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		h, err := e.store.Head(ctx, k)
		if err != nil {
			return fmt.Errorf("read head of %s: %w", k.Thread, err)
		}
		if h.Parent == "" {
			return nil
		}
		k.Thread = h.Parent
	}
}

// eraseAll erases every entry of a thread, and adds one that says so: whoever has
// read the thread sees that it changed.
func (e *Engine) eraseAll(ctx context.Context, k store.Key, why artifact.Tombstone) error {
	es, err := e.store.Load(ctx, k)
	if err != nil {
		return fmt.Errorf("load %s: %w", k.Thread, err)
	}
	var tip thread.ID
	for _, x := range es {
		if err := e.store.EraseEntry(ctx, k, x.ID, why); err != nil {
			return fmt.Errorf("erase entry %s of %s: %w", x.ID, k.Thread, err)
		}
		tip = x.ID
	}
	m := message.TextOf(message.System, "{}")
	m.Meta = true
	_, err = e.store.Append(ctx, k, store.Batch{Tip: tip, Entries: thread.Extend(tip, []message.Message{m}), Now: e.now()})
	if err != nil {
		return fmt.Errorf("log erasure in %s: %w", k.Thread, err)
	}
	return nil
}
