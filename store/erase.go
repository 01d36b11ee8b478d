package store

import (
	"context"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/thread"
)

// Erasures removes content for good. Nothing else does. What is erased leaves a
// tombstone with the time, the person and the reason; erasing it again is no error,
// and the first tombstone stays. An empty reason is artifact.ReasonErased.
//
// Content belongs to the entry it came from, as variants do: what is erased in
// one thread is erased in every thread that shares the entry, forks and
// parents. A thread that holds the same words in an entry of its own keeps
// them.
//
// An artifact is a copy of a part of a message. Erase and Expire remove the
// copy; the message stays in the log until EraseEntry.
type Erasures interface {
	// Erase removes the content of an artifact. Its metadata stays.
	// ErrNotFound if the thread has no such artifact.
	Erase(ctx context.Context, k Key, id string, why artifact.Tombstone) error
	// Expire erases the tenant's artifacts whose time is over by now, and
	// returns how many. Where threads that share an artifact gave it different
	// times, it goes when the last of them is over.
	Expire(ctx context.Context, tenant string, now time.Time) (int, error)
	// EraseEntry removes the message of one entry, its variants, and the
	// content of every artifact taken from it. ErrNotFound if the thread has
	// no such entry.
	//
	// Id and digest stay, so the chain holds and the client's next request
	// still matches; it is logged no more for it. Load returns the entry with
	// Erased set and a message of the same role and number of parts, each of
	// which says so, a call by its arguments, {"erased":"[erased on ...]"}. Calls and
	// results keep their ids and tool names, so that rounds stay whole.
	//
	// The tenant's cached summaries are dropped, as they may quote it. Out of every
	// version of every plan over the entry go the records that may quote it: those that
	// cover it, summaries of what came later, and those that were made of more messages
	// than they cover. What they had left out is in the prompt again until the next
	// compaction. A thread that holds the same words in an entry of its own keeps its
	// records.
	EraseEntry(ctx context.Context, k Key, id thread.ID, why artifact.Tombstone) error
}

// ErasedError holds when content was erased, by whom and why.
type ErasedError struct{ artifact.Tombstone }

func (e *ErasedError) Error() string { return "content was " + e.Tombstone.String() }

// Is makes it an ErrErased.
func (e *ErasedError) Is(target error) bool { return target == ErrErased }
