package strategy

import (
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/ref"
)

// replacement returns a record that puts a text in the place of what a proposal spans.
func replacement(p Proposal, how plan.ReplaceKind, text string) plan.Record {
	return plan.Record{Action: plan.Replace, Kind: how, Span: p.Span, Text: text, Strategy: p.Strategy, Reason: p.Reason}
}

// pointerTokens is how many tokens a pointer takes, about.
const pointerTokens = 16

// searchTool is the tool that finds what left the prompt, as texts of archives and sessions name it.
const searchTool = "precis_grep"

// pointer says how much of the entry at position i is left out, in units of a name in the plural,
// and which call returns all of it.
func (l Limits) pointer(i, left int, unit string) string {
	if left == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return fmt.Sprintf("[%d %s left out; %s(\"%s\") returns all]", left, unit, l.Recall, ref.Message(i+1))
}
