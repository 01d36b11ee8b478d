package strategy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// One compaction that climbs twice chooses from all that its first climb saw.
func TestSecondClimbReadsAsFarAsTheFirst(t *testing.T) {
	ms := []message.Message{message.TextOf(message.Assistant, "connectionPoolSize is used by loadBalancer_77 in /srv/app/pool.go")}
	for i := range 60 {
		ms = append(ms, message.TextOf(message.Assistant, fmt.Sprintf("step %d went on as before and nothing else was said here", i)))
	}
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	d := strategy.NewDraft(th, nil, render.StyleOf("balanced"), token.Truncate(), 0)
	l := strategy.Limits{Budget: 60, SummaryTokens: 200, VerbatimShare: .9, LinesClosely: true}
	v := &strategy.View{Draft: d, Limits: l, Target: 230, Zones: strategy.ZonesOf(d, l, false, nil, nil)}
	s := strategy.Summarize{With: extract.Summarizer{}, Relevance: strategy.NewRelevance(d, l.Budget), Fill: true}
	for climb := range 2 {
		made, err := s.Execute(t.Context(), v, s.Analyze(v)[0])
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(made.Record.Body(), "loadBalancer_77") {
			t.Fatalf("climb %d of %d tokens lost it:\n%s", climb, d.Uncompacted(), made.Record.Body())
		}
		d.Apply(made)
	}
}
