package strategy_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// What the agent found stands once: in its own words where those stand in blocks, else as a
// finding of the state, which tells nothing of what was said around it.
//
// SPEC: L10, B18
func TestFindingsStandOnce(t *testing.T) {
	const found = "The division by 1e9 suggests that it expects nanoseconds."
	call := func(id string) message.Part {
		return message.Part{Kind: message.Call, CallID: id, Name: "bash", Args: `{"command":"make check"}`}
	}
	came := func(id string) message.Message {
		return message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: strings.Repeat("nothing of note\n", 2000)}}}}}
	}
	th, err := thread.New(thread.Extend("", []message.Message{
		message.TextOf(message.User, "go"),
		{Role: message.Assistant, Parts: []message.Part{{Kind: message.Text, Text: found}, call("1")}},
		came("1"),
		{Role: message.Assistant, Parts: []message.Part{call("2")}},
		came("2"),
		{Role: message.Assistant, Parts: []message.Part{call("3")}},
		came("3"),
	}))
	if err != nil {
		t.Fatal(err)
	}
	for own, headed := range map[int]bool{0: true, 400: false} {
		d := strategy.NewDraft(th, nil, render.StyleOf("balanced"), token.Truncate(), 0)
		l := strategy.Limits{Budget: 20_000, SummaryTokens: 5000, VerbatimShare: .2, Recall: "precis_read", LinesClosely: true, OwnTokens: own}
		v := &strategy.View{Draft: d, Limits: l, Zones: strategy.ZonesOf(d, l, false, nil, nil)}
		s := strategy.Summarize{With: extract.Summarizer{}, Relevance: strategy.NewRelevance(d, 1<<30), Fill: true}
		if _, errs := (strategy.Ladder{s}).Run(t.Context(), v); len(errs) > 0 {
			t.Fatal(errs)
		}
		said := ""
		for i := range th.Len() {
			if r := d.Whole(i); r != nil {
				said = r.Body()
			}
		}
		if strings.Contains(said, "## Findings") != headed || !strings.Contains(said, found) {
			t.Errorf("with %d tokens in blocks:\n%s", own, said)
		}
	}
}
