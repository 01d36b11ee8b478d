package precis_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// nothing is a summarizer that returns neither a summary nor an error.
type nothing struct{ panics }

func (nothing) Summarize(context.Context, summary.Input) (*summary.Structured, error) {
	return nil, nil
}

// A summarizer that panics, returns nothing or says nothing fails like one that
// returns an error: in every preset, below the budget and above it, the one without
// a model takes its place, and the prompt is the one that it makes alone.
//
// SPEC: V4, V9
func TestFallbackFollowsAnyFailure(t *testing.T) {
	for _, name := range policy.Names() {
		for why, s := range map[string]summary.Summarizer{
			"panics": panics{}, "returns nothing": nothing{}, "says nothing": narrator{narrative: " "},
		} {
			for _, budget := range []int{4_000, 0} {
				in := request("t", work(90, 10), budget)
				if budget == 0 {
					in.Budget, in.Mode.Force = in.Meter.Messages(in.Messages)+20, true
				}
				got := prepared(t, newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, name), Summarizer: s}), in)
				want := prepared(t, newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, name)}), in)
				if got.Outcome != want.Outcome || fmt.Sprint(show(got)) != fmt.Sprint(show(want)) {
					t.Errorf("%s at %d, the summarizer %s: %s, without it %s: %v", name, in.Budget, why, got.Outcome, want.Outcome, got.Failures)
				}
				if asked := strings.Contains(fmt.Sprint(want.Steps), "summar"); asked && len(got.Failures) == 0 {
					t.Errorf("%s at %d, the summarizer %s: no failure is told", name, in.Budget, why)
				}
			}
		}
	}
}

// Without a fallback a panic is a failure, and what the budget forces is done
// without a model.
//
// SPEC: V4, V9
func TestPanicIsNotImpossible(t *testing.T) {
	for _, name := range policy.Names() {
		e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, name), Summarizer: panics{}, NoFallback: true})
		turn, err := e.Prepare(t.Context(), request("t", work(90, 10), 4_000))
		if err != nil || turn.Compacted > 4_000 {
			t.Errorf("%s: %v, %+v", name, err, turn)
		}
	}
}

// broken is a strategy that panics where told, or proposes what is not there.
type broken struct{ where string }

func (b broken) Name() string {
	if b.where == "name" {
		panic("name")
	}
	return "broken"
}

func (b broken) Analyze(v *strategy.View) []strategy.Proposal {
	if b.where == "analyze" {
		panic("analyze")
	}
	return []strategy.Proposal{{Strategy: "broken", Span: plan.Span{IDs: []thread.ID{v.T.ID(0)}}}}
}

func (b broken) Execute(_ context.Context, v *strategy.View, p strategy.Proposal) (strategy.Result, error) {
	switch b.where {
	case "execute":
		panic("execute")
	case "elsewhere":
		p.Span.IDs = append(p.Span.IDs[:1:1], "a message of another thread")
	case "no span":
		p.Span.IDs = nil
	case "no part":
		p.Span.Part = 99
	}
	return strategy.Result{Record: plan.Record{Action: plan.Drop, Span: p.Span, Strategy: "broken"}}, nil
}

// A strategy, a ladder, a hook and a source that panic cost their own part of a
// compaction: the rungs before and behind work, and the prompt fits.
//
// SPEC: V4, V9
func TestCallersCodeIsGuarded(t *testing.T) {
	p := policyOf(t, "ladder")
	ladder := func(b strategy.Strategy) func(int, *strategy.Relevance, summary.Summarizer) strategy.Ladder {
		return func(budget int, r *strategy.Relevance, with summary.Summarizer) strategy.Ladder {
			return append(strategy.Ladder{b}, strategy.LadderOf(p, budget, r, with)...)
		}
	}
	options := map[string]precis.Options{
		"nil strategy": {Ladder: ladder(nil)},
		"hook":         {Hooks: event.Hooks{Before: func(context.Context, event.Payload) (event.Verdict, error) { panic("hook") }}},
		"ladder": {Ladder: func(int, *strategy.Relevance, summary.Summarizer) strategy.Ladder {
			panic("ladder")
		}},
	}
	for _, where := range []string{"name", "analyze", "execute", "elsewhere", "no span", "no part"} {
		options["strategy: "+where] = precis.Options{Ladder: ladder(broken{where})}
	}
	for what, o := range options {
		o.Store, o.Policy = memory.New(), p
		turn, err := newWith(t, o).Prepare(t.Context(), request("t", work(90, 10), 4_000))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if turn.Outcome != precis.Compacted || turn.Compacted > 4_000 || len(turn.Failures) == 0 {
			t.Errorf("%s: %s, %d tokens, failures %v", what, turn.Outcome, turn.Compacted, turn.Failures)
		}
		wired(t, turn)
	}
	o := precis.Options{Store: memory.New(), Policy: p, Source: func(tool.Envelope) *tool.Determinism { panic("source") }}
	if turn, err := newWith(t, o).Prepare(t.Context(), request("t", work(90, 10), 4_000)); err != nil || turn.Compacted > 4_000 {
		t.Errorf("source: %v", err)
	}
}
