//go:build unix

package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

func reader(t testing.TB, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.OpenReadOnly(t.Context(), filepath.Join(dir, "precis.db"), sqlite.Options{})
	noError(t, err)
	t.Cleanup(func() { noError(t, s.Close()) })
	return s
}

// filesOf are the files of a directory with their sizes.
func filesOf(t testing.TB, dir string) (list []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	noError(t, err)
	for _, f := range files {
		fi, err := f.Info()
		noError(t, err)
		list = append(list, fmt.Sprint(f.Name(), " ", fi.Size()))
	}
	return list
}

// SPEC: V1: reading a file that nobody has open leaves no trace.
func TestOpenReadOnly(t *testing.T) {
	dir := t.TempDir()
	w := openAt(t, dir)
	fillAll(t, w)
	want, err := w.Load(t.Context(), mainKey)
	noError(t, err)
	noError(t, w.Close())
	before, err := os.ReadFile(filepath.Join(dir, "precis.db"))
	noError(t, err)
	files := filesOf(t, dir)
	s := reader(t, dir)
	have, err := s.Load(t.Context(), mainKey)
	noError(t, err)
	equal(t, want, have)
	p, err := s.Plan(t.Context(), mainKey)
	noError(t, err)
	equal(t, 2, p.Version)
	k, c := mainKey, t.Context()
	for name, f := range map[string]func() error{
		"Append":     func() error { _, err := s.Append(c, k, store.Batch{Tip: want[2].ID, Now: now}); return err },
		"Commit":     func() error { return s.Commit(c, k, &plan.Plan{Base: want[2].ID, Version: 3}, nil) },
		"Erase":      func() error { return s.Erase(c, k, "a", tombstone) },
		"Expire":     func() error { _, err := s.Expire(c, "", now); return err },
		"EraseEntry": func() error { return s.EraseEntry(c, k, want[0].ID, tombstone) },
		"PutSummary": func() error { return s.PutSummary(c, "", "key", nil, now) },
	} {
		t.Run(name, func(t *testing.T) { isError(t, f(), sqlite.ErrReadOnly) })
	}
	equal(t, files, filesOf(t, dir))
	noError(t, s.Close())
	equal(t, files, filesOf(t, dir))
	after, err := os.ReadFile(filepath.Join(dir, "precis.db"))
	noError(t, err)
	equal(t, before, after)
}

// SPEC: L17: beside a writer, a reader sees each thing once it is acknowledged.
func TestReadBesideWriter(t *testing.T) {
	dir := t.TempDir()
	w := openAt(t, dir)
	defer func() { noError(t, w.Close()) }()
	_, err := insist(t.Context(), w, mainKey, "one")
	noError(t, err)
	s := reader(t, dir)
	for i := range 5 {
		h, err := insist(t.Context(), w, mainKey, fmt.Sprint(i))
		noError(t, err)
		have, err := s.Head(t.Context(), mainKey)
		noError(t, err)
		equal(t, h, have)
	}
}

// SPEC: V1: what a crash left in the write-ahead log is read with the file.
func TestReadAfterCrash(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "precis.db")
	if err := child(t, "die", path, "").Run(); err == nil {
		t.Fatal("the child lived")
	}
	log, err := os.ReadFile(path + "-wal")
	noError(t, err)
	s := reader(t, dir)
	es, err := s.Load(t.Context(), mainKey)
	noError(t, err)
	equal(t, 2, len(es))
	noError(t, s.Close())
	after, err := os.ReadFile(path + "-wal")
	noError(t, err)
	equal(t, log, after)
}

// SPEC: V1
func TestOpenReadOnlyRefuses(t *testing.T) {
	open := func(path string) error {
		_, err := sqlite.OpenReadOnly(t.Context(), path, sqlite.Options{})
		return err
	}
	dir := t.TempDir()
	missing := filepath.Join(dir, "sub", "precis.db")
	isError(t, open(missing), fs.ErrNotExist)
	equal(t, 0, len(filesOf(t, dir)))
	if open(dir) == nil {
		t.Fatal("opened a directory")
	}
	old := filepath.Join(schemaOf(t, 2), "precis.db")
	files := filesOf(t, filepath.Dir(old))
	isError(t, open(old), sqlite.ErrOlder)
	equal(t, files, filesOf(t, filepath.Dir(old)))
	empty := filepath.Join(dir, "empty.db")
	noError(t, os.WriteFile(empty, nil, 0o600))
	isError(t, open(empty), sqlite.ErrOlder)
	noise := filepath.Join(dir, "noise.db")
	noError(t, os.WriteFile(noise, random(5000), 0o600))
	isError(t, open(noise), sqlite.ErrCorrupt)
	alien := filepath.Join(dir, "alien.db")
	db, err := sql.Open("sqlite", alien)
	noError(t, err)
	_, err = db.Exec(`CREATE TABLE threads (id INTEGER PRIMARY KEY)`)
	noError(t, errors.Join(err, db.Close()))
	isError(t, open(alien), sqlite.ErrAlien)
	w := openAt(t, dir)
	noError(t, w.Close())
	db, err = sql.Open("sqlite", filepath.Join(dir, "precis.db"))
	noError(t, err)
	_, err = db.Exec(`INSERT INTO migrations VALUES (?, 'later', 'now')`, sqlite.Newest()+1)
	noError(t, errors.Join(err, db.Close()))
	isError(t, open(filepath.Join(dir, "precis.db")), sqlite.ErrNewer)
}

// readOnly reads a store that it may not write.
func readOnly(path, _ string) error {
	ctx := context.Background()
	s, err := sqlite.OpenReadOnly(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	es, err := s.Load(ctx, mainKey)
	if err != nil || len(es) != 1 {
		return fmt.Errorf("read %d entries: %w", len(es), err)
	}
	return s.Close()
}

// SPEC: B8: reading takes no right to write.
func TestReadWithoutRights(t *testing.T) {
	dir, err := os.MkdirTemp("", "readonly") // t.TempDir is closed to other users
	noError(t, err)
	defer func() { noError(t, os.RemoveAll(dir)) }()
	s := openAt(t, dir)
	_, err = insist(t.Context(), s, mainKey, "one")
	noError(t, err)
	noError(t, s.Close())
	path := filepath.Join(dir, "precis.db")
	noError(t, os.Chmod(path, 0o444))
	noError(t, os.Chmod(dir, 0o555))
	c := child(t, "reader", path, "")
	if os.Geteuid() == 0 { // root may write anything: be somebody else
		c.Path = publicCopy(t, os.Args[0])
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	noError(t, c.Run())
}
