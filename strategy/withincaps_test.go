package strategy_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/token"
)

// A summary without rules of the user's takes no more than its limit, however small that is, and whatever
// was looked up, done and said.
//
// SPEC: L10
func TestSummariesKeepWithinSmallLimits(t *testing.T) {
	shown := 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		v := rounds(t, 0, workOf(r)...)
		for _, limit := range []int{20, 25, 33, 48, 64, 90, 128, 200, 300, 400} {
			for _, own := range []int{0, 400} {
				text, size := summaryWithin(t, v, strategy.Limits{SummaryTokens: limit, OwnTokens: own, MinWorth: float64(r.IntN(30))})
				if size > limit {
					t.Fatalf("seed %d: %d of %d tokens, %d own\n%s", seed, size, limit, own, text)
				}
				shown += size
			}
		}
	}
	if shown == 0 {
		t.Error("nothing was summarized")
	}
}

// workOf returns rounds in which things are looked up, done and run.
func workOf(r *rand.Rand) (rs []round) {
	for i := range 4 + r.IntN(20) {
		switch r.IntN(5) {
		case 0:
			rs = append(rs, calls("get_order", fmt.Sprintf(`{"order_id":"W%d"}`, r.IntN(900)), text(fmt.Sprintf(`{"order_id":"W527","status":"pending","address":{"street":"%d Sunset Drive","town":"Washington"},"items":[{"name":"Backpack","item_id":"249246558%d","price":201.95}]}`, i, i))))
		case 1:
			rs = append(rs, calls("bash", fmt.Sprintf(`{"command":"git commit -m 'part %d of it'"}`, i), text("done")))
		case 2:
			rs = append(rs, calls("bash", fmt.Sprintf(`{"command":"sed -i s/a/b/ src/part_%d.py"}`, i), text("")))
		default:
			rs = append(rs, calls("bash", fmt.Sprintf(`{"command":"python try_%d.py"}`, i), text(strings.Repeat(fmt.Sprintf("value_%d of the list is total_%d\n", i, i), 1+r.IntN(9)))))
		}
	}
	return rs
}

// summaryWithin summarizes what is old in a view, and returns its text and tokens; "" where nothing is.
func summaryWithin(t *testing.T, v *strategy.View, l strategy.Limits) (text string, size int) {
	t.Helper()
	d := strategy.NewDraft(v.T, nil, render.StyleOf("balanced"), token.Truncate(), 0)
	l.Budget, l.VerbatimShare, l.Recall, l.LinesClosely = 4*l.SummaryTokens, .9, "precis_read", true
	w := &strategy.View{Draft: d, Limits: l, Zones: strategy.ZonesOf(d, l, false, nil, nil)}
	s := strategy.Summarize{With: extract.Summarizer{}, Relevance: strategy.NewRelevance(d, 1<<30), Fill: true}
	if _, errs := (strategy.Ladder{s}).Run(t.Context(), w); len(errs) > 0 {
		t.Fatal(errs)
	}
	for i := range d.T.Len() {
		if r := d.Whole(i); r != nil {
			return r.Text, d.Meter.Text(r.Text)
		}
	}
	return "", 0
}
