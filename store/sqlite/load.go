package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Load implements store.Log. Ids are read, not computed; each is checked
// against its parent and digest, and each body against its hash, so that a
// damaged file gives ErrCorrupt and never another conversation.
func (s *Store) Load(ctx context.Context, k store.Key) ([]thread.Entry, error) {
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
	l := newLoading(s.zip)
	for _, st := range line {
		if err = l.readSegment(ctx, q, st); err != nil {
			break
		}
	}
	es, err := l.finish(err)
	if err == nil && len(es) < th.head.Len {
		err = fmt.Errorf("%w: %d of %d entries", ErrCorrupt, len(es), th.head.Len)
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
