package summary_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-3db51b0e/precis/summary"
)

// What the agent found stands until something is changed; what gives a value to something,
// until a file is that it names. What a user said stands.
//
// SPEC: L6
func TestFindingsEndWithWhatTheyTellOf(t *testing.T) {
	facts := []summary.Fact{
		{Kind: summary.Plain, Text: "The staging host is db7.internal.", From: at(2)},
		{Kind: summary.Finding, Text: "The upload limit is 64 MB.", From: at(3)},
		{Kind: summary.Finding, Text: "The AgentSession class is now 885 lines.", From: at(4)},
		{Kind: summary.Finding, Text: "The retry limit is 3 but the test is missing.", From: at(5)},
		{Kind: summary.Finding, Text: "The loader lives in load.go and calls read_all.", From: at(6)},
		{Kind: summary.Finding, Text: "The exporter calls write_all twice.", From: at(30)},
	}
	for name, c := range map[string]struct {
		then summary.Structured
		want []int // of the facts
	}{
		"nothing":             {summary.Structured{Files: []summary.File{{Path: "src/agent-session.ts", State: summary.FileRead, From: at(20)}}}, []int{0, 1, 2, 3, 4, 5}},
		"a file it names":     {summary.Structured{Files: []summary.File{{Path: "src/agent-session.ts", State: summary.FileEdited, From: at(20)}}}, []int{0, 1, 5}},
		"another file":        {summary.Structured{Files: []summary.File{{Path: "other.ts", State: summary.FileCreated, From: at(20)}}}, []int{0, 1, 2, 5}},
		"a commit":            {summary.Structured{Effects: []summary.Note{{Text: "git commit -am x", From: at(20)}}}, []int{0, 1, 2, 5}},
		"an order":            {summary.Structured{Outcomes: []summary.ToolOutcome{{Tool: "book_flight", Outcome: "success", From: at(20)}}}, []int{0, 1, 2, 5}},
		"an order that fails": {summary.Structured{Outcomes: []summary.ToolOutcome{{Tool: "book_flight", Outcome: "failure", From: at(20)}}}, []int{0, 1, 2, 3, 4, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			now := c.then
			now.Schema, now.From, now.To, now.Count = summary.Schema, at(1), at(40), 40
			got := summary.Merge(&summary.Structured{Schema: summary.Schema, From: at(1), To: at(30), Count: 30, Facts: facts}, &now)
			var want []summary.Fact
			for _, i := range c.want {
				want = append(want, facts[i])
			}
			if diff := cmp.Diff(want, got.Facts); diff != "" {
				t.Error(diff)
			}
		})
	}
}
