//go:build unix

package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// interrupted makes a file that a process was killed over while it wrote to it by a
// rollback journal, as before the file keeps a write-ahead log: it holds pages of a
// transaction that never ended.
func interrupted(t *testing.T) (path string) {
	t.Helper()
	from := filepath.Join(schemaOf(t, 6), "precis.db")
	db := rawDB(t, from)
	db.SetMaxOpenConns(1)
	for _, statement := range []string{
		`PRAGMA cache_size = 5`, `BEGIN`, `CREATE TABLE junk (data BLOB)`, `DROP TRIGGER blobs_no_delete`,
		`INSERT INTO junk SELECT randomblob(3000) FROM blobs a, blobs b`,
	} {
		_, err := db.Exec(statement)
		noError(t, err)
	}
	path = filepath.Join(t.TempDir(), "precis.db")
	for _, end := range []string{"", "-journal"} {
		data, err := os.ReadFile(from + end)
		noError(t, err)
		noError(t, os.WriteFile(path+end, data, 0o600))
	}
	_, err := db.Exec(`ROLLBACK`)
	noError(t, err)
	return path
}

// A file that a process was killed over is opened as it was before that write. Who only
// reads it is told that it must be opened for writing first, and never shown half of one.
//
// SPEC: V1
func TestInterruptedWriteIsRolledBack(t *testing.T) {
	path := interrupted(t)
	_, err := sqlite.OpenReadOnly(t.Context(), path, sqlite.Options{})
	isError(t, err, sqlite.ErrInterrupted)
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	noError(t, err)
	es, err := s.Load(t.Context(), mainKey)
	noError(t, err)
	equal(t, 12, len(es))
	noError(t, s.Close())
	sound(t, path)
	equal(t, 0, count(t, rawDB(t, path), `SELECT count(*) FROM sqlite_schema WHERE name = 'junk'`))
}
