package main

import (
	"fmt"

	"github.com/seed-3db51b0e/precis/plan"
)

// reckoned are the words for what a compaction's price came to.
var reckoned = map[string]string{
	"forced":     "the budget forces it",
	"free":       "the rewrite costs nothing: the cache was cold, or next to nothing was in it",
	"pays":       "it pays",
	"too_little": "too little would be freed",
	"too_late":   "the conversation is expected to end before it is paid back",
	"too_soon":   "waiting has cost less than the rewrite, so far",
}

// sums is what a compaction was reckoned to cost and save, for people.
func sums(x *plan.Economy) string {
	var t table
	say := func(name, format string, args ...any) { t.add(faint(name), fmt.Sprintf(format, args...)) }
	say("verdict", "%s", reckoned[x.Verdict])
	say("prices", "cached %.3g, written %.3g of an uncached token%s", x.Read, x.Write, perMillion(x.USD))
	say("cache before", "%s of %s tokens%s", commas(x.Cached), commas(x.Before), map[bool]string{true: ", gone cold"}[x.Cold])
	say("cache after", "%s of %s tokens", commas(x.Kept), commas(x.After))
	say("rewrite", "%s once%s", commas(int(x.Rewrite)), worth(x.Rewrite, x.USD))
	say("saved", "%s a turn%s", commas(int(x.Saved)), worth(x.Saved, x.USD))
	say("break-even", "%s", breakEven(x))
	say("turns so far", "%s, %s tokens each", commas(x.Turns), commas(int(x.Growth)))
	return heading("What it costs, in tokens of uncached input") + t.String()
}

// sumLine is the same in a line.
func sumLine(x *plan.Economy) string {
	if x == nil {
		return ""
	}
	costs := commas(int(x.Rewrite)) + " once"
	if int(x.Rewrite) == 0 {
		costs = "no more than sending it all"
	}
	return paragraph(fmt.Sprintf("%s: the rewrite costs %s, saves %s a turn; even %s",
		reckoned[x.Verdict], costs, commas(int(x.Saved)), breakEven(x)))
}

func perMillion(usd float64) string {
	if usd == 0 {
		return ""
	}
	return fmt.Sprintf(" ($%.4g a million)", usd)
}

// worth is a cost in dollars, in brackets; "" where nobody says what a token is.
func worth(tokens, usd float64) string {
	if usd == 0 {
		return ""
	}
	return fmt.Sprintf(" ($%.4f)", tokens*usd/1e6)
}

// breakEven says when a rewrite is paid back, and what that leaves.
func breakEven(x *plan.Economy) string {
	switch {
	case x.BreakEven < 0:
		return "never"
	case x.BreakEven == 0:
		return "at once"
	}
	if x.Verdict == "forced" { // the other way is none
		return fmt.Sprintf("after %.1f turns of about %.0f expected", x.BreakEven, x.Remaining)
	}
	net := x.Saved*x.Remaining - x.Rewrite
	return fmt.Sprintf("after %.1f turns of about %.0f expected: net %s%s", x.BreakEven, x.Remaining, commas(int(net)), worth(net, x.USD))
}
