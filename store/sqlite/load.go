package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Load implements store.Log. Ids are read, not computed; each is checked
// against its parent and digest, and each body against its hash, so that a
// damaged file gives ErrCorrupt and never another conversation.
func (s *Store) Load(ctx context.Context, k store.Key) ([]thread.Entry, error) {
	return s.load(ctx, k, 0, noLimit, nil)
}

// LoadRange implements store.Partial.
func (s *Store) LoadRange(ctx context.Context, k store.Key, from, to int) ([]thread.Entry, error) {
	return s.load(ctx, k, max(from, 0), to, nil)
}

// LoadHaving implements store.Partial.
func (s *Store) LoadHaving(ctx context.Context, k store.Key, have []message.Message) ([]thread.Entry, error) {
	return s.load(ctx, k, 0, noLimit, have)
}

// load reads the entries at positions from up to, and without, to; have are messages that
// the first may hold.
func (s *Store) load(ctx context.Context, k store.Key, from, to int, have []message.Message) ([]thread.Entry, error) {
	q, done, err := s.view(ctx)
	if err != nil {
		return nil, fail("load", k, err)
	}
	defer done()
	th, err := s.find(ctx, q, k)
	if err != nil {
		return nil, fail("load", k, s.withRetired(ctx, q, k, err))
	}
	line, err := lineage(ctx, q, th.id)
	if err != nil {
		return nil, fail("load", k, err)
	}
	to = min(to, th.head.Len)
	l := newLoading(s.zip, have[:min(len(have), th.head.Len)])
	err = l.begin(ctx, s, q, th.id, from, to)
	for _, st := range line {
		if err == nil {
			err = l.readSegment(ctx, q, segment{st.ancestor, min(st.upto, to-1)})
		}
	}
	es, err := l.finish(err)
	if err == nil && len(es) < to-from {
		err = fmt.Errorf("%w: %d of %d entries", ErrCorrupt, len(es), to-from)
	}
	if err != nil {
		return nil, fail("load", k, err)
	}
	return es, nil
}

// Variants implements store.Log.
func (s *Store) Variants(ctx context.Context, k store.Key, id thread.ID) ([]store.Variant, error) {
	vs, err := s.variants(ctx, k, id)
	if err != nil {
		return nil, fail("read variants", k, err)
	}
	return vs, nil
}

func (s *Store) variants(ctx context.Context, k store.Key, id thread.ID) (vs []store.Variant, err error) {
	q, done, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	th, err := s.find(ctx, q, k)
	if err != nil {
		return nil, err
	}
	at, ok, err := s.locate(ctx, q, th.id, id)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("entry %s: %w", id, store.ErrNotFound)
	}
	err = eachRow(ctx, q, func(rows *sql.Rows) error {
		v := store.Variant{ID: id}
		var p packed
		if err := rows.Scan(append([]any{&v.Dialect}, p.dest()...)...); err != nil {
			return err
		}
		v.Raw, err = s.zip.unpack(&p)
		vs = append(vs, v)
		return err
	}, `SELECT v.dialect, `+columns+` FROM variants v JOIN blobs b ON b.id = v.body
WHERE v.branch = ?1 AND v.seq = ?2
  AND NOT EXISTS (SELECT 1 FROM erasures WHERE branch = ?1 AND seq = ?2 AND artifact IS NULL)
ORDER BY v.id`, at.branch, at.seq)
	return vs, err
}

// Envelope implements store.Log.
func (s *Store) Envelope(ctx context.Context, k store.Key) ([]byte, error) {
	q, done, err := s.view(ctx)
	if err != nil {
		return nil, fail("read envelope", k, err)
	}
	defer done()
	th, err := s.find(ctx, q, k)
	if err != nil {
		return nil, fail("read envelope", k, err)
	}
	e, err := s.content(ctx, q, `SELECT `+columns+` FROM envelopes e JOIN blobs b ON b.id = e.body
WHERE e.thread = ? ORDER BY e.id DESC LIMIT 1`, th.id)
	if err != nil {
		return nil, fail("read envelope", k, err)
	}
	return e, nil
}

// content reads the one blob of a query, ErrNotFound if it finds none.
func (s *Store) content(ctx context.Context, q querier, query string, args ...any) ([]byte, error) {
	var content []byte
	found := false
	err := eachRow(ctx, q, func(rows *sql.Rows) error {
		var p packed
		if err := rows.Scan(p.dest()...); err != nil {
			return err
		}
		var err error
		found = true
		content, err = s.zip.unpack(&p)
		return err
	}, query, args...)
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return content, err
}
