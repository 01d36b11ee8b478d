package sealed_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sealed"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/store/storetest"
	"github.com/seed-3db51b0e/precis/thread"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func isError(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
}

func equal(t testing.TB, want, have any) {
	t.Helper()
	if !reflect.DeepEqual(want, have) {
		t.Fatalf("have %+v, want %+v", have, want)
	}
}

func generate(t testing.TB) *seal.Keyring {
	t.Helper()
	r, err := seal.Generate()
	noError(t, err)
	return r
}

func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	noError(t, err)
	return s
}

// SPEC: V1, V8, L16, L17, L18: sealing changes nothing of the contract.
func TestContract(t *testing.T) {
	ring := generate(t)
	t.Run("Memory", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) store.Store { return sealed.Over(memory.New(), ring) })
	})
	t.Run("SQLite", func(t *testing.T) {
		if testing.Short() {
			t.Skip("the race job: store/sqlite runs the same contract, and memory the sealing")
		}
		storetest.Run(t, func(t *testing.T) store.Store {
			s := sealed.Over(open(t, filepath.Join(t.TempDir(), "precis.db")), ring)
			t.Cleanup(func() { noError(t, s.Close()) })
			return s
		})
		storetest.RunReopen(t, func(t *testing.T, dir string) store.Store {
			return sealed.Over(open(t, filepath.Join(dir, "precis.db")), ring)
		})
	})
}

var (
	key = store.Key{Tenant: "t", Thread: "main"}
	now = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
)

// talk logs a conversation of n messages.
func talk(t testing.TB, s store.Store, k store.Key, n int) []thread.Entry {
	t.Helper()
	var ms []message.Message
	for i := range n {
		ms = append(ms, message.TextOf(message.User, fmt.Sprint("message ", i)))
	}
	es := thread.Extend("", ms)
	_, err := s.Append(t.Context(), k, store.Batch{Entries: es, Now: now})
	noError(t, err)
	return es
}

func commit(t testing.TB, s store.Store, k store.Key, version int, es []thread.Entry, as ...artifact.Artifact) {
	t.Helper()
	p := &plan.Plan{Base: es[len(es)-1].ID, Version: version, CreatedAt: now}
	noError(t, s.Commit(t.Context(), k, p, as))
}

func read(t testing.TB, s store.Store, k store.Key, id string) string {
	t.Helper()
	a, err := s.Artifact(t.Context(), k, id)
	noError(t, err)
	return string(a.Content)
}

const secret = "the launch code is 0000"

// SPEC: L16: at rest there is no content in the clear, in the file or anywhere
// beside it, and the list names the key.
func TestAtRest(t *testing.T) {
	dir := t.TempDir()
	ring := generate(t)
	inner := open(t, filepath.Join(dir, "precis.db"))
	s := sealed.Over(inner, ring)
	es := talk(t, s, key, 2)
	a := artifact.Of(es[0].ID, 1, []byte(secret))
	commit(t, s, key, 1, es, a)
	equal(t, secret, read(t, s, key, a.ID))
	list, err := s.ArtifactList(t.Context(), key)
	noError(t, err)
	equal(t, ring.Primary(), list[0].KeyID)
	noError(t, s.Close())
	files, err := os.ReadDir(dir)
	noError(t, err)
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		noError(t, err)
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s holds it in the clear", f.Name())
		}
	}
}

// SPEC: L17: a repeated commit writes nothing, though sealing gives other bytes
// each time; a caller may commit what it read or sealed itself.
func TestRepeat(t *testing.T) {
	ring, inner := generate(t), memory.New()
	s := sealed.Over(inner, ring)
	es := talk(t, s, key, 2)
	a := artifact.Of(es[0].ID, 1, []byte(secret))
	commit(t, s, key, 1, es, a)
	first, err := inner.Artifact(t.Context(), key, a.ID)
	noError(t, err)
	commit(t, s, key, 1, es, a)
	opened, err := s.Artifact(t.Context(), key, a.ID)
	noError(t, err)
	commit(t, s, key, 1, es, opened)
	own := a
	own.Tenant, own.Thread = key.Tenant, key.Thread
	own, err = ring.Seal(own)
	noError(t, err)
	commit(t, s, key, 1, es, own)
	again, err := inner.Artifact(t.Context(), key, a.ID)
	noError(t, err)
	equal(t, first, again)
	own.KeyID = "1"
	err = s.Commit(t.Context(), key, &plan.Plan{Base: es[1].ID, Version: 1, CreatedAt: now}, []artifact.Artifact{own})
	isError(t, err, seal.ErrKey)
}

// SPEC: L16, V10: content moved to another thread or tenant by whoever writes
// to the store beneath does not open there.
func TestElsewhere(t *testing.T) {
	inner := memory.New()
	s := sealed.Over(inner, generate(t))
	es := talk(t, s, key, 2)
	a := artifact.Of(es[0].ID, 1, []byte(secret))
	commit(t, s, key, 1, es, a)
	stolen, err := inner.Artifact(t.Context(), key, a.ID)
	noError(t, err)
	for _, k := range []store.Key{{Tenant: "t", Thread: "other"}, {Tenant: "u", Thread: "main"}} {
		es := talk(t, s, k, 2)
		commit(t, inner, k, 1, es, stolen)
		_, err := s.Artifact(t.Context(), k, a.ID)
		isError(t, err, seal.ErrTampered)
	}
	fork := store.Key{Tenant: "t", Thread: "fork"}
	_, err = s.Append(t.Context(), fork, store.Batch{ForkOf: "main", At: es[0].ID, Now: now})
	noError(t, err)
	equal(t, secret, read(t, s, fork, a.ID)) // a fork shares it
	commit(t, s, fork, 1, es[:1], a)         // and may have it as its own
	equal(t, secret, read(t, s, fork, a.ID))
}

// SPEC: L16: keys are renewed, content moves to the new one, and without its
// key it stays shut while its metadata can be read.
func TestRotate(t *testing.T) {
	old, inner := generate(t), memory.New()
	s := sealed.Over(inner, old)
	es := talk(t, s, key, 3)
	a, b := artifact.Of(es[0].ID, 1, []byte(secret)), artifact.Of(es[1].ID, 1, []byte("erased"))
	commit(t, s, key, 1, es, a, b)
	noError(t, s.Erase(t.Context(), key, b.ID, artifact.Tombstone{At: now}))
	plain := artifact.Of(es[2].ID, 1, []byte("from before there was a key"))
	commit(t, inner, key, 2, es, plain)
	renewed, err := old.Rotate()
	noError(t, err)
	s = sealed.Over(inner, renewed)
	equal(t, secret, read(t, s, key, a.ID))
	equal(t, string(plain.Content), read(t, s, key, plain.ID))
	n, err := s.Reseal(t.Context(), key)
	noError(t, err)
	equal(t, 2, n)
	n, err = s.Reseal(t.Context(), key)
	noError(t, err)
	equal(t, 0, n)
	only, err := renewed.Remove(old.Primary())
	noError(t, err)
	s = sealed.Over(inner, only)
	equal(t, secret, read(t, s, key, a.ID))
	equal(t, string(plain.Content), read(t, s, key, plain.ID))
	h, err := s.Head(t.Context(), key)
	noError(t, err)
	equal(t, 2, h.PlanVersion) // resealing is no new plan
	stranger := sealed.Over(inner, generate(t))
	_, err = stranger.Artifact(t.Context(), key, a.ID)
	var missing *seal.KeyError
	if !errors.As(err, &missing) || missing.ID != only.Primary() {
		t.Fatalf("error is %v", err)
	}
	_, err = stranger.Reseal(t.Context(), key)
	isError(t, err, seal.ErrKey)
	list, err := stranger.ArtifactList(t.Context(), key)
	noError(t, err)
	equal(t, 3, len(list))
	n, err = s.Reseal(t.Context(), store.Key{Thread: "nobody"})
	isError(t, err, store.ErrNotFound)
	equal(t, 0, n)
}

// BenchmarkSealing commits an artifact of 64 kB to a store in memory, and reads it, in the
// clear and sealed.
func BenchmarkSealing(b *testing.B) {
	ring, content := generate(b), bytes.Repeat([]byte("crates of salt, "), 4096)
	for _, name := range []string{"clear", "sealed"} {
		k := store.Key{Tenant: "acme", Thread: name}
		b.Run("artifact/"+name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s := store.Store(memory.New())
				if name == "sealed" {
					s = sealed.Over(s, ring)
				}
				es := talk(b, s, k, 3)
				b.StartTimer()
				commit(b, s, k, 1, es, artifact.Artifact{ID: "a0123456789ab", Source: es[1].ID, Created: now, Content: content})
				read(b, s, k, "a0123456789ab")
			}
		})
	}
}
