package report

import (
	"fmt"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/plan"
)

// verdictTexts are the words for what weighing a compaction's price came to.
var verdictTexts = map[string]string{
	"forced":     "the budget forces the compaction",
	"free":       "the compaction costs nothing: sending the shorter prompt anew is no dearer than sending all as it stands",
	"pays":       "the compaction pays",
	"too_little": "the compaction would free too little",
	"too_late":   "the conversation is expected to end before the compaction pays for itself",
	"too_soon":   "so far, waiting has cost less than the compaction would",
}

// Cost writes what a compaction was estimated to cost and save, for people, in lines of
// so many columns.
func Cost(x *plan.Economy, columns int) string {
	var t term.Table
	say := func(name, format string, args ...any) { t.Add(term.Faint(name), fmt.Sprintf(format, args...)) }
	tokens := func(n float64) string { return term.Count(int(n), "token") }
	say("verdict", "%s", verdictTexts[x.Verdict])
	say("prices", "a cached token %.3g, one written to the cache %.3g of an uncached one%s", x.Read, x.Write, perMillion(x.USD))
	say("cached before", "%s of %s%s", term.Comma(x.Cached), tokens(float64(x.Before)), map[bool]string{true: "; the cache had expired"}[x.Cold])
	say("cached after", "%s of %s", term.Comma(x.Kept), tokens(float64(x.After)))
	say("costs", "%s once%s", tokens(x.Rewrite), worth(x.Rewrite, x.USD))
	say("saves", "%s a turn%s", tokens(x.Saved), worth(x.Saved, x.USD))
	say("in turns", "%s", breakEven(x))
	say("so far", "%s, %s each", term.Count(x.Turns, "turn"), tokens(x.Growth))
	p := term.Page{Columns: columns}
	return p.Heading("What the compaction costs, in tokens of uncached input") + p.Table(&t)
}

// costLine is the same in a sentence or two; "" where there is no estimate.
func costLine(x *plan.Economy, p term.Page) string {
	if x == nil {
		return ""
	}
	costs := term.Count(int(x.Rewrite), "token") + " of input once"
	if int(x.Rewrite) == 0 {
		costs = "no more than sending everything"
	}
	return p.Paragraph(fmt.Sprintf("%s: it costs %s and saves %s a turn; it %s",
		verdictTexts[x.Verdict], costs, term.Comma(int(x.Saved)), breakEven(x)))
}

func perMillion(usd float64) string {
	if usd == 0 {
		return ""
	}
	return fmt.Sprintf(" ($%.4g a million)", usd)
}

// worth is a cost in dollars, in brackets; "" where nobody says what a token costs.
func worth(tokens, usd float64) string {
	if usd == 0 {
		return ""
	}
	return fmt.Sprintf(" ($%.4f)", tokens*usd/1e6)
}

// breakEven says when a compaction has paid for itself, and what is left then.
func breakEven(x *plan.Economy) string {
	switch {
	case x.BreakEven < 0:
		return "never pays for itself"
	case x.BreakEven == 0:
		return "pays for itself at once"
	}
	text := fmt.Sprintf("pays for itself after %.1f turns; about %.0f more turns expected", x.BreakEven, x.Remaining)
	if x.Verdict == "forced" { // there is no other way to compare with
		return text
	}
	net := x.Saved*x.Remaining - x.Rewrite
	return fmt.Sprintf("%s, which save %s net%s", text, term.Count(int(net), "token"), worth(net, x.USD))
}
