package cached

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/summary/internal/testspan"
	"github.com/seed-3db51b0e/precis/thread"
)

// elsewhere returns a summary of other messages.
func elsewhere() *summary.Structured {
	at := summary.Source{ID: "elsewhere", N: 3}
	return &summary.Structured{Schema: summary.Schema, Round: 2, From: at, To: at, Count: 1, Facts: []summary.Fact{{Kind: summary.Finding, Text: "The parser takes 120 ms.", From: at}}}
}

// SPEC: L18. What a summarizer reads makes the hash, and every field the key.
func TestCacheKey(t *testing.T) {
	seen := map[string]string{}
	add := func(what, key string) {
		t.Helper()
		if was, ok := seen[key]; ok {
			t.Errorf("%s has the key of %s", what, was)
		}
		seen[key] = what
	}
	add("zero", cacheKey{}.String())
	for i := range reflect.TypeFor[cacheKey]().NumField() {
		var k cacheKey
		reflect.ValueOf(&k).Elem().Field(i).SetString("x")
		add(reflect.TypeFor[cacheKey]().Field(i).Name, k.String())
	}
	add("shifted", cacheKey{Content: "xx"}.String())
	add("split", cacheKey{Content: "x", Schema: "x"}.String())

	hash := func(what string, ms []message.Message, previous ...*summary.Structured) {
		t.Helper()
		th, span := testspan.Of(t, ms)
		h, err := contentHash(th, span, previous)
		if err != nil {
			t.Fatal(err)
		}
		add(what, h)
	}
	hash("nothing", nil)
	hash("messages", said(4))
	hash("fewer messages", said(3))
	hash("an earlier summary", said(4), &summary.Structured{})
	hash("another earlier summary", said(4), &summary.Structured{Round: 2})
	meta := said(4)
	meta[3].Meta = true
	hash("a message that is not sent", meta)

	hash("an earlier summary of other messages", said(4), elsewhere())
	th, _ := testspan.Of(t, said(4))
	if _, err := contentHash(th, plan.Span{IDs: []thread.ID{"gone"}}, nil); !errors.Is(err, errOutside) {
		t.Errorf("an unknown message: %v", err)
	}
}

// shelf is a cache that counts, and can fail or forget.
type shelf struct {
	mu       sync.Mutex
	kept     map[string][]byte
	fail     error
	got, put int
}

func (c *shelf) Summary(_ context.Context, key string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got++
	return c.kept[key], c.fail
}

func (c *shelf) PutSummary(_ context.Context, key string, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fail != nil {
		return c.fail
	}
	if c.kept == nil {
		c.kept = map[string][]byte{}
	}
	c.put++
	c.kept[key] = data
	return nil
}

// scribe is a summarizer that counts its calls; write, when set, replaces extract.
type scribe struct {
	name  string
	mu    sync.Mutex
	calls int
	write func(context.Context, summary.Input) (*summary.Structured, error)
}

func (s *scribe) Name() string { return s.name }

func (s *scribe) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	s.mu.Lock()
	s.calls++
	s.mu.Unlock()
	if s.write != nil {
		return s.write(ctx, in)
	}
	return extract.Summarizer{}.Summarize(ctx, in)
}

// SPEC: L18. An equal span of another thread hits, also in another process; a
// schema, model, prompt or policy change misses, as do other instructions, another
// part of the design, and a far larger cap.
func TestCached(t *testing.T) {
	ctx, kept := context.Background(), &shelf{}
	a, spanA := placed(t, 0, false, said(12))
	b, spanB := placed(t, 5, true, said(12))
	inA, inB := summary.Input{Thread: a, Span: spanA, Cap: 900}, summary.Input{Thread: b, Span: spanB, Cap: 870}
	ask := func(c *Summarizer, in summary.Input, want int) *summary.Structured {
		t.Helper()
		c.Cache = kept
		before := c.With.(*scribe).calls
		s, err := c.Summarize(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.With.(*scribe).calls - before; got != want {
			t.Errorf("%d calls, want %d", got, want)
		}
		if err := summary.Verify(s, in.Thread, in.Span); err != nil {
			t.Error(err)
		}
		return s
	}
	with := func() *scribe { return &scribe{name: "m/1"} }
	c := &Summarizer{With: with(), Policy: "p/1", Prompt: "q/1"}
	if c.Name() != "m/1" {
		t.Errorf("named %q", c.Name())
	}
	ask(c, inA, 1)
	if diff := apart(extracted(t, a, spanA), ask(c, inA, 0)); diff != "" {
		t.Error(diff)
	}
	if diff := apart(extracted(t, b, spanB), ask(c, inB, 0)); diff != "" {
		t.Error(diff)
	}
	ask(&Summarizer{With: with(), Policy: "p/1", Prompt: "q/1"}, inB, 0)
	ask(&Summarizer{With: with(), Policy: "p/2", Prompt: "q/1"}, inB, 1)
	ask(&Summarizer{With: with(), Policy: "p/1", Prompt: "q/2"}, inB, 1)
	ask(&Summarizer{With: with(), Policy: "p/1", Prompt: "q/1", Model: "m/2"}, inB, 1)
	ask(&Summarizer{With: &scribe{name: "m/3"}, Policy: "p/1", Prompt: "q/1"}, inB, 1)
	for _, change := range []func(*summary.Input){
		func(in *summary.Input) { in.Part = summary.Session },
		func(in *summary.Input) { in.Instructions = "be brief" },
		func(in *summary.Input) { in.Cap = 4000 },
		func(in *summary.Input) { in.Span.IDs = in.Span.IDs[1:] },
		func(in *summary.Input) {
			head := in.Span
			head.IDs = head.IDs[:4]
			in.Previous = []*summary.Structured{extracted(t, b, head)}
		},
	} {
		in := inB
		change(&in)
		ask(c, in, 1)
		ask(c, in, 0)
	}
}

// SPEC: L18, V9, V10. A cache that fails, forgets or holds rubbish never fails a
// summary, and is told of; what does not verify is neither kept nor used.
func TestCachedFails(t *testing.T) {
	ctx := context.Background()
	th, span := placed(t, 2, false, said(8))
	in := summary.Input{Thread: th, Span: span}
	want := extracted(t, th, span)
	var told []error
	kept, with := &shelf{fail: errors.New("disk full")}, &scribe{name: "m"}
	c := &Summarizer{With: with, Cache: kept, OnError: func(err error) { told = append(told, err) }}
	ask := func() *summary.Structured {
		t.Helper()
		s, err := c.Summarize(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if diff := apart(want, ask()); diff != "" || len(told) != 2 || !errors.Is(told[0], kept.fail) {
		t.Error(diff, told)
	}
	c.OnError = nil
	ask()
	c.OnError = func(err error) { told = append(told, err) }
	kept.fail = nil
	ask()
	good, _ := json.Marshal(want)
	for key := range kept.kept {
		for _, rubbish := range []string{"{", `{"schema":999}`, string(good), strings.ReplaceAll(string(kept.kept[key]), "src/part", "src/none")} {
			told, with.calls, kept.kept[key] = nil, 0, []byte(rubbish)
			if diff := apart(want, ask()); diff != "" || len(told) != 1 || with.calls != 1 {
				t.Errorf("%.40s: %d calls, told %v%s", rubbish, with.calls, told, diff)
			}
		}
	}
	kept.put = 0
	in.Instructions = "invent"
	with.write = func(context.Context, summary.Input) (*summary.Structured, error) {
		return &summary.Structured{Schema: summary.Schema, Facts: []summary.Fact{{Text: "see src/none.go", From: want.From}}}, nil
	}
	if s := ask(); len(s.Facts) != 1 || kept.put != 0 {
		t.Errorf("%+v, %d kept", s, kept.put)
	}
	with.write = func(context.Context, summary.Input) (*summary.Structured, error) { return elsewhere(), nil }
	if diff := apart(elsewhere(), ask()); diff != "" || kept.put != 0 {
		t.Error(diff)
	}
	refused := errors.New("overloaded")
	with.write = func(context.Context, summary.Input) (*summary.Structured, error) { return nil, refused }
	if _, err := c.Summarize(ctx, in); !errors.Is(err, refused) || kept.put != 0 {
		t.Errorf("got %v", err)
	}
	in.Span.IDs = append(in.Span.IDs[:1:1], "gone")
	if _, err := c.Summarize(ctx, in); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkContentHash(b *testing.B) {
	th, span := placed(b, 3, false, said(1000))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := contentHash(th, span, nil); err != nil {
			b.Fatal(err)
		}
	}
}
