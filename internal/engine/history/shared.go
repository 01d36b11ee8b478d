package history

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-3db51b0e/precis/internal/engine/lineage"
	"github.com/seed-3db51b0e/precis/store"
)

// Which replies were given is noted in the store, too: the conversation that goes on from
// one may come to another process, or to this one after a restart. Two processes that note
// at the same moment may lose one of the notes.

// shareNotes adds to the notes of a user.
func (h *History) shareNotes(ctx context.Context, k store.Key, user string, notes []lineage.Note) {
	if len(notes) == 0 {
		return
	}
	if err := h.addNotes(ctx, store.Key{Tenant: k.Tenant, Thread: lineage.NotesKey(user)}, notes); err != nil {
		h.Failed(k, fmt.Errorf("note answer: %w", err))
	}
}

func (h *History) addNotes(ctx context.Context, at store.Key, notes []lineage.Note) error {
	done, err := h.notes.Lock(ctx, at)
	if err != nil {
		return err
	}
	defer done()
	data, err := h.Store.Summary(ctx, at.Tenant, at.Thread)
	if err == nil || errors.Is(err, store.ErrNotFound) {
		data, err = lineage.Join(data, notes)
	}
	if err != nil {
		return err
	}
	return h.Store.PutSummary(ctx, at.Tenant, at.Thread, data, h.Now())
}

// takeNotes reads the notes of a user, and reports whether there are any.
func (h *History) takeNotes(ctx context.Context, k store.Key, user string) bool {
	data, err := h.Store.Summary(ctx, k.Tenant, lineage.NotesKey(user))
	if errors.Is(err, store.ErrNotFound) {
		return false
	}
	var notes []lineage.Note
	if err == nil {
		notes, err = lineage.ReadNotes(data)
	}
	if err != nil {
		h.Failed(k, fmt.Errorf("read notes of answers: %w", err))
		return false
	}
	h.Replies.Take(k.Tenant, user, notes)
	return len(notes) > 0
}
