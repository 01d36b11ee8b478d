package recall_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// summarized is a thread of messages whose first n stand behind a summary.
func summarized(t testing.TB, n int, text string, ms ...message.Message) *recall.Reader {
	t.Helper()
	s := memory.New()
	es := thread.Extend("", ms)
	if _, err := s.Append(ctx, key, store.Batch{Entries: es, Now: now}); err != nil {
		t.Fatal(err)
	}
	th, err := thread.New(es)
	if err != nil {
		t.Fatal(err)
	}
	var ids []thread.ID
	for _, e := range es[:n] {
		ids = append(ids, e.ID)
	}
	_, r := planned(t, s, th, nil, plan.Record{Action: plan.Summarize, Text: text, Span: plan.Span{IDs: ids}})
	return r
}

// planned commits a plan of these records, and opens its thread.
func planned(t testing.TB, s store.Store, th *thread.Thread, arts []artifact.Artifact, records ...plan.Record) (*plan.Plan, *recall.Reader) {
	t.Helper()
	p, err := plan.Build(plan.Plan{Thread: key.Thread, Base: th.Tip(), Version: 1, ThreadVersion: th.Len(), Records: records}, th)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(ctx, key, p, arts); err != nil {
		t.Fatal(err)
	}
	r, err := recall.Open(ctx, s, key, now)
	if err != nil {
		t.Fatal(err)
	}
	return p, r
}

// The lines beside a hit come along as far as they have room, those first that say more;
// none do where their number is asked for.
//
// SPEC: L22, B8
func TestHitsComeWithLinesBesideThem(t *testing.T) {
	r := log(t, rounds([3]string{"cat", `{"f":"a"}`, "one\ntwo wren\nthree heron\nfour\nfive\n" + strings.Repeat("x", 200)})...)
	for around, want := range map[int]string{
		0:   "[] three heron []",
		25:  "[] three heron []",
		35:  "[two wren] three heron []", // it holds another word of the query
		45:  "[two wren] three heron []",
		47:  "[two wren] three heron [four]",
		200: "[one two wren] three heron [four five]",
	} {
		got, err := r.Search(ctx, recall.Topic{Text: "heron wren three", Limit: 1, Around: around})
		if err != nil {
			t.Fatal(err)
		}
		h := got.Hits[0]
		if s := fmt.Sprint(h.Before, " ", h.Text, " ", h.After); s != want {
			t.Errorf("%d bytes: %s, want %s", around, s, want)
		}
	}
	answer := func(args string) string {
		text, failed := recall.ToolHandler{Who: ann}.Answer(ctx, r, "precis_grep", json.RawMessage(args))
		if failed {
			t.Fatal(text)
		}
		return text
	}
	if text := answer(`{"query":"heron wren three"}`); !strings.Contains(text, "\n     1- one\n     2- two wren\n     3: three heron\n     4- four\n     5- five\n") {
		t.Error(text)
	}
	if text := answer(`{"query":"heron wren three","context":0}`); strings.Contains(text, "wren\n") {
		t.Error(text)
	}
}

// The best three hits have the most room for the lines beside them, the others a quarter of it.
//
// SPEC: L22, B8
func TestTheBestHitsShowMost(t *testing.T) {
	var calls [][3]string
	for i := range 5 {
		calls = append(calls, [3]string{"cat", fmt.Sprintf(`{"f":"%d"}`, i), fmt.Sprintf("heron %d\n", i) + strings.Repeat(fmt.Sprintf("line of file %d\n", i), 30)})
	}
	got, err := log(t, rounds(calls...)...).Search(ctx, recall.Topic{Text: "heron", Limit: 5, Neighbours: -1, Around: 240})
	if err != nil {
		t.Fatal(err)
	}
	var beside []int
	for _, h := range got.Hits {
		beside = append(beside, len(h.Before)+len(h.After))
	}
	if fmt.Sprint(beside) != "[10 10 10 2 2]" {
		t.Errorf("lines beside hits: %d", beside)
	}
}

// Where an answer has no room for the lines beside hits, it has the hits.
//
// SPEC: L22, B8
func TestHitsComeBeforeLinesBesideThem(t *testing.T) {
	var calls [][3]string
	for i := range 12 {
		calls = append(calls, [3]string{"cat", fmt.Sprintf(`{"f":"%d"}`, i), fmt.Sprintf("heron %d\n", i) + strings.Repeat(fmt.Sprintf("line of file %d\n", i), 12)})
	}
	r := log(t, rounds(calls...)...)
	h := recall.ToolHandler{Who: ann, Max: 2000}
	with, _ := h.Answer(ctx, r, "precis_grep", json.RawMessage(`{"query":"heron","limit":12}`))
	without, _ := h.Answer(ctx, r, "precis_grep", json.RawMessage(`{"query":"heron","limit":12,"context":0}`))
	if d := cmp.Diff(without, with); d != "" {
		t.Error(d)
	}
}

// farApart has a user say each text, with more between two of them than a hit shows.
func farApart(texts ...string) (ms []message.Message) {
	pad := message.TextOf(message.Assistant, "Next.")
	for _, s := range texts {
		ms = append(ms, message.TextOf(message.User, s), pad, pad, pad)
	}
	return ms
}

// describing is a search of so many words that it describes a step, and does not ask.
func describing(subject string) string {
	for n := range 40 {
		subject += fmt.Sprintf(" word%d", n)
	}
	return subject
}

// Of what left the prompt, hits show what no better hit shows: a text that names what is
// new comes before one that says again what a hit names.
//
// SPEC: L22
func TestHitsAreOfDifferentThings(t *testing.T) {
	ms := farApart(
		"the heron is in src/alpha_one.go and src/alpha_two.go and src/alpha_three.go, with heron_count",
		"heron again: src/alpha_one.go, src/alpha_two.go, src/alpha_three.go, heron_count",
		"a heron in lib/beta_one.go and lib/beta_two.go, with egret_count, one of many small birds of the lake",
	)
	ms = append(ms, message.TextOf(message.User, "And now?"))
	r := summarized(t, len(ms)-1, "They spoke.", ms...)
	got, err := r.Search(ctx, recall.Topic{Text: describing("heron"), Limit: 2, Lost: true})
	if err != nil {
		t.Fatal(err)
	}
	var refs []string
	for _, h := range got.Hits {
		refs = append(refs, h.Ref)
	}
	if s := strings.Join(refs, " "); !strings.Contains(s, "#9/1") {
		t.Errorf("hits %s", s)
	}
}

// A name that the agent said itself is no more news than a word: what only a tool named comes
// first.
//
// SPEC: L22
func TestWhatTheAgentNamedIsLessNews(t *testing.T) {
	ms := farApart(
		"the heron is in src/alpha_one.go and src/alpha_two.go and src/alpha_three.go here",
		"the heron is in lib/gamma_one.go and lib/gamma_two.go and lib/gamma_three.go here",
	)
	ms = append(ms, message.TextOf(message.Assistant, "I look at lib/gamma_one.go, lib/gamma_two.go and lib/gamma_three.go."), message.TextOf(message.User, "And now?"))
	r := summarized(t, len(ms)-1, "They spoke.", ms...)
	got, err := r.Search(ctx, recall.Topic{Text: describing("heron"), Limit: 1, Lost: true, Neighbours: -1})
	if err != nil || got.Hits[0].Ref != "#1/1" {
		t.Errorf("%v, %v", got.Hits, err)
	}
}

// A name that holds a word of what is searched is more news than another: of two texts that
// say as much of the subject, the one whose names are called by it comes first.
//
// SPEC: L22
func TestNamesOfTheSubjectAreMoreNews(t *testing.T) {
	ms := farApart(
		"the heron is in lib/count_heron.go and lib/move_heron.go here",
		"the heron, a heron, one heron, two heron, and heron is in lib/count_goose.go and lib/move_goose.go here",
		"a lake",
	)
	ms = append(ms, message.TextOf(message.User, "And now?"))
	r := summarized(t, len(ms)-1, "They spoke.", ms...)
	got, err := r.Search(ctx, recall.Topic{Text: describing("heron"), Limit: 1, Lost: true, Neighbours: -1})
	if err != nil || got.Hits[0].Ref != "#1/1" {
		t.Errorf("%v, %v", got.Hits, err)
	}
}

// A search of few words asks for what they say, whoever said it: what the agent concluded comes before
// a long text that has more names. One of many words, which describes a step, puts the names first.
//
// SPEC: L22
func TestFewWordsAskForWhatTheySay(t *testing.T) {
	ms := farApart(
		"heron 1, lib/alpha_one.go, lib/alpha_two.go, lib/alpha_three.go, lib/beta_one.go, lib/beta_two.go",
		"a lake",
	)
	ms = append(ms, message.TextOf(message.Assistant, "The heron flies because the wren does."), message.TextOf(message.User, "And now?"))
	r := summarized(t, len(ms)-1, "They spoke.", ms...)
	for text, want := range map[string]string{"why the heron flies": "#9/1", describing("heron flies"): "#1/1"} {
		got, err := r.Search(ctx, recall.Topic{Text: text, Limit: 1, Lost: true, Neighbours: -1})
		if err != nil || got.Hits[0].Ref != want {
			t.Errorf("%.30s: %v, %v", text, got.Hits, err)
		}
	}
}

// BenchmarkSearchLost is a search as the model's tool asks it, of a conversation of 10,000
// messages of which all but 100 left the prompt.
func BenchmarkSearchLost(b *testing.B) {
	var ms []message.Message
	for i := range 10_000 {
		role := []message.Role{message.User, message.Assistant}[i%2]
		ms = append(ms, message.TextOf(role, strings.Repeat(fmt.Sprintf("line %d of src/dir%d/file%d.go with some words\n", i, i%50, i%700), 10)))
	}
	args := json.RawMessage(`{"query":"what was in src/dir7/file57.go line 407?"}`)
	search := func(b *testing.B, r *recall.Reader) {
		if text, failed := (recall.ToolHandler{Who: ann}).Answer(ctx, r, "precis_grep", args); failed {
			b.Fatal(text)
		}
	}
	b.Run("fill", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			search(b, summarized(b, 9_900, "Files were read.", ms...))
		}
	})
	b.Run("search", func(b *testing.B) {
		r := summarized(b, 9_900, "Files were read.", ms...)
		b.ReportAllocs()
		for b.Loop() {
			search(b, r)
		}
	})
}
