package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	driver "modernc.org/sqlite"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
	"github.com/seed-3db51b0e/precis/thread"
)

// packedBatch is a batch whose content is compressed already, so that the write lock
// is not held meanwhile.
type packedBatch struct {
	store.Batch
	bodies   []blob // of Entries
	variants []blob // of Variants
	envelope blob
}

// Append implements store.Log.
func (s *Store) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	if err := b.Check(); err != nil {
		return store.Head{}, fail("append", k, err)
	}
	r, err := s.packBatch(b)
	if err != nil {
		return store.Head{}, fail("append", k, err)
	}
	var h store.Head
	err = s.write(ctx, func(tx *sql.Tx) error {
		h, err = s.append(ctx, tx, k, r)
		return err
	})
	if err != nil {
		return store.Head{}, fail("append", k, err)
	}
	return h, nil
}

// AppendAll is Append of batches to several threads in one transaction, which costs one
// wait for the disk. It returns the error of each: none stops the others.
func (s *Store) AppendAll(ctx context.Context, all []store.Addition) []error {
	errs := make([]error, len(all))
	packed := make([]*packedBatch, len(all))
	for i, a := range all {
		if errs[i] = a.Batch.Check(); errs[i] == nil {
			packed[i], errs[i] = s.packBatch(a.Batch)
		}
	}
	failed := slices.Clone(errs)
	err := s.write(ctx, func(tx *sql.Tx) error {
		copy(errs, failed) // it may be tried again
		for i, a := range all {
			if errs[i] != nil {
				continue
			}
			err := within(ctx, tx, func() error {
				_, err := s.append(ctx, tx, a.Key, packed[i])
				return err
			}, &errs[i])
			if err != nil {
				return err
			}
		}
		return nil
	})
	for i, a := range all {
		if err != nil { // one of them may be to blame
			_, errs[i] = s.Append(ctx, a.Key, a.Batch)
		} else if errs[i] != nil {
			errs[i] = fail("append", a.Key, errs[i])
		}
	}
	return errs
}

// within runs f inside a transaction, and takes back what it wrote if it fails; that
// error becomes failed. An error of SQLite's ends the transaction.
func within(ctx context.Context, tx *sql.Tx, f func() error, failed *error) error {
	if _, err := tx.ExecContext(ctx, `SAVEPOINT one`); err != nil {
		return err
	}
	*failed = f()
	undo := ""
	if err := *failed; err != nil {
		var broken *driver.Error
		if errors.As(err, &broken) {
			return err
		}
		undo = `ROLLBACK TO one; `
	}
	_, err := tx.ExecContext(ctx, undo+`RELEASE one`)
	return err
}

func (s *Store) packBatch(b store.Batch) (*packedBatch, error) {
	r := &packedBatch{Batch: b, bodies: make([]blob, len(b.Entries)), variants: make([]blob, len(b.Variants))}
	err := inParallel(len(b.Entries), func(i int) (err error) {
		if r.bodies[i], err = s.packEntry(&b.Entries[i]); err != nil {
			err = fmt.Errorf("entry %d: %w", i, err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range b.Variants {
		r.variants[i] = s.zip.pack(b.Variants[i].Raw)
	}
	if b.Envelope != nil {
		r.envelope = s.zip.pack(b.Envelope)
	}
	return r, nil
}

func (s *Store) packEntry(e *thread.Entry) (blob, error) {
	content, err := encoding.Message(e.Message)
	if err != nil {
		return blob{}, err
	}
	return s.zip.pack(content), nil
}

// inParallel runs f for each number below n, for many of them on all cores.
func inParallel(n int, f func(i int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, runtime.GOMAXPROCS(0))
	share := max((n+len(errs)-1)/len(errs), chunkLen)
	some := func(c int) {
		for i := c * share; i < min((c+1)*share, n) && errs[c] == nil; i++ {
			errs[c] = f(i)
		}
	}
	for c := 1; c*share < n; c++ {
		wg.Go(func() { some(c) })
	}
	some(0)
	wg.Wait()
	return errors.Join(errs...)
}

func (s *Store) append(ctx context.Context, tx *sql.Tx, k store.Key, b *packedBatch) (store.Head, error) {
	th, repeat, err := s.target(ctx, tx, k, b)
	if err != nil {
		return store.Head{}, err
	}
	if repeat {
		err = s.keepForms(ctx, tx, th, b)
	} else {
		err = s.extend(ctx, tx, &th, b)
	}
	if err != nil {
		return store.Head{}, err
	}
	for i, v := range b.Variants {
		if err := s.keepVariant(ctx, tx, th, v, b.variants[i]); err != nil {
			return store.Head{}, err
		}
	}
	if b.Envelope != nil {
		if err := keepEnvelope(ctx, tx, th, b.envelope); err != nil {
			return store.Head{}, err
		}
	}
	return th.head, nil
}

// target finds or makes the thread a batch goes to. repeat says that the
// thread already ends in the batch, which the tip shows: an id depends on all entries before
// it.
func (s *Store) target(ctx context.Context, tx *sql.Tx, k store.Key, b *packedBatch) (th row, repeat bool, err error) {
	th, err = s.find(ctx, tx, k)
	missing := errors.Is(err, store.ErrNotFound)
	switch {
	case err != nil && !missing:
		return th, false, err
	case missing && b.ForkOf != "":
		th, err = s.newFork(ctx, tx, k, b)
		return th, false, err
	case missing && b.Tip != "":
		return th, false, store.ErrStale
	case missing:
		th, err = s.newRoot(ctx, tx, k, b)
		return th, false, err
	case b.ForkOf == "" && th.head.Tip == b.Tip:
		return th, false, nil
	case th.head.Tip == b.Last() && (b.ForkOf == "" || b.ForkOf == th.head.Parent):
		return th, true, nil
	}
	return th, false, store.ErrStale
}

// insertThread makes a thread. parent is the zero row for one that is not a fork.
func (s *Store) insertThread(ctx context.Context, tx *sql.Tx, k store.Key, b *packedBatch, parent row) (row, error) {
	tenant, err := s.tenantID(ctx, tx, k.Tenant)
	if err != nil {
		return row{}, err
	}
	th := row{tenant: tenant, head: store.Head{
		Key: k, Source: cmp.Or(b.Source, parent.head.Source), Parent: b.ForkOf, Created: b.Now.Round(0).UTC(),
	}}
	now := encoding.Time(b.Now)
	th.id, err = insert(ctx, tx, `
INSERT INTO threads (tenant, name, parent, source, created, tip, len, plan_version, updated)
VALUES (?, ?, nullif(?, 0), ?, ?, x'', 0, 0, ?)`, tenant, s.zip.seal.Name(k.Thread), parent.id, th.head.Source, now, now)
	return th, err
}

// newRoot makes a thread that is no fork.
func (s *Store) newRoot(ctx context.Context, tx *sql.Tx, k store.Key, b *packedBatch) (row, error) {
	th, err := s.insertThread(ctx, tx, k, b, row{})
	if err != nil {
		return row{}, err
	}
	return th, writeLineage(ctx, tx, th.id, nil)
}

// writeLineage records what a thread consists of.
func writeLineage(ctx context.Context, tx *sql.Tx, th int64, line []segment) error {
	for pos, st := range append(line, segment{th, noLimit}) {
		_, err := tx.ExecContext(ctx, `INSERT INTO lineage (thread, pos, ancestor, upto) VALUES (?, ?, ?, ?)`,
			th, pos, st.ancestor, st.upto)
		if err != nil {
			return err
		}
	}
	return nil
}

// newFork makes a thread that shares its parent's entries up to b.At.
func (s *Store) newFork(ctx context.Context, tx *sql.Tx, k store.Key, b *packedBatch) (row, error) {
	parent, err := s.find(ctx, tx, store.Key{Tenant: k.Tenant, Thread: b.ForkOf})
	if err != nil {
		return row{}, fmt.Errorf("parent %q: %w", b.ForkOf, err)
	}
	shared := 0
	if b.At != "" {
		at, ok, err := s.locate(ctx, tx, parent.id, b.At)
		if err != nil {
			return row{}, err
		}
		if !ok {
			return row{}, fmt.Errorf("fork point %s: %w", b.At, store.ErrForeign)
		}
		shared = at.seq + 1
	}
	line, err := lineage(ctx, tx, parent.id)
	if err != nil {
		return row{}, err
	}
	for i := range line {
		line[i].upto = min(line[i].upto, shared-1)
	}
	th, err := s.insertThread(ctx, tx, k, b, parent)
	if err != nil {
		return row{}, err
	}
	th.head.Tip, th.head.Len = b.At, shared
	if err := writeLineage(ctx, tx, th.id, line); err != nil {
		return row{}, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO envelopes (thread, body)
SELECT ?, body FROM envelopes WHERE thread = ? ORDER BY id DESC LIMIT 1`, th.id, parent.id)
	return th, err
}

// extend writes the batch's entries after the thread's last.
func (s *Store) extend(ctx context.Context, tx *sql.Tx, th *row, b *packedBatch) error {
	run := prepare(tx)
	for i := range b.Entries {
		e := &b.Entries[i]
		id, err := storeBlob(ctx, run, th.tenant, b.bodies[i])
		if err != nil {
			return err
		}
		raw := s.zip.seal.RawID(e.ID)
		digest := s.zip.seal.Digest(raw, e.Digest)
		_, err = run.ExecContext(ctx, `
INSERT INTO entries (branch, seq, id, digest, body, tokens, counter) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			th.id, th.head.Len+i, raw, digest[:], id, e.Tokens, e.Counter)
		if err != nil {
			return err
		}
	}
	th.head.Len += len(b.Entries)
	th.head.Tip, th.head.Updated = b.Last(), b.Now.Round(0).UTC()
	_, err := tx.ExecContext(ctx, `UPDATE threads SET tip = ?, len = ?, updated = ? WHERE id = ?`,
		s.zip.seal.RawID(th.head.Tip), th.head.Len, encoding.Time(b.Now), th.id)
	return err
}

// keepForms keeps the raw forms in which a repeated batch brings its entries.
func (s *Store) keepForms(ctx context.Context, tx *sql.Tx, th row, b *packedBatch) error {
	for i := range b.Entries {
		m := &b.Entries[i].Message
		if m.Raw == nil {
			continue
		}
		v := store.Variant{ID: b.Entries[i].ID, Raw: m.Raw, Dialect: m.Dialect}
		if err := s.keepVariant(ctx, tx, th, v, s.zip.pack(m.Raw)); err != nil {
			return err
		}
	}
	return nil
}

// keepVariant adds a raw form of an entry unless it is there, or was erased.
func (s *Store) keepVariant(ctx context.Context, tx *sql.Tx, th row, v store.Variant, b blob) error {
	at, ok, err := s.locate(ctx, tx, th.id, v.ID)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("variant of %s: %w", v.ID, store.ErrNotFound)
	}
	if gone, err := erased(ctx, tx, at); gone || err != nil {
		return err
	}
	if same, err := s.isFirstForm(ctx, tx, at, v); same || err != nil {
		return err
	}
	id, err := storeBlob(ctx, tx, th.tenant, b)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
INSERT INTO variants (branch, seq, dialect, body) SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS
(SELECT 1 FROM variants WHERE branch = ?1 AND seq = ?2 AND dialect = ?3 AND body = ?4)`,
		at.branch, at.seq, v.Dialect, id)
	return err
}

// isFirstForm reports whether v is the form its entry was first logged in.
func (s *Store) isFirstForm(ctx context.Context, tx *sql.Tx, at place, v store.Variant) (bool, error) {
	content, err := s.content(ctx, tx, `SELECT `+columns+` FROM entries e JOIN blobs b ON b.id = e.body
WHERE e.branch = ? AND e.seq = ?`, at.branch, at.seq)
	if errors.Is(err, store.ErrErased) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	m, err := encoding.ParseMessage(content)
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return m.Dialect == v.Dialect && bytes.Equal(m.Raw, v.Raw), nil
}

// keepEnvelope adds an envelope unless it is the last one.
func keepEnvelope(ctx context.Context, tx *sql.Tx, th row, b blob) error {
	id, err := storeBlob(ctx, tx, th.tenant, b)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO envelopes (thread, body) SELECT ?1, ?2
WHERE ?2 IS NOT (SELECT body FROM envelopes WHERE thread = ?1 ORDER BY id DESC LIMIT 1)`, th.id, id)
	return err
}
