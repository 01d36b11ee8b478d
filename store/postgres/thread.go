package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
	"github.com/seed-3db51b0e/precis/store/internal/sealing"
	"github.com/seed-3db51b0e/precis/thread"
)

func readTime(s string) (time.Time, error) {
	t, err := encoding.ParseTime(s)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return t, err
}

// querier is the pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// segment is one part of a thread: entries of a thread up to a position.
type segment struct {
	ancestor threadID
	upto     int
}

// row is a thread as it is stored.
type row struct {
	id       threadID
	head     store.Head
	shared   []segment // what it has from its ancestors, the oldest first
	erasures int64
}

// line is what the thread consists of, its own entries last.
func (th row) line() []segment {
	return append(th.shared[:len(th.shared):len(th.shared)], segment{th.id, th.head.Len - 1})
}

const threadColumns = `t.id, t.tenant, t.name, t.parent, t.ancestors, t.upto, t.source, t.created, t.tip, t.len, t.plan_version, t.erasures, t.updated`

// scanThread reads threadColumns.
func (s *Store) scanThread(scan func(...any) error, more ...any) (row, error) {
	var r row
	var id, tenant, name, parent, source, tip []byte
	var ancestors [][]byte
	var upto []int64
	var created, updated string
	h := &r.head
	into := []any{&id, &tenant, &name, &parent, &ancestors, &upto, &source, &created, &tip, &h.Len, &h.PlanVersion, &r.erasures, &updated}
	if err := scan(append(into, more...)...); err != nil {
		return row{}, err
	}
	copy(r.id[:], id)
	if len(parent) == 0 {
		parent = nil // it is no fork
	}
	h.Source, h.Tip = string(source), s.seal.TextID(tip)
	for i, a := range ancestors {
		r.shared = append(r.shared, segment{threadID(a), int(upto[i])})
	}
	var err [5]error
	h.Key.Tenant, err[0] = s.seal.PlainName(tenant)
	h.Key.Thread, err[1] = s.seal.PlainName(name)
	h.Parent, err[2] = s.seal.PlainName(parent)
	h.Created, err[3] = readTime(created)
	h.Updated, err[4] = readTime(updated)
	return r, errors.Join(err[:]...)
}

const selectThread = `SELECT ` + threadColumns + ` FROM threads t WHERE t.id = $1`

// find returns ErrNotFound for an unknown thread.
func (s *Store) find(ctx context.Context, q querier, k store.Key) (row, error) {
	id := s.idOf(k)
	th, err := s.scanThread(q.QueryRow(ctx, selectThread, id[:]).Scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return row{}, store.ErrNotFound
	}
	return th, err
}

// Head implements store.Log.
func (s *Store) Head(ctx context.Context, k store.Key) (store.Head, error) {
	var th row
	err := s.retried(ctx, func() (err error) {
		th, err = s.find(ctx, s.pool, k)
		return err
	})
	if err != nil {
		return store.Head{}, fail("read head", k, s.withRetired(ctx, k, err))
	}
	return th.head, nil
}

// Heads implements store.Log.
func (s *Store) Heads(ctx context.Context, tenant string) (hs []store.Head, err error) {
	err = s.retried(ctx, func() error {
		hs = nil
		return eachRow(ctx, s.pool, func(rows pgx.Rows) error {
			th, err := s.scanThread(rows.Scan)
			hs = append(hs, th.head)
			return err
		}, `SELECT `+threadColumns+` FROM threads t WHERE t.tenant = $1`, s.seal.Name(tenant))
	})
	if err != nil {
		return nil, fmt.Errorf("list heads: %w", err)
	}
	sortHeads(hs)
	return hs, nil
}

// sortHeads sorts by tenant, the last updated first, and by name.
func sortHeads(hs []store.Head) {
	slices.SortFunc(hs, func(a, b store.Head) int {
		return cmp.Or(cmp.Compare(a.Key.Tenant, b.Key.Tenant), b.Updated.Compare(a.Updated), cmp.Compare(a.Key.Thread, b.Key.Thread))
	})
}

// AllHeads implements store.Maintained.
func (s *Store) AllHeads(ctx context.Context) (hs []store.Head, err error) {
	err = eachRow(ctx, s.pool, func(rows pgx.Rows) error {
		th, err := s.scanThread(rows.Scan)
		hs = append(hs, th.head)
		return err
	}, `SELECT `+threadColumns+` FROM threads t`)
	if err != nil {
		return nil, fmt.Errorf("list heads: %w", classify(err))
	}
	sortHeads(hs)
	return hs, nil
}

// Tombstones implements store.Maintained.
func (s *Store) Tombstones(ctx context.Context, k store.Key) (map[thread.ID]artifact.Tombstone, error) {
	all, own := map[thread.ID]artifact.Tombstone{}, s.idOf(k)
	err := eachRow(ctx, s.pool, func(rows pgx.Rows) error {
		var id, by, reason []byte
		var at string
		if err := rows.Scan(&id, &at, &by, &reason); err != nil {
			return err
		}
		when, err := readTime(at)
		all[s.seal.TextID(id)] = artifact.Tombstone{At: when, By: string(by), Reason: string(reason)}
		return err
	}, `SELECT e.id, x.erased_at, x.erased_by, x.reason FROM lineage l JOIN erasures x ON x.thread = l.ancestor AND x.seq <= l.upto AND x.whole
JOIN entries e ON e.thread = x.thread AND e.seq = x.seq WHERE l.thread = $1`, own[:])
	if err != nil {
		return nil, fail("read tombstones", k, err)
	}
	return all, nil
}

// eachRow runs f on every row of a query.
func eachRow(ctx context.Context, q querier, f func(pgx.Rows) error, sql string, args ...any) error {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// place is where an entry is stored.
type place struct {
	branch threadID
	seq    int
	form   string // of the entry; empty where it is erased
	erased bool
}

// locate finds entries of a thread; an id that it lacks is not in the result.
func (s *Store) locate(ctx context.Context, q querier, id threadID, ids []thread.ID) (map[thread.ID]place, error) {
	raw := make([][]byte, 0, len(ids))
	for _, id := range ids {
		if b := s.seal.RawID(id); len(b) == sealing.IDSize {
			raw = append(raw, b)
		}
	}
	at := make(map[thread.ID]place, len(raw))
	if len(raw) == 0 {
		return at, nil
	}
	err := eachRow(ctx, q, func(rows pgx.Rows) error {
		var eid, branch, form []byte
		var p place
		err := rows.Scan(&eid, &branch, &p.seq, &form, &p.erased)
		copy(p.branch[:], branch)
		p.form = string(form)
		at[s.seal.TextID(eid)] = p
		return err
	}, `SELECT e.id, e.thread, e.seq, e.form, e.erased FROM lineage l, LATERAL
(SELECT * FROM entries WHERE thread = l.ancestor AND id = ANY($2) AND seq <= l.upto) e WHERE l.thread = $1`, id[:], raw)
	return at, err
}

// withRetired adds the tombstone of a retired thread to ErrNotFound.
func (s *Store) withRetired(ctx context.Context, k store.Key, err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	var at string
	var by, reason []byte
	id := s.idOf(k)
	scanErr := s.pool.QueryRow(ctx, `SELECT erased_at, erased_by, reason FROM retired WHERE thread = $1 ORDER BY n DESC LIMIT 1`, id[:]).
		Scan(&at, &by, &reason)
	if scanErr != nil {
		return err // there was none, as a rule
	}
	when, timeErr := readTime(at)
	if timeErr != nil {
		return errors.Join(err, timeErr)
	}
	return fmt.Errorf("%w: %w", err, &store.ErasedError{Tombstone: artifact.Tombstone{At: when, By: string(by), Reason: string(reason)}})
}
