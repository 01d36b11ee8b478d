package sqlite

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/thread"
)

// lines remembers ids that follow each other in a thread, so that of a span that
// grows from plan to plan only the end is read. An id stands for all that is
// before it: a thread that still holds the last id of a line, as far after the
// first as it was, holds the rest, whatever was erased, retired or written by
// others since. So a line is never wrong; it may be of no use any more. Safe for
// concurrent use.
type lines struct {
	known lru.Cache[start, []thread.ID] // no slice is changed; a byte of the cache is an id
}

// start is where a line begins: the row of a thread, and an id in it.
type start struct {
	thread int64
	id     thread.ID
}

// shortLine is the length up to which reading is as good as remembering; so many
// ids are remembered in all, about 25 MB where nobody else holds them.
const (
	shortLine = 128
	mostIDs   = 1 << 19
)

func newLines() *lines { return &lines{lru.Cache[start, []thread.ID]{MaxBytes: mostIDs}} }

func (l *lines) from(x start) []thread.ID {
	ids, _ := l.known.Get(x)
	return ids
}

// put remembers a line, whose slice it keeps, in place of the one that starts
// there.
func (l *lines) put(x start, ids []thread.ID) {
	if len(ids) > shortLine && len(ids) <= mostIDs {
		l.known.Set(x, ids, len(ids))
	}
}

// line returns n ids of a thread that follow each other, fewer if it ends: those
// that are known, which nobody may change, and those that were read. The first id
// is known to be at position seq.
func (s *Store) line(ctx context.Context, q querier, x start, seq, n int) (known, more []thread.ID, err error) {
	known = s.lines.from(x)
	if have := min(len(known), n); have > 0 {
		known = known[:have]
		more, err = s.idsFrom(ctx, q, x.thread, seq+have-1, n-have+1)
		if err != nil {
			return nil, nil, err
		}
		if len(more) > 0 && more[0] == known[have-1] {
			return known, more[1:], nil
		}
	}
	more, err = s.idsFrom(ctx, q, x.thread, seq, n)
	return nil, more, err
}

// idsFrom reads n ids of a thread from a position on, fewer if it ends.
func (s *Store) idsFrom(ctx context.Context, q querier, th int64, seq, n int) ([]thread.ID, error) {
	var text []byte // all of them: a row for each would take ten times as long
	err := q.QueryRowContext(ctx, `SELECT group_concat(id, '') FROM (
SELECT hex(e.id) AS id FROM lineage l CROSS JOIN entries e
WHERE l.thread = ? AND e.branch = l.ancestor AND e.seq BETWEEN ? AND ? AND e.seq <= l.upto
ORDER BY l.pos, e.seq)`, th, seq, seq+n-1).Scan(&text)
	if err != nil {
		return nil, err
	}
	raw := make([]byte, hex.DecodedLen(len(text)))
	if _, err := hex.Decode(raw, text); err != nil {
		return nil, fmt.Errorf("%w: ids: %w", ErrCorrupt, err)
	}
	return s.zip.seal.Split(raw), nil
}

// covers reports whether ids are among those of a line, in its order.
func covers(known, more, ids []thread.ID) bool {
	for _, part := range [][]thread.ID{known, more} {
		for _, id := range part {
			if len(ids) > 0 && ids[0] == id {
				ids = ids[1:]
			}
		}
	}
	return len(ids) == 0
}
