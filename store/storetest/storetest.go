// Package storetest is the contract of package store as tests. Every
// implementation passes all of them.
//
// Use: Run for any store, RunPlain for one that does not seal, RunReopen for
// one that outlives its process, RunSame to hold two implementations against
// each other under random use. Law: a
// sentence of the contract that no test here proves is no promise.
package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Run proves the contract. open returns a new, empty store and closes it when
// the test ends.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for _, group := range []map[string]func(*testing.T, store.Store){
		logTests, forkTests, planTests, artifactTests, eraseTests, summaryTests, tenantTests, raceTests, searchTests,
	} {
		for name, f := range group {
			t.Run(name, func(t *testing.T) { f(t, open(t)) })
		}
	}
}

// RunReopen proves that what a store took is there when it is opened again.
// open opens the store kept in a directory, new or not; the test closes it.
func RunReopen(t *testing.T, open func(t *testing.T, dir string) store.Store) {
	// SPEC: V1, V8
	t.Run("Reopen", func(t *testing.T) {
		dir := t.TempDir()
		s := open(t, dir)
		fill(t, s)
		before := snapshot(t, s, "", "other")
		noError(t, s.Close())
		for range 2 {
			s = open(t, dir)
			equal(t, before, snapshot(t, s, "", "other"))
			cached(t, s, "", "key", "kept")
			noError(t, s.Close())
		}
	})
}

// fill writes something of everything.
func fill(t *testing.T, s store.Store) {
	t.Helper()
	k := store.Key{Thread: "main"}
	es := thread.Extend("", rich())
	add(t, s, k, store.Batch{Entries: es, Envelope: []byte(`{"model":"m"}`), Source: "anthropic"})
	add(t, s, k, store.Batch{Tip: tip(es), Variants: []store.Variant{{ID: es[1].ID, Raw: []byte(`{"other":1}`), Dialect: "openai"}}})
	p := build(t, k, 1, es, plan.Record{Action: plan.Summarize, Text: "what was", Span: span(es[1:5])})
	noError(t, s.Commit(ctx(t), k, p, []artifact.Artifact{artifact.Of(es[2].ID, 1, []byte("long"))}))
	noError(t, s.Commit(ctx(t), k, build(t, k, 2, es), []artifact.Artifact{artifact.Of(es[2].ID, 2, []byte("gone"))}))
	noError(t, s.Erase(ctx(t), k, artifact.Of(es[2].ID, 2, []byte("gone")).ID, tombstone))
	noError(t, s.EraseEntry(ctx(t), k, es[4].ID, tombstone))
	noError(t, s.PutSummary(ctx(t), "", "key", []byte("kept"), now(1)))
	fork := store.Key{Thread: "fork"}
	add(t, s, fork, store.Batch{ForkOf: "main", At: es[2].ID, Entries: say(es[2].ID, "another way")})
	other := store.Key{Tenant: "other", Thread: "main"}
	add(t, s, other, store.Batch{Entries: say("", "mine", "alone")})
}

// everything holds all that can be read of a store.
type everything struct {
	Head      store.Head
	Entries   []thread.Entry
	Variants  map[thread.ID][]store.Variant
	Envelope  []byte
	Plans     []*plan.Plan
	Versions  []store.PlanInfo
	Artifacts []artifact.Artifact
	Metadata  []artifact.Artifact
}

func snapshot(t tester, s store.Store, tenants ...string) (all []everything) {
	t.Helper()
	for _, tenant := range tenants {
		heads, err := s.Heads(context.Background(), tenant)
		noError(t, err)
		for _, h := range heads {
			all = append(all, read(t, s, h))
		}
	}
	return all
}

// read reads all there is of a thread.
func read(t tester, s store.Store, h store.Head) everything {
	t.Helper()
	c, k := context.Background(), h.Key
	one := everything{Head: h, Variants: map[thread.ID][]store.Variant{}}
	var err error
	one.Entries, err = s.Load(c, k)
	noError(t, err)
	inParts(t, s, k, one.Entries)
	for _, e := range one.Entries {
		vs, err := s.Variants(c, k, e.ID)
		noError(t, err)
		if len(vs) > 0 {
			one.Variants[e.ID] = vs
		}
	}
	if one.Envelope, err = s.Envelope(c, k); !errors.Is(err, store.ErrNotFound) {
		noError(t, err)
	}
	one.Versions, err = s.PlanVersions(c, k)
	noError(t, err)
	for v := 1; v <= h.PlanVersion; v++ {
		p, err := s.PlanAt(c, k, v)
		noError(t, err)
		one.Plans = append(one.Plans, p)
	}
	one.Metadata, err = s.ArtifactList(c, k)
	noError(t, err)
	for _, m := range one.Metadata {
		a, err := s.Artifact(c, k, m.ID)
		if m.Erased != nil {
			erasedAs(t, err, *m.Erased)
			continue
		}
		noError(t, err)
		one.Artifacts = append(one.Artifacts, a)
	}
	return one
}

// options ignore what is not part of a value: a plan's index.
var options = cmp.Options{cmpopts.IgnoreUnexported(plan.Plan{})}

// tester is implemented by testing.TB and by rapid's tests.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func equal(t tester, want, have any) {
	t.Helper()
	if reflect.DeepEqual(want, have) { // much faster than Diff, which looks at each byte
		return
	}
	if d := cmp.Diff(want, have, options); d != "" {
		t.Fatalf("differs (-want +have):\n%s", d)
	}
}

func noError(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func isError(t tester, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
}

func ctx(t testing.TB) context.Context { return t.Context() }

// now is when the n-th thing happened.
func now(n int) time.Time {
	return time.Date(2030, 1, 2, 3, 4, 5, 678_900_000, time.UTC).Add(time.Duration(n) * time.Minute)
}

// say chains short messages, users and assistants in turn.
func say(parent thread.ID, texts ...string) []thread.Entry {
	ms := make([]message.Message, len(texts))
	for i, text := range texts {
		role := []message.Role{message.User, message.Assistant}[i%2]
		raw, _ := json.Marshal(map[string]string{"role": string(role), "content": text})
		ms[i] = message.TextOf(role, text)
		ms[i].Raw, ms[i].Dialect = raw, "openai"
	}
	return thread.Extend(parent, ms)
}

// many are n texts.
func many(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("message %d", i)
	}
	return texts
}

func tip(es []thread.Entry) thread.ID { return es[len(es)-1].ID }

func add(t tester, s store.Store, k store.Key, b store.Batch) store.Head {
	t.Helper()
	if b.Now.IsZero() {
		b.Now = now(0)
	}
	h, err := s.Append(context.Background(), k, b)
	noError(t, err)
	return h
}

func span(es []thread.Entry) plan.Span {
	s := plan.Span{FirstTurn: 1, LastTurn: 2}
	for i := range es {
		s.IDs = append(s.IDs, es[i].ID)
	}
	return s
}

// build makes a plan over entries.
func build(t testing.TB, k store.Key, version int, es []thread.Entry, records ...plan.Record) *plan.Plan {
	t.Helper()
	th, err := thread.New(es)
	noError(t, err)
	p, err := plan.Build(plan.Plan{
		Thread: k.Thread, Base: tip(es), Version: version, ThreadVersion: len(es), CreatedAt: now(version),
		Policy: "balanced", Style: "precis", Records: records, Original: 1000, Compacted: 400,
		Holds:  []plan.Ref{{ID: es[0].ID, Part: 1}},
		Inputs: plan.Inputs{Model: "m", Counter: "o200k", Factor: 1.25, Budget: 500},
	}, th)
	noError(t, err)
	return p
}
