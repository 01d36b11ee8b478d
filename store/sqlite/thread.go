package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
	"github.com/seed-3db51b0e/precis/thread"
)

func readTime(s string) (time.Time, error) {
	t, err := encoding.ParseTime(s)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return t, err
}

// row is a thread as it is stored.
type row struct {
	id, tenant int64
	head       store.Head
}

const selectThreads = `
SELECT t.id, t.tenant, t.name, t.tip, t.len, t.plan_version, t.source, p.name, t.created, t.updated
FROM tenants n JOIN threads t ON t.tenant = n.id LEFT JOIN threads p ON p.id = t.parent
WHERE n.name = ?`

// scanThread reads a row of selectThreads.
func (s *Store) scanThread(scan func(...any) error, tenant string) (row, error) {
	r := row{head: store.Head{Key: store.Key{Tenant: tenant}}}
	var own, tip, parent []byte
	var created, updated string
	h := &r.head
	err := scan(&r.id, &r.tenant, &own, &tip, &h.Len, &h.PlanVersion, &h.Source, &parent, &created, &updated)
	if err != nil {
		return row{}, err
	}
	h.Tip = s.zip.seal.TextID(tip)
	var errs [4]error
	h.Key.Thread, errs[0] = s.zip.seal.PlainName(own)
	h.Parent, errs[1] = s.zip.seal.PlainName(parent)
	h.Created, errs[2] = readTime(created)
	h.Updated, errs[3] = readTime(updated)
	return r, errors.Join(errs[:]...)
}

// find returns ErrNotFound for an unknown thread.
func (s *Store) find(ctx context.Context, q querier, k store.Key) (row, error) {
	r := q.QueryRowContext(ctx, selectThreads+` AND t.name = ?`, s.zip.seal.Name(k.Tenant), s.zip.seal.Name(k.Thread))
	th, err := s.scanThread(r.Scan, k.Tenant)
	if errors.Is(err, sql.ErrNoRows) {
		return row{}, store.ErrNotFound
	}
	return th, err
}

// Head implements store.Log.
func (s *Store) Head(ctx context.Context, k store.Key) (store.Head, error) {
	th, err := s.find(ctx, s.heads, k)
	if err != nil {
		return store.Head{}, fail("read head", k, s.withRetired(ctx, s.heads, k, err))
	}
	return th.head, nil
}

// Heads implements store.Log.
func (s *Store) Heads(ctx context.Context, tenant string) ([]store.Head, error) {
	var hs []store.Head
	err := eachRow(ctx, s.r, func(rows *sql.Rows) error {
		th, err := s.scanThread(rows.Scan, tenant)
		hs = append(hs, th.head)
		return err
	}, selectThreads, s.zip.seal.Name(tenant))
	if err != nil {
		return nil, fmt.Errorf("list heads: %w", classify(err))
	}
	slices.SortFunc(hs, func(a, b store.Head) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.Key.Thread, b.Key.Thread))
	})
	return hs, nil
}

// AllHeads implements store.Maintained.
func (s *Store) AllHeads(ctx context.Context) (all []store.Head, err error) {
	var names []string
	err = eachRow(ctx, s.r, func(rows *sql.Rows) error {
		var raw []byte
		if err := rows.Scan(&raw); err != nil {
			return err
		}
		name, err := s.zip.seal.PlainName(raw)
		names = append(names, name)
		return err
	}, `SELECT name FROM tenants ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("list tenants: %w", classify(err))
	}
	for _, name := range names {
		hs, err := s.Heads(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, hs...)
	}
	return all, nil
}

// eachRow runs f on every row of a query.
func eachRow(ctx context.Context, q querier, f func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := f(rows); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// fail adds the action and the thread to an error.
func fail(verb string, k store.Key, err error) error {
	return fmt.Errorf("%s: thread %q: %w", verb, k.Thread, classify(err))
}

// tenantID finds or makes a tenant.
func (s *Store) tenantID(ctx context.Context, tx *sql.Tx, tenant string) (int64, error) {
	var id int64
	err := tx.QueryRowContext(ctx, `SELECT id FROM tenants WHERE name = ?`, s.zip.seal.Name(tenant)).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	return insert(ctx, tx, `INSERT INTO tenants (name) VALUES (?)`, s.zip.seal.Name(tenant))
}

// noLimit stands for the limit of a thread's own entries in its lineage.
const noLimit = 1 << 62

// segment is one part of a lineage: entries of a thread up to a position.
type segment struct {
	ancestor int64
	upto     int
}

// lineage returns the stretches of a thread, oldest first, its own last.
func lineage(ctx context.Context, q querier, id int64) (line []segment, err error) {
	err = eachRow(ctx, q, func(rows *sql.Rows) error {
		var st segment
		err := rows.Scan(&st.ancestor, &st.upto)
		line = append(line, st)
		return err
	}, `SELECT ancestor, upto FROM lineage WHERE thread = ? ORDER BY pos`, id)
	return line, err
}

// place is where an entry is stored.
type place struct {
	branch int64
	seq    int
}

// locate finds an entry of a thread; ok is false if it has none of that id.
func (s *Store) locate(ctx context.Context, q querier, th int64, id thread.ID) (p place, ok bool, err error) {
	err = q.QueryRowContext(ctx, `
SELECT e.branch, e.seq FROM lineage l CROSS JOIN entries e
WHERE l.thread = ? AND e.branch = l.ancestor AND e.id = ? AND e.seq <= l.upto`, th, s.zip.seal.RawID(id)).Scan(&p.branch, &p.seq)
	if errors.Is(err, sql.ErrNoRows) {
		return p, false, nil
	}
	return p, err == nil, err
}
