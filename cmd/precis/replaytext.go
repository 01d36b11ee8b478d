package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed-3db51b0e/precis/replay"
)

// replayResult is what the command found out.
type replayResult struct {
	Version  string       `json:"version"`
	Corpus   []string     `json:"corpus"`
	Runs     int          `json:"runs"`
	Model    string       `json:"model"`
	Counter  string       `json:"counter"`
	Exact    bool         `json:"exact"`
	Common   int          `json:"common_values"`
	Rows     []replay.Row `json:"rows"`
	Pitfalls []string     `json:"pitfalls"`
	Files    []string     `json:"files,omitempty"`
}

// tellReplay prints and writes what came out.
func (r *replaying) tellReplay(paths []string, refs []replay.Ref, c *replay.Comparison) error {
	res := replayResult{
		Version: version(), Corpus: paths, Runs: len(refs), Model: r.model, Counter: r.meter.Counter.Name(),
		Exact: r.meter.Exact(), Common: len(r.judge.Common), Rows: c.Rows, Pitfalls: c.Degenerate(r.judge),
	}
	if len(c.Rows) == 0 {
		return fail("give a smaller --budget: a run counts when it is longer than 1.05 budgets and its first message takes no more than half of one",
			"replay: none of %s is judged at these budgets", many(len(refs), "run"))
	}
	if r.outDir != "" {
		files, err := r.writeReplay(res, c)
		if err != nil {
			return err
		}
		res.Files = files
	}
	if r.json {
		return r.object(res)
	}
	fmt.Fprint(r.page, replayTables(res))
	if n := len(res.Files); n > 0 {
		r.note("wrote %s; rows and pictures are beside it", res.Files[n-1])
	}
	return nil
}

// writeWhole writes a file so that it is whole or not there.
func writeWhole(path string, data []byte) error {
	if err := os.WriteFile(path+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// grid lines cells up, one space apart, the first column to the left.
type grid [][]string

func (g grid) String() string {
	var widths []int
	for _, row := range g {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(c))
		}
	}
	var b strings.Builder
	for _, row := range g {
		l := " "
		for i, c := range row {
			pad := strings.Repeat(" ", widths[i]-ansi.StringWidth(c))
			if i == 0 {
				l += " " + c + pad
			} else {
				l += " " + pad + c
			}
		}
		b.WriteString(ansi.Truncate(strings.TrimRight(l, " "), width, "…") + "\n")
	}
	return b.String()
}

func replayTables(res replayResult) string {
	var b strings.Builder
	for _, rows := range tablesOf(res.Rows) {
		b.WriteString(replayTable(rows))
	}
	if reckons(res.Rows) {
		b.WriteString(paragraph(`reckoned: for each verdict on the price of a compaction, how often it was given and how often the run proved it right, a yes when the prompt stood until it was paid back, a no when the run ended before that. found: of what was lost, what a search by the step's own words finds among its five best hits and their neighbours; too_soon only puts it off.`))
	}
	b.WriteString(paragraph(`lit: the value stands in the prompt; sup: beside a word of a line it came from, with its 95 % interval over runs; ptr: or a pointer to it does. All three are of strict long-range needs, in percent. Costs are relative to sending everything. over: active steps over the budget; bad: prompts its provider would refuse; breaks: broken prefixes a run.`))
	b.WriteString(heading("Before you quote this"))
	for _, p := range res.Pitfalls {
		b.WriteString(wrap(strings.Fields("- "+p), "  "))
	}
	return b.String()
}

// replayTable is what policies did at one budget.
func replayTable(rows []replay.Row) string {
	first := rows[0]
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s", strong(clean(titleOf(first))), paragraph(leadOf(first)))
	main := grid{append([]string{"policy", "lit", "sup", "95 %", "ptr"}, priced(first, 2, "over", "bad", "breaks")...)}
	more := grid{{"policy", "all", "xlr", "tokens", "peak", "plans", "files", "error", "rule", "decided"}}
	bills := grid{append([]string{"policy"}, priced(first, len(first.Cost))...)}
	for _, r := range rows {
		main = append(main, mainLine(r))
		more = append(more, moreLine(r))
		bills = append(bills, billLine(r))
	}
	b.WriteString(main.String())
	b.WriteString(faint("  all and xlr: literal; tokens: of the uncompacted; probes, exact match, %") + "\n")
	b.WriteString(more.String())
	if reckons(rows) {
		b.WriteString(faint("  reckoned, and right in hindsight") + "\n" + reckonings(rows).String())
	}
	if len(first.Cost) > 2 {
		b.WriteString(faint("  cost under each price") + "\n" + bills.String())
	}
	return b.String() + "\n"
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
		fmt.Sprintf("%.2f", r.Tokens), commas(r.Peak), fmt.Sprintf("%.1f", r.Epochs),
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

// reckons says whether any policy weighed what a compaction costs.
func reckons(rows []replay.Row) bool {
	return slices.ContainsFunc(rows, func(r replay.Row) bool { return len(r.Verdicts) > 0 })
}

// reckonings are the verdicts of each policy, and what its search finds.
func reckonings(rows []replay.Row) grid {
	g := grid{{"policy", "verdicts, right/times", "found"}}
	for _, r := range rows {
		if len(r.Verdicts) > 0 {
			g = append(g, []string{r.Policy, verdictsOf(r), r.Search.String()})
		}
	}
	return g
}

// verdictsOf lists a row's verdicts: "pays 40/41, too_soon 3/9".
func verdictsOf(r replay.Row) string {
	var said []string
	for _, v := range slices.Sorted(maps.Keys(r.Verdicts)) {
		said = append(said, fmt.Sprintf("%s %s/%s", v, commas(r.Verdicts[v].Right), commas(r.Verdicts[v].Times)))
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
