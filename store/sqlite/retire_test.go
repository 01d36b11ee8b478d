//go:build unix

package sqlite_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
)

// long is how long ago the old threads of these tests were used.
const long = 100 * 24 * time.Hour

// whole writes a thread with everything a thread may have, all of which says word.
func whole(t *testing.T, s *sqlite.Store, k store.Key, at time.Time, word string) []thread.Entry {
	t.Helper()
	es := chain("", "first "+word, "second "+word)
	_, err := s.Append(t.Context(), k, store.Batch{
		Entries: es, Envelope: []byte("envelope " + word), Now: at,
		Variants: []store.Variant{{ID: es[0].ID, Raw: []byte("variant " + word)}},
	})
	noError(t, err)
	p := &plan.Plan{Base: es[1].ID, Version: 1, CreatedAt: at, Policy: word, Records: []plan.Record{
		{Action: plan.Summarize, Text: word, Span: plan.Span{IDs: []thread.ID{es[0].ID}}},
		{Action: plan.Drop, Reason: "in every plan", Span: plan.Span{IDs: []thread.ID{es[1].ID}}},
	}}
	a := artifact.Of(es[0].ID, 1, []byte("artifact "+word))
	a.Created = at
	noError(t, s.Commit(t.Context(), k, p, []artifact.Artifact{a}))
	noError(t, s.PutSummary(t.Context(), k.Tenant, "key "+word, []byte("summary "+word), at))
	return es
}

// SPEC: V1, L16: a thread whose time is over goes as a whole, its key says what
// became of it, and nothing that it said is in the file any more. Others keep what
// they share with it.
func TestRetire(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	old, live := store.Key{Thread: "old"}, store.Key{Thread: "live"}
	whole(t, s, old, now.Add(-long), "Qw8secret")
	kept := whole(t, s, live, now, "Kj3kept")
	_, err := s.Append(t.Context(), old, store.Batch{ // the same content in both
		Tip: kept[0].Parent, ForkOf: "", Entries: nil, Now: now.Add(-long),
	})
	isError(t, err, store.ErrStale)
	twin := store.Key{Thread: "twin"}
	_, err = s.Append(t.Context(), twin, store.Batch{Entries: kept, Now: now.Add(-long)})
	noError(t, err)
	want := store.Retired{Threads: 2, Messages: 4}
	before := now.Add(-time.Hour)
	have, err := s.Old(t.Context(), before)
	noError(t, err)
	equal(t, want, have)
	have, err = s.Retire(t.Context(), before, artifact.Tombstone{At: now, By: "ann"})
	noError(t, err)
	equal(t, want, have)
	equal(t, 0, len(holds(t, dir, "Qw8")))
	_, err = s.Head(t.Context(), old)
	isError(t, err, store.ErrNotFound)
	_, err = s.Load(t.Context(), old)
	isError(t, err, store.ErrNotFound)
	var gone *store.ErasedError
	if !errors.As(err, &gone) {
		t.Fatalf("error is %v", err)
	}
	equal(t, artifact.Tombstone{At: now, By: "ann", Reason: artifact.ReasonExpired}, gone.Tombstone)
	heads, err := s.Heads(t.Context(), "")
	noError(t, err)
	equal(t, 1, len(heads))
	intact(t, s, live, kept, "Kj3kept")
	again := whole(t, s, old, now, "anew")
	intact(t, s, old, again, "anew")
	have, err = s.Retire(t.Context(), before, tombstone)
	noError(t, err)
	equal(t, store.Retired{}, have)
	z, err := s.Size(t.Context())
	noError(t, err)
	equal(t, []int{2, 4, 2}, []int{z.Threads, z.Entries, z.Retired})
	noError(t, s.Close())
	equal(t, 0, len(holds(t, dir, "Qw8")))
	sound(t, filepath.Join(dir, "precis.db"))
}

// A check goes on where another process retires a thread that it has listed.
//
// SPEC: V9
func TestCheckOfRetired(t *testing.T) {
	s := open(t)
	k := store.Key{Thread: "old"}
	whole(t, s, k, now.Add(-long), "word")
	h, err := s.Head(t.Context(), k)
	noError(t, err)
	_, err = s.Retire(t.Context(), now, tombstone)
	noError(t, err)
	found, err := s.CheckThread(t.Context(), h)
	noError(t, err)
	equal(t, 0, len(found))
}

// intact checks that a thread that whole wrote has all it had.
func intact(t *testing.T, s *sqlite.Store, k store.Key, es []thread.Entry, word string) {
	t.Helper()
	have, err := s.Load(t.Context(), k)
	noError(t, err)
	equal(t, es, have)
	vs, err := s.Variants(t.Context(), k, es[0].ID)
	noError(t, err)
	equal(t, "variant "+word, string(vs[0].Raw))
	e, err := s.Envelope(t.Context(), k)
	noError(t, err)
	equal(t, "envelope "+word, string(e))
	p, err := s.Plan(t.Context(), k)
	noError(t, err)
	equal(t, []string{word, "in every plan"}, []string{p.Records[0].Text, p.Records[1].Reason})
	a, err := s.Artifact(t.Context(), k, artifact.Of(es[0].ID, 1, []byte("artifact "+word)).ID)
	noError(t, err)
	equal(t, "artifact "+word, string(a.Content))
}

// SPEC: V1: what a newer thread needs stays: the thread it was forked from, and
// what a proxy keeps beside it. Forks that are old go with what is theirs alone.
func TestRetireFamilies(t *testing.T) {
	s := open(t)
	past := now.Add(-long)
	add := func(k store.Key, b store.Batch) {
		t.Helper()
		_, err := s.Append(t.Context(), k, b)
		noError(t, err)
	}
	es := chain("", "one", "two", "three")
	for _, name := range []string{"parent", "both"} {
		add(store.Key{Thread: name}, store.Batch{Entries: es, Now: past})
		for _, fork := range []string{"/a", "/b"} {
			add(store.Key{Thread: name + fork}, store.Batch{ForkOf: name, At: es[1].ID, Entries: chain(es[1].ID, fork), Now: past})
		}
	}
	add(store.Key{Thread: "parent/b/c"}, store.Batch{ForkOf: "parent/b", At: es[0].ID, Entries: chain(es[0].ID, "live"), Now: now})
	for _, name := range []string{"live", "dead"} {
		k := store.Key{Thread: name}
		add(k, store.Batch{Entries: es, Now: map[string]time.Time{"live": now, "dead": past}[name]})
		add(k.Upstream(), store.Batch{Entries: es, Now: past})
		add(k.Answers(), store.Batch{Entries: es, Now: past})
	}
	have, err := s.Old(t.Context(), now)
	noError(t, err)
	want := store.Retired{Threads: 7, Messages: 3 + 1 + 1 + 1 + 3 + 3 + 3}
	equal(t, want, have)
	have, err = s.Retire(t.Context(), now, tombstone)
	noError(t, err)
	equal(t, want, have)
	for name, n := range map[string]int{"parent": 3, "parent/b": 3, "parent/b/c": 2, "live": 3} {
		es, err := s.Load(t.Context(), store.Key{Thread: name})
		noError(t, err)
		equal(t, n, len(es))
	}
	for _, k := range []store.Key{store.Key{Thread: "live"}.Upstream(), store.Key{Thread: "live"}.Answers()} {
		_, err = s.Load(t.Context(), k)
		noError(t, err)
	}
	for _, name := range []string{"parent/a", "both", "both/a", "both/b", "dead"} {
		_, err := s.Head(t.Context(), store.Key{Thread: name})
		isError(t, err, store.ErrNotFound)
	}
	sound(t, pathOf(t, s))
}

// SPEC: V1: old threads go, and the room they took is given back, while another
// process writes, of which nothing is lost.
func TestVacuumBesideWriter(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "precis.db")
	s := openAt(t, dir)
	for i := range 300 {
		_, err := s.Append(t.Context(), store.Key{Thread: fmt.Sprint("old", i)}, store.Batch{
			Entries: chain("", noise(4*i), noise(4*i+1), noise(4*i+2)), Now: now.Add(-long),
		})
		noError(t, err)
	}
	c := child(t, "busy", path, "")
	out, err := c.StdoutPipe()
	noError(t, err)
	noError(t, c.Start())
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the child did nothing")
	}
	r, err := s.Retire(t.Context(), now.Add(-time.Hour), tombstone)
	noError(t, err)
	equal(t, store.Retired{Threads: 300, Messages: 900}, r)
	freed, err := s.Vacuum(t.Context())
	noError(t, err)
	if freed < 1_000_000 {
		t.Errorf("%d bytes came back", freed)
	}
	for range 3 { // it still writes
		if !lines.Scan() {
			t.Fatal("the child has stopped")
		}
	}
	noError(t, c.Process.Kill())
	told := acks(lines)
	_ = c.Wait() // killed
	noError(t, s.Close())
	checkKept(t, path, told)
	sound(t, path)
}

// SPEC: V1: a file that cannot give pages back is written anew once.
func TestVacuumOfEarlierFile(t *testing.T) {
	dir := schemaOf(t, 2)
	path := filepath.Join(dir, "precis.db")
	equal(t, 0, count(t, rawDB(t, path), `PRAGMA auto_vacuum`))
	s := openAt(t, dir)
	es, err := s.Load(t.Context(), mainKey)
	noError(t, err)
	_, err = s.Vacuum(t.Context())
	noError(t, err)
	have, err := s.Load(t.Context(), mainKey)
	noError(t, err)
	equal(t, es, have)
	noError(t, s.Close())
	equal(t, 2, count(t, rawDB(t, path), `PRAGMA auto_vacuum`))
	sound(t, path)
}

func TestVacuumReadOnly(t *testing.T) {
	dir := t.TempDir()
	noError(t, openAt(t, dir).Close())
	s, err := sqlite.OpenReadOnly(t.Context(), filepath.Join(dir, "precis.db"), sqlite.Options{})
	noError(t, err)
	defer func() { noError(t, s.Close()) }()
	_, err = s.Vacuum(t.Context())
	isError(t, err, sqlite.ErrReadOnly)
	_, err = s.Retire(t.Context(), now, tombstone)
	isError(t, err, sqlite.ErrReadOnly)
}

// commits counts the transactions in a write-ahead log, by its format: frames of
// a page after a header each, which has the database's size where one ends.
func commits(t *testing.T, path string) (n int) {
	t.Helper()
	log, err := os.ReadFile(path + "-wal")
	noError(t, err)
	page := int(binary.BigEndian.Uint32(log[8:]))
	for at := 32; at+24+page <= len(log); at += 24 + page {
		if string(log[at+8:at+16]) == string(log[16:24]) && binary.BigEndian.Uint32(log[at+4:]) > 0 {
			n++
		}
	}
	return n
}

// SPEC: V1: a turn is one transaction, whatever it brings.
func TestAppendIsOneTransaction(t *testing.T) {
	s := open(t)
	path := pathOf(t, s)
	es := chain("", "one", "two", "three")
	before := commits(t, path)
	_, err := s.Append(t.Context(), mainKey, store.Batch{
		Entries: es, Envelope: []byte("e"), Variants: []store.Variant{{ID: es[0].ID, Raw: []byte("v")}}, Now: now,
	})
	noError(t, err)
	equal(t, before+1, commits(t, path))
	_, err = s.Append(t.Context(), mainKey, store.Batch{Tip: es[2].ID, Entries: chain(es[2].ID, "four"), Envelope: []byte("f"), Now: now})
	noError(t, err)
	equal(t, before+2, commits(t, path))
}

// SPEC: V1: the write-ahead log stays small, whatever is written beside readers.
func TestLogIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("24 MB of noise")
	}
	s := open(t)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	_, err := insist(t.Context(), s, mainKey, strings.Repeat("x", 1000))
	noError(t, err)
	go func() {
		for ctx.Err() == nil {
			if _, err := s.Load(context.Background(), mainKey); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	var tip thread.ID
	for i := range 60 { // 24 MB
		es := chain(tip, string(random(200_000))+fmt.Sprint(i), noise(i))
		_, err := s.Append(t.Context(), store.Key{Thread: "large"}, store.Batch{Tip: tip, Entries: es, Now: now})
		noError(t, err)
		tip = es[1].ID
	}
	stop()
	noError(t, <-done)
	z, err := s.Size(t.Context())
	noError(t, err)
	if z.Log > 12<<20 {
		t.Fatalf("the log has %d bytes", z.Log)
	}
}

// SPEC: V1, L16: who reads while threads go and others come sees the thread that
// was asked for, whole, or none.
func TestReadWhileRetired(t *testing.T) {
	s := open(t)
	ctx, stop := context.WithCancel(t.Context())
	keys := []store.Key{{Thread: "a"}, {Tenant: "x", Thread: "b"}}
	done := make(chan error, len(keys))
	for _, k := range keys {
		go func() {
			for ctx.Err() == nil {
				if err := readsOwn(s, k); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for i := range 30 {
		k := keys[i%len(keys)]
		whole(t, s, k, now.Add(-long), k.Thread)
		_, err := s.Retire(t.Context(), now, tombstone)
		noError(t, err)
	}
	stop()
	for range keys {
		noError(t, <-done)
	}
}

// readsOwn reads all that whole wrote to a thread.
func readsOwn(s *sqlite.Store, k store.Key) error {
	ctx := context.Background()
	es, err := s.Load(ctx, k)
	if err == nil && (len(es) != 2 || es[0].Message.Parts[0].Text != "first "+k.Thread) {
		return fmt.Errorf("%d entries, the first says %q", len(es), es[0].Message.Parts[0].Text)
	}
	p, planErr := s.Plan(ctx, k)
	if planErr == nil && (len(p.Records) != 2 || p.Records[0].Text != k.Thread) {
		return fmt.Errorf("plan of %d records by %s", len(p.Records), p.Policy)
	}
	_, variantsErr := s.Variants(ctx, k, "")
	e, aroundErr := s.Envelope(ctx, k)
	if aroundErr == nil && string(e) != "envelope "+k.Thread {
		return fmt.Errorf("envelope %q", e)
	}
	for _, err := range []error{err, planErr, variantsErr, aroundErr} {
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil
}
