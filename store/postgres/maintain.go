package postgres

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/blob"
)

// tables lists all that hold rows of this package.
var tables = []string{"threads", "entries", "variants", "envelopes", "plans", "records", "artifacts", "erasures", "retired", "summaries"}

// bodyTables lists the tables with their columns of content.
var bodyTables = []string{
	`SELECT body FROM entries`, `SELECT body FROM variants`, `SELECT body FROM envelopes`, `SELECT header FROM plans`,
	`SELECT body FROM records`, `SELECT body FROM artifacts`, `SELECT body FROM summaries`,
}

// Size implements store.Maintained: File is the whole database, Stored is what content
// takes in it and in the blob store. It reads every row.
func (s *Store) Size(ctx context.Context) (z store.Size, err error) {
	err = s.pool.QueryRow(ctx, `SELECT pg_database_size(current_database()),
  (SELECT count(*) FROM threads WHERE position('\x0a'::bytea in tenant) = 0),
  (SELECT count(*) FROM entries e JOIN threads t ON t.id = e.thread WHERE position('\x0a'::bytea in t.tenant) = 0),
  (SELECT count(*) FROM retired)`).Scan(&z.File, &z.Threads, &z.Entries, &z.Retired)
	if err == nil {
		err = s.pool.QueryRow(ctx, `SELECT coalesce(sum(('x' || encode(substring(body from 34 for 8), 'hex'))::bit(64)::bigint), 0)::bigint,
  coalesce(sum(length(body) - 41), 0)::bigint FROM (`+strings.Join(bodyTables, " UNION ALL ")+`) b (body) WHERE length(body) >= 41`).Scan(&z.Content, &z.Stored)
	}
	if err != nil {
		return z, fmt.Errorf("measure store: %w", classify(err))
	}
	if s.blobs != nil {
		for o, err := range s.blobs.List(ctx, "") {
			if err != nil {
				return z, fmt.Errorf("measure blob store: %w", err)
			}
			z.Stored += o.Size
		}
	}
	return z, nil
}

// Grace is how old an object must be before Vacuum removes it as one that nothing
// names: far longer than a call takes between writing it and the row that names it,
// also where the clocks of nodes and blob store differ.
const Grace = time.Hour

// Vacuum implements store.Maintained: it has the server reuse the space of rows that
// are gone, which frees what lies at the end of its files, and removes the objects that
// nothing names. The server's own autovacuum does the first by itself.
func (s *Store) Vacuum(ctx context.Context) (freed int64, err error) {
	var before, after int64
	const size = `SELECT pg_database_size(current_database())`
	err = s.pool.QueryRow(ctx, size).Scan(&before)
	for _, table := range tables {
		if err == nil {
			_, err = s.pool.Exec(ctx, `VACUUM (ANALYZE) `+table)
		}
	}
	if err == nil {
		err = s.pool.QueryRow(ctx, size).Scan(&after)
	}
	if err != nil {
		return 0, fmt.Errorf("vacuum store: %w", classify(err))
	}
	objects, err := s.collect(ctx, time.Now().Add(-Grace))
	if err != nil {
		return 0, fmt.Errorf("vacuum blob store: %w", classify(err))
	}
	return max(0, before-after) + objects, nil
}

// collect removes objects that were written before a time and that no row names.
func (s *Store) collect(ctx context.Context, before time.Time) (freed int64, err error) {
	if s.blobs == nil {
		return 0, nil
	}
	of := map[threadID][]blob.Object{}
	for o, err := range s.blobs.List(ctx, "") {
		if err != nil {
			return 0, err
		}
		if id, ok := threadOf(o.Name); ok && o.Written.Before(before) {
			of[id] = append(of[id], o)
		}
	}
	for id, objects := range of {
		n, err := s.collectThread(ctx, id, objects)
		freed += n
		if err != nil {
			return freed, err
		}
	}
	return freed, nil
}

// threadOf is the thread whose objects have such names.
func threadOf(name string) (id threadID, ok bool) {
	text, _, _ := strings.Cut(name, "/")
	b, err := hex.DecodeString(text)
	return threadID(append(b, make([]byte, 16)...)[:16]), err == nil && len(b) == len(id)
}

func (s *Store) collectThread(ctx context.Context, id threadID, objects []blob.Object) (freed int64, err error) {
	in, err := objectsOf(ctx, s.pool, [][]byte{id[:]})
	if err != nil {
		return 0, err
	}
	named := map[string]bool{}
	for _, body := range in {
		named[object(body)] = true
	}
	for _, o := range objects {
		if named[o.Name] {
			continue
		}
		if err := s.blobs.Delete(ctx, o.Name); err != nil {
			return freed, err
		}
		freed += o.Size
	}
	return freed, nil
}
