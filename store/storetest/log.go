package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

var logTests = map[string]func(*testing.T, store.Store){
	"Unknown":          unknown,
	"AppendAndLoad":    appendAndLoad,
	"RoundTrip":        roundTrip,
	"RoundTripAny":     roundTripAny,
	"Stale":            stale,
	"Foreign":          foreign,
	"Repeat":           repeat,
	"RepeatKeepsForms": repeatKeepsForms,
	"Empty":            empty,
	"Variants":         variants,
	"Envelope":         envelope,
	"Heads":            heads,
	"Tenants":          tenants,
	"Names":            names,
	"Copies":           copies,
	"Cancelled":        cancelled,
}

var mainKey = store.Key{Thread: "main"}

// SPEC: V1
func unknown(t *testing.T, s store.Store) {
	add(t, s, mainKey, store.Batch{Entries: say("", "hello")})
	nobody := store.Key{Thread: "nobody"}
	for name, f := range map[string]func() error{
		"Head":         func() error { _, err := s.Head(ctx(t), nobody); return err },
		"Load":         func() error { _, err := s.Load(ctx(t), nobody); return err },
		"Variants":     func() error { _, err := s.Variants(ctx(t), nobody, "x"); return err },
		"Envelope":     func() error { _, err := s.Envelope(ctx(t), nobody); return err },
		"NoEnvelope":   func() error { _, err := s.Envelope(ctx(t), mainKey); return err },
		"Plan":         func() error { _, err := s.Plan(ctx(t), nobody); return err },
		"NoPlan":       func() error { _, err := s.Plan(ctx(t), mainKey); return err },
		"PlanAt":       func() error { _, err := s.PlanAt(ctx(t), mainKey, 1); return err },
		"PlanAt0":      func() error { _, err := s.PlanAt(ctx(t), mainKey, 0); return err },
		"PlanVersions": func() error { _, err := s.PlanVersions(ctx(t), nobody); return err },
		"Commit":       func() error { return s.Commit(ctx(t), nobody, &plan.Plan{Version: 1}, nil) },
		"Artifact":     func() error { _, err := s.Artifact(ctx(t), mainKey, "a"); return err },
		"Erase":        func() error { return s.Erase(ctx(t), mainKey, "a", tombstone) },
		"EraseNobody":  func() error { return s.Erase(ctx(t), nobody, "a", tombstone) },
		"EraseEntry":   func() error { return s.EraseEntry(ctx(t), mainKey, "x", tombstone) },
		"EntryNobody":  func() error { return s.EraseEntry(ctx(t), nobody, say("", "hello")[0].ID, tombstone) },
		"Summary":      func() error { _, err := s.Summary(ctx(t), "", "k"); return err },
		"ArtifactList": func() error { _, err := s.ArtifactList(ctx(t), nobody); return err },
		"Entry":        func() error { _, err := s.Variants(ctx(t), mainKey, "x"); return err },
	} {
		t.Run(name, func(t *testing.T) { isError(t, f(), store.ErrNotFound) })
	}
	hs, err := s.Heads(ctx(t), "nobody")
	noError(t, err)
	equal(t, 0, len(hs))
}

// SPEC: V1
func appendAndLoad(t *testing.T, s store.Store) {
	first := say("", "one", "two")
	second := say(tip(first), "three")
	first[0].Tokens, first[0].Counter = 7, "o200k"
	h := add(t, s, mainKey, store.Batch{Entries: first, Source: "openai", Now: now(1)})
	want := store.Head{Key: mainKey, Tip: tip(first), Len: 2, Source: "openai", Created: now(1), Updated: now(1)}
	equal(t, want, h)
	h = add(t, s, mainKey, store.Batch{Tip: h.Tip, Entries: second, Source: "ignored", Now: now(2)})
	want.Tip, want.Len, want.Updated = tip(second), 3, now(2)
	equal(t, want, h)
	h, err := s.Head(ctx(t), mainKey)
	noError(t, err)
	equal(t, want, h)
	have, err := s.Load(ctx(t), mainKey)
	noError(t, err)
	equal(t, append(first, second...), have)
}

// SPEC: V1, V11
func roundTrip(t *testing.T, s store.Store) {
	es := thread.Extend("", rich())
	add(t, s, mainKey, store.Batch{Entries: es})
	have, err := s.Load(ctx(t), mainKey)
	noError(t, err)
	equal(t, es, have)
	th, err := thread.New(have)
	noError(t, err)
	noError(t, th.Verify())
}

// SPEC: V1
func roundTripAny(t *testing.T, s store.Store) {
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		k := store.Key{Thread: fmt.Sprint(n)}
		ms := rapid.SliceOfN(rapid.Custom(anyMessage), 1, 4).Draw(r, "messages")
		es := thread.Extend("", ms)
		add(r, s, k, store.Batch{Entries: es})
		have, err := s.Load(context.Background(), k)
		noError(r, err)
		equal(r, es, have)
	})
}

// SPEC: L17
func stale(t *testing.T, s store.Store) {
	es := say("", "one", "two")
	h := add(t, s, mainKey, store.Batch{Entries: es[:1]})
	for name, b := range map[string]store.Batch{
		"Behind":    {Entries: say("", "another first")},
		"Ahead":     {Tip: tip(es), Entries: say(tip(es), "three")},
		"Elsewhere": {Tip: "0123456789abcdef0123456789abcdef", Entries: say("0123456789abcdef0123456789abcdef", "x")},
		"Nothing":   {Tip: tip(es), Envelope: []byte("e")},
	} {
		t.Run(name, func(t *testing.T) {
			b.Now = now(9)
			_, err := s.Append(ctx(t), mainKey, b)
			isError(t, err, store.ErrStale)
		})
	}
	_, err := s.Append(ctx(t), store.Key{Thread: "new"}, store.Batch{Tip: h.Tip, Entries: es[1:], Now: now(9)})
	isError(t, err, store.ErrStale)
	all := snapshot(t, s, "")
	equal(t, 1, len(all))
	equal(t, h, all[0].Head)
	equal(t, es[:1], all[0].Entries)
}

// SPEC: V1
func foreign(t *testing.T, s store.Store) {
	es := say("", "one", "two", "three")
	add(t, s, mainKey, store.Batch{Entries: es[:1], Envelope: []byte("kept")})
	before := snapshot(t, s, "")
	wrongID := say(es[0].ID, "two", "three")
	wrongID[1].ID = wrongID[0].ID
	wrongDigest := say(es[0].ID, "two")
	wrongDigest[0].Digest[0]++
	hole := []thread.Entry{es[1], es[2]}
	hole[1].Parent = es[0].ID
	for name, b := range map[string]store.Batch{
		"NotAfterTip":    {Tip: es[0].ID, Entries: es[2:]},
		"NotFirst":       {Entries: es[1:]},
		"WrongID":        {Tip: es[0].ID, Entries: wrongID},
		"WrongDigest":    {Tip: es[0].ID, Entries: wrongDigest},
		"Hole":           {Tip: es[0].ID, Entries: hole},
		"ForkWithTip":    {Tip: es[0].ID, ForkOf: "main", At: es[0].ID, Entries: es[1:]},
		"AtWithoutFork":  {At: es[0].ID, Entries: es[1:]},
		"ForkElsewhere":  {ForkOf: "main", At: es[0].ID, Entries: es[2:]},
		"ForkOfNonEntry": {ForkOf: "main", At: es[1].ID, Entries: es[2:]},
	} {
		t.Run(name, func(t *testing.T) {
			b.Envelope, b.Now = []byte("lost"), now(9)
			_, err := s.Append(ctx(t), mainKey, b)
			if b.ForkOf != "" {
				_, err = s.Append(ctx(t), store.Key{Thread: "fork"}, b)
			}
			isError(t, err, store.ErrForeign)
		})
	}
	equal(t, before, snapshot(t, s, ""))
}

// SPEC: L17
func repeat(t *testing.T, s store.Store) {
	es := say("", "one", "two", "three")
	add(t, s, mainKey, store.Batch{Entries: es[:1], Now: now(1)})
	last := store.Batch{
		Tip: es[0].ID, Entries: es[1:], Envelope: []byte("e"), Now: now(2),
		Variants: []store.Variant{{ID: es[0].ID, Raw: []byte("v")}, {ID: es[2].ID, Raw: []byte("w")}},
	}
	h := add(t, s, mainKey, last)
	before := snapshot(t, s, "")
	for _, b := range []store.Batch{
		last, // word for word
		{Entries: es, Now: now(5)},
		{Tip: es[1].ID, Entries: es[2:], Now: now(6)},
		{Tip: es[0].ID, Entries: es[1:], Envelope: []byte("e"), Now: now(7)},
	} {
		equal(t, h, add(t, s, mainKey, b))
		equal(t, before, snapshot(t, s, ""))
	}
	_, err := s.Append(ctx(t), mainKey, store.Batch{Entries: es[:2], Now: now(8)}) // there, but not the tail
	isError(t, err, store.ErrStale)
}

// SPEC: V1, L17
func repeatKeepsForms(t *testing.T, s store.Store) {
	es := say("", "one", "two")
	add(t, s, mainKey, store.Batch{Entries: es})
	loser := thread.Extend("", []message.Message{es[0].Message, es[1].Message})
	loser[1].Message.Raw = []byte(`{"role":"assistant", "content":[{"type":"text","text":"two"}]}`)
	for range 2 {
		add(t, s, mainKey, store.Batch{Entries: loser, Envelope: []byte("later"), Now: now(3)})
	}
	have, err := s.Load(ctx(t), mainKey)
	noError(t, err)
	equal(t, es, have)
	vs, err := s.Variants(ctx(t), mainKey, es[1].ID)
	noError(t, err)
	equal(t, []store.Variant{{ID: es[1].ID, Raw: loser[1].Message.Raw, Dialect: "openai"}}, vs)
	e, err := s.Envelope(ctx(t), mainKey)
	noError(t, err)
	equal(t, "later", string(e))
}

// SPEC: V1
func empty(t *testing.T, s store.Store) {
	h := add(t, s, mainKey, store.Batch{Source: "codex", Now: now(1)})
	equal(t, store.Head{Key: mainKey, Source: "codex", Created: now(1), Updated: now(1)}, h)
	es, err := s.Load(ctx(t), mainKey)
	noError(t, err)
	equal(t, 0, len(es))
	h = add(t, s, mainKey, store.Batch{Entries: say("", "one"), Now: now(2)})
	equal(t, 1, h.Len)
	h = add(t, s, mainKey, store.Batch{Tip: h.Tip, Now: now(3)})
	equal(t, now(3), h.Updated)
}

// SPEC: V1
func variants(t *testing.T, s store.Store) {
	es := say("", "one", "two")
	form := func(i int, raw, dialect string) store.Variant {
		return store.Variant{ID: es[i].ID, Raw: []byte(raw), Dialect: dialect}
	}
	own := form(0, string(es[0].Message.Raw), es[0].Message.Dialect)
	a, b, c := form(0, "{ }", "openai"), form(0, "{ }", "anthropic"), form(0, "\xff\x00", "openai")
	add(t, s, mainKey, store.Batch{Entries: es, Variants: []store.Variant{own, a, form(1, "{}", "")}})
	add(t, s, mainKey, store.Batch{Tip: tip(es), Variants: []store.Variant{b, a, own, c, c}})
	have, err := s.Variants(ctx(t), mainKey, es[0].ID)
	noError(t, err)
	equal(t, []store.Variant{a, b, c}, have)
	before := snapshot(t, s, "")
	_, err = s.Append(ctx(t), mainKey, store.Batch{
		Tip: tip(es), Now: now(4), Entries: say(tip(es), "three"),
		Variants: []store.Variant{a, {ID: "0123456789abcdef0123456789abcdef", Raw: []byte("x")}},
	})
	isError(t, err, store.ErrNotFound)
	equal(t, before, snapshot(t, s, ""))

	// The repeat of a batch: the forms in which its entries come now, then its variants.
	again := say("", "one", "two")
	again[1].Message.Raw = []byte("[ ]")
	add(t, s, mainKey, store.Batch{Entries: again, Variants: []store.Variant{form(1, "[]", "")}})
	have, err = s.Variants(ctx(t), mainKey, es[1].ID)
	noError(t, err)
	equal(t, []store.Variant{form(1, "{}", ""), form(1, "[ ]", es[1].Message.Dialect), form(1, "[]", "")}, have)
}

// SPEC: V1
func envelope(t *testing.T, s store.Store) {
	es := say("", "one", "two")
	for i, e := range [][]byte{[]byte("{\"a\": 1}\n"), nil, []byte("\xff\x00"), {}, []byte("{\"a\": 1}\n")} {
		add(t, s, mainKey, store.Batch{
			Tip:     map[bool]thread.ID{true: "", false: es[0].ID}[i == 0],
			Entries: es[:max(0, 1-i)], Envelope: e,
		})
		have, err := s.Envelope(ctx(t), mainKey)
		noError(t, err)
		if e == nil {
			e = []byte("{\"a\": 1}\n")
		}
		equal(t, e, have)
	}
}

// SPEC: L16
func heads(t *testing.T, s store.Store) {
	for i, name := range []string{"a", "b", "c", "d"} {
		add(t, s, store.Key{Thread: name}, store.Batch{Entries: say("", name), Now: now(i / 2)})
	}
	add(t, s, store.Key{Thread: "a"}, store.Batch{Tip: say("", "a")[0].ID, Now: now(1).Add(time.Nanosecond)})
	add(t, s, store.Key{Tenant: "other", Thread: "z"}, store.Batch{Entries: say("", "z")})
	hs, err := s.Heads(ctx(t), "")
	noError(t, err)
	var have []string
	for _, h := range hs {
		have = append(have, h.Key.Thread)
	}
	equal(t, []string{"a", "c", "d", "b"}, have)
}

// SPEC: V10
func names(t *testing.T, s store.Store) {
	odd := []string{"", "a", "A", "a\x00", "a\x00b", "\xff", "\xfe", "é", "e\u0301", "a ", "1", "01", "%", "'; DROP TABLE threads; --", "../x"}
	for i, tenant := range odd {
		for j, name := range odd {
			k := store.Key{Tenant: tenant, Thread: name}
			add(t, s, k, store.Batch{Entries: say("", fmt.Sprint(i, " ", j))})
		}
	}
	for i, tenant := range odd {
		hs, err := s.Heads(ctx(t), tenant)
		noError(t, err)
		equal(t, len(odd), len(hs))
		for j, name := range odd {
			es, err := s.Load(ctx(t), store.Key{Tenant: tenant, Thread: name})
			noError(t, err)
			equal(t, say("", fmt.Sprint(i, " ", j)), es)
		}
	}
}

// SPEC: V1
func copies(t *testing.T, s store.Store) {
	es := thread.Extend("", rich())
	want := thread.Extend("", rich())
	e, v, c := []byte("envelope"), []byte("variant"), []byte("content")
	add(t, s, mainKey, store.Batch{Entries: es, Envelope: e, Variants: []store.Variant{{ID: es[0].ID, Raw: v}}})
	p := build(t, mainKey, 1, want, plan.Record{Action: plan.Clear, Fields: raw(`{"a": 1}`), Span: span(want[:2])})
	noError(t, s.Commit(ctx(t), mainKey, p, []artifact.Artifact{{ID: "a1", Source: es[0].ID, Content: c}}))
	before := snapshot(t, s, "")
	e[0], v[0], c[0], es[0].Message.Raw[0], es[1].Message.Parts[0].Raw[0] = 'X', 'X', 'X', 'X', 'X'
	es[2].Message.Parts[0].Parts[0].Text = "X"
	p.Records[0].Fields[1], p.Records[0].Span.IDs[0], p.Holds[0].Part = 'X', "X", 99
	equal(t, before, snapshot(t, s, ""))
	got := snapshot(t, s, "")[0]
	got.Entries[0].Message.Raw[0], got.Entries[2].Message.Parts[0].Parts[0].Raw[0] = 'Y', 'Y'
	got.Envelope[0], got.Artifacts[0].Content[0], got.Variants[es[0].ID][0].Raw[0] = 'Y', 'Y', 'Y'
	got.Plans[0].Records[0].Text, got.Plans[0].Records[0].Span.IDs[1] = "Y", "Y"
	equal(t, before, snapshot(t, s, ""))
	have, err := s.Load(ctx(t), mainKey)
	noError(t, err)
	equal(t, want, have)
}

// SPEC: V1
func cancelled(t *testing.T, s store.Store) {
	c, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := s.Append(c, mainKey, store.Batch{Entries: say("", "one"), Now: now(0)})
	isError(t, err, context.Canceled)
	_, err = s.Head(ctx(t), mainKey)
	isError(t, err, store.ErrNotFound)
	_, err = s.Load(c, mainKey)
	isError(t, err, context.Canceled)
	_, err = s.Heads(c, "")
	isError(t, err, context.Canceled)
	isError(t, s.Commit(c, mainKey, &plan.Plan{Version: 1}, nil), context.Canceled)
	isError(t, s.Erase(c, mainKey, "a", tombstone), context.Canceled)
	isError(t, s.EraseEntry(c, mainKey, "x", tombstone), context.Canceled)
	_, err = s.Expire(c, "", now(1))
	isError(t, err, context.Canceled)
	isError(t, s.PutSummary(c, "", "k", []byte("s"), now(1)), context.Canceled)
	_, err = s.Summary(c, "", "k")
	isError(t, err, context.Canceled)
}
