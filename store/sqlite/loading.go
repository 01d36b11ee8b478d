package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"runtime"
	"sync"

	"github.com/seed-3db51b0e/precis/store/internal/body"
	"github.com/seed-3db51b0e/precis/thread"
)

// loading reads the entries of a thread. One goroutine reads rows and checks
// that they follow each other; bodies are unpacked in chunks beside it.
type loading struct {
	zip    *zipper
	row    entryRow
	into   []any // of row
	tip    thread.ID
	n      int
	chunks []*chunk
	room   chan struct{} // as many as may unpack at once
	wg     sync.WaitGroup
}

// chunkLen is how many bodies are unpacked in one go.
const chunkLen = 64

// chunk is a run of entries and what their messages are read from.
type chunk struct {
	es     []thread.Entry
	bodies []packed
	err    error
}

// entryRow is a row of the query in stretch.
type entryRow struct {
	id, digest sql.RawBytes
	tokens     int
	counter    sql.RawBytes
	erased     bool
	body       packed
}

func newLoading(z *zipper) *loading {
	l := &loading{zip: z, room: make(chan struct{}, min(runtime.GOMAXPROCS(0), 8))}
	r := &l.row
	l.into = append([]any{&r.id, &r.digest, &r.tokens, &r.counter, &r.erased}, r.body.into()...)
	return l
}

// stretch reads a thread's own entries up to a position.
func (l *loading) stretch(ctx context.Context, q querier, st stretch) error {
	return each(ctx, q, l.scan, `SELECT e.id, e.digest, e.tokens, e.counter, x.id IS NOT NULL, `+columns+`
FROM entries e LEFT JOIN erasures x ON x.branch = e.branch AND x.seq = e.seq AND x.artifact IS NULL
JOIN blobs b ON b.id = coalesce(x.body, e.body)
WHERE e.branch = ? AND e.seq <= ? ORDER BY e.seq`, st.ancestor, st.upto)
}

func (l *loading) scan(rows *sql.Rows) error {
	if err := rows.Scan(l.into...); err != nil {
		return err
	}
	r := &l.row
	e := thread.Entry{Parent: l.tip, Tokens: r.tokens, Erased: r.erased}
	copy(e.Digest[:], r.digest)
	e.ID = thread.Chain(l.tip, e.Digest)
	if len(r.digest) != len(e.Digest) || !names(e.ID, r.id) {
		return fmt.Errorf("%w: entry %d does not follow its parent", ErrCorrupt, l.n)
	}
	c := l.last()
	e.Counter = c.counter(r.counter)
	if e.Erased {
		e.Tokens, e.Counter = 0, "" // of what stood there
	}
	c.es, c.bodies = append(c.es, e), append(c.bodies, r.body)
	l.tip = e.ID
	l.n++
	if len(c.es) == chunkLen {
		l.start(c)
	}
	return nil
}

// names says whether raw are the bytes of an id.
func names(id thread.ID, raw []byte) bool {
	var text [32]byte
	return len(raw) == hex.DecodedLen(len(text)) && string(text[:hex.Encode(text[:], raw)]) == string(id)
}

// last is the chunk that is being filled.
func (l *loading) last() *chunk {
	if n := len(l.chunks); n > 0 && len(l.chunks[n-1].es) < chunkLen {
		return l.chunks[n-1]
	}
	c := &chunk{es: make([]thread.Entry, 0, chunkLen), bodies: make([]packed, 0, chunkLen)}
	l.chunks = append(l.chunks, c)
	return c
}

// counter is a counter's name; the one before is the same as a rule.
func (c *chunk) counter(raw []byte) string {
	if n := len(c.es); n > 0 && c.es[n-1].Counter == string(raw) {
		return c.es[n-1].Counter
	}
	return string(raw)
}

// start unpacks a full chunk in its own time.
func (l *loading) start(c *chunk) {
	l.room <- struct{}{}
	l.wg.Go(func() {
		c.unpack(l.zip)
		<-l.room
	})
}

func (c *chunk) unpack(z *zipper) {
	for i := range c.es {
		content, err := z.unpack(&c.bodies[i])
		if err == nil {
			if c.es[i].Message, err = body.ParseMessage(content); err != nil {
				err = fmt.Errorf("%w: %w", ErrCorrupt, err)
			}
		}
		if err != nil {
			c.err = fmt.Errorf("entry %s: %w", c.es[i].ID, err)
			return
		}
	}
	c.bodies = nil
}

// finish waits for all that was started, and returns the entries unless reading
// them ended in err.
func (l *loading) finish(err error) ([]thread.Entry, error) {
	if n := len(l.chunks); n > 0 && len(l.chunks[n-1].es) < chunkLen {
		l.chunks[n-1].unpack(l.zip)
	}
	l.wg.Wait()
	es := make([]thread.Entry, 0, l.n)
	for _, c := range l.chunks {
		if err == nil {
			err = c.err
		}
		es = append(es, c.es...)
	}
	if err != nil {
		return nil, err
	}
	return es, nil
}
