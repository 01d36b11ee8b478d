package planner

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/internal/testthread"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// planning is a planner of a preset as an engine makes it.
func planning(t *testing.T, preset string) *Planner {
	t.Helper()
	p, err := policy.Named(preset)
	if err != nil {
		t.Fatal(err)
	}
	return &Planner{
		Policy: p, WithoutModel: extract.Summarizer{},
		Ladder: func(budget int, r *strategy.Relevance, with summary.Summarizer) strategy.Ladder {
			return strategy.LadderOf(p, budget, r, with)
		},
	}
}

func requestOf(budget int) Request { return Request{Meter: token.Session(), Budget: budget} }

// work is a task and as many rounds of a tool.
func work(rounds int) []message.Message {
	ms := []message.Message{message.TextOf(message.User, "Find out why the build of the parser fails.")}
	for i := range rounds {
		id := fmt.Sprintf("c%d", i)
		ms = append(ms,
			message.Message{Role: message.Assistant, Parts: []message.Part{
				{Kind: message.Text, Text: fmt.Sprintf("Step %d.", i)},
				{Kind: message.Call, CallID: id, Name: "bash", Args: fmt.Sprintf(`{"command":"go test ./pkg%d"}`, i)},
			}},
			message.Message{Role: message.Tool, Parts: []message.Part{{
				Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: strings.Repeat(fmt.Sprintf("ok pkg%d value %d\n", i, 7*i), 30)}},
			}}})
	}
	return ms
}

// refs name the messages at some positions.
func refs(t *thread.Thread, at ...int) (out []plan.Ref) {
	for _, i := range at {
		out = append(out, plan.Ref{ID: t.At(i).ID})
	}
	return out
}

// panicking is a counter with a fault.
type panicking struct{}

func (panicking) Name() string     { return "panicking" }
func (panicking) Exact() bool      { return true }
func (panicking) Count(string) int { panic("said") }

// scribe is a summarizer that does what it is told.
type scribe func() (*summary.Structured, error)

func (scribe) Name() string { return "scribe" }

func (s scribe) Summarize(context.Context, summary.Input) (*summary.Structured, error) { return s() }

// A compaction stays within the budget, whatever that is, can be built and rendered with
// nothing left unsaid of, and is the same every time.
//
// SPEC: V4, V5
func TestCompactWithinAnyBudget(t *testing.T) {
	th := testthread.Of(t, work(60)...)
	for _, preset := range policy.Names() {
		pl := planning(t, preset)
		for _, budget := range []int{600, 1_500, 4_000, 9_000} {
			var before *plan.Plan
			for range 2 {
				r := requestOf(budget)
				d := pl.Draft(th, nil, r)
				if _, errs := pl.Compact(t.Context(), d); len(errs) > 0 {
					t.Fatalf("%s, %d: %v", preset, budget, errs)
				}
				p, err := pl.Build(d, "t", nil, time.Time{})
				if err != nil {
					t.Fatalf("%s, %d: %v", preset, budget, err)
				}
				shown := render.Prompt(th, p, nil)
				if got := r.Fixed() + r.Meter.Messages(shown.Messages); got > budget || got != d.Total() {
					t.Errorf("%s: prompt of %d tokens, the draft says %d of %d", preset, got, d.Total(), budget)
				}
				if before != nil && !reflect.DeepEqual(before.Records, p.Records) {
					t.Errorf("%s, %d: another plan for the same", preset, budget)
				}
				before = p
			}
		}
	}
}

// failing is a strategy that proposes the first round and fails to carry that out.
type failing struct {
	over *thread.Thread
	fail func() error
}

func (failing) Name() string { return "failing" }

func (f failing) Analyze(*strategy.View) []strategy.Proposal {
	return []strategy.Proposal{{Span: plan.Span{IDs: []thread.ID{f.over.At(1).ID, f.over.At(2).ID}}, Saves: 100}}
}

func (f failing) Execute(context.Context, *strategy.View, strategy.Proposal) (strategy.Result, error) {
	return strategy.Result{}, f.fail()
}

// A ladder, a strategy or a summarizer that fails or panics is reported, and leaves a
// draft within the budget.
//
// SPEC: V9
func TestFailuresLeaveADraft(t *testing.T) {
	th := testthread.Of(t, work(60)...)
	for name, ladder := range map[string]func() strategy.Ladder{
		"ladder panics":   func() strategy.Ladder { panic("said") },
		"strategy panics": func() strategy.Ladder { return strategy.Ladder{failing{th, func() error { panic("said") }}} },
		"strategy fails":  func() strategy.Ladder { return strategy.Ladder{failing{th, func() error { return context.Canceled }}} },
	} {
		pl := planning(t, "balanced")
		pl.Ladder = func(int, *strategy.Relevance, summary.Summarizer) strategy.Ladder { return ladder() }
		d := pl.Draft(th, nil, requestOf(4_000))
		_, errs := pl.Compact(t.Context(), d)
		if len(errs) == 0 || strings.Contains(fmt.Sprint(errs), "said") {
			t.Errorf("%s: errors %v", name, errs)
		}
		if _, err := pl.Build(d, "t", nil, time.Time{}); err != nil || d.Total() > 4_000 {
			t.Errorf("%s: %d tokens, %v", name, d.Total(), err)
		}
	}
}

// What an earlier plan has over messages that are freed goes, and nothing else, and the
// plan itself stays as it is. Repairs stay.
func TestUncover(t *testing.T) {
	th := testthread.Of(t, work(4)...)
	record := func(kind plan.ReplaceKind, at ...int) plan.Record {
		r := plan.Record{Action: plan.Drop, Kind: kind}
		for _, i := range at {
			r.Span.IDs = append(r.Span.IDs, th.At(i).ID)
		}
		return r
	}
	p := &plan.Plan{Records: []plan.Record{record("", 1, 2, 3, 4), record("", 5, 6), record(plan.Repaired, 7)}}
	for _, c := range []struct {
		free []int
		want []int // messages of each record
	}{{nil, []int{4, 2, 1}}, {[]int{0}, []int{4, 2, 1}}, {[]int{1, 2}, []int{2, 2, 1}}, {[]int{5, 6}, []int{4, 1}}, {[]int{1, 2, 3, 4, 5, 6, 7}, []int{1}}} {
		var got []int
		for _, r := range Uncover(p, refs(th, c.free...)).Records {
			got = append(got, len(r.Span.IDs))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("free %v: records of %v messages, want %v", c.free, got, c.want)
		}
	}
	if n := len(p.Records[0].Span.IDs); n != 4 || len(p.Records) != 3 {
		t.Errorf("the plan was changed: %d records, %d messages", len(p.Records), n)
	}
	if Uncover(nil, refs(th, 1)) != nil || len(Round(th, "?")) != 0 || len(Round(th, th.At(1).ID)) != 2 {
		t.Error("of no plan, of no message, of a round")
	}
}

// Thinking goes from the first message whose rendering changes to the tip, and wherever
// it went before; where nothing changes it goes where it went.
//
// SPEC: B9
func TestWithoutThinking(t *testing.T) {
	th := testthread.Of(t, work(6)...) // 13 messages
	of := func(strip plan.Range, style string, at ...int) *plan.Plan {
		p := &plan.Plan{Thread: "t", Base: th.Tip(), Style: style, NoThinking: strip}
		for _, i := range at {
			p.Records = append(p.Records, plan.Record{Action: plan.Replace, Kind: "text", Text: fmt.Sprint("other ", i), Span: plan.Span{IDs: []thread.ID{th.At(i).ID}}})
		}
		built, err := plan.Build(*p, th)
		if err != nil {
			t.Fatal(err)
		}
		return built
	}
	none := plan.Range{}
	for name, c := range map[string]struct {
		old, next *plan.Plan
		want      plan.Range
	}{
		"first plan":        {nil, of(none, "s", 5), plan.Range{From: 5, Until: 13}},
		"nothing changes":   {of(plan.Range{From: 2, Until: 9}, "s", 5), of(none, "s", 5), plan.Range{From: 2, Until: 9}},
		"one more":          {of(plan.Range{From: 5, Until: 9}, "s", 5), of(none, "s", 5, 7), plan.Range{From: 5, Until: 13}},
		"one more, earlier": {of(plan.Range{From: 5, Until: 9}, "s", 5), of(none, "s", 3, 5), plan.Range{From: 3, Until: 13}},
		"one gone":          {of(none, "s", 3, 5), of(none, "s", 5), plan.Range{From: 3, Until: 13}},
		"other words":       {of(none, "s", 3, 5), of(none, "z", 3, 5), plan.Range{From: 3, Until: 13}},
	} {
		if got := WithoutThinking(c.old, c.next, th, th.Len()); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A plan is outgrown where it was made for another policy, other detail, or a budget that
// is more than a tenth smaller.
func TestOutgrown(t *testing.T) {
	pl := planning(t, "balanced")
	made := func(change func(*plan.Plan)) *plan.Plan {
		p := &plan.Plan{Policy: pl.Policy.Name, Records: make([]plan.Record, 1), Inputs: plan.Inputs{Budget: 10_000, Detail: pl.Policy.Detail}}
		change(p)
		return p
	}
	for name, c := range map[string]struct {
		p         *plan.Plan
		budget    int
		noCompact bool
		want      bool
	}{
		"no plan":          {nil, 20_000, false, false},
		"same":             {made(func(*plan.Plan) {}), 10_000, false, false},
		"a tenth more":     {made(func(*plan.Plan) {}), 11_000, false, false},
		"more":             {made(func(*plan.Plan) {}), 11_001, false, true},
		"less":             {made(func(*plan.Plan) {}), 5_000, false, false},
		"not to compact":   {made(func(*plan.Plan) {}), 20_000, true, false},
		"other policy":     {made(func(p *plan.Plan) { p.Policy = "other" }), 10_000, false, true},
		"other detail":     {made(func(p *plan.Plan) { p.Inputs.Detail++ }), 10_000, false, true},
		"no records":       {made(func(p *plan.Plan) { p.Records = nil }), 20_000, false, false},
		"budget not known": {made(func(p *plan.Plan) { p.Inputs.Budget = 0 }), 20_000, false, false},
	} {
		r := requestOf(c.budget)
		r.NoCompact = c.noCompact
		if got := pl.Outgrown(c.p, &r); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
