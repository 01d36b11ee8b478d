//go:build unix

package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/blob"
	"github.com/seed-3db51b0e/precis/store/postgres"
	"github.com/seed-3db51b0e/precis/store/sealed"
	"github.com/seed-3db51b0e/precis/thread"
)

var now = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

// withBlobs opens the database with a folder for content from 100 bytes on, sealed where
// keys are given.
func withBlobs(t testing.TB, keys ...*seal.Keyring) (*postgres.Store, string) {
	t.Helper()
	dir := t.TempDir()
	blobs, err := blob.Open(t.Context(), dir)
	noError(t, err)
	o := postgres.Options{Blobs: blobs, BlobSize: 100}
	if len(keys) > 0 {
		o.Keys = keys[0]
	}
	return open(t, o), dir
}

// files are the objects in a folder.
func files(t testing.TB, dir string) (all []string) {
	t.Helper()
	noError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all = append(all, path)
		}
		return err
	}))
	return all
}

// noise is text that does not compress.
func noise(seed string) string {
	var b bytes.Buffer
	for i := 0; b.Len() < 4000; i++ {
		d := message.TextOf(message.User, fmt.Sprint(seed, i)).Digest()
		b.WriteString(strings.ToValidUTF8(string(d[:]), "?"))
	}
	return b.String()
}

// chain makes entries of texts.
func chain(parent thread.ID, texts ...string) []thread.Entry {
	ms := make([]message.Message, len(texts))
	for i, text := range texts {
		ms[i] = message.TextOf(message.User, text)
		ms[i].Raw = fmt.Appendf(nil, "%q", text)
	}
	return thread.Extend(parent, ms)
}

// whole writes a thread with everything a thread may have, and large.
func whole(t testing.TB, s store.Store, k store.Key, at time.Time, word string) []thread.Entry {
	t.Helper()
	es := chain("", noise("first "+word), noise("second "+word))
	_, err := s.Append(t.Context(), k, store.Batch{
		Entries: es, Envelope: []byte(noise("envelope " + word)), Now: at,
		Variants: []store.Variant{{ID: es[0].ID, Raw: []byte(noise("variant " + word))}},
	})
	noError(t, err)
	p := &plan.Plan{Base: es[1].ID, Version: 1, CreatedAt: at, Records: []plan.Record{
		{Action: plan.Summarize, Text: word, Span: plan.Span{IDs: []thread.ID{es[0].ID}}},
	}}
	a := artifact.Of(es[0].ID, 1, []byte(noise("artifact "+word)))
	a.Created = at
	noError(t, s.Commit(t.Context(), k, p, []artifact.Artifact{a}))
	return es
}

// A thread whose time is over goes as a whole, with its objects; what a newer fork, or
// the thread that it stands beside, needs stays.
//
// SPEC: V1, L16, B14
func TestRetire(t *testing.T) {
	keys, err := seal.Generate()
	noError(t, err)
	t.Run("clear", func(t *testing.T) { retires(t) })
	t.Run("sealed", func(t *testing.T) { retires(t, keys) })
}

func retires(t *testing.T, keys ...*seal.Keyring) {
	t.Helper()
	s, dir := withBlobs(t, keys...)
	old := now.Add(-100 * 24 * time.Hour)
	whole(t, s, store.Key{Thread: "old"}, old, "old")
	whole(t, s, store.Key{Thread: "old"}.Upstream(), old, "beside old")
	mine := whole(t, s, store.Key{Thread: "parent"}, old, "parent")
	_, err := s.Append(t.Context(), store.Key{Thread: "fork"}, store.Batch{ForkOf: "parent", At: mine[0].ID, Now: now})
	noError(t, err)
	whole(t, s, store.Key{Thread: "live"}, now, "live")
	whole(t, s, store.Key{Thread: "live"}.Upstream(), old, "beside live")
	if n := len(files(t, dir)); n != 5*5+1 { // a fork has its parent's envelope
		t.Fatalf("%d objects", n)
	}
	want := store.Retired{Threads: 2, Messages: 4}
	have, err := s.Old(t.Context(), now.Add(-time.Hour))
	noError(t, err)
	if have != want {
		t.Fatalf("old: %+v", have)
	}
	have, err = s.Retire(t.Context(), now.Add(-time.Hour), artifact.Tombstone{At: now, By: "ann"})
	noError(t, err)
	if have != want || len(files(t, dir)) != 3*5+1 {
		t.Fatalf("retired %+v, %d objects left", have, len(files(t, dir)))
	}
	_, err = s.Load(t.Context(), store.Key{Thread: "old"})
	isError(t, err, store.ErrNotFound)
	var gone *store.ErasedError
	if !errors.As(err, &gone) || gone.By != "ann" || gone.Reason != artifact.ReasonExpired {
		t.Fatalf("error is %v", err)
	}
	whole(t, s, store.Key{Thread: "old"}, now, "anew")
	z, err := s.Size(t.Context())
	noError(t, err)
	if z.Threads != 4 || z.Entries != 6 || z.Retired != 2 || z.Stored < 5*3*4000 || z.File == 0 {
		t.Fatalf("size %+v", z)
	}
}

// What is erased leaves the blob store at once; what a crash left there is collected
// after a grace period, and nothing else is.
//
// SPEC: V1, B14
func TestObjectsAreCollected(t *testing.T) {
	s, dir := withBlobs(t)
	k := store.Key{Thread: "main"}
	es := whole(t, s, k, now, "word")
	orphan := filepath.Join(filepath.Dir(files(t, dir)[0]), "0123-45")
	noError(t, os.WriteFile(orphan, []byte("of a node that was killed"), 0o600))
	noError(t, os.WriteFile(orphan+".KXQ.part", []byte("while it wrote"), 0o600))
	noError(t, s.EraseEntry(t.Context(), k, es[0].ID, artifact.Tombstone{At: now}))
	if n := len(files(t, dir)); n != 2+2 { // the other message, the envelope, the orphans
		t.Fatalf("%d objects", n)
	}
	freed, err := s.Collect(t.Context(), time.Now().Add(-postgres.Grace))
	noError(t, err)
	if freed != 0 {
		t.Errorf("%d bytes collected too soon", freed)
	}
	freed, err = s.Collect(t.Context(), time.Now().Add(time.Minute))
	noError(t, err)
	if n := len(files(t, dir)); freed != 25+14 || n != 2 {
		t.Errorf("collected %d bytes, %d objects are left", freed, n)
	}
	_, err = s.Load(t.Context(), k)
	noError(t, err)
}

// Wrong bytes from the blob store are an error, never another conversation, and doctor
// finds them.
//
// SPEC: V1, B14
func TestWrongBytesFromTheBlobStore(t *testing.T) {
	s, dir := withBlobs(t)
	k := store.Key{Thread: "main"}
	whole(t, s, k, now, "word")
	found, n, err := s.Check(t.Context())
	noError(t, err)
	if len(found) != 0 || n != 7 {
		t.Fatalf("%d contents, %v", n, found)
	}
	for _, path := range files(t, dir) {
		data, err := os.ReadFile(path)
		noError(t, err)
		data[len(data)/2]++
		noError(t, os.WriteFile(path, data, 0o600))
	}
	_, err = s.Load(t.Context(), k)
	isError(t, err, postgres.ErrCorrupt)
	found, _, err = s.Check(t.Context())
	noError(t, err)
	if len(found) != 1 || found[0].Key != k || found[0].Repair {
		t.Fatalf("found %v", found)
	}
	for _, path := range files(t, dir) {
		noError(t, os.Remove(path))
	}
	_, err = s.Load(t.Context(), k)
	isError(t, err, postgres.ErrCorrupt)
}

// What artifacts hold is sealed before it reaches the blob store.
//
// SPEC: B14
func TestObjectsAreSealed(t *testing.T) {
	s, dir := withBlobs(t)
	ring, err := seal.Generate()
	noError(t, err)
	whole(t, sealed.Over(s, ring), store.Key{Thread: "main"}, now, "word")
	secret, clear := []byte(noise("artifact word"))[:500], 0
	for _, path := range files(t, dir) {
		data, err := os.ReadFile(path)
		noError(t, err)
		if bytes.Contains(data, secret) {
			clear++
		}
	}
	if clear != 0 {
		t.Errorf("%d objects hold the artifact in clear", clear)
	}
}

// The schema itself refuses to change what was written.
//
// SPEC: V1, B14
func TestSchemaIsAppendOnly(t *testing.T) {
	s := open(t, postgres.Options{})
	whole(t, s, store.Key{Thread: "main"}, now, "word")
	db, err := pgx.Connect(t.Context(), server.URL("postgres"))
	noError(t, err)
	defer func() { noError(t, db.Close(context.Background())) }()
	for _, sql := range []string{
		`UPDATE entries SET body = ''`, `DELETE FROM entries`, `UPDATE variants SET body = ''`, `UPDATE envelopes SET body = ''`,
		`UPDATE plans SET header = ''`, `DELETE FROM plans`, `UPDATE records SET body = ''`, `UPDATE artifacts SET body = ''`,
		`DELETE FROM threads`, `UPDATE threads SET len = len - 1`, `UPDATE threads SET plan_version = plan_version + 2`,
	} {
		if _, err := db.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "only") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
