package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
	"github.com/seed-3db51b0e/precis/thread"
)

// stored is an entry with its body as it was read.
type stored struct {
	thread.Entry
	body []byte
	held *message.Message // in place of the body, which was not read; nil: it was
}

// part is what is read of a thread: its entries from a position up to, and without,
// another. have are messages that the first of them may hold.
type part struct {
	from, to int
	have     []message.Message
	sums     []byte // of have, as bodies have them
}

// Load implements store.Log. Each id is checked against its parent and digest, and
// each body against its hash, so that what is damaged gives ErrCorrupt and never
// another conversation.
func (s *Store) Load(ctx context.Context, k store.Key) ([]thread.Entry, error) {
	return s.loadPart(ctx, k, part{to: noLimit})
}

// LoadRange implements store.Partial.
func (s *Store) LoadRange(ctx context.Context, k store.Key, from, to int) ([]thread.Entry, error) {
	return s.loadPart(ctx, k, part{from: max(from, 0), to: to})
}

// LoadHaving implements store.Partial.
func (s *Store) LoadHaving(ctx context.Context, k store.Key, have []message.Message) ([]thread.Entry, error) {
	p := part{to: noLimit, have: have}
	for _, sum := range encoding.Sums(have) {
		sum = s.seal.Hash(sum)
		p.sums = append(p.sums, sum[:]...)
	}
	return s.loadPart(ctx, k, p)
}

func (s *Store) loadPart(ctx context.Context, k store.Key, p part) (es []thread.Entry, err error) {
	err = s.retried(ctx, func() error {
		es, err = s.load(ctx, k, p)
		for try := 1; errors.Is(err, errRace) && try < attempts; try++ {
			es, err = s.load(ctx, k, p)
		}
		if errors.Is(err, errRace) {
			err = fmt.Errorf("%w: entries are missing", ErrCorrupt)
		}
		return err
	})
	if err != nil {
		return nil, fail("load", k, s.withRetired(ctx, k, err))
	}
	return es, nil
}

// queue adds what reads the entries of a thread's own up to a position. A body that the
// caller has comes without its content.
func (p part) queue(b *pgx.Batch, id threadID, upto int, f func(pgx.Rows) error) {
	body, args := `e.body`, []any{id[:], int64(p.from), int64(upto)}
	if len(p.sums) > 0 {
		body = `CASE WHEN substring($4::bytea from (e.seq * 32 + 1)::int for 32) = substring(e.body from 2 for 32) THEN substring(e.body for 33) ELSE e.body END`
		args = append(args, p.sums)
	}
	b.Queue(`SELECT e.seq, e.id, e.digest, e.tokens, e.counter, e.erased, `+body+` FROM entries e
WHERE e.thread = $1 AND e.seq BETWEEN $2 AND $3 ORDER BY e.seq`, args...).Query(f)
}

// load reads the thread's row and its own entries in one go; only a fork takes more.
// errRace: the thread was taken out meanwhile.
func (s *Store) load(ctx context.Context, k store.Key, p part) ([]thread.Entry, error) {
	id := s.idOf(k)
	var th row
	var own []stored
	var batch pgx.Batch
	batch.Queue(selectThread, id[:]).QueryRow(func(r pgx.Row) (err error) {
		th, err = s.scanThread(r.Scan)
		return err
	})
	p.queue(&batch, id, p.to-1, func(rows pgx.Rows) (err error) {
		own, err = s.scanEntries(rows, p, own)
		return err
	})
	var before []byte // id of the entry before the first, where that is the thread's own
	if p.from > 0 {
		batch.Queue(`SELECT e.id FROM entries e WHERE e.thread = $1 AND e.seq = $2`, id[:], int64(p.from-1)).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				if err := rows.Scan(&before); err != nil {
					return err
				}
			}
			return rows.Err()
		})
	}
	err := s.pool.SendBatch(ctx, &batch).Close()
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, store.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	all, err := s.readShared(ctx, th, p)
	if err != nil {
		return nil, err
	}
	all = append(all, own...)
	n := max(0, min(p.to, th.head.Len)-p.from)
	if len(all) < n {
		return nil, errRace
	}
	var parent thread.ID
	if n > 0 && p.from > 0 {
		if parent, err = s.idBefore(ctx, id, p.from, before); err != nil {
			return nil, err
		}
	}
	return s.unpackEntries(ctx, parent, all[:n])
}

// idBefore is the id of the entry before a position: own is that of the thread's own entry
// there, nil where an ancestor has it.
func (s *Store) idBefore(ctx context.Context, id threadID, position int, own []byte) (thread.ID, error) {
	if own != nil {
		return s.seal.TextID(own), nil
	}
	shared, err := s.idsBetween(ctx, s.pool, id, position-1, position-1)
	if err != nil {
		return "", err
	}
	if len(shared) == 0 {
		return "", errRace
	}
	return shared[0], nil
}

// noLimit is beyond every position.
const noLimit = 1 << 62

// readShared reads what a thread has from its ancestors.
func (s *Store) readShared(ctx context.Context, th row, p part) (all []stored, err error) {
	if len(th.shared) == 0 {
		return nil, nil
	}
	var batch pgx.Batch
	for _, x := range th.shared {
		p.queue(&batch, x.ancestor, min(x.upto, p.to-1), func(rows pgx.Rows) (err error) {
			all, err = s.scanEntries(rows, p, all)
			return err
		})
	}
	return all, s.pool.SendBatch(ctx, &batch).Close()
}

func (s *Store) scanEntries(rows pgx.Rows, p part, to []stored) ([]stored, error) {
	for rows.Next() {
		var e stored
		var seq int
		var id, digest, counter []byte
		if err := rows.Scan(&seq, &id, &digest, &e.Tokens, &counter, &e.Erased, &e.body); err != nil {
			return nil, err
		}
		if len(digest) != len(e.Digest) {
			return nil, fmt.Errorf("%w: entry %d has no digest", ErrCorrupt, seq)
		}
		copy(e.Digest[:], digest)
		e.Digest = s.seal.Digest(id, e.Digest)
		e.ID, e.Counter = s.seal.TextID(id), string(counter)
		if seq < len(p.have) && len(e.body) == 1+sha256.Size && bytes.Equal(e.body[1:], p.sums[seq*sha256.Size:(seq+1)*sha256.Size]) {
			e.held = &p.have[seq]
		}
		to = append(to, e)
	}
	return to, rows.Err()
}

// unpackEntries checks that entries follow each other, and reads their messages.
func (s *Store) unpackEntries(ctx context.Context, parent thread.ID, all []stored) ([]thread.Entry, error) {
	es := make([]thread.Entry, len(all))
	for i := range all {
		e := &all[i].Entry
		if thread.Chain(parent, e.Digest) != e.ID {
			return nil, fmt.Errorf("%w: entry %d does not follow its parent", ErrCorrupt, i)
		}
		e.Parent, parent = parent, e.ID
		es[i] = *e
	}
	share := max(16, (len(all)+63)/64) // as one piece of work
	err := each(ctx, (len(all)+share-1)/share, func(ctx context.Context, c int) error {
		for i := c * share; i < min((c+1)*share, len(all)); i++ {
			if all[i].held != nil {
				es[i].Message = all[i].held.Lasting()
				continue
			}
			content, err := s.unpack(ctx, all[i].body)
			if err != nil {
				return fmt.Errorf("entry %s: %w", es[i].ID, err)
			}
			if es[i].Message, err = encoding.ParseMessage(content); err != nil {
				return fmt.Errorf("entry %s: %w: %w", es[i].ID, ErrCorrupt, err)
			}
		}
		return nil
	})
	return es, err
}

// Variants implements store.Log.
func (s *Store) Variants(ctx context.Context, k store.Key, id thread.ID) (vs []store.Variant, err error) {
	err = s.retried(ctx, func() error {
		vs, err = s.variants(ctx, k, id)
		return err
	})
	if err != nil {
		return nil, fail("read variants", k, err)
	}
	return vs, nil
}

func (s *Store) variants(ctx context.Context, k store.Key, id thread.ID) (vs []store.Variant, err error) {
	at, err := s.locate(ctx, s.pool, s.idOf(k), []thread.ID{id})
	if err != nil {
		return nil, err
	}
	p, ok := at[id]
	if !ok {
		return nil, fmt.Errorf("entry %s: %w", id, store.ErrNotFound)
	}
	var bodies [][]byte
	err = eachRow(ctx, s.pool, func(rows pgx.Rows) error {
		var dialect, body []byte
		err := rows.Scan(&dialect, &body)
		vs = append(vs, store.Variant{ID: id, Dialect: string(dialect)})
		bodies = append(bodies, body)
		return err
	}, `SELECT dialect, body FROM variants WHERE thread = $1 AND seq = $2 ORDER BY n`, p.branch[:], int64(p.seq))
	if err != nil {
		return nil, err
	}
	for i := range vs {
		if vs[i].Raw, err = s.unpack(ctx, bodies[i]); err != nil {
			return nil, err
		}
	}
	return vs, nil
}

// Envelope implements store.Log.
func (s *Store) Envelope(ctx context.Context, k store.Key) (content []byte, err error) {
	err = s.retried(ctx, func() error {
		body, err := lastEnvelope(ctx, s.pool, s.idOf(k))
		if err == nil {
			content, err = s.unpack(ctx, body)
		}
		return err
	})
	if err != nil {
		return nil, fail("read envelope", k, err)
	}
	return content, nil
}

func lastEnvelope(ctx context.Context, q querier, id threadID) (body []byte, err error) {
	err = q.QueryRow(ctx, `SELECT body FROM envelopes WHERE thread = $1 ORDER BY n DESC LIMIT 1`, id[:]).Scan(&body)
	if errors.Is(err, pgx.ErrNoRows) {
		err = store.ErrNotFound
	}
	return body, err
}

// idsBetween reads the ids of a thread's entries from a position to another.
func (s *Store) idsBetween(ctx context.Context, q querier, id threadID, from, to int) ([]thread.ID, error) {
	var all []byte // of all of them: a row for each would take longer
	err := q.QueryRow(ctx, `SELECT string_agg(e.id, ''::bytea ORDER BY e.seq) FROM lineage l, LATERAL
(SELECT id, seq FROM entries WHERE thread = l.ancestor AND seq BETWEEN $2 AND least($3, l.upto)) e WHERE l.thread = $1`,
		id[:], int64(from), int64(to)).Scan(&all)
	return s.seal.Split(all), err
}
