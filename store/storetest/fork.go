package storetest

import (
	"fmt"
	"testing"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

var forkTests = map[string]func(*testing.T, store.Store){
	"Fork":          fork,
	"ForkOfFork":    forkOfFork,
	"ForkDeep":      forkDeep,
	"ForkNothing":   forkNothing,
	"ForkRefused":   forkRefused,
	"ForkRepeat":    forkRepeat,
	"ForkVariants":  forkVariants,
	"ForkEnvelope":  forkEnvelope,
	"ForkPlan":      forkPlan,
	"ForkArtifacts": forkArtifacts,
}

func loads(t *testing.T, s store.Store, k store.Key, want ...[]thread.Entry) {
	t.Helper()
	var all []thread.Entry
	for _, es := range want {
		all = append(all, es...)
	}
	have, err := s.Load(ctx(t), k)
	noError(t, err)
	if len(all) > 0 || len(have) > 0 {
		equal(t, all, have)
	}
	h, err := s.Head(ctx(t), k)
	noError(t, err)
	equal(t, len(all), h.Len)
}

// SPEC: V1, V8
func fork(t *testing.T, s store.Store) {
	es := say("", many(6)...)
	add(t, s, mainKey, store.Batch{Entries: es[:4], Source: "openai", Now: now(1)})
	own := say(es[2].ID, "instead", "of that")
	k := store.Key{Thread: "fork"}
	h := add(t, s, k, store.Batch{ForkOf: "main", At: es[2].ID, Entries: own, Now: now(2)})
	equal(t, store.Head{Key: k, Tip: tip(own), Len: 5, Source: "openai", Parent: "main", Created: now(2), Updated: now(2)}, h)
	add(t, s, mainKey, store.Batch{Tip: es[3].ID, Entries: es[4:]})
	loads(t, s, mainKey, es)
	loads(t, s, k, es[:3], own)
	more := say(tip(own), "and on")
	add(t, s, k, store.Batch{Tip: tip(own), Entries: more})
	loads(t, s, k, es[:3], own, more)
	loads(t, s, mainKey, es)
	atTip := store.Key{Thread: "at tip"}
	add(t, s, atTip, store.Batch{ForkOf: "main", At: tip(es), Source: "codex"})
	loads(t, s, atTip, es)
}

// SPEC: V1
func forkOfFork(t *testing.T, s store.Store) {
	a := say("", many(5)...)
	b := say(a[3].ID, "b0", "b1", "b2")
	add(t, s, store.Key{Thread: "a"}, store.Batch{Entries: a})
	add(t, s, store.Key{Thread: "b"}, store.Batch{ForkOf: "a", At: a[3].ID, Entries: b})
	within := say(b[1].ID, "c")   // inside b's own entries
	before := say(a[1].ID, "d")   // before b begins
	at := say(a[3].ID, "e0", "e") // where b begins
	add(t, s, store.Key{Thread: "c"}, store.Batch{ForkOf: "b", At: b[1].ID, Entries: within})
	add(t, s, store.Key{Thread: "d"}, store.Batch{ForkOf: "b", At: a[1].ID, Entries: before})
	add(t, s, store.Key{Thread: "e"}, store.Batch{ForkOf: "b", At: a[3].ID, Entries: at})
	loads(t, s, store.Key{Thread: "c"}, a[:4], b[:2], within)
	loads(t, s, store.Key{Thread: "d"}, a[:2], before)
	loads(t, s, store.Key{Thread: "e"}, a[:4], at)
	f := say(within[0].ID, "f")
	add(t, s, store.Key{Thread: "f"}, store.Batch{ForkOf: "c", At: within[0].ID, Entries: f})
	loads(t, s, store.Key{Thread: "f"}, a[:4], b[:2], within, f)
	_, err := s.Append(ctx(t), store.Key{Thread: "g"}, store.Batch{ForkOf: "c", At: b[2].ID, Now: now(0)})
	isError(t, err, store.ErrForeign)
}

// SPEC: V1
func forkDeep(t *testing.T, s store.Store) {
	es := say("", many(50)...)
	add(t, s, store.Key{Thread: "0"}, store.Batch{Entries: es[:1]})
	for i := 1; i < len(es); i++ {
		add(t, s, store.Key{Thread: fmt.Sprint(i)}, store.Batch{ForkOf: fmt.Sprint(i - 1), At: es[i-1].ID, Entries: es[i : i+1]})
	}
	loads(t, s, store.Key{Thread: "49"}, es)
	loads(t, s, store.Key{Thread: "20"}, es[:21])
}

// SPEC: V1
func forkNothing(t *testing.T, s store.Store) {
	add(t, s, mainKey, store.Batch{Entries: say("", "one")})
	k, es := store.Key{Thread: "fork"}, say("", "another one")
	h := add(t, s, k, store.Batch{ForkOf: "main", Entries: es})
	equal(t, "main", h.Parent)
	loads(t, s, k, es)
}

// SPEC: L17
func forkRefused(t *testing.T, s store.Store) {
	es := say("", "one", "two")
	add(t, s, mainKey, store.Batch{Entries: es})
	taken := store.Key{Thread: "taken"}
	add(t, s, taken, store.Batch{Entries: say("", "mine")})
	before := snapshot(t, s, "")
	_, err := s.Append(ctx(t), taken, store.Batch{ForkOf: "main", At: es[0].ID, Entries: say(es[0].ID, "x"), Now: now(9)})
	isError(t, err, store.ErrStale)
	_, err = s.Append(ctx(t), mainKey, store.Batch{ForkOf: "main", At: es[0].ID, Entries: say(es[0].ID, "x"), Now: now(9)})
	isError(t, err, store.ErrStale)
	_, err = s.Append(ctx(t), store.Key{Thread: "new"}, store.Batch{ForkOf: "nobody", At: es[0].ID, Now: now(9)})
	isError(t, err, store.ErrNotFound)
	_, err = s.Append(ctx(t), store.Key{Thread: "new"}, store.Batch{
		ForkOf: "main", At: es[0].ID, Now: now(9),
		Variants: []store.Variant{{ID: es[1].ID, Raw: []byte("x")}},
	}) // beyond what is shared
	isError(t, err, store.ErrNotFound)
	equal(t, before, snapshot(t, s, ""))
}

// SPEC: L17
func forkRepeat(t *testing.T, s store.Store) {
	es := say("", "one", "two")
	add(t, s, mainKey, store.Batch{Entries: es})
	k := store.Key{Thread: "fork"}
	b := store.Batch{ForkOf: "main", At: es[0].ID, Entries: say(es[0].ID, "x"), Now: now(1)}
	bare := store.Batch{ForkOf: "main", At: es[1].ID, Now: now(1)}
	h, hb := add(t, s, k, b), add(t, s, store.Key{Thread: "bare"}, bare)
	before := snapshot(t, s, "")
	equal(t, h, add(t, s, k, b))
	equal(t, hb, add(t, s, store.Key{Thread: "bare"}, bare))
	equal(t, before, snapshot(t, s, ""))
	b.ForkOf = "other"
	_, err := s.Append(ctx(t), k, b)
	isError(t, err, store.ErrStale)
}

// SPEC: V1
func forkVariants(t *testing.T, s store.Store) {
	es := say("", "one", "two")
	add(t, s, mainKey, store.Batch{Entries: es})
	k := store.Key{Thread: "fork"}
	v := store.Variant{ID: es[0].ID, Raw: []byte("v"), Dialect: "openai"}
	add(t, s, k, store.Batch{ForkOf: "main", At: es[0].ID, Variants: []store.Variant{v}})
	for _, k := range []store.Key{mainKey, k} {
		vs, err := s.Variants(ctx(t), k, es[0].ID)
		noError(t, err)
		equal(t, []store.Variant{v}, vs)
	}
	_, err := s.Variants(ctx(t), k, es[1].ID)
	isError(t, err, store.ErrNotFound)
}

// SPEC: V1
func forkEnvelope(t *testing.T, s store.Store) {
	es := say("", "one", "two")
	add(t, s, mainKey, store.Batch{Entries: es, Envelope: []byte("first")})
	heir, own, late := store.Key{Thread: "heir"}, store.Key{Thread: "own"}, store.Key{Thread: "late"}
	add(t, s, heir, store.Batch{ForkOf: "main", At: es[0].ID})
	add(t, s, own, store.Batch{ForkOf: "main", At: es[0].ID, Envelope: []byte("own")})
	add(t, s, mainKey, store.Batch{Tip: tip(es), Envelope: []byte("second")})
	add(t, s, late, store.Batch{ForkOf: "main", At: es[0].ID})
	for k, want := range map[store.Key]string{heir: "first", own: "own", mainKey: "second", late: "second"} {
		e, err := s.Envelope(ctx(t), k)
		noError(t, err)
		equal(t, want, string(e))
	}
}

// SPEC: L17, V8
func forkPlan(t *testing.T, s store.Store) {
	es := say("", many(6)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	record := plan.Record{Action: plan.Summarize, Text: "s", Span: span(es[1:3])}
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 1, es, record), nil))
	k := store.Key{Thread: "fork"}
	h := add(t, s, k, store.Batch{ForkOf: "main", At: es[3].ID, Entries: say(es[3].ID, "x")})
	equal(t, 0, h.PlanVersion)
	_, err := s.Plan(ctx(t), k)
	isError(t, err, store.ErrNotFound)
	p := build(t, k, 1, es[:4], record)
	noError(t, s.Commit(ctx(t), k, p, nil))
	have, err := s.Plan(ctx(t), k)
	noError(t, err)
	equal(t, p, have)
	late := build(t, k, 2, es, plan.Record{Action: plan.Drop, Span: span(es[4:5])})
	isError(t, s.Commit(ctx(t), k, late, nil), store.ErrForeign) // base is not shared
	late.Base = es[3].ID
	isError(t, s.Commit(ctx(t), k, late, nil), store.ErrForeign) // nor is the span
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 2, es, plan.Record{Action: plan.Drop, Span: span(es[4:5])}), nil))
	isError(t, s.Commit(ctx(t), k, late, nil), store.ErrForeign) // known to the tenant, but not shared
}

// SPEC: L16, V10
func forkArtifacts(t *testing.T, s store.Store) {
	es := say("", many(5)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	early, late := artifact.Of(es[1].ID, 1, []byte("early")), artifact.Of(es[3].ID, 1, []byte("late"))
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 1, es), []artifact.Artifact{early, late}))
	k, kk := store.Key{Thread: "fork"}, store.Key{Thread: "fork of fork"}
	own := say(es[2].ID, "x", "y")
	add(t, s, k, store.Batch{ForkOf: "main", At: es[2].ID, Entries: own})
	mine, base := artifact.Of(own[0].ID, 1, []byte("mine")), artifact.Of(es[0].ID, 1, []byte("base"))
	noError(t, s.Commit(ctx(t), k, build(t, k, 1, append(es[:3:3], own...)), []artifact.Artifact{mine, base}))
	add(t, s, kk, store.Batch{ForkOf: "fork", At: es[1].ID})
	sees(t, s, mainKey, early, late)
	sees(t, s, k, base, of("main", early), mine)
	sees(t, s, kk, of("fork", base), of("main", early))
	blind(t, s, mainKey, mine.ID, base.ID)
	blind(t, s, k, late.ID)
	blind(t, s, kk, late.ID, mine.ID)
}
