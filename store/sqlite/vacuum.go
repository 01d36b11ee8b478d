package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/seed-3db51b0e/precis/store"
)

// Size implements store.Maintained.
func (s *Store) Size(ctx context.Context) (z store.Size, err error) {
	var page, free int64
	var path string
	for query, into := range map[string][]any{
		`SELECT file FROM pragma_database_list WHERE name = 'main'`: {&path},
		`PRAGMA page_size`:      {&page},
		`PRAGMA freelist_count`: {&free},
		`SELECT coalesce(sum(size), 0), coalesce(sum(length(data)), 0) FROM blobs WHERE erased_at IS NULL`: {&z.Content, &z.Stored},
		`SELECT count(DISTINCT t.id), count(e.seq), (SELECT count(*) FROM retired)
FROM threads t JOIN tenants n ON n.id = t.tenant LEFT JOIN entries e ON e.branch = t.id
WHERE instr(CAST(n.name AS TEXT), char(10)) = 0`: { // but for what stands beside a thread
			&z.Threads, &z.Entries, &z.Retired,
		},
	} {
		if err := s.r.QueryRowContext(ctx, query).Scan(into...); err != nil {
			return z, fmt.Errorf("measure store: %w", classify(err))
		}
	}
	z.Free = page * free
	for name, n := range map[string]*int64{path: &z.File, path + "-wal": &z.Log} {
		fi, err := os.Stat(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return z, fmt.Errorf("measure store: %w", err)
		}
		*n = fi.Size()
	}
	return z, nil
}

// Vacuum works in steps of so many pages, and lets others write in between.
const (
	stepPages = 256
	stepRest  = 2 * time.Millisecond
)

// Vacuum gives pages that hold nothing back to the system, and returns how many
// bytes. It does so in small transactions while others read and write. Only a
// file that was made by an earlier program is written anew the first time, in one
// transaction for which writers wait.
func (s *Store) Vacuum(ctx context.Context) (freed int64, err error) {
	if s.w == nil {
		return 0, fmt.Errorf("vacuum store: %w: it was opened for reading", ErrReadOnly)
	}
	if err = s.vacuum(ctx, &freed); err != nil {
		return freed, fmt.Errorf("vacuum store: %w", classify(err))
	}
	return freed, nil
}

func (s *Store) vacuum(ctx context.Context, freed *int64) error {
	var mode, left int
	if err := s.w.QueryRowContext(ctx, `PRAGMA auto_vacuum`).Scan(&mode); err != nil {
		return err
	}
	if mode != incremental {
		if err := s.rewrite(ctx, freed); err != nil {
			return err
		}
	}
	for {
		if err := s.w.QueryRowContext(ctx, `PRAGMA freelist_count`).Scan(&left); err != nil {
			return err
		}
		if left == 0 {
			return s.checkpoint(ctx)
		}
		if err := s.step(ctx, freed); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(stepRest):
		}
	}
}

// incremental is SQLite's number for PRAGMA auto_vacuum = INCREMENTAL.
const incremental = 2

// rewrite makes the file anew, so that it can give pages back from then on.
func (s *Store) rewrite(ctx context.Context, freed *int64) error {
	before, err := length(ctx, s.w)
	if err == nil {
		_, err = s.w.ExecContext(ctx, `PRAGMA auto_vacuum = INCREMENTAL; VACUUM`)
	}
	if err != nil {
		return err
	}
	after, err := length(ctx, s.w)
	*freed += before - after
	return err
}

// step gives some pages back in a transaction of their own.
func (s *Store) step(ctx context.Context, freed *int64) error {
	var n int64
	err := s.write(ctx, func(tx *sql.Tx) error {
		before, err := length(ctx, tx)
		if err != nil {
			return err
		}
		// Each row that is read frees a page.
		query := fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, stepPages)
		if err := eachRow(ctx, tx, func(*sql.Rows) error { return nil }, query); err != nil {
			return err
		}
		after, err := length(ctx, tx)
		n = before - after
		return err
	})
	*freed += n
	return err
}

// checkpoint writes the write-ahead log into the file and empties it. A reader that
// stands in the way leaves it to the next checkpoint.
func (s *Store) checkpoint(ctx context.Context) error {
	var busy, logged, folded int
	return s.w.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &logged, &folded)
}

// length is the size of the database in bytes.
func length(ctx context.Context, q querier) (n int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`).Scan(&n)
	return n, err
}
