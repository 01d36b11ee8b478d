package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/body"
	"github.com/seed-3db51b0e/precis/thread"
)

// Load implements store.Log. Ids are read, not computed; each is checked
// against its parent and digest, and each body against its hash, so that a
// damaged file gives ErrCorrupt and never another conversation.
func (s *Store) Load(ctx context.Context, k store.Key) ([]thread.Entry, error) {
	th, err := find(ctx, s.r, k)
	if err != nil {
		return nil, fail("load", k, err)
	}
	line, err := lineage(ctx, s.r, th.id)
	if err != nil {
		return nil, fail("load", k, err)
	}
	es := make([]thread.Entry, 0, th.head.Len)
	for _, st := range line {
		if es, err = s.loadStretch(ctx, es, st); err != nil {
			return nil, fail("load", k, err)
		}
	}
	if len(es) < th.head.Len {
		return nil, fail("load", k, fmt.Errorf("%w: %d of %d entries", ErrCorrupt, len(es), th.head.Len))
	}
	return es, nil
}

// loadStretch adds a thread's own entries to those before them.
func (s *Store) loadStretch(ctx context.Context, es []thread.Entry, st stretch) ([]thread.Entry, error) {
	err := each(ctx, s.r, func(rows *sql.Rows) error {
		var parent thread.ID
		if len(es) > 0 {
			parent = es[len(es)-1].ID
		}
		e, err := s.scanEntry(rows, parent, len(es))
		es = append(es, e)
		return err
	}, `SELECT e.seq, e.id, e.digest, e.tokens, e.counter, x.id IS NOT NULL, `+columns+`
FROM entries e LEFT JOIN erasures x ON x.branch = e.branch AND x.seq = e.seq AND x.artifact IS NULL
JOIN blobs b ON b.id = coalesce(x.body, e.body)
WHERE e.branch = ? AND e.seq <= ? ORDER BY e.seq`, st.ancestor, st.upto)
	return es, err
}

func (s *Store) scanEntry(rows *sql.Rows, parent thread.ID, at int) (thread.Entry, error) {
	e := thread.Entry{Parent: parent}
	var seq int
	var id, digest sql.RawBytes
	var p packed
	if err := rows.Scan(append([]any{&seq, &id, &digest, &e.Tokens, &e.Counter, &e.Erased}, p.into()...)...); err != nil {
		return e, err
	}
	e.ID = textID(id)
	copy(e.Digest[:], digest)
	if seq != at || len(digest) != len(e.Digest) || e.ID != thread.Chain(parent, e.Digest) {
		return e, fmt.Errorf("%w: entry %d does not follow its parent", ErrCorrupt, seq)
	}
	if e.Erased {
		e.Tokens, e.Counter = 0, "" // of what stood there
	}
	var err error
	e.Message, err = s.message(&p)
	if err != nil {
		return e, fmt.Errorf("entry %d: %w", seq, err)
	}
	return e, nil
}

func (s *Store) message(p *packed) (message.Message, error) {
	content, err := s.zip.unpack(p)
	if err != nil {
		return message.Message{}, err
	}
	m, err := body.ParseMessage(content)
	if err != nil {
		return m, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return m, nil
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
	th, err := find(ctx, s.r, k)
	if err != nil {
		return nil, err
	}
	at, ok, err := locate(ctx, s.r, th.id, id)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("entry %s: %w", id, store.ErrNotFound)
	}
	err = each(ctx, s.r, func(rows *sql.Rows) error {
		v := store.Variant{ID: id}
		var p packed
		if err := rows.Scan(append([]any{&v.Dialect}, p.into()...)...); err != nil {
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
	th, err := find(ctx, s.r, k)
	if err != nil {
		return nil, fail("read envelope", k, err)
	}
	e, err := s.content(ctx, s.r, `SELECT `+columns+` FROM envelopes e JOIN blobs b ON b.id = e.body
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
	err := each(ctx, q, func(rows *sql.Rows) error {
		var p packed
		if err := rows.Scan(p.into()...); err != nil {
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
