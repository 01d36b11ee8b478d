//go:build unix

package proxy_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// bare inserts rows and nothing else.
type bare struct {
	db   *pgxpool.Pool
	rows [][]any // of entries: seq, id, digest, form, tokens, counter, body
}

// newBare makes tables that have the columns, partitions and indexes of those that appends
// write to, and no triggers. It takes the rows of a thread that was appended, byte for byte.
func newBare(t *testing.T, url, thread string) *bare {
	t.Helper()
	db, err := pgxpool.New(t.Context(), url)
	check(t, err)
	t.Cleanup(db.Close)
	for table, key := range map[string]string{"threads": "id", "entries": "thread"} {
		sql := fmt.Sprintf(`DROP TABLE IF EXISTS bare_%[1]s; CREATE TABLE bare_%[1]s (LIKE %[1]s INCLUDING ALL) PARTITION BY HASH (%[2]s)`, table, key)
		for i := range 8 {
			sql += fmt.Sprintf(`; CREATE TABLE bare_%[1]s_%[2]d PARTITION OF bare_%[1]s FOR VALUES WITH (MODULUS 8, REMAINDER %[2]d)`, table, i)
			if table == "threads" {
				sql += ` WITH (fillfactor = 70)`
			}
		}
		_, err := db.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol)
		check(t, err)
	}
	rows, err := db.Query(t.Context(), `SELECT seq, e.id, digest, form, tokens, counter, body FROM entries e JOIN threads t ON t.id = e.thread WHERE t.name = $1 ORDER BY seq`, []byte(thread))
	check(t, err)
	b := &bare{db: db}
	for rows.Next() {
		row, err := rows.Values()
		check(t, err)
		b.rows = append(b.rows, row)
	}
	check(t, rows.Err())
	return b
}

// begin makes the row of a worker's thread, from that of the thread that was appended.
func (b *bare) begin(t *testing.T, worker int, thread string) {
	t.Helper()
	_, err := b.db.Exec(t.Context(), `INSERT INTO bare_threads (id, tenant, name, parent, source, created, tip, len, plan_version, erasures, updated)
SELECT $1, tenant, name, parent, source, created, '', 0, 0, 0, updated FROM threads WHERE name = $2`, id(worker), []byte(thread))
	check(t, err)
}

// id of a worker's thread.
func id(worker int) []byte { return fmt.Appendf(nil, "bare thread %04d", worker) }

// insert inserts row n, and updates that of its thread, in one transaction.
func (b *bare) insert(t *testing.T, worker, n int) error {
	r := b.rows[n]
	_, err := b.db.Exec(t.Context(), `WITH w AS (UPDATE bare_threads SET tip = $3, len = len + 1, updated = '2026-01-01T00:00:00.000000000Z' WHERE id = $1)
INSERT INTO bare_entries VALUES ($1, $2, $3, $4, $5, $6, $7, false, $8)`, append([]any{id(worker)}, r...)...)
	return err
}
