//go:build unix

package proxy_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/seed-3db51b0e/precis/thread"
)

// bareInserts returns a function that inserts the row of an entry and updates that of its
// thread, in one transaction, into tables with the same indexes, and checks nothing.
func bareInserts(t *testing.T, url string, es []thread.Entry, workers int) func(w, n int) error {
	t.Helper()
	db, err := pgxpool.New(t.Context(), url)
	check(t, err)
	t.Cleanup(db.Close)
	for _, sql := range []string{
		`CREATE TABLE bare_threads (id text PRIMARY KEY, tip bytea, len bigint)`,
		`CREATE TABLE bare (thread text, seq bigint, id bytea, digest bytea, form bytea, tokens bigint, counter bytea, erased boolean, body bytea, PRIMARY KEY (thread, seq))`,
		`CREATE UNIQUE INDEX bare_by_id ON bare (thread, id)`,
	} {
		_, err := db.Exec(t.Context(), sql)
		check(t, err)
	}
	for w := range workers {
		_, err := db.Exec(t.Context(), `INSERT INTO bare_threads VALUES ($1, '', 0)`, fmt.Sprint(w))
		check(t, err)
	}
	return func(w, n int) error {
		e := es[n]
		body := e.Message.Raw[:200] // what is left of it, compressed
		_, err := db.Exec(t.Context(), `WITH w AS (UPDATE bare_threads SET tip = $1, len = len + 1 WHERE id = $2)
INSERT INTO bare VALUES ($2, $3, $1, $4, $4, 0, '', false, $5)`, []byte(e.ID), fmt.Sprint(w), n, e.Digest[:], body)
		return err
	}
}
