// Package report shows what a comparison of policies over recorded runs found: as
// text, and as a page with charts.
//
// Use: Text for a terminal; Write for a folder with page.html, its charts and
// rows.json. Law: it shows the rows and computes none. Promise: the page is one file,
// without scripts and without anything from elsewhere.
package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/replay"
)

// Result holds what a comparison found out, and of what.
type Result struct {
	Version string   `json:"version"`
	Corpus  []string `json:"corpus"`
	Runs    int      `json:"runs"`
	Model   string   `json:"model"`
	Counter string   `json:"counter"`
	Exact   bool     `json:"exact"`
	Common  int      `json:"common_values"`
	// Judges were asked at every so many steps, beside what steps need.
	Judges   []string            `json:"judges"`
	Every    int                 `json:"every"`
	Verdict  []replay.Conclusion `json:"verdict"`
	Rows     []replay.Row        `json:"rows"`
	Pitfalls []string            `json:"pitfalls"`
	Files    []string            `json:"files,omitempty"`
}

// Text is the result for people: a table for each source and budget, and what to
// know before quoting it, in lines of so many columns.
func Text(columns int, res Result) string {
	p := term.Page{Columns: columns}
	var b strings.Builder
	b.WriteString(term.Heading("In short"))
	for _, v := range res.Verdict {
		b.WriteString(p.Wrap("- "+term.Clean(titleFor(v.Source, v.Budget))+": "+v.Says, "  "))
		for _, beside := range append(slices.Clone(v.Plain[:min(1, len(v.Plain))]), v.Beside...) {
			b.WriteString(p.Wrap("  - "+beside, "    "))
		}
	}
	b.WriteString("\n")
	for _, rows := range tablesOf(res.Rows) {
		b.WriteString(tableText(p, rows))
		b.WriteString(judgesText(p, rows, res.Every))
	}
	b.WriteString(term.Heading("Before you quote this"))
	for _, pitfall := range res.Pitfalls {
		b.WriteString(p.Wrap("- "+pitfall, "  "))
	}
	return b.String()
}

// tableText writes what policies did at one budget.
func tableText(p term.Page, rows []replay.Row) string {
	first := rows[0]
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s", term.Strong(term.Clean(titleOf(first))), p.Paragraph(leadOf(first)))
	main, more, bills := grid(), grid(), grid()
	main.Add(append([]string{"policy", "lit", "sup", "sup 95%", "ptr"}, priced(first, 2, "over", "bad", "breaks")...)...)
	more.Add("policy", "all", "xlr", "tokens", "peak", "plans", "files", "error", "rule", "decided")
	bills.Add(append([]string{"policy"}, priced(first, len(first.Cost))...)...)
	for _, r := range rows {
		main.Add(mainLine(r)...)
		more.Add(moreLine(r)...)
		bills.Add(billLine(r)...)
	}
	explained := func(text string) { b.WriteString(p.Wrap(term.Faint(text), "  ")) }
	explained("of strict long-range needs, %: lit, the value stands in the prompt; sup, beside a word of a line it came from, with its 95 % interval over runs; ptr, or a pointer to it does. " +
		strings.Join(priced(first, 2), ", ") + ": cost at that price, of sending everything. over, bad: steps over the budget, prompts a provider would refuse, %. breaks: broken prefixes a run")
	b.WriteString(p.Table(main))
	explained("all, xlr: lit of all needs, of those from further back, %; tokens: of sending everything; peak: tokens of the largest prompt; plans: a run; files, error, rule, decided: what a prompt still says of them, by exact match, %")
	b.WriteString(p.Table(more))
	if reckons(rows) {
		explained("verdicts on the price of a compaction, and how often the run proved them right of how often they were given: a yes when the prompt stood until it was paid back, a no when the run ended before that; too_soon only puts it off. found: of what was lost, what a search by the step's own words finds among its five best hits and their neighbours, %; with names: the same where the search has the names of the step, too, but for what was lost")
		b.WriteString(p.Table(reckonings(rows)))
	}
	if len(first.Cost) > 2 {
		explained("cost under each price, of sending everything")
		b.WriteString(p.Table(bills))
	}
	return b.String()
}

// grid is a table of numbers, one column apart, after a name.
func grid() *term.Table {
	return &term.Table{Gap: 1, Right: append([]bool{false}, slices.Repeat([]bool{true}, 30)...)}
}

func priced(r replay.Row, most int, after ...string) []string {
	var names []string
	for _, c := range r.Cost[:min(most, len(r.Cost))] {
		names = append(names, c.Price)
	}
	return append(names, after...)
}

func mainLine(r replay.Row) []string {
	n := r.Recall[replay.LongRangeStrict]
	cells := []string{r.Policy, n.Literal.String(), n.Supported.String(), between(r.SupportedCI), n.Referenced.String()}
	for _, c := range r.Cost[:min(2, len(r.Cost))] {
		cells = append(cells, fmt.Sprintf("%.2f", c.Ratio))
	}
	return append(cells, r.Over.String(), r.Invalid.String(), fmt.Sprintf("%.1f", r.Breaks))
}

func moreLine(r replay.Row) []string {
	cells := []string{
		r.Policy, r.Recall[replay.All].Literal.String(), r.Recall[replay.ExtraLongRangeStrict].Literal.String(),
		fmt.Sprintf("%.2f", r.Tokens), term.Comma(r.Peak), fmt.Sprintf("%.1f", r.Epochs),
	}
	for p := range replay.Decisions + 1 {
		cells = append(cells, r.Probes[p.String()].String())
	}
	return cells
}

func billLine(r replay.Row) []string {
	cells := []string{r.Policy}
	for _, c := range r.Cost {
		s := fmt.Sprintf("%.2f", c.Ratio)
		if c.USD > 0 {
			s += fmt.Sprintf(" $%.3f", c.USD)
		}
		cells = append(cells, s)
	}
	return cells
}

// reckons reports whether any policy weighed what a compaction costs.
func reckons(rows []replay.Row) bool {
	return slices.ContainsFunc(rows, func(r replay.Row) bool { return len(r.Verdicts) > 0 })
}

// reckonings are the verdicts of each policy, and what its search finds.
func reckonings(rows []replay.Row) *term.Table {
	g := grid()
	g.Add("policy", "verdicts, right/times", "found", "with names")
	for _, r := range rows {
		if len(r.Verdicts) > 0 {
			g.Add(r.Policy, verdictsOf(r), r.Search.String(), r.Named.String())
		}
	}
	return g
}

// verdictsOf lists a row's verdicts: "pays 40/41, too_soon 3/9".
func verdictsOf(r replay.Row) string {
	var said []string
	for _, v := range slices.Sorted(maps.Keys(r.Verdicts)) {
		said = append(said, fmt.Sprintf("%s %s/%s", v, term.Comma(r.Verdicts[v].Right), term.Comma(r.Verdicts[v].Times)))
	}
	return strings.Join(said, ", ")
}

// between is an interval, or a dash.
func between(b [2]replay.Percent) string {
	if b[0] != b[0] {
		return "–"
	}
	return fmt.Sprintf("%.0f–%.0f", float64(b[0]), float64(b[1]))
}
