//go:build unix

package sqlite_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/internal/hostile"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/store/storetest"
	"github.com/seed-3db51b0e/precis/thread"
)

func ring(t testing.TB) *seal.Keyring {
	t.Helper()
	r, err := seal.Generate()
	noError(t, err)
	return r
}

func openSealed(t testing.TB, dir string, keys *seal.Keyring) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "precis.db"), sqlite.Options{Keys: keys})
	noError(t, err)
	return s
}

// SPEC: V1, V8, L16, L17, L18: sealing changes nothing of the contract.
func TestSealedContract(t *testing.T) {
	if testing.Short() {
		t.Skip("the contract a second time")
	}
	keys := ring(t)
	storetest.Run(t, func(t *testing.T) store.Store {
		s := openSealed(t, t.TempDir(), keys)
		t.Cleanup(func() { noError(t, s.Close()) })
		return s
	})
	storetest.RunReopen(t, func(t *testing.T, dir string) store.Store { return openSealed(t, dir, keys) })
}

// said is what plantAll puts into a store: nothing of it may stand in a sealed file.
var said = []string{
	"tenant-PLANTED", "thread-PLANTED", "fork-PLANTED", "old-PLANTED", "short PLANTED", "lengthy PLANTED", "variant PLANTED", "envelope PLANTED",
	"summary PLANTED", "artifact PLANTED", "cached PLANTED", "cache-key-PLANTED", "erased PLANTED",
}

var planted = store.Key{Tenant: "tenant-PLANTED", Thread: "thread-PLANTED"}

// plantAll puts a text into every place of the store that holds what was said, and
// returns the bytes that are made from it: ids, digests, hashes.
func plantAll(t *testing.T, s *sqlite.Store) (made [][]byte) {
	t.Helper()
	es := chain("", "short PLANTED", strings.Repeat("lengthy PLANTED ", 300), "erased PLANTED", "last")
	_, err := s.Append(t.Context(), planted, store.Batch{
		Entries: es, Envelope: []byte("envelope PLANTED"), Now: now,
		Variants: []store.Variant{{ID: es[0].ID, Raw: []byte("variant PLANTED")}},
	})
	noError(t, err)
	_, err = s.Append(t.Context(), store.Key{Tenant: planted.Tenant, Thread: "fork-PLANTED"}, store.Batch{ForkOf: planted.Thread, At: es[1].ID, Now: now})
	noError(t, err)
	_, err = s.Append(t.Context(), planted.Upstream(), store.Batch{Entries: es[:1], Now: now})
	noError(t, err)
	_, err = s.Append(t.Context(), store.Key{Tenant: planted.Tenant, Thread: "old-PLANTED"}, store.Batch{Entries: chain("", "old"), Now: now.AddDate(-1, 0, 0)})
	noError(t, err)
	_, err = s.Retire(t.Context(), now.AddDate(0, -1, 0), tombstone)
	noError(t, err)
	a := artifact.Of(es[1].ID, 1, []byte("artifact PLANTED"))
	b := artifact.Of(es[1].ID, 2, []byte("another artifact PLANTED"))
	for v := 1; v <= 2; v++ {
		p := &plan.Plan{Base: es[3].ID, Version: v, CreatedAt: now, Records: []plan.Record{
			{Action: plan.Summarize, Text: strings.Repeat("summary PLANTED ", v), Span: plan.Span{IDs: []thread.ID{es[0].ID, es[1].ID}}},
			{Action: plan.Drop, Span: plan.Span{IDs: []thread.ID{es[1].ID, es[3].ID}}},
		}}
		noError(t, s.Commit(t.Context(), planted, p, []artifact.Artifact{a, b}))
	}
	noError(t, s.Erase(t.Context(), planted, b.ID, tombstone))
	noError(t, s.EraseEntry(t.Context(), planted, es[2].ID, tombstone))
	noError(t, s.PutSummary(t.Context(), planted.Tenant, "cache-key-PLANTED", []byte("cached PLANTED"), now))
	made = append(made, []byte(a.ID), []byte(b.ID))
	for _, e := range es {
		id, err := hex.DecodeString(string(e.ID))
		noError(t, err)
		made = append(made, id, e.Digest[:])
	}
	for _, text := range said {
		sum := sha256.Sum256([]byte(text))
		made = append(made, sum[:])
	}
	return made
}

// readAll is all that a store returns of what was planted.
func readAll(t *testing.T, s *sqlite.Store) (all []string) {
	t.Helper()
	add := func(v any, err error) {
		t.Helper()
		var gone *store.ErasedError
		if err != nil && !errors.As(err, &gone) {
			t.Fatal(err)
		}
		text, err := json.Marshal([]any{v, gone})
		noError(t, err)
		all = append(all, string(text))
	}
	ctx := t.Context()
	heads, err := s.Heads(ctx, planted.Tenant)
	add(heads, err)
	for _, h := range heads {
		es, err := s.Load(ctx, h.Key)
		add(es, err)
		for _, e := range es {
			vs, err := s.Variants(ctx, h.Key, e.ID)
			add(vs, err)
		}
		envelope, err := s.Envelope(ctx, h.Key)
		add(envelope, err)
		vs, err := s.PlanVersions(ctx, h.Key)
		add(vs, err)
		for _, v := range vs {
			p, err := s.PlanAt(ctx, h.Key, v.Version)
			add(p, err)
		}
		list, err := s.ArtifactList(ctx, h.Key)
		add(list, err)
		for _, a := range list {
			content, err := s.Artifact(ctx, h.Key, a.ID)
			add(content, err)
		}
	}
	es, err := s.Load(ctx, planted.Upstream())
	add(es, err)
	old, err := s.Old(ctx, now.AddDate(1, 0, 0))
	add(old, err)
	_, err = s.Head(ctx, store.Key{Tenant: planted.Tenant, Thread: "old-PLANTED"})
	add(nil, err)
	bad, _, err := s.Check(ctx)
	add(bad, err)
	return all
}

// nothingOf wants none of the texts and bytes in a database's files.
func nothingOf(t *testing.T, dir string, made [][]byte) {
	t.Helper()
	files, err := os.ReadDir(dir)
	noError(t, err)
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		noError(t, err)
		for _, text := range append([]string{"PLANTED"}, said...) {
			if bytes.Contains(data, []byte(text)) {
				t.Errorf("%s holds %q", f.Name(), text)
			}
		}
		for i, b := range made {
			if bytes.Contains(data, b) {
				t.Errorf("%s holds %x (%d), which is made from what was said", f.Name(), b, i)
			}
		}
	}
}

// What a sealed file holds of a conversation is sealed, while it is open and after: the
// log, plans, summaries, artifacts, names, and all that is made from them. It opens with
// its key only.
//
// SPEC: L16
func TestSealedFile(t *testing.T) {
	dir, keys := t.TempDir(), ring(t)
	s := openSealed(t, dir, keys)
	made := plantAll(t, s)
	nothingOf(t, dir, made)
	before := readAll(t, s)
	summary, err := s.Summary(t.Context(), planted.Tenant, "cache-key-PLANTED")
	noError(t, err)
	equal(t, "cached PLANTED", string(summary))
	noError(t, s.Close())
	nothingOf(t, dir, made)

	path := filepath.Join(dir, "precis.db")
	for name, open := range map[string]func(context.Context, string, sqlite.Options) (*sqlite.Store, error){"Open": sqlite.Open, "OpenReadOnly": sqlite.OpenReadOnly} {
		_, err := open(t.Context(), path, sqlite.Options{})
		isError(t, err, sqlite.ErrSealed)
		_, err = open(t.Context(), path, sqlite.Options{Keys: ring(t)})
		var missing *seal.KeyError
		if !errors.As(err, &missing) || missing.ID != keys.Primary() {
			t.Errorf("%s with another key: %v", name, err)
		}
		s, err := open(t.Context(), path, sqlite.Options{Keys: keys})
		noError(t, err)
		equal(t, before, readAll(t, s))
		noError(t, s.Close())
	}
}

// inClear are the columns of text and bytes that a sealed file does not turn: formats,
// counters, policies, tools, times, and who erased what and why. docs/security.md names
// them.
var inClear = []string{
	"blobs.erased_at", "threads.source", "threads.created", "threads.updated", "entries.counter", "variants.dialect",
	"plans.policy", "plans.created", "plans.list", "artifacts.tool", "artifacts.media_type", "artifacts.created", "artifacts.key_id", "artifacts.sensitivity",
	"erasures.erased_at", "erasures.erased_by", "erasures.reason",
	"retired.source", "retired.created", "retired.updated", "retired.erased_at", "retired.erased_by", "retired.reason",
}

// Every column is sealed, or is one of those that the page lists as readable: a new one
// must be decided on.
//
// SPEC: L16
func TestEveryColumnIsSealedOrListed(t *testing.T) {
	dir := t.TempDir()
	noError(t, openAt(t, dir).Close())
	db := rawDB(t, filepath.Join(dir, "precis.db"))
	rows, err := db.Query(`SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT IN ('migrations', 'sealing', 'summaries') AND c.type IN ('TEXT', 'BLOB')`)
	noError(t, err)
	defer rows.Close()
	known := slices.Concat(sqlite.SealedColumns(), inClear, []string{"blobs.data"})
	for rows.Next() {
		var column string
		noError(t, rows.Scan(&column))
		if !slices.Contains(known, column) {
			t.Errorf("%s is neither sealed nor listed", column)
		}
	}
	noError(t, rows.Err())
}

// A file in the clear does not become half sealed: it is refused with a key, Seal seals
// all of it, and who had it open before writes nothing in the clear any more.
//
// SPEC: L16, V1
func TestSealAFile(t *testing.T) {
	dir, keys := t.TempDir(), ring(t)
	path := filepath.Join(dir, "precis.db")
	s := openAt(t, dir)
	made := plantAll(t, s)
	before := readAll(t, s)
	noError(t, s.Close())
	if data, err := os.ReadFile(path); err != nil || !bytes.Contains(data, []byte("short PLANTED")) || !bytes.Contains(data, made[3]) {
		t.Fatalf("the file in the clear should show it: %v", err)
	}
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{Keys: keys})
	isError(t, err, sqlite.ErrClear)

	late := openAt(t, dir)
	r, err := sqlite.Seal(t.Context(), path, sqlite.Options{Keys: keys})
	noError(t, err)
	if !r.First || r.Contents == 0 {
		t.Errorf("sealed %+v", r)
	}
	_, err = late.Append(t.Context(), store.Key{Thread: "late"}, store.Batch{Entries: chain("", "late"), Now: now})
	if err == nil || !strings.Contains(err.Error(), "sealed") {
		t.Errorf("written in the clear: %v", err)
	}
	noError(t, late.Close())
	nothingOf(t, dir, made)
	sound(t, path)

	s = openSealed(t, dir, keys)
	equal(t, before, readAll(t, s))
	noError(t, s.Close())
	db := rawDB(t, path)
	for _, statement := range []string{
		`DELETE FROM sealing`, `UPDATE sealing SET key = x'00'`, `INSERT OR REPLACE INTO sealing VALUES (1, x'00')`, `DELETE FROM blobs`,
		`INSERT INTO blobs (tenant, hash, size, codec, data) VALUES (1, x'00', 1, 0, x'41')`,
	} {
		if _, err := db.Exec(statement); err == nil {
			t.Errorf("went through: %s", statement)
		}
	}
}

// A new key seals from now on, Seal moves what is there to it, and then the old key can
// go.
//
// SPEC: L16
func TestSealedKeysRotate(t *testing.T) {
	dir, old := t.TempDir(), ring(t)
	path := filepath.Join(dir, "precis.db")
	s := openSealed(t, dir, old)
	made := plantAll(t, s)
	before := readAll(t, s)
	noError(t, s.Close())
	both, err := old.Rotate()
	noError(t, err)
	s = openSealed(t, dir, both)
	equal(t, before, readAll(t, s))
	es := chain("", "written with the new key")
	_, err = s.Append(t.Context(), store.Key{Thread: "new"}, store.Batch{Entries: es, Now: now})
	noError(t, err)
	before = readAll(t, s)
	noError(t, s.Close())

	r, err := sqlite.Seal(t.Context(), path, sqlite.Options{Keys: both})
	noError(t, err)
	if r.First || r.Contents == 0 {
		t.Errorf("sealed %+v", r)
	}
	r, err = sqlite.Seal(t.Context(), path, sqlite.Options{Keys: both})
	noError(t, err)
	equal(t, sqlite.Resealed{}, r)
	only, err := both.Remove(old.Primary())
	noError(t, err)
	s = openSealed(t, dir, only)
	equal(t, before, readAll(t, s))
	noError(t, s.Close())
	nothingOf(t, dir, made)
	_, err = sqlite.Open(t.Context(), path, sqlite.Options{Keys: old})
	isError(t, err, seal.ErrKey)
}

// sealIt is a process that seals a file with the key file arg.
func sealIt(path, arg string) error {
	keys, err := seal.ReadFile(arg)
	if err == nil {
		say(ack{})
		_, err = sqlite.Seal(context.Background(), path, sqlite.Options{Keys: keys})
	}
	return err
}

// Sealing that is killed leaves a file that is in the clear or sealed, with all it held;
// sealing again ends the work.
//
// SPEC: L16, V1
func TestSealKilled(t *testing.T) {
	attack := hostile.Begin(t, "sealing", 5, 300)
	made := t.TempDir()
	s := openAt(t, made)
	bytesMade := plantAll(t, s)
	for i := range 60 {
		es := chain("", fmt.Sprint("PLANTED ", i), strings.Repeat(fmt.Sprint(i, " PLANTED "), 900))
		_, err := s.Append(t.Context(), store.Key{Tenant: planted.Tenant, Thread: fmt.Sprint("PLANTED ", i)}, store.Batch{Entries: es, Envelope: []byte("e"), Now: now})
		noError(t, err)
	}
	before := readAll(t, s)
	noError(t, s.Close())
	file, err := os.ReadFile(filepath.Join(made, "precis.db"))
	noError(t, err)
	keys, keyFile := ring(t), filepath.Join(made, "key")
	noError(t, keys.CreateFile(keyFile))
	clear, ended := 0, 0
	took := time.Second // the first is left alone
	for n := range attack.N + 1 {
		dir := t.TempDir()
		path := filepath.Join(dir, "precis.db")
		noError(t, os.WriteFile(path, file, 0o600))
		c := child(t, "seal", path, keyFile)
		out, err := c.StdoutPipe()
		noError(t, err)
		noError(t, c.Start())
		_, err = out.Read(make([]byte, 64)) // it begins
		noError(t, err)
		if begun := time.Now(); n == 0 {
			noError(t, c.Wait())
			took = time.Since(begun)
			continue
		}
		time.Sleep(took * time.Duration(n*7%23) / 20)
		noError(t, c.Process.Kill())
		if c.Wait() == nil {
			ended++
		}
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if errors.Is(err, sqlite.ErrSealed) {
			s, err = sqlite.Open(t.Context(), path, sqlite.Options{Keys: keys})
		} else {
			clear++
		}
		noError(t, err)
		equal(t, before, readAll(t, s))
		noError(t, s.Close())
		_, err = sqlite.Seal(t.Context(), path, sqlite.Options{Keys: keys})
		noError(t, err)
		s = openSealed(t, dir, keys)
		equal(t, before, readAll(t, s))
		noError(t, s.Close())
		nothingOf(t, dir, bytesMade)
		sound(t, path)
		noError(t, os.RemoveAll(dir))
	}
	attack.Found("kills while a file is sealed: %d left it in the clear, %d sealed, %d came too late; nothing lost, sealed by the next try", clear, attack.N-clear-ended, ended)
}
