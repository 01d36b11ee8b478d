package store

import (
	"context"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// Partial is a log that can read less than the whole of a thread. LoadRange and
// LoadHaving ask any log.
type Partial interface {
	// LoadRange returns the entries from position from up to, and without, position to,
	// as Load does; fewer where the thread ends before.
	LoadRange(ctx context.Context, k Key, from, to int) ([]thread.Entry, error)
	// LoadHaving is Load for a caller that has messages of the thread, the first of them
	// first. Where have[i] is what entry i holds, in every field and byte, a copy of it
	// stands in the entry and the store's own content is not read.
	LoadHaving(ctx context.Context, k Key, have []message.Message) ([]thread.Entry, error)
}

// LoadRange is Partial.LoadRange of a log that has it, else what Load returns of the range.
func LoadRange(ctx context.Context, s Log, k Key, from, to int) ([]thread.Entry, error) {
	if p, ok := s.(Partial); ok {
		return p.LoadRange(ctx, k, from, to)
	}
	es, err := s.Load(ctx, k)
	return Range(es, from, to), err
}

// Range returns the entries at positions from up to, and without, to; both may lie
// outside.
func Range(es []thread.Entry, from, to int) []thread.Entry {
	to = max(0, min(to, len(es)))
	return es[min(max(from, 0), to):to]
}

// LoadHaving is Partial.LoadHaving of a log that has it, else Load.
func LoadHaving(ctx context.Context, s Log, k Key, have []message.Message) ([]thread.Entry, error) {
	if p, ok := s.(Partial); ok && len(have) > 0 {
		return p.LoadHaving(ctx, k, have)
	}
	return s.Load(ctx, k)
}
