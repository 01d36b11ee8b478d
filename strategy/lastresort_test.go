package strategy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/token"
)

// Where what must stay leaves room for a state, the last resort writes the summary for the room there
// is, lines of the log included; elsewhere it says less.
//
// SPEC: B2, V4
func TestLastResortUsesTheRoom(t *testing.T) {
	var rs []round
	for i := range 40 {
		rs = append(rs, calls("bash", fmt.Sprintf(`{"command":"show part_%d of the list"}`, i), text(fmt.Sprintf("host_%d of the list listens at port_%d\nteam_%d owns it since ticket_%d", i, 4000+i, 17*i, 97*i))))
	}
	for target, lines := range map[int]bool{500: true, 700: true, 900: true, 250: false} {
		d := strategy.NewDraft(rounds(t, 0, rs...).T, nil, render.StyleOf("balanced"), token.Truncate(), 0)
		l := strategy.Limits{Budget: target, RecentTurns: 1, SummaryTokens: target, VerbatimShare: .9, Recall: "precis_read", LinesClosely: true}
		v := &strategy.View{Draft: d, Limits: l, Target: target, Zones: strategy.ZonesOf(d, l, true, nil, nil)}
		if _, errs := strategy.LastResort(target, 0, strategy.NewRelevance(d, 1<<30), extract.Summarizer{}).Run(t.Context(), v); len(errs) > 0 {
			t.Fatal(errs)
		}
		said := ""
		for _, r := range d.Records() {
			if r.Action == plan.Summarize {
				said = r.Body()
			}
		}
		if got := strings.Contains(said, "Lines of the log"); got != lines {
			t.Errorf("target %d: lines of the log: %v, in\n%s", target, got, said)
		}
		if n := d.Total(); n > target || lines && n < target*9/10 {
			t.Errorf("target %d: %d tokens", target, n)
		}
	}
}
