package precis_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
)

// moody is a summarizer that fails, says nothing, invents or works, as drawn.
type moody struct{ *rapid.T }

func (moody) Name() string { return "moody/1" }

func (m moody) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	switch rapid.IntRange(0, 4).Draw(m.T, "mood") {
	case 0:
		return nil, errors.New("the model is gone")
	case 1:
		return mute{}.Summarize(ctx, in)
	case 2:
		return mute{narrative: "[COMPACT SUMMARY]\n## Session Summary (Compaction Round 9)\nAll is well."}.Summarize(ctx, in)
	case 3:
		s, err := extract.Summarizer{}.Summarize(ctx, in)
		if err == nil {
			s.Facts = append(s.Facts, summary.Fact{Kind: summary.Constraint, Text: "never said /etc/invented.conf 4711", From: s.From})
		}
		return s, err
	}
	return extract.Summarizer{}.Summarize(ctx, in)
}

// The laws hold whatever a summarizer does, with and without a fallback, cold or
// hot, forced or not, and with pins: the prompt fits, is valid, accounts for every
// message, changes with a plan only, and what is pinned is not covered unless the
// budget forces it.
//
// SPEC: V2, V3, V4, V6, V7, V9, V10, S7, G4, T5, B16
func TestLawsHoldWhateverFails(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(rt)
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		e, err := precis.New(precis.Options{
			Store: memory.New(), Policy: w.policy, Summarizer: moody{rt}, NoCache: true,
			NoFallback: rapid.Bool().Draw(rt, "no fallback"), Now: func() time.Time { return now },
		})
		if err != nil {
			rt.Fatal(err)
		}
		defer e.Close()
		w.engine = e
		for range rapid.IntRange(1, 5).Draw(rt, "turns") {
			w.grow()
			w.in.Mode.Force = rapid.IntRange(0, 3).Draw(rt, "force") == 0
			w.in.Client.Idle = time.Duration(rapid.SampledFrom([]int{1, 1, 3600}).Draw(rt, "rest")) * time.Second
			if rapid.IntRange(0, 3).Draw(rt, "pin") == 0 {
				at := rapid.IntRange(0, len(w.in.Messages)-1).Draw(rt, "pinned")
				w.in.Pins = append(w.in.Pins, plan.Ref{ID: idOf(w.in.Messages, at)})
			}
			w.survive()
		}
	})
}

// survive prepares, and holds what comes of it against the laws.
func (w *world) survive() {
	turn, err := w.engine.Prepare(w.T.Context(), w.in)
	var no *precis.ImpossibleError
	if errors.As(err, &no) {
		w.checkImpossible(no)
		return
	}
	if err != nil {
		w.Fatalf("prepare: %v", err)
	}
	w.checkFits(turn)
	w.checkCoverage(turn)
	w.checkWire(turn)
	w.checkSticky(turn)
	for _, s := range turn.Steps {
		if s.Strategy == "floor" || s.Strategy == "summarize" { // the budget forces it
			w.last = turn
			return
		}
	}
	for _, pin := range w.in.Pins {
		if r := whole(turn, pin); r != nil && w.last == nil {
			w.Fatalf("a pin is covered: %+v", *r)
		}
	}
	w.last = turn
}

func whole(turn *precis.Turn, ref plan.Ref) *plan.Record {
	if turn.Plan == nil {
		return nil
	}
	return turn.Plan.Whole(ref.ID)
}

// A failure inside costs one compaction, not the next: whatever failed, the same
// request without the failure gives what it would have given at once.
//
// SPEC: V9, V5, S7
func TestFailuresLeaveNoTrace(t *testing.T) {
	for _, name := range []string{"balanced", "ladder", "session", "timeline", "clip"} {
		s := &scribe{}
		e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, name), Summarizer: s, NoFallback: true})
		sound := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, name), Summarizer: &scribe{}, NoFallback: true})
		ms := work(90, 10)
		in := request("t", ms, 0)
		in.Budget, in.Mode.Force = in.Meter.Messages(ms)+20, true
		s.err = errors.New("the model is gone")
		failed := prepared(t, e, in)
		if len(failed.Failures) == 0 {
			t.Fatalf("%s: no failure (%s)", name, failed.Outcome)
		}
		s.err = nil
		got, want := prepared(t, e, in), prepared(t, sound, in)
		if failed.Outcome == precis.Compacted { // something stood in for it
			continue
		}
		if fmt.Sprint(show(got)) != fmt.Sprint(show(want)) || got.Outcome != want.Outcome {
			t.Errorf("%s: %s\n%s\nwithout the failure %s\n%s", name, got.Outcome, show(got), want.Outcome, show(want))
		}
	}
}
