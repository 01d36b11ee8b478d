//go:build unix

package sqlite_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// leftBehind makes the files that a process leaves which is killed while it has a store
// open: a thread of each name is in the log alone.
func leftBehind(t *testing.T, names ...string) (dir string) {
	t.Helper()
	from, dir := t.TempDir(), t.TempDir()
	s := openAt(t, from)
	for _, name := range names {
		_, err := s.Append(t.Context(), store.Key{Thread: name}, store.Batch{Entries: chain("", name), Now: now})
		noError(t, err)
	}
	for _, file := range []string{"precis.db", "precis.db-wal", "precis.db-shm"} {
		data, err := os.ReadFile(filepath.Join(from, file))
		noError(t, err)
		noError(t, os.WriteFile(filepath.Join(dir, file), data, 0o600))
	}
	noError(t, s.Close())
	return dir
}

// A database that is made where only the log of another was left has nothing of it.
//
// SPEC: V1
func TestMadeBesideAnOldLog(t *testing.T) {
	dir := leftBehind(t, "old")
	path := filepath.Join(dir, "precis.db")
	noError(t, os.Remove(path))
	if _, err := sqlite.OpenReadOnly(t.Context(), path, sqlite.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("opened for reading: %v", err)
	}
	s := openAt(t, dir)
	heads, err := s.AllHeads(t.Context())
	noError(t, err)
	equal(t, 0, len(heads))
	noError(t, s.Close())
	sound(t, path)
}

// SQLite writes the log that stands beside a file into it, whichever file it was of: a
// backup is put in the place of a database without the log of that one.
//
// SPEC: V1
func TestBackupTakesThePlaceOfAnOldFile(t *testing.T) {
	backup := leftBehind(t, "backup")
	noError(t, openAt(t, backup).Close()) // its log is folded in
	data, err := os.ReadFile(filepath.Join(backup, "precis.db"))
	noError(t, err)
	for _, away := range []bool{false, true} {
		dir := leftBehind(t, "old")
		if away {
			for _, end := range []string{"-wal", "-shm"} {
				noError(t, os.Remove(filepath.Join(dir, "precis.db"+end)))
			}
		}
		noError(t, os.WriteFile(filepath.Join(dir, "precis.db"), data, 0o600))
		s := openAt(t, dir)
		_, err := s.Load(t.Context(), store.Key{Thread: "backup"})
		equal(t, away, err == nil)
		noError(t, s.Close())
	}
}
