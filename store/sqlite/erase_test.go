//go:build unix

package sqlite_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// holds says which files of a directory hold the text.
func holds(t *testing.T, dir, text string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	noError(t, err)
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		noError(t, err)
		if bytes.Contains(data, []byte(text)) {
			names = append(names, f.Name())
		}
	}
	return names
}

// random are bytes that do not compress: they lie in the file as they are.
func random(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b)
	return b
}

// SPEC: V1, L16: what was erased is in no file any more, neither in the
// database nor in its write-ahead log, while the store is still open.
func TestErasedFromDisk(t *testing.T) {
	small, large := "Xq7 short secret 93", random(100_000)
	middle := string(large[50_000:50_020])
	for name, erase := range map[string]func(*sqlite.Store, []string) error{
		"Erase": func(s *sqlite.Store, ids []string) error {
			for _, id := range ids {
				if err := s.Erase(t.Context(), mainKey, id, tombstone); err != nil {
					return err
				}
			}
			return nil
		},
		"Expire": func(s *sqlite.Store, _ []string) error {
			_, err := s.Expire(t.Context(), "", now.Add(2*time.Hour))
			return err
		},
		"EraseEntry": func(s *sqlite.Store, _ []string) error {
			es, err := s.Load(t.Context(), mainKey)
			if err != nil {
				return err
			}
			return s.EraseEntry(t.Context(), mainKey, es[0].ID, tombstone)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := openAt(t, dir)
			defer func() { noError(t, s.Close()) }()
			es := chain("", "about it", "kept")
			_, err := s.Append(t.Context(), mainKey, store.Batch{Entries: es, Now: now})
			noError(t, err)
			arts := []artifact.Artifact{artifact.Of(es[0].ID, 1, []byte(small)), artifact.Of(es[0].ID, 2, large)}
			for i := range arts {
				arts[i].Created, arts[i].TTL = now, time.Hour
			}
			noError(t, s.Commit(t.Context(), mainKey, &plan.Plan{Base: es[1].ID, Version: 1}, arts))
			if len(holds(t, dir, small)) == 0 || len(holds(t, dir, middle)) == 0 {
				t.Fatal("the content is not to be found before either: this test proves nothing")
			}
			noError(t, erase(s, []string{arts[0].ID, arts[1].ID}))
			equal(t, 0, len(holds(t, dir, small)))
			equal(t, 0, len(holds(t, dir, middle)))
			have, err := s.Load(t.Context(), mainKey)
			noError(t, err)
			equal(t, 2, len(have))
		})
	}
}

// SPEC: V1: the message itself, its variants and what quotes it in the cache.
func TestErasedEntryFromDisk(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	es := chain("", "Zr4 message")
	es[0].Message.Raw = nil
	_, err := s.Append(t.Context(), mainKey, store.Batch{
		Entries: es, Now: now,
		Variants: []store.Variant{{ID: es[0].ID, Raw: []byte("Zr4 variant")}},
	})
	noError(t, err)
	noError(t, s.PutSummary(t.Context(), "", "key", []byte("Zr4 quoted"), now))
	for _, text := range []string{"Zr4 message", "Zr4 variant", "Zr4 quoted"} {
		if len(holds(t, dir, text)) == 0 {
			t.Fatalf("%s is not to be found before either", text)
		}
	}
	noError(t, s.EraseEntry(t.Context(), mainKey, es[0].ID, tombstone))
	equal(t, 0, len(holds(t, dir, "Zr4")))
	noError(t, s.Close())
	equal(t, 0, len(holds(t, dir, "Zr4")))
	sound(t, filepath.Join(dir, "precis.db"))
}
