package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"runtime"
	"sync"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store/internal/compress"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
	"github.com/seed-3db51b0e/precis/store/internal/sealing"
	"github.com/seed-3db51b0e/precis/thread"
)

// loading reads the entries of a thread. One goroutine reads rows; beside it, in
// chunks, they are checked to follow each other and their bodies are unpacked.
type loading struct {
	zip     *compressor
	have    []message.Message // what the first entries may hold
	sums    []byte            // of have, as they are stored
	row     entryRow
	into    []any  // of row
	tip     []byte // id of the last
	from, n int    // positions of the first entry, and of the next
	chunks  []*chunk
	slots   chan struct{} // as many as may unpack at once
	buffers chan []byte   // chunk.bytes of those that are done
	wg      sync.WaitGroup
}

// chunkLen is how many bodies are unpacked in one go.
const chunkLen = 64

// chunk is a run of entries and what their messages are read from.
type chunk struct {
	from   int            // number of the first
	parent thread.ID      // of the first
	es     []thread.Entry // without ids and messages, until they are read
	ids    []byte         // as they were read
	bodies []packed
	held   []*message.Message // in place of a body that was not read; nil: it was
	bytes  []byte             // of bodies
	err    error
}

// longBody is the length beyond which content has memory of its own, in bytes; that
// of the others of a chunk is in one piece.
const longBody = 4096

// entryRow is a row of the query in stretch.
type entryRow struct {
	id, digest sql.RawBytes
	tokens     int
	counter    sql.RawBytes
	erased     bool
	body       packed
}

func newLoading(z *compressor, have []message.Message) *loading {
	n := min(runtime.GOMAXPROCS(0), 8)
	l := &loading{zip: z, have: have, slots: make(chan struct{}, n), buffers: make(chan []byte, n+1)}
	for _, sum := range encoding.Sums(have) {
		sum = z.seal.Hash(sum)
		l.sums = append(l.sums, sum[:]...)
	}
	r := &l.row
	l.into = append([]any{&r.id, &r.digest, &r.tokens, &r.counter, &r.erased}, r.body.dest()...)
	return l
}

// begin prepares to read a thread's entries from a position on.
func (l *loading) begin(ctx context.Context, s *Store, q querier, th int64, from, to int) error {
	l.from, l.n = from, from
	if from == 0 || from >= to {
		return nil
	}
	before, err := s.idsFrom(ctx, q, th, from-1, 1)
	if err == nil && len(before) == 0 {
		err = fmt.Errorf("%w: entry %d is missing", ErrCorrupt, from-1)
	}
	if err == nil {
		l.tip = l.zip.seal.RawID(before[0])
	}
	return err
}

// readSegment reads a thread's own entries up to a position. Looking for what stands in
// the place of each costs time, and most threads have nothing erased.
func (l *loading) readSegment(ctx context.Context, q querier, st segment) error {
	var gone bool
	err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM erasures WHERE branch = ? AND artifact IS NULL)`,
		st.ancestor).Scan(&gone)
	if err != nil {
		return err
	}
	data, args := columns, []any{st.ancestor, l.from, st.upto}
	if len(l.sums) > 0 {
		data = `b.hash, b.size, b.codec, CASE WHEN substr(?4, e.seq * 32 + 1, 32) = b.hash THEN NULL ELSE b.data END, b.erased_at`
		args = append(args, l.sums)
	}
	from := `false, ` + data + ` FROM entries e JOIN blobs b ON b.id = e.body`
	if gone {
		from = `x.id IS NOT NULL, ` + data + `
FROM entries e LEFT JOIN erasures x ON x.branch = e.branch AND x.seq = e.seq AND x.artifact IS NULL
JOIN blobs b ON b.id = coalesce(x.body, e.body)`
	}
	return eachRow(ctx, q, l.scan, `SELECT e.id, e.digest, e.tokens, e.counter, `+from+`
WHERE e.branch = ?1 AND e.seq BETWEEN ?2 AND ?3 ORDER BY e.seq`, args...)
}

func (l *loading) scan(rows *sql.Rows) error {
	if err := rows.Scan(l.into...); err != nil {
		return err
	}
	r := &l.row
	e := thread.Entry{Tokens: r.tokens, Erased: r.erased}
	if len(r.id) != sealing.IDSize || len(r.digest) != len(e.Digest) {
		return fmt.Errorf("%w: entry %d has no id", ErrCorrupt, l.n)
	}
	copy(e.Digest[:], r.digest)
	e.Digest = l.zip.seal.Digest(r.id, e.Digest)
	c := l.last()
	e.Counter = c.counter(r.counter)
	if e.Erased {
		e.Tokens, e.Counter = 0, "" // of what stood there
	}
	var held *message.Message
	if l.n < len(l.have) && r.body.data == nil && !r.body.erased.Valid && bytes.Equal(r.body.hash, l.sums[l.n*sha256.Size:(l.n+1)*sha256.Size]) {
		held = &l.have[l.n]
	}
	var body packed
	body, c.bytes = r.body.copied(c.bytes)
	c.es, c.ids, c.bodies, c.held = append(c.es, e), append(c.ids, r.id...), append(c.bodies, body), append(c.held, held)
	l.tip = append(l.tip[:0], r.id...)
	l.n++
	if len(c.es) == chunkLen {
		l.start(c)
	}
	return nil
}

// isID reports whether raw are the stored bytes of an id.
func isID(x *sealing.Sealing, id thread.ID, raw []byte) bool {
	if x != nil {
		return x.TextID(raw) == id
	}
	var text [2 * sealing.IDSize]byte
	return string(text[:hex.Encode(text[:], raw)]) == string(id)
}

// last is the chunk that is being filled.
func (l *loading) last() *chunk {
	if n := len(l.chunks); n > 0 && len(l.chunks[n-1].es) < chunkLen {
		return l.chunks[n-1]
	}
	c := &chunk{
		from: l.n, parent: l.zip.seal.TextID(l.tip),
		es: make([]thread.Entry, 0, chunkLen), ids: make([]byte, 0, chunkLen*sealing.IDSize), bodies: make([]packed, 0, chunkLen),
	}
	select {
	case c.bytes = <-l.buffers:
	default:
	}
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
	l.slots <- struct{}{}
	l.wg.Go(func() {
		c.read(l.zip)
		l.buffers <- c.bytes[:0]
		c.ids, c.bodies, c.held, c.bytes = nil, nil, nil, nil
		<-l.slots
	})
}

func (c *chunk) read(z *compressor) {
	if c.err = c.link(z.seal); c.err == nil {
		c.err = c.unpack(z)
	}
}

// link gives entries their ids, and checks that they are those that were read.
func (c *chunk) link(x *sealing.Sealing) error {
	parent := c.parent
	for i := range c.es {
		e := &c.es[i]
		e.ID, e.Parent = thread.Chain(parent, e.Digest), parent
		if !isID(x, e.ID, c.ids[i*sealing.IDSize:(i+1)*sealing.IDSize]) {
			return fmt.Errorf("%w: entry %d does not follow its parent", ErrCorrupt, c.from+i)
		}
		parent = e.ID
	}
	return nil
}

func (c *chunk) unpack(z *compressor) error {
	n := compress.Slack
	for i := range c.bodies {
		if size := c.bodies[i].size; c.held[i] == nil && size > 0 && size <= longBody {
			n += size
		}
	}
	together := make([]byte, 0, n)
	for i := range c.es {
		var err error
		if together, err = c.unpackOne(z, i, together); err != nil {
			return fmt.Errorf("entry %s: %w", c.es[i].ID, err)
		}
	}
	return nil
}

// unpackOne reads the i-th message. If it is short, its content stands behind
// that of the others.
func (c *chunk) unpackOne(z *compressor, i int, together []byte) ([]byte, error) {
	if c.held[i] != nil {
		c.es[i].Message = c.held[i].Lasting()
		return together, nil
	}
	p := &c.bodies[i]
	var content []byte
	var err error
	if p.size > longBody {
		content, err = z.unpack(p)
	} else {
		at := len(together)
		if together, err = z.unpackTo(together, p); err == nil {
			content = together[at:]
		}
	}
	if err != nil {
		return nil, err
	}
	if c.es[i].Message, err = encoding.ParseMessage(content); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return together, nil
}

// finish waits for all that was started, and returns the entries unless reading
// them ended in err.
func (l *loading) finish(err error) ([]thread.Entry, error) {
	if n := len(l.chunks); n > 0 && len(l.chunks[n-1].es) < chunkLen {
		l.chunks[n-1].read(l.zip)
	}
	l.wg.Wait()
	es := make([]thread.Entry, 0, l.n-l.from)
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
