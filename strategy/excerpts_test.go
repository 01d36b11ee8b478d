package strategy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/token"
)

// quoting is a view of a draft whose summary has excerpts, with more behind it than target holds, and
// that summary. The ladder's first rung is the one that made it.
func quoting(t *testing.T, budget, target int) (*strategy.View, strategy.Summarize, *plan.Record) {
	t.Helper()
	var rs []round
	for i := range 40 {
		rs = append(rs, calls("bash", fmt.Sprintf(`{"command":"show part_%d of the list"}`, i), text(fmt.Sprintf("host_%d of the list listens at port_%d\nteam_%d owns it since ticket_%d", i, 4000+i, 17*i, 97*i))))
	}
	all := rounds(t, 0, rs...).T
	early, err := all.Prefix(41)
	if err != nil {
		t.Fatal(err)
	}
	d := strategy.NewDraft(early, nil, render.StyleOf("balanced"), token.Truncate(), 0)
	l := strategy.Limits{Budget: budget, SummaryTokens: budget / 3, VerbatimShare: .9, Recall: "precis_read", LinesClosely: true}
	s := strategy.Summarize{With: extract.Summarizer{}, Relevance: strategy.NewRelevance(d, 1<<30), Fill: true, From: strategy.Old}
	v := &strategy.View{Draft: d, Limits: l, Target: budget / 4, Zones: strategy.ZonesOf(d, l, true, nil, nil)}
	if _, errs := (strategy.Ladder{s}).Run(t.Context(), v); len(errs) > 0 {
		t.Fatal(errs)
	}
	p, err := plan.Build(plan.Plan{Style: "balanced", Records: d.Records()}, early)
	if err != nil {
		t.Fatal(err)
	}
	d = strategy.NewDraft(all, p, render.StyleOf("balanced"), token.Truncate(), 0)
	s.Relevance = strategy.NewRelevance(d, 1<<30)
	v = &strategy.View{Draft: d, Limits: l, Target: target, Zones: strategy.ZonesOf(d, l, true, nil, nil)}
	last := only(t, d)
	if len(last.Excerpts) == 0 {
		t.Fatalf("no excerpts in\n%s", last.Text)
	}
	return v, s, last
}

// only returns the one summary of a draft.
func only(t *testing.T, d *strategy.Draft) (found *plan.Record) {
	t.Helper()
	for i := range d.T.Len() {
		if r := d.Whole(i); r != nil && r.Action == plan.Summarize {
			if found != nil && found != r {
				t.Fatal("two summaries")
			}
			found = r
		}
	}
	if found == nil {
		t.Fatalf("no summary in %d tokens", d.Total())
	}
	return found
}

// A summary that fills the room leaves the excerpts of the last one; what makes one smaller than its
// excerpts does not: a rung with a cap, and the last resort.
//
// SPEC: V4, B21
func TestWhichSummariesLeaveExcerpts(t *testing.T) {
	for _, c := range []struct {
		name   string
		target int
		ladder func(s strategy.Summarize) strategy.Ladder
		stand  bool
	}{
		{"one that fills", 1100, func(s strategy.Summarize) strategy.Ladder { return strategy.Ladder{s} }, true},
		{"one with a cap", 1000, func(s strategy.Summarize) strategy.Ladder { s.Fill = false; return strategy.Ladder{s} }, false},
		{"one that the budget forces", 700, func(s strategy.Summarize) strategy.Ladder {
			return strategy.LastResort(700, 0, s.Relevance, s.With)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, s, last := quoting(t, 2000, 1000)
			v.LeaveExcerpts(1600)
			if v.Target != 1600 {
				t.Fatalf("down to %d", v.Target)
			}
			v.Target = c.target
			if _, errs := c.ladder(s).Run(t.Context(), v); len(errs) > 0 {
				t.Fatal(errs)
			}
			made := only(t, v.Draft)
			if stand := len(made.Excerpts) >= len(last.Excerpts) && slices.Equal(made.Excerpts[:len(last.Excerpts)], last.Excerpts); stand != c.stand {
				t.Errorf("excerpts stand: %t in\n%s", stand, strings.Join(made.Excerpts, "\n\n"))
			}
			if !strings.Contains(made.Text, "[Summary v") || v.Total() > c.target+c.target/20 {
				t.Errorf("%d of %d tokens:\n%s", v.Total(), v.Target, made.Text)
			}
		})
	}
}

// Once a message that a summary covers was put back, its excerpts quote what stands in the prompt
// itself: they are chosen anew, as its state is written anew.
//
// SPEC: V4, B21
func TestExcerptsOfWhatWasPutBack(t *testing.T) {
	for _, c := range []struct {
		name  string
		pins  int
		stand bool
	}{{"as it was made", 0, true}, {"less one round", 2, false}} {
		v, _, last := quoting(t, 2000, 1000)
		r := *last
		r.Span.IDs = slices.Delete(slices.Clone(r.Span.IDs), 10, 10+c.pins)
		p, err := plan.Build(plan.Plan{Style: "balanced", Records: []plan.Record{r}}, v.T)
		if err != nil {
			t.Fatal(err)
		}
		v.Draft = strategy.NewDraft(v.T, p, render.StyleOf("balanced"), token.Truncate(), 0)
		v.Zones = strategy.ZonesOf(v.Draft, v.Limits, true, nil, nil)
		if v.LeaveExcerpts(1600); (v.Target == 1600) != c.stand {
			t.Errorf("%s: down to %d", c.name, v.Target)
		}
	}
}
