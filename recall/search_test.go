package recall_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// log opens a thread of messages, without a plan.
func log(t testing.TB, ms ...message.Message) *recall.Reader {
	t.Helper()
	s := memory.New()
	if _, err := s.Append(ctx, key, store.Batch{Entries: thread.Extend("", ms), Now: now}); err != nil {
		t.Fatal(err)
	}
	r, err := recall.Open(ctx, s, key, now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func said(texts ...string) []message.Message {
	var ms []message.Message
	for i, s := range texts {
		ms = append(ms, message.TextOf([]message.Role{message.User, message.Assistant}[i%2], s))
	}
	return ms
}

func brief(fs []recall.Finding) []string {
	var out []string
	for _, f := range fs {
		out = append(out, fmt.Sprintf("%s %s %s %d %s", f.Ref, f.State, strings.Join(f.Records, ","), f.Line, f.Text))
	}
	return out
}

// A finding says where it stands, what the prompt shows of it and which record
// put that there.
//
// SPEC: L22, B8
func TestSearch(t *testing.T) {
	r, _, _, p2 := open(t)
	sum, ext := p2.Records[0].ID, p2.Records[1].ID
	own := r.Artifacts[0].ID
	for _, c := range []struct {
		topic      recall.Topic
		hits, near []string
	}{
		{
			recall.Topic{Text: "which error does make give?"},
			[]string{"#3/1 summarize " + sum + " 3 make: *** [all] Error 1", `#2/2 summarize ` + sum + ` 1 {"cmd":"make"}`},
			[]string{"#1/1 whole  1 Why does the build fail?", `#4/1 whole  1 {"path":"main.c"}`},
		},
		{
			recall.Topic{Text: "main.c", Neighbours: -1},
			[]string{
				`#4/1 whole  1 {"path":"main.c"}`, "#3/1 summarize " + sum + " 1 cc main.c", "#5/1 externalize " + ext + " 1 int main() {",
			},
			nil,
		},
		{
			recall.Topic{Text: "main.c", Covered: true, Limit: 1, Neighbours: -1},
			[]string{"#3/1 summarize " + sum + " 1 cc main.c"},
			nil,
		},
		{
			recall.Topic{Text: "the beta diagrams", Neighbours: -1},
			[]string{own + " externalize " + ext + " 2 diagram: beta"},
			nil,
		},
		{
			recall.Topic{Text: "diagram alpha"},
			[]string{own + " externalize " + ext + " 1 diagram: alpha"},
			[]string{`#4/1 whole  1 {"path":"main.c"}`, "#6/1 whole  1 x is not declared."},
		},
		{
			recall.Topic{Text: "Why does it do it?", Neighbours: -1}, // nothing but words of the language: they count
			[]string{"#1/1 whole  1 Why does the build fail?"}, nil,
		},
	} {
		got, err := r.Search(ctx, c.topic)
		if err != nil {
			t.Errorf("Search(%+v): %v", c.topic, err)
			continue
		}
		if d := cmp.Diff(c.hits, brief(got.Hits)); d != "" {
			t.Errorf("Search(%+v) hits: %s", c.topic, d)
		}
		if d := cmp.Diff(c.near, brief(got.Near)); d != "" {
			t.Errorf("Search(%+v) near: %s", c.topic, d)
		}
	}
	for _, text := range []string{"nowhere", "", "???", "what where"} {
		if got, err := r.Search(ctx, recall.Topic{Text: text}); !errors.Is(err, recall.ErrMiss) {
			t.Errorf("Search(%q) = %+v, %v", text, got, err)
		}
	}
	if _, err := r.Search(ctx, recall.Topic{Text: "build", Covered: true}); !errors.Is(err, recall.ErrMiss) {
		t.Errorf("Search of what the prompt shows: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.Search(ended, recall.Topic{Text: "main.c"}); !errors.Is(err, context.Canceled) {
		t.Errorf("Search after the end: %v", err)
	}
}

// What only repairs or re-encodings touch is still shown.
//
// SPEC: L22
func TestSearchCovered(t *testing.T) {
	s := memory.New()
	es := thread.Extend("", said("the red fox", "the red hen", "the red cow", "the red owl"))
	if _, err := s.Append(ctx, key, store.Batch{Entries: es, Now: now}); err != nil {
		t.Fatal(err)
	}
	th, err := thread.New(es)
	if err != nil {
		t.Fatal(err)
	}
	part := func(i int) plan.Span { return plan.Span{IDs: []thread.ID{es[i].ID}, Part: 1} }
	p, r := planned(t, s, th, nil,
		plan.Record{Action: plan.Replace, Kind: plan.Reencoded, Text: "the red fox", Span: part(0)},
		plan.Record{Action: plan.Replace, Kind: plan.Preview, Text: "the…", Span: part(1)},
		plan.Record{Action: plan.Drop, Span: plan.Span{IDs: []thread.ID{es[2].ID}}})
	got, err := r.Search(ctx, recall.Topic{Text: "red", Covered: true, Neighbours: -1})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"#3/1 drop " + p.Records[2].ID + " 1 the red cow", "#2/1 preview " + p.Records[1].ID + " 1 the red hen"}
	if d := cmp.Diff(want, brief(got.Hits)); d != "" {
		t.Error(d)
	}
}

// Rare words weigh more than common ones, names match whole and in pieces, and
// an answer is bounded.
//
// SPEC: L22
func TestSearchRanks(t *testing.T) {
	r := log(t, said(
		"the deploy failed", "which deploy?", "the deploy of billing-worker", "I deploy again", "deploy deploy deploy",
		"see internal/userStore.go line 4", "东京的天气怎么样", "Die Größe der Tabelle", "long "+strings.Repeat("word ", 500)+"needle "+strings.Repeat("word ", 500),
	)...)
	for text, first := range map[string]string{
		"deploy billing":         "#3/1",
		"billing-worker":         "#3/1",
		"userStore":              "#6/1",
		"user store":             "#6/1",
		"userstore.go":           "#6/1",
		"internal/userStore.go":  "#6/1",
		"天气":                     "#7/1",
		"GRÖSSE größe":           "#8/1",
		"failing deployments":    "#1/1",
		"where is that needle?!": "#9/1",
	} {
		got, err := r.Search(ctx, recall.Topic{Text: text, Limit: 2, Width: 40})
		if err != nil || got.Hits[0].Ref != first {
			t.Errorf("%q: %+v, %v; want %s", text, brief(got.Hits), err, first)
			continue
		}
		if len(got.Hits) > 2 || len(got.Near) > 4 || got.Total < len(got.Hits) {
			t.Errorf("%q: %d hits, %d near of %d", text, len(got.Hits), len(got.Near), got.Total)
		}
		for _, f := range slices.Concat(got.Hits, got.Near) {
			if len(f.Text) > 40+len("……") {
				t.Errorf("%q: %d bytes: %s", text, len(f.Text), f.Text)
			}
		}
	}
	got, err := r.Search(ctx, recall.Topic{Text: "needle", Width: 40})
	if err != nil || !strings.Contains(got.Hits[0].Text, "needle") {
		t.Errorf("the passage is not shown: %+v, %v", got.Hits, err)
	}
	all, err := r.Search(ctx, recall.Topic{Text: "deploy", Limit: -1, Neighbours: 2})
	if err != nil || len(all.Hits) != 5 || all.Hits[0].Ref != "#5/1" || len(all.Near) != 1 {
		t.Errorf("hits %q, near %q, %v", brief(all.Hits), brief(all.Near), err)
	}
}

// Records that are never sent are searched, and are nobody's neighbour.
//
// SPEC: L22
func TestSearchMeta(t *testing.T) {
	ms := said("zero", "one", "needle", "three", "four")
	ms[1].Meta, ms[3].Meta = true, true
	got, err := log(t, ms...).Search(ctx, recall.Topic{Text: "needle"})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"#1/1 whole  1 zero", "#5/1 whole  1 four"}, brief(got.Near)); d != "" {
		t.Error(d)
	}
	got, err = log(t, ms...).Search(ctx, recall.Topic{Text: "three"})
	if err != nil || got.Hits[0].State != "not sent" {
		t.Errorf("%+v, %v", got, err)
	}
}

// toy is an index of meaning that answers what it was told to.
type toy struct {
	mu    sync.Mutex
	added []string
	near  []string
	fail  error
}

func (x *toy) Add(_ context.Context, id, _ string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.added = append(x.added, id)
	return x.fail
}

func (x *toy) Nearest(_ context.Context, _ string, n int) ([]string, error) {
	return x.near[:min(n, len(x.near))], x.fail
}

// With an index of meaning its order is merged with the words'; ids of elsewhere
// mean nothing; when it fails the words' order stands and the answer says so.
//
// SPEC: L22, V10, V9
func TestSearchIndex(t *testing.T) {
	ms := said("the vehicle is red", "a car", "nothing", "a red car", "red")
	r := log(t, ms...)
	id := func(n int) string { return string(r.Thread.At(n - 1).ID) }
	x := &toy{near: []string{"elsewhere", id(4), id(1), id(4), id(3)}}
	r.Index = x
	refs := func(fs recall.Findings) string {
		var s []string
		for _, h := range fs.Hits {
			s = append(s, h.Ref)
		}
		return strings.Join(s, " ")
	}
	got, err := r.Search(ctx, recall.Topic{Text: "car", Neighbours: -1})
	if err != nil || refs(got) != "#4/1 #1/1 #3/1 #2/1" || got.Degraded != "" {
		t.Errorf("%s, %+v, %v", refs(got), got, err)
	}
	if _, err := r.Search(ctx, recall.Topic{Text: "red"}); err != nil || len(x.added) != 5 {
		t.Errorf("%d texts were added, %v", len(x.added), err)
	}
	failing := log(t, ms...)
	failing.Index = &toy{fail: errors.New("no model")}
	got, err = failing.Search(ctx, recall.Topic{Text: "car", Neighbours: -1})
	if err != nil || refs(got) != "#2/1 #4/1" || !strings.Contains(got.Degraded, "no model") {
		t.Errorf("%s, %+v, %v", refs(got), got, err)
	}
	if got, err := failing.Search(ctx, recall.Topic{Text: "boat"}); !errors.Is(err, recall.ErrMiss) || got.Degraded == "" {
		t.Errorf("%+v, %v", got, err)
	}
}

// bag is an index of the same words in any case.
type bag map[string]uint64

func (b bag) Add(_ context.Context, id, text string) error { b[id] = folded(text); return nil }

func (b bag) Nearest(_ context.Context, text string, n int) ([]string, error) {
	var ids []string
	for id, l := range b {
		if l == folded(text) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids[:min(n, len(ids))], nil
}

func folded(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strings.ToLower(text)))
	return h.Sum64()
}

// Any log, any topic: the same answer from any reader, asked at once or in
// turn; hits in order of score, each once; neighbours are no hits; what is
// returned holds a term, or the index names it.
//
// SPEC: L22, V5
func TestSearchIsStable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.SampledFrom([]string{"red", "car", "userID", "src/a.go", "漢字", "deploy", "the", "1234", "\n", "é"})
		text := rapid.Custom(func(rt *rapid.T) string { return strings.Join(rapid.SliceOfN(word, 0, 8).Draw(rt, "words"), " ") })
		ms := said(rapid.SliceOfN(text, 1, 20).Draw(rt, "texts")...)
		topic := recall.Topic{
			Text: text.Draw(rt, "topic"), Limit: rapid.IntRange(-1, 5).Draw(rt, "limit"), Neighbours: rapid.IntRange(-1, 3).Draw(rt, "neighbours"),
		}
		a, b := log(t, ms...), log(t, ms...)
		if rapid.Bool().Draw(rt, "meaning") {
			a.Index, b.Index = bag{}, bag{}
		}
		var wg sync.WaitGroup
		var got [3]recall.Findings
		var errs [3]error
		for i, r := range []*recall.Reader{a, a, b} {
			wg.Go(func() { got[i], errs[i] = r.Search(ctx, topic) })
		}
		wg.Wait()
		if !reflect.DeepEqual(got[0], got[1]) || !reflect.DeepEqual(got[0], got[2]) || (errs[0] == nil) != (errs[2] == nil) {
			rt.Fatalf("%+v\n%+v\n%+v", got[0], got[1], got[2])
		}
		seen := map[string]bool{}
		for i, h := range got[0].Hits {
			if seen[h.Ref] || h.Score <= 0 || i > 0 && h.Score > got[0].Hits[i-1].Score {
				rt.Fatalf("hits %+v", got[0].Hits)
			}
			seen[h.Ref] = true
		}
		for _, f := range got[0].Near {
			if seen[f.Ref] || f.Score != 0 {
				rt.Fatalf("near %+v, hits %+v", got[0].Near, got[0].Hits)
			}
			seen[f.Ref] = true
		}
		if limit := topic.Limit; limit > 0 && len(got[0].Hits) > limit || got[0].Total < len(got[0].Hits) {
			rt.Fatalf("%d hits of %d", len(got[0].Hits), got[0].Total)
		}
	})
}

// SPEC: L22
func TestQuality(t *testing.T) {
	call := func(id, name, args string) message.Message {
		return message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: name, Args: args}}}
	}
	result := func(id string) message.Message {
		return message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: "out"}}}}}
	}
	text := message.TextOf
	ms := []message.Message{
		text(message.User, "go"), // 1
		call("a", "Read", `{"path":"a.go","n":1}`), result("a"),
		call("b", "Read", `{"path":"b.go"}`), result("b"),
		call("c", "Read", `{"path":"c.go"}`), result("c"),
		// 8, before any plan
		text(message.Assistant, "Could you remind me what a.go is?"),
		// 9: base of plan 1
		text(message.User, "no"),
		// 10
		text(message.Assistant, "I no longer have the earlier output. Could you remind me?"),
		text(message.User, "I no longer have it either"),
		call("d", "Read", `{"n":1, "path":"a.go"}`), result("d"), // 12 repeats a, in another spelling
		call("e", "Read", `{"path":"a.go","n":1}`), result("e"), // 14: a is shown again, by d
		call("f", "Read", `{"path":"c.go"}`), result("f"), // 16: c is shown
		call("g", "read_artifact", `{"id":"a1"}`), result("g"), // 18
		text(message.Assistant, "done"), // 20: base of plan 2
		text(message.User, "more"),
		call("h", "Read", `{"path":"b.go"}`), result("h"), // 22: its result is cleared now
		call("i", "mcp__precis__precis_grep", `{"pattern":"x"}`), result("i"), // 24
		call("j", "Read", `{"path":"c.go"}`), result("j"), // 26: c is hidden, but not f
	}
	s := memory.New()
	es := thread.Extend("", ms)
	th, err := thread.New(es)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(ctx, key, store.Batch{Entries: es, Now: now}); err != nil {
		t.Fatal(err)
	}
	commit := func(v, base int, rs ...plan.Record) *plan.Plan {
		p, err := plan.Build(plan.Plan{Thread: key.Thread, Version: v, Base: th.At(base - 1).ID, ThreadVersion: base, Records: rs}, th)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(ctx, key, p, nil); err != nil {
			t.Fatal(err)
		}
		return p
	}
	sum := plan.Record{Action: plan.Summarize, Text: "s", Span: plan.Span{IDs: []thread.ID{es[1].ID, es[2].ID}}}
	p1 := commit(1, 9, sum)
	commit(2, 20, sum,
		plan.Record{Action: plan.Clear, Tool: "Read", Outcome: "success", Span: plan.Span{IDs: []thread.ID{es[4].ID}, Part: 1}},
		plan.Record{Action: plan.Drop, Span: plan.Span{IDs: []thread.ID{es[5].ID, es[6].ID}}})
	r, err := recall.Open(ctx, s, key, now)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Quality(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := recall.Quality{
		Plans: 2, Turns: 8, Since: 3, Asked: []string{"#10"}, Recalled: []string{"#18/1", "#24/1"}, Repeated: []string{"#12/1", "#22/1"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	b, err := json.Marshal(got)
	if err != nil || !strings.Contains(string(b), `"turns_since_compaction":3`) {
		t.Errorf("%s, %v", b, err)
	}
	if got := recall.Evaluate(th, p1); got.Plans != 1 || len(got.Recalled) != 2 || got.Since != got.Turns {
		t.Errorf("under one plan: %+v", got)
	}
	if got := recall.Evaluate(th); !reflect.DeepEqual(got, recall.Quality{}) {
		t.Errorf("without a plan: %+v", got)
	}
	if got := recall.Evaluate(th, &plan.Plan{Base: "elsewhere"}); !reflect.DeepEqual(got, recall.Quality{}) {
		t.Errorf("under another branch's plan: %+v", got)
	}
	if got, err := log(t, ms...).Quality(ctx); err != nil || got.Plans != 0 {
		t.Errorf("without a plan: %+v, %v", got, err)
	}
}

func BenchmarkSearch(b *testing.B) {
	var texts []string
	for i := range 1000 {
		texts = append(texts, strings.Repeat(fmt.Sprintf("line %d of src/dir%d/file.go with some words\n", i, i%50), 30))
	}
	ms := said(texts...)
	topic := recall.Topic{Text: "what was in src/dir7/file.go line 407?"}
	b.Run("fill", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := log(b, ms...).Search(ctx, topic); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("search", func(b *testing.B) {
		r := log(b, ms...)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := r.Search(ctx, topic); err != nil {
				b.Fatal(err)
			}
		}
	})
}
