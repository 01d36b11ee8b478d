//go:build unix

package postgres_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/internal/testpostgres"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/blob"
	"github.com/seed-3db51b0e/precis/store/postgres"
	"github.com/seed-3db51b0e/precis/store/storetest"
	"github.com/seed-3db51b0e/precis/thread"
)

func messages(es []thread.Entry) (ms []message.Message) {
	for _, e := range es {
		ms = append(ms, e.Message)
	}
	return ms
}

// Sealing changes nothing of the contract.
//
// SPEC: V1, V8, L16, L17, L18, B14
func TestSealedContract(t *testing.T) {
	if testing.Short() {
		t.Skip("the contract a second time")
	}
	keys, err := seal.Generate()
	noError(t, err)
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, postgres.Options{Keys: keys}) })
}

// Nothing of what was said, and no hash or id that is made from it, stands in a dump of a
// sealed database or in its blob store; without the key it does not open.
//
// SPEC: V8, B14
func TestSealedDatabase(t *testing.T) {
	keys, err := seal.Generate()
	noError(t, err)
	dir := t.TempDir()
	blobs, err := blob.Open(t.Context(), dir)
	noError(t, err)
	s := open(t, postgres.Options{Keys: keys, Blobs: blobs, BlobSize: 2000})
	k := store.Key{Tenant: "tenant-PLANTED", Thread: "thread-PLANTED"}
	es := chain("", "short PLANTED", noise("large PLANTED"), "erased PLANTED", "last")
	_, err = s.Append(t.Context(), k, store.Batch{
		Entries: es, Envelope: []byte("envelope PLANTED"), Now: now,
		Variants: []store.Variant{{ID: es[0].ID, Raw: []byte("variant PLANTED")}},
	})
	noError(t, err)
	_, err = s.Append(t.Context(), store.Key{Tenant: k.Tenant, Thread: "fork-PLANTED"}, store.Batch{ForkOf: k.Thread, At: es[1].ID, Now: now})
	noError(t, err)
	_, err = s.Append(t.Context(), k.Answers(), store.Batch{Entries: chain("", "answer PLANTED"), Now: now})
	noError(t, err)
	a := artifact.Of(es[1].ID, 1, []byte("artifact PLANTED"))
	p := &plan.Plan{Base: es[3].ID, Version: 1, CreatedAt: now, Records: []plan.Record{
		{Action: plan.Summarize, Text: "summary PLANTED", Span: plan.Span{IDs: []thread.ID{es[0].ID, es[2].ID}}},
	}}
	noError(t, s.Commit(t.Context(), k, p, []artifact.Artifact{a}))
	noError(t, s.EraseEntry(t.Context(), k, es[2].ID, artifact.Tombstone{At: now}))
	noError(t, s.PutSummary(t.Context(), k.Tenant, "key-PLANTED", []byte("cached PLANTED"), now))

	made := [][]byte{[]byte("PLANTED"), []byte(a.ID)}
	for _, e := range es {
		id, err := hex.DecodeString(string(e.ID))
		noError(t, err)
		sum := sha256.Sum256(e.Message.Raw)
		made = append(made, id, e.Digest[:], sum[:])
	}
	raw := dump(t, server)
	for _, path := range files(t, dir) {
		data, err := os.ReadFile(path)
		noError(t, err)
		raw = append(append(raw, path...), data...)
	}
	for _, secret := range made {
		if bytes.Contains(raw, secret) || bytes.Contains(raw, []byte(hex.EncodeToString(secret))) {
			t.Errorf("%q stands in the database", secret)
		}
	}
	contents, clear, err := s.Sealing(t.Context())
	noError(t, err)
	if contents < 8 || clear != 0 {
		t.Errorf("%d pieces of content, %d in the clear", contents, clear)
	}
	url := server.URL("postgres")
	_, err = postgres.Open(t.Context(), url, postgres.Options{})
	isError(t, err, postgres.ErrSealed)
	other, err := seal.Generate()
	noError(t, err)
	_, err = postgres.Open(t.Context(), url, postgres.Options{Keys: other})
	isError(t, err, seal.ErrKey)

	// The keys change while the database is in use.
	rotated, err := keys.Rotate()
	noError(t, err)
	blobs, err = blob.Open(t.Context(), dir)
	noError(t, err)
	again, err := postgres.Open(t.Context(), url, postgres.Options{Keys: rotated, Blobs: blobs, BlobSize: 2000})
	noError(t, err)
	n, err := again.Reseal(t.Context(), rotated)
	noError(t, err)
	if n < 7 {
		t.Errorf("%d pieces were sealed anew", n)
	}
	noError(t, again.Close())
	newest, err := rotated.Remove(keys.Primary())
	noError(t, err)
	blobs, err = blob.Open(t.Context(), dir)
	noError(t, err)
	last, err := postgres.Open(t.Context(), url, postgres.Options{Keys: newest, Blobs: blobs, BlobSize: 2000})
	noError(t, err)
	defer func() { noError(t, last.Close()) }()
	have, err := last.Load(t.Context(), k)
	noError(t, err)
	if len(have) != 4 || have[1].Message.Parts[0].Text != es[1].Message.Parts[0].Text || len(files(t, dir)) != 1 {
		t.Errorf("%d messages, %d objects", len(have), len(files(t, dir)))
	}
	found, _, err := last.Check(t.Context())
	noError(t, err)
	if len(found) != 0 {
		t.Errorf("found %v", found)
	}
}

// dump is all of the shared database as rows of text and of its files' bytes.
func dump(t *testing.T, s *testpostgres.Server) []byte {
	t.Helper()
	bin, err := testpostgres.Binary("pg_dump")
	noError(t, err)
	out, err := exec.Command(bin, "-d", s.URL("postgres")).Output()
	noError(t, err)
	return out
}

// Of nodes that begin together on an empty database one makes its key, and a database that
// holds conversations in the clear takes none.
//
// SPEC: V8, B14
func TestSealedFromTheBeginning(t *testing.T) {
	keys, err := seal.Generate()
	noError(t, err)
	url := clear(t)
	stores := make([]*postgres.Store, 4)
	var g errgroup.Group
	for i := range stores {
		g.Go(func() (err error) {
			stores[i], err = postgres.Open(context.Background(), url, postgres.Options{Keys: keys})
			return err
		})
	}
	noError(t, g.Wait())
	_, err = stores[0].Append(t.Context(), store.Key{Thread: "main"}, store.Batch{Entries: chain("", "one"), Now: now})
	noError(t, err)
	for _, s := range stores {
		h, err := s.Head(t.Context(), store.Key{Thread: "main"})
		noError(t, errors.Join(err, s.Close()))
		if h.Len != 1 {
			t.Errorf("%d messages", h.Len)
		}
	}
	s := open(t, postgres.Options{})
	_, err = s.Append(t.Context(), store.Key{Thread: "main"}, store.Batch{Entries: chain("", "one"), Now: now})
	noError(t, err)
	_, err = postgres.Open(t.Context(), url, postgres.Options{Keys: keys})
	isError(t, err, postgres.ErrClear)
}

// A node that still has the old key file writes with the old key after a Reseal. A second one
// finds that and moves it, so that the old key can go; a third finds nothing.
//
// SPEC: V8, B14
func TestResealAgain(t *testing.T) {
	keys, err := seal.Generate()
	noError(t, err)
	old := open(t, postgres.Options{Keys: keys})
	k, es := store.Key{Thread: "main"}, chain("", "before")
	_, err = old.Append(t.Context(), k, store.Batch{Entries: es, Now: now})
	noError(t, err)
	rotated, err := keys.Rotate()
	noError(t, err)
	s, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{Keys: rotated})
	noError(t, err)
	defer func() { noError(t, s.Close()) }()
	for again, want := range []int{1, 1, 0} {
		n, err := s.Reseal(t.Context(), rotated)
		noError(t, err)
		if n != want {
			t.Errorf("run %d sealed %d pieces anew, not %d", again, n, want)
		}
		if again > 0 {
			continue
		}
		_, err = old.Load(t.Context(), k)
		isError(t, err, seal.ErrKey) // why all nodes get the new file first
		_, err = old.Append(t.Context(), k, store.Batch{Tip: es[0].ID, Entries: chain(es[0].ID, "after"), Now: now})
		noError(t, err)
	}
	newest, err := rotated.Remove(keys.Primary())
	noError(t, err)
	last, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{Keys: newest})
	noError(t, err)
	defer func() { noError(t, last.Close()) }()
	have, err := last.Load(t.Context(), k)
	noError(t, err)
	found, _, err := last.Check(t.Context())
	noError(t, err)
	if len(have) != 2 || len(found) != 0 {
		t.Errorf("%d messages, found %v", len(have), found)
	}
}

// silent is a blob store that answers no reading.
type silent struct{ blob.Store }

func (silent) Get(ctx context.Context, _ string) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// A blob store that answers nothing does not hold the row of a thread for ever.
//
// SPEC: V8, B14
func TestResealGivesUp(t *testing.T) {
	keys, err := seal.Generate()
	noError(t, err)
	blobs, err := blob.Open(t.Context(), t.TempDir())
	noError(t, err)
	_, err = open(t, postgres.Options{Keys: keys, Blobs: blobs, BlobSize: 100}).
		Append(t.Context(), store.Key{Thread: "main"}, store.Batch{Entries: chain("", noise("large")), Now: now})
	noError(t, err)
	s, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{Keys: keys, Blobs: silent{blobs}, BlobPatience: time.Millisecond, Patience: time.Millisecond})
	noError(t, err)
	defer func() { noError(t, s.Close()) }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err = s.Reseal(ctx, keys)
	isError(t, err, context.DeadlineExceeded)
	noError(t, ctx.Err())
}
