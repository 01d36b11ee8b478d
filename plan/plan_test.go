package plan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// conversation has n messages of two parts each.
func conversation(t testing.TB, n int) *thread.Thread {
	t.Helper()
	var ms []message.Message
	for i := range n {
		ms = append(ms, message.Message{Role: message.User, Parts: []message.Part{
			{Kind: message.Text, Text: fmt.Sprint("a", i)}, {Kind: message.Text, Text: fmt.Sprint("b", i)},
		}})
	}
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func span(t *thread.Thread, at ...int) plan.Span {
	s := plan.Span{FirstTurn: t.Turn(at[0]), LastTurn: t.Turn(at[len(at)-1])}
	for _, i := range at {
		s.IDs = append(s.IDs, t.At(i).ID)
	}
	return s
}

func part(t *thread.Thread, i, n int) plan.Span {
	s := span(t, i)
	s.Part = n
	return s
}

// SPEC: L1
func TestSpan(t *testing.T) {
	th := conversation(t, 5)
	s := span(th, 1, 2, 4)
	if s.Start() != th.At(1).ID || s.End() != th.At(4).ID || s.Count() != 3 {
		t.Errorf("span %+v", s)
	}
	if !s.Contains(th.At(2).ID) || s.Contains(th.At(3).ID) {
		t.Error("contains")
	}
	if s.FirstTurn != 2 || s.LastTurn != 5 {
		t.Errorf("turns %d-%d", s.FirstTurn, s.LastTurn)
	}
}

// Overlaps end under the stronger action, and the weaker record keeps the rest.
//
// SPEC: L3
func TestBuildResolvesOverlaps(t *testing.T) {
	th := conversation(t, 6)
	p, err := plan.Build(plan.Plan{Records: []plan.Record{
		{Action: plan.Clear, Span: span(th, 4, 5)},
		{Action: plan.Summarize, Span: span(th, 1, 2, 3), Text: "s"},
		{Action: plan.Externalize, Span: span(th, 2), Artifact: "a1"},
		{Action: plan.Drop, Span: span(th, 3, 4)},
		{Action: plan.Replace, Span: part(th, 2, 1), Text: "x"},
		{Action: plan.Replace, Span: part(th, 0, 2), Text: "y"},
		{Action: plan.Clear, Span: part(th, 0, 2)},
	}}, th)
	if err != nil {
		t.Fatal(err)
	}
	want := []plan.Action{plan.Include, plan.Summarize, plan.Externalize, plan.Drop, plan.Drop, plan.Clear}
	for i, w := range want {
		if got := p.ActionOf(th.At(i).ID); got != w {
			t.Errorf("message %d: %s, want %s", i, got, w)
		}
	}
	if p.Part(th.At(2).ID, 1) != nil {
		t.Error("a part record survives under a whole-message record")
	}
	if r := p.Part(th.At(0).ID, 2); r == nil || r.Action != plan.Clear {
		t.Errorf("part of message 0: %+v", r)
	}
	if len(p.Warnings) != 5 {
		t.Errorf("%d warnings: %v", len(p.Warnings), p.Warnings)
	}
	for _, r := range p.Records {
		if !strings.HasPrefix(r.ID, "r") || p.Find(r.ID) == nil {
			t.Errorf("record id %q", r.ID)
		}
	}
}

// SPEC: L1, L3
func TestBuildRefuses(t *testing.T) {
	th := conversation(t, 3)
	for name, c := range map[string]struct {
		r    plan.Record
		want error
	}{
		"unknown id":      {plan.Record{Action: plan.Drop, Span: plan.Span{IDs: []thread.ID{"nope"}}}, plan.ErrUnknown},
		"empty span":      {plan.Record{Action: plan.Drop}, plan.ErrEmptySpan},
		"out of order":    {plan.Record{Action: plan.Drop, Span: span(th, 2, 0)}, plan.ErrUnordered},
		"twice":           {plan.Record{Action: plan.Drop, Span: span(th, 1, 1)}, plan.ErrUnordered},
		"no action":       {plan.Record{Span: span(th, 1)}, plan.ErrNoAction},
		"include":         {plan.Record{Action: plan.Include, Span: span(th, 1)}, plan.ErrNoAction},
		"no such part":    {plan.Record{Action: plan.Clear, Span: part(th, 1, 3)}, plan.ErrUnknown},
		"a part of a few": {plan.Record{Action: plan.Clear, Span: plan.Span{IDs: span(th, 0, 1).IDs, Part: 1}}, plan.ErrEmptySpan},
	} {
		if _, err := plan.Build(plan.Plan{Records: []plan.Record{c.r}}, th); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func draw(rt *rapid.T, th *thread.Thread) plan.Plan {
	p := plan.Plan{
		Thread: "t", Base: th.Tip(), Version: 3, ThreadVersion: th.Len(), Policy: "balanced", Style: "ladder",
		CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Original: 100, Compacted: 50,
		Inputs: plan.Inputs{Counter: "o200k", Budget: 90, Factor: 1.25},
		Pins:   []plan.Ref{{ID: th.At(0).ID}}, Holds: []plan.Ref{{ID: th.At(1).ID, Part: 2}},
	}
	actions := []plan.Action{plan.Replace, plan.Clear, plan.Summarize, plan.Externalize, plan.Drop}
	for range rapid.IntRange(0, 8).Draw(rt, "records") {
		from := rapid.IntRange(0, th.Len()-1).Draw(rt, "from")
		r := plan.Record{
			Action: rapid.SampledFrom(actions).Draw(rt, "action"), Text: rapid.String().Draw(rt, "text"),
			Reason: "why", Saves: 7, Fields: json.RawMessage(`{"id":9007199254740993}`), Kind: plan.Preview,
			Artifact: "a1", CallID: "c", Answer: "none", Meta: json.RawMessage(`{"path":"su:3.conv.range.summary"}`),
		}
		r.Excerpts = rapid.SampledFrom([][]string{nil, {"Lines of the log:\n#1 user: a"}, {"", rapid.String().Draw(rt, "excerpt")}}).Draw(rt, "excerpts")
		r.Span = span(th, from)
		if rapid.Bool().Draw(rt, "part") {
			r.Span.Part = rapid.IntRange(1, 2).Draw(rt, "n")
		} else if from+1 < th.Len() {
			r.Span = span(th, from, from+1)
		}
		p.Records = append(p.Records, r)
	}
	return p
}

// A plan comes back whole from both of its written forms.
//
// SPEC: L4
func TestRoundTrip(t *testing.T) {
	th := conversation(t, 6)
	rapid.Check(t, func(rt *rapid.T) {
		p, err := plan.Build(draw(rt, th), th)
		if err != nil {
			rt.Fatal(err)
		}
		data, err := json.Marshal(p)
		if err != nil {
			rt.Fatal(err)
		}
		var back plan.Plan
		if err := json.Unmarshal(data, &back); err != nil {
			rt.Fatal(err)
		}
		same(rt, p, &back, th)
		text, err := p.Format()
		if err != nil {
			rt.Fatal(err)
		}
		parsed, err := plan.Parse(text)
		if err != nil {
			rt.Fatal(err)
		}
		same(rt, p, parsed, th)
	})
}

func same(rt *rapid.T, a, b *plan.Plan, th *thread.Thread) {
	if d := cmp.Diff(a, b, cmpopts.IgnoreUnexported(plan.Plan{}), cmpopts.EquateEmpty()); d != "" {
		rt.Fatal(d)
	}
	for i := range th.Len() {
		if id := th.At(i).ID; a.ActionOf(id) != b.ActionOf(id) || a.Touches(id) != b.Touches(id) {
			rt.Fatalf("message %d is under another action", i)
		}
	}
}

// Building again changes nothing, and every ref is under one record at most.
//
// SPEC: L3, V2
func TestBuildIsStable(t *testing.T) {
	th := conversation(t, 6)
	rapid.Check(t, func(rt *rapid.T) {
		p, err := plan.Build(draw(rt, th), th)
		if err != nil {
			rt.Fatal(err)
		}
		again, err := plan.Build(*p, th)
		if err != nil {
			rt.Fatal(err)
		}
		if len(again.Warnings) > 0 || !slices.EqualFunc(p.Records, again.Records, func(a, b plan.Record) bool { return a.ID == b.ID }) {
			rt.Fatalf("built again: %v", again.Warnings)
		}
		seen := map[string]bool{}
		for _, r := range p.Records {
			for _, id := range r.Span.IDs {
				key := plan.Ref{ID: id, Part: r.Span.Part}.String()
				if seen[key] || seen[string(id)] {
					rt.Fatalf("%s is covered twice", key)
				}
				seen[key] = true
			}
		}
	})
}

// What people read does not change what a record is.
//
// SPEC: V5
func TestIdentityIsActing(t *testing.T) {
	th := conversation(t, 2)
	build := func(r plan.Record) string {
		p, err := plan.Build(plan.Plan{Records: []plan.Record{r}}, th)
		if err != nil {
			t.Fatal(err)
		}
		return p.Records[0].ID
	}
	a := plan.Record{Action: plan.Drop, Span: span(th, 0), Reason: "x", Saves: 3}
	b := a
	b.Reason, b.Saves, b.Strategy, b.Tokens, b.Meta = "y", 4, "z", 5, json.RawMessage(`{}`)
	if build(a) != build(b) {
		t.Error("telling fields change the id")
	}
	b.Action = plan.Clear
	if build(a) == build(b) {
		t.Error("another action has the same id")
	}
}

func TestCarryKeepsWhatStands(t *testing.T) {
	th := conversation(t, 5)
	p, err := plan.Build(plan.Plan{Records: []plan.Record{
		{Action: plan.Drop, Span: span(th, 0, 1)}, {Action: plan.Clear, Span: span(th, 3)},
	}, Pins: []plan.Ref{{ID: th.At(4).ID}}}, th)
	if err != nil {
		t.Fatal(err)
	}
	ms := []message.Message{message.TextOf(message.User, "new")}
	for i := 1; i < 5; i++ {
		ms = append(ms, th.At(i).Message)
	}
	branch, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	c, err := plan.Carry(p, th, branch)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Records) != 1 || c.ActionOf(branch.At(3).ID) != plan.Clear {
		t.Errorf("carried %+v", c.Records)
	}
	if len(c.Pins) != 1 || c.Pins[0].ID != branch.At(4).ID {
		t.Errorf("pins %v", c.Pins)
	}
}

func TestDiff(t *testing.T) {
	th := conversation(t, 3)
	build := func(rs ...plan.Record) *plan.Plan {
		p, err := plan.Build(plan.Plan{Records: rs}, th)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	drop, clear := plan.Record{Action: plan.Drop, Span: span(th, 0)}, plan.Record{Action: plan.Clear, Span: span(th, 1)}
	added, removed := plan.Diff(build(drop), build(clear))
	if len(added) != 1 || added[0].Action != plan.Clear || len(removed) != 1 || removed[0].Action != plan.Drop {
		t.Errorf("added %v, removed %v", added, removed)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`plan {"thread":"t","version":2}`, `drop a,b turns 1-2 {"reason":"x"}`, `replace a/2 turns 1-1 {"how":"preview","text":"y"}`,
		"# note\n\nclear a turns 0-0 {}", "drop  turns 1-2 {}", "drop a/0 turns 1-2 {}", "plan {", "include a turns 1-1 {}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := plan.Parse(s)
		if err != nil {
			return
		}
		text, err := p.Format()
		if err != nil {
			t.Fatal(err)
		}
		again, err := plan.Parse(text)
		if err != nil {
			t.Fatalf("own text does not parse: %v\n%s", err, text)
		}
		if len(again.Records) != len(p.Records) {
			t.Fatalf("%d records became %d", len(p.Records), len(again.Records))
		}
	})
}

// A branch strips what its parent stripped, what stands behind a record that is
// not carried, and what stands behind an edit; what stood all along is kept.
//
// SPEC: B9, V1
func TestCarryStrips(t *testing.T) {
	th := conversation(t, 10)
	p, err := plan.Build(plan.Plan{NoThinking: plan.Range{From: 1, Until: 4}, Records: []plan.Record{
		{Action: plan.Clear, Span: span(th, 1)}, {Action: plan.Drop, Span: span(th, 5, 6)},
	}}, th)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		shared int // messages of the parent
		edited int // of those after them that stand, on another prefix
		want   plan.Range
	}{
		"all of it":                    {10, 0, plan.Range{From: 1, Until: 4}},
		"behind the records":           {8, 0, plan.Range{From: 1, Until: 4}},
		"in the middle of a record":    {6, 0, plan.Range{From: 1, Until: 6}},
		"in the middle of what is cut": {3, 0, plan.Range{From: 1, Until: 3}},
		"before it":                    {1, 0, plan.Range{From: 1, Until: 1}},
		"an edit":                      {8, 1, plan.Range{From: 1, Until: 10}},
	} {
		t.Run(name, func(t *testing.T) {
			var ms []message.Message
			for i := range c.shared {
				ms = append(ms, th.At(i).Message)
			}
			if c.shared < th.Len() {
				ms = append(ms, message.TextOf(message.User, "something else"))
			}
			for i := range c.edited {
				ms = append(ms, th.At(c.shared+1+i).Message)
			}
			branch, err := thread.New(thread.Extend("", ms))
			if err != nil {
				t.Fatal(err)
			}
			got, err := plan.Carry(p, th, branch)
			if err != nil || got.NoThinking != c.want {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}
