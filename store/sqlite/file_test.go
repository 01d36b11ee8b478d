//go:build unix

package sqlite_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
)

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

// paths remembers where stores opened by open lie.
func pathOf(t testing.TB, s *sqlite.Store) string {
	t.Helper()
	path, err := s.Path(t.Context())
	noError(t, err)
	return path
}

// SPEC: L16: what is logged is for its owner's eyes only.
func TestCreate(t *testing.T) {
	for _, name := range []string{"precis.db", "a/b/c.db", "odd ?name#%41&x=1;é\x01.db", "file:x.db"} {
		path := filepath.Join(t.TempDir(), "new", name)
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		noError(t, err)
		_, err = insist(t.Context(), s, mainKey, "one")
		noError(t, err)
		for p, want := range map[string]os.FileMode{filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600} {
			fi, err := os.Stat(p)
			noError(t, err)
			equal(t, want, fi.Mode().Perm())
		}
		noError(t, s.Close())
		files, err := os.ReadDir(filepath.Dir(path))
		noError(t, err)
		equal(t, 1, len(files)) // the log is folded in
	}
	if _, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{}); err == nil {
		t.Fatal("opened a directory")
	}
	file := filepath.Join(t.TempDir(), "file")
	noError(t, os.WriteFile(file, nil, 0o600))
	if _, err := sqlite.Open(t.Context(), filepath.Join(file, "x.db"), sqlite.Options{}); !errors.Is(err, syscall.ENOTDIR) {
		t.Fatalf("error is %v", err)
	}
}

// SPEC: L17
func TestOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precis.db")
	var g errgroup.Group
	for i := range 6 {
		g.Go(func() error {
			s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
			if err != nil {
				return err
			}
			_, err = insist(t.Context(), s, mainKey, fmt.Sprint(i))
			return errors.Join(err, s.Close())
		})
	}
	noError(t, g.Wait())
	s := openAt(t, filepath.Dir(path))
	defer func() { noError(t, s.Close()) }()
	es, err := s.Load(t.Context(), mainKey)
	noError(t, err)
	equal(t, 6, len(es))
}

// SPEC: V1, L17: when space runs out, what was acknowledged stays, what was
// not leaves no trace, and once there is space again, writing goes on.
func TestFull(t *testing.T) {
	s := open(t)
	noError(t, s.Limit(t.Context(), 20))
	var acked store.Head
	var err error
	for i := 0; err == nil; i++ {
		var h store.Head
		if h, err = insist(t.Context(), s, mainKey, noise(i), noise(i+1), noise(i+2)); err == nil {
			acked = h
		}
	}
	isError(t, err, sqlite.ErrFull)
	h, err := s.Head(t.Context(), mainKey)
	noError(t, err)
	equal(t, acked, h)
	es, err := s.Load(t.Context(), mainKey)
	noError(t, err)
	equal(t, acked.Len, len(es))
	equal(t, 0, len(es)%3)
	noError(t, s.Limit(t.Context(), 1000))
	h, err = insist(t.Context(), s, mainKey, "again")
	noError(t, err)
	equal(t, acked.Len+1, h.Len)
	sound(t, pathOf(t, s))
}

// noise is text that does not compress.
func noise(i int) string {
	r := rand.New(rand.NewPCG(1, uint64(i)))
	b := make([]byte, 2000)
	for i := range b {
		b[i] = byte(' ' + r.IntN(94))
	}
	return string(b)
}

// writeUntilFull appends until the system refuses to let files grow.
func writeUntilFull(path, _ string) error {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 400_000, Max: 400_000}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	var h store.Head
	for i := 0; ; i++ {
		next, err := insist(ctx, s, mainKey, noise(i), noise(i+1))
		if err != nil {
			say(ack{Thread: "main", Tip: h.Tip, Len: h.Len, Error: err.Error()})
			break
		}
		h = next
		say(ack{Thread: "main", Tip: h.Tip, Len: h.Len})
	}
	es, err := s.Load(ctx, mainKey)
	if err != nil || len(es) != h.Len {
		return fmt.Errorf("after the failure %d entries are read, %d were written: %w", len(es), h.Len, err)
	}
	return nil // without Close: as if it crashed now
}

// SPEC: V1
func TestWriteFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precis.db")
	c := child(t, "full", path, "")
	out, err := c.Output()
	noError(t, err)
	told := acks(bufio.NewScanner(bytes.NewReader(out)))
	last := told[len(told)-1]
	if len(told) < 3 || !strings.HasPrefix(last.Error, `append: thread "main": `) {
		t.Fatalf("ended with %+v", last)
	}
	sound(t, path)
	s := openAt(t, filepath.Dir(path))
	defer func() { noError(t, s.Close()) }()
	es, err := s.Load(t.Context(), mainKey)
	noError(t, err)
	equal(t, last.Len, len(es))
	equal(t, last.Tip, es[len(es)-1].ID)
}

// tryReadOnly reports how opening the store fails.
func tryReadOnly(path, _ string) error {
	_, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if !errors.Is(err, sqlite.ErrReadOnly) {
		return fmt.Errorf("error is %w", err)
	}
	say(ack{Error: err.Error()})
	return nil
}

// SPEC: V1
func TestReadOnly(t *testing.T) {
	dir, err := os.MkdirTemp("", "readonly") // t.TempDir is closed to other users
	noError(t, err)
	defer func() { noError(t, os.RemoveAll(dir)) }()
	s := openAt(t, dir)
	_, err = insist(t.Context(), s, mainKey, "one")
	noError(t, err)
	noError(t, s.Close())
	path := filepath.Join(dir, "precis.db")
	before, err := os.ReadFile(path)
	noError(t, err)
	noError(t, os.Chmod(path, 0o444))
	for _, mode := range []os.FileMode{0o777, 0o555} { // only the file, the directory too
		noError(t, os.Chmod(dir, mode))
		c := child(t, "readonly", path, "")
		if os.Geteuid() == 0 { // root may write anything: be somebody else
			c.Path = publicCopy(t, os.Args[0])
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		out, err := c.Output()
		noError(t, err)
		told := acks(bufio.NewScanner(bytes.NewReader(out)))
		if len(told) != 1 || !strings.Contains(told[0].Error, path) {
			t.Fatalf("told %+v", told)
		}
		after, err := os.ReadFile(path)
		noError(t, err)
		equal(t, before, after)
	}
}

// publicCopy copies a file to where anyone may run it.
func publicCopy(t *testing.T, path string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "public")
	noError(t, err)
	t.Cleanup(func() { noError(t, os.RemoveAll(dir)) })
	noError(t, os.Chmod(dir, 0o755))
	in, err := os.Open(path)
	noError(t, err)
	defer func() { noError(t, in.Close()) }()
	out, err := os.OpenFile(filepath.Join(dir, "test"), os.O_CREATE|os.O_WRONLY, 0o755)
	noError(t, err)
	_, err = io.Copy(out, in)
	noError(t, errors.Join(err, out.Close()))
	return out.Name()
}

// SPEC: V1: a damaged file gives an error or the truth, never something else.
func TestDamaged(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it is concurrent")
	}
	dir := t.TempDir()
	s := openAt(t, dir)
	texts := make([]string, 60)
	for i := range texts {
		texts[i] = noise(i) + noise(i+1)
	}
	_, err := insist(t.Context(), s, mainKey, texts...)
	noError(t, err)
	want, err := s.Load(t.Context(), mainKey)
	noError(t, err)
	noError(t, s.Close())
	whole, err := os.ReadFile(filepath.Join(dir, "precis.db"))
	noError(t, err)
	refused := 0
	for i := range 60 {
		r := rand.New(rand.NewPCG(2, uint64(i)))
		data := bytes.Clone(whole)
		at := r.IntN(len(data) - 64)
		for j := range 64 {
			data[at+j] ^= byte(1 + r.IntN(255))
		}
		have, err := loadDamaged(t, data)
		if err != nil {
			refused++
		} else {
			equal(t, want, have)
		}
	}
	if refused < 20 {
		t.Fatalf("only %d of 60 damaged files were refused", refused)
	}
	for _, data := range [][]byte{[]byte("this is no database, but a text of some length"), whole[:len(whole)/2], whole[4096:]} {
		_, err := loadDamaged(t, data)
		isError(t, err, sqlite.ErrCorrupt)
	}
}

func loadDamaged(t *testing.T, data []byte) (es []thread.Entry, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "precis.db")
	noError(t, os.WriteFile(path, data, 0o600))
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { noError(t, s.Close()) }()
	return s.Load(t.Context(), mainKey)
}

// SPEC: V1: what the file's own checks cannot see, the hashes do.
func TestTampered(t *testing.T) {
	for name, statement := range map[string]string{
		"Body":   `UPDATE blobs SET data = x'00', codec = 0`,
		"Zipped": `UPDATE blobs SET data = x'00', codec = 1`,
		"Size":   `UPDATE blobs SET size = -1, codec = 1`,
		"Other":  `UPDATE blobs SET data = (SELECT data FROM blobs b WHERE b.id = 2), codec = (SELECT codec FROM blobs b WHERE b.id = 2) WHERE id = 1`,
		"Digest": `UPDATE entries SET digest = zeroblob(32)`,
		"ID":     `UPDATE entries SET id = zeroblob(16) WHERE seq = 1`,
		"Short":  `UPDATE entries SET digest = x'00'`,
		"Gone":   `DELETE FROM entries WHERE seq = 2`,
		"Hole":   `DELETE FROM entries WHERE seq = 1`,
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			fillAll(t, s)
			db := rawDB(t, pathOf(t, s))
			_, err := db.Exec(`PRAGMA foreign_keys = OFF; DROP TRIGGER blobs_only_erase; DROP TRIGGER entries_no_update; DROP TRIGGER entries_no_delete;` + statement)
			noError(t, err)
			_, err = s.Load(t.Context(), mainKey)
			isError(t, err, sqlite.ErrCorrupt)
		})
	}
}
