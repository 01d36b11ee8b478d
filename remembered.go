package precis

import (
	"github.com/seed-3db51b0e/precis/thread"
)

// CacheStats is what an engine keeps in memory of the threads that were used
// last, so as not to read them again: at most 64 threads and 256 MiB of messages,
// but always the last one.
type CacheStats struct {
	Threads int
	Bytes   int // of their messages, about
	// Hits and Misses count the requests on known threads since the start: found
	// in memory, or read from the store.
	Hits, Misses uint64
}

// CacheStats says how much the engine keeps in memory, and how often that was of
// use. It may be called at any time.
func (e *Engine) CacheStats() CacheStats {
	r := &e.recent
	r.mu.Lock()
	defer r.mu.Unlock()
	return CacheStats{Threads: len(r.last), Bytes: r.bytes, Hits: r.hits, Misses: r.misses}
}

// entryBytes is about what an entry takes beside what it says, and what is kept of
// it to render it again.
const entryBytes = 1024

// weigh is about how many bytes a thread takes in memory. Where it goes on from
// before, whose weight is known, only what is new is looked at.
func weigh(t, before *thread.Thread, known int) (size int) {
	from := 0
	if before != nil && before.Len() > 0 && before.Len() <= t.Len() && t.At(before.Len()-1).ID == before.Tip() {
		from, size = before.Len(), known
	}
	for i := from; i < t.Len(); i++ {
		size += entryBytes + t.At(i).Message.Weight()
	}
	return size
}
