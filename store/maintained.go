package store

import (
	"context"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/thread"
)

// Maintained is a store that is looked after: one that outlives the process.
type Maintained interface {
	Store
	// AllHeads lists the threads of all tenants, those too that stand beside another
	// (Key.Upstream).
	AllHeads(ctx context.Context) ([]Head, error)
	// Tombstones returns when, by whom and why entries of a thread were erased.
	Tombstones(ctx context.Context, k Key) (map[thread.ID]artifact.Tombstone, error)
	// Size measures what is kept.
	Size(ctx context.Context) (Size, error)
	// Old counts what Retire would remove, and changes nothing.
	Old(ctx context.Context, before time.Time) (Retired, error)
	// Retire removes whole threads, of all tenants, that were last written to before a
	// time, with their plans, artifacts and envelopes: an expiry that the owner sets. A
	// thread of which a newer one is a fork stays whole; what a proxy keeps beside a
	// thread (Key.Upstream, Answers) goes no sooner than the thread. Each leaves a
	// tombstone, which Head and Load return with ErrNotFound; its key is free. The
	// tenants' cached summaries are dropped, as they may quote it.
	//
	// It works in rounds, each of them one transaction, while others read and write. On
	// an error, earlier rounds stand.
	Retire(ctx context.Context, before time.Time, why artifact.Tombstone) (Retired, error)
	// Vacuum gives space that nothing uses back to the system, as far as that can be
	// done while others read and write, and returns how many bytes.
	Vacuum(ctx context.Context) (freed int64, err error)
	// Check hashes everything that is kept, of every tenant, and returns what is not as
	// it was written, and how much it read.
	Check(ctx context.Context) (found []Damage, contents int, err error)
	// Repair does without what is damaged in plans and caches. What a damaged plan had
	// left out comes back whole, and is compacted anew. It changes no message.
	Repair(ctx context.Context, found []Damage, now time.Time) error
}

// Size measures a store, in bytes unless stated.
type Size struct {
	File    int64 // the database
	Log     int64 // the write-ahead log beside it, not yet folded in
	Free    int64 // of File: what holds nothing; Vacuum gives it back
	Content int64 // what bodies say
	Stored  int64 // what they take, compressed
	Threads int
	Entries int
	Retired int // threads that were taken out
}

// Retired counts what Retire removes, or would remove.
type Retired struct {
	Threads  int
	Messages int // entries of the threads' own; those of a parent stay with it
}

// Damage is content that is not as it was written.
type Damage struct {
	Key  Key // of its thread; zero for content that no thread's messages or plans need
	What string
	// Repair reports whether Maintained.Repair can do without it.
	Repair bool
	Err    error
}

// ToRepair lists the keys of what Maintained.Repair can do without, each once, in the order
// found; the zero Key is that of the cached summaries.
func ToRepair(found []Damage) (keys []Key) {
	listed := map[Key]bool{}
	for _, d := range found {
		if d.Repair && !listed[d.Key] {
			listed[d.Key] = true
			keys = append(keys, d.Key)
		}
	}
	return keys
}
