package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// timeFormat is the layout of stored times: text that sorts.
const timeFormat = "2006-01-02T15:04:05.000000000Z"

// latestTime is the last time that timeFormat can write.
var latestTime = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)

// writeTime keeps times within the years 0 to 9999.
func writeTime(t time.Time) string {
	t = t.UTC()
	if t.Year() < 0 {
		t = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if t.After(latestTime) {
		t = latestTime
	}
	return t.Format(timeFormat)
}

func readTime(s string) (time.Time, error) {
	t, err := time.Parse(timeFormat, s)
	if err != nil {
		return t, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return t.UTC(), nil
}

// nameBlob binds the name of a tenant or thread as a blob that is not NULL.
func nameBlob(s string) []byte { return append([]byte{}, s...) }

// rawID is the 16 bytes of an entry's id; none for "" and for what is no id.
func rawID(id thread.ID) []byte {
	b, err := hex.DecodeString(string(id))
	if err != nil || hex.EncodeToString(b) != string(id) {
		return []byte{}
	}
	return b
}

func textID(b []byte) thread.ID { return thread.ID(hex.EncodeToString(b)) }

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
func scanThread(scan func(...any) error, tenant string) (row, error) {
	r := row{head: store.Head{Key: store.Key{Tenant: tenant}}}
	var own, tip, parent []byte
	var created, updated string
	h := &r.head
	err := scan(&r.id, &r.tenant, &own, &tip, &h.Len, &h.PlanVersion, &h.Source, &parent, &created, &updated)
	if err != nil {
		return row{}, err
	}
	h.Key.Thread, h.Parent, h.Tip = string(own), string(parent), textID(tip)
	var cerr, uerr error
	h.Created, cerr = readTime(created)
	h.Updated, uerr = readTime(updated)
	return r, errors.Join(cerr, uerr)
}

// find returns ErrNotFound for an unknown thread.
func find(ctx context.Context, q querier, k store.Key) (row, error) {
	r := q.QueryRowContext(ctx, selectThreads+` AND t.name = ?`, nameBlob(k.Tenant), nameBlob(k.Thread))
	th, err := scanThread(r.Scan, k.Tenant)
	if errors.Is(err, sql.ErrNoRows) {
		return row{}, store.ErrNotFound
	}
	return th, err
}

// Head implements store.Log.
func (s *Store) Head(ctx context.Context, k store.Key) (store.Head, error) {
	th, err := find(ctx, s.heads, k)
	if err != nil {
		return store.Head{}, fail("read head", k, withRetired(ctx, s.heads, k, err))
	}
	return th.head, nil
}

// Heads implements store.Log.
func (s *Store) Heads(ctx context.Context, tenant string) ([]store.Head, error) {
	var hs []store.Head
	err := eachRow(ctx, s.r, func(rows *sql.Rows) error {
		th, err := scanThread(rows.Scan, tenant)
		hs = append(hs, th.head)
		return err
	}, selectThreads+` ORDER BY t.updated DESC, t.name`, nameBlob(tenant))
	if err != nil {
		return nil, fmt.Errorf("list heads: %w", classify(err))
	}
	return hs, nil
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
func tenantID(ctx context.Context, tx *sql.Tx, tenant string) (int64, error) {
	var id int64
	err := tx.QueryRowContext(ctx, `SELECT id FROM tenants WHERE name = ?`, nameBlob(tenant)).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	return insert(ctx, tx, `INSERT INTO tenants (name) VALUES (?)`, nameBlob(tenant))
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
func locate(ctx context.Context, q querier, th int64, id thread.ID) (p place, ok bool, err error) {
	err = q.QueryRowContext(ctx, `
SELECT e.branch, e.seq FROM lineage l CROSS JOIN entries e
WHERE l.thread = ? AND e.branch = l.ancestor AND e.id = ? AND e.seq <= l.upto`, th, rawID(id)).Scan(&p.branch, &p.seq)
	if errors.Is(err, sql.ErrNoRows) {
		return p, false, nil
	}
	return p, err == nil, err
}
