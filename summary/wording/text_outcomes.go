package wording

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

func outcomeLines(s *summary.Structured) []line {
	var ls []line
	newest, failed := map[string]*summary.ToolOutcome{}, map[string]bool{}
	for i := range s.Outcomes {
		o := &s.Outcomes[i]
		newest[o.Tool] = o
		failed[o.Tool] = failed[o.Tool] || isFailure(o)
	}
	for i := range s.Outcomes {
		o := &s.Outcomes[i]
		how := howEnded(o, failed[o.Tool])
		l := line{section: outcomes, rank: rankCommand, worth: float64(o.From.N), lead: "- " + oneline.Of(o.Tool) + ": ", text: cameTo(o, how) + repeated(o)}
		switch acts := tool.ActsByName(o.Tool); {
		case acts && isFailure(o):
			l.rank = rankFailure
		case acts:
			l.rank = rankEffect
			l.short = shortOutcome(o, newest[o.Tool], how)
		}
		ls = append(ls, l)
	}
	return ls
}

func isFailure(o *summary.ToolOutcome) bool { return o.Outcome == string(tool.Failure) }

// howEnded returns the word for how a call ended: of one that did not fail where it stands beside one
// that did, unless a result of a few words says so.
func howEnded(o *summary.ToolOutcome, beside bool) string {
	switch {
	case isFailure(o):
		return "failed"
	case beside && o.Outcome == string(tool.Success) && !slices.ContainsFunc(o.Fields, func(f summary.Field) bool { return f.Name == summary.ResultField }):
		return "succeeded"
	}
	return ""
}

// shortOutcome tells what a call came to by what differs from a newer call of the same tool, "" where
// that is all or nothing.
func shortOutcome(o, newer *summary.ToolOutcome, how string) string {
	rest := summary.ToolOutcome{Error: o.Error}
	for _, f := range o.Fields {
		if !slices.Contains(newer.Fields, f) {
			rest.Fields = append(rest.Fields, f)
		}
	}
	if len(rest.Fields) == 0 || len(rest.Fields) == len(o.Fields) {
		return ""
	}
	return cameTo(&rest, how) + repeated(o)
}

// mostLooks is how often the same may be looked up before it is told how often it was.
const mostLooks = 2

// repeated says where a call was made, and how often where it came to the same again.
func repeated(o *summary.ToolOutcome) string {
	if o.Times < 2 || o.Times <= mostLooks && tool.LooksByName(o.Tool) {
		return numbered(o.From)
	}
	return " (" + strconv.Itoa(o.Times) + " times, " + ref.Message(o.First.N).String() + " to " + ref.Message(o.From.N).String() + ")"
}

func outcomeText(o *summary.ToolOutcome) string {
	return oneline.Of(o.Tool) + ": " + cameTo(o, howEnded(o, false))
}

// cameTo tells what a call came to, without the name of its tool; how is a word for how it ended.
func cameTo(o *summary.ToolOutcome, how string) string {
	var said []string
	if how != "" {
		said = append(said, how)
	}
	for _, f := range o.Fields {
		said = append(said, oneline.Of(f.Name)+"="+oneline.Clip(oneline.Of(f.Value), 80))
	}
	if o.Error != "" {
		said = append(said, oneline.Clip(oneline.Of(o.Error), maxError))
	}
	return cmp.Or(strings.Join(said, ", "), "called")
}
