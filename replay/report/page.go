package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/replay"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.Must(charts.Clone()).New("page").Parse(pageText))

// page holds what the page shows.
type page struct {
	Result
	Sections []pageSection
}

type pageSection struct {
	Title, Lead string
	Prices      []string
	Lines       []pageLine
	Reckons     bool // some policy weighed what a compaction costs
	Charts      []pageChart
	Tables      []table
	Misses      []pageMisses
}

// pageMisses are examples of what the prompts of a policy lacked, and of what they said
// that was not so.
type pageMisses struct {
	Policy string
	Misses []replay.Miss
	Untrue []replay.Untrue
}

type pageLine struct {
	Policy                      string
	Ours, IsOver, IsBad         bool
	Lit, Sup, Ptr               replay.Percent
	Between                     string
	Costs                       []string
	Tokens, Peak, Breaks, Plans string
	Over, Invalid               replay.Percent
	Verdicts                    string
	Found                       replay.Percent
	Probes                      []replay.Percent
}

// pageChart is a chart, or several small ones, and what stands around it.
type pageChart struct {
	Title, Caption string
	Panels         []*chart
}

// Write writes page.html, rows.json and a picture for each chart of a comparison
// into a folder, and returns the files, the page last. policies are the names of
// the policies compared, in order.
func Write(folder string, res Result, c *replay.Comparison, policies []string) ([]string, error) {
	p := page{Result: res}
	var files []string
	put := func(name string, data []byte) error {
		files = append(files, filepath.Join(folder, name))
		if err := writeWhole(files[len(files)-1], data); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
		return nil
	}
	for _, rows := range tablesOf(res.Rows) {
		s := sectionOf(rows)
		s.Charts = chartsOf(rows, c, policies)
		s.Tables = judgeTables(rows, res.Every)
		for _, drawn := range s.Charts {
			for _, panel := range drawn.Panels {
				svg, err := panel.svg()
				if err != nil {
					return nil, err
				}
				if err := put(panel.Name+".svg", []byte(svg)); err != nil {
					return nil, err
				}
			}
		}
		p.Sections = append(p.Sections, s)
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("write report: %w", err)
	}
	data, err := json.MarshalIndent(res, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write report: %w", err)
	}
	if err := put("rows.json", append(data, '\n')); err != nil {
		return nil, err
	}
	return files, put("page.html", b.Bytes())
}

// writeWhole writes a file so that it is whole or not there.
func writeWhole(path string, data []byte) error {
	if err := os.WriteFile(path+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// tablesOf groups rows by source and budget.
func tablesOf(rows []replay.Row) [][]replay.Row {
	var all [][]replay.Row
	for i, r := range rows {
		if i == 0 || rows[i-1].Source != r.Source || rows[i-1].Budget != r.Budget {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], r)
	}
	return all
}

func titleOf(r replay.Row) string { return titleFor(r.Source, r.Budget) }

func titleFor(source string, budget int) string {
	return fmt.Sprintf("%s at %s tokens", source, term.Comma(budget))
}

func leadOf(r replay.Row) string {
	return fmt.Sprintf("%s, %s of %s; needed there: %s, %s of them long-range and strict",
		term.Count(r.Runs, "run"), term.Count(r.Active, "active step"), term.Comma(r.Steps), term.Count(r.Recall[replay.All].Needs, "value"), term.Comma(r.Recall[replay.LongRangeStrict].Needs))
}

func sectionOf(rows []replay.Row) pageSection {
	s := pageSection{Title: titleOf(rows[0]), Lead: leadOf(rows[0]) + ".", Prices: priced(rows[0], len(rows[0].Cost)), Reckons: reckons(rows)}
	for _, r := range rows {
		n := r.Recall[replay.LongRangeStrict]
		l := pageLine{
			Policy: r.Policy, Ours: slices.Contains(policy.Names(), r.Policy), IsOver: r.Over > 0, IsBad: r.Invalid > 0,
			Lit: n.Literal, Sup: n.Supported, Ptr: n.Referenced, Between: between(r.SupportedCI), Costs: billLine(r)[1:],
			Tokens: fmt.Sprintf("%.2f", r.Tokens), Peak: term.Comma(r.Peak), Over: r.Over, Invalid: r.Invalid,
			Breaks: fmt.Sprintf("%.1f", r.Breaks), Plans: fmt.Sprintf("%.1f", r.Epochs), Verdicts: verdictsOf(r), Found: r.Search,
		}
		for p := range replay.Decisions + 1 {
			l.Probes = append(l.Probes, r.Probes[p.String()])
		}
		s.Lines = append(s.Lines, l)
		if len(r.Misses)+len(r.Untrue) > 0 {
			s.Misses = append(s.Misses, pageMisses{r.Policy, r.Misses, r.Untrue})
		}
	}
	return s
}

func chartsOf(rows []replay.Row, c *replay.Comparison, policies []string) []pageChart {
	all := []pageChart{{
		"Recall against cost",
		"Up and to the left is better. Blue: presets of précis; grey: baselines; red: the oracle, which sees the future. A ring is a policy that goes over the budget. The dashed line joins those within the budget that none beats in both. Bars are 95 % intervals over runs.",
		[]*chart{recallChart(rows)},
	}}
	if panels := judgeCharts(rows); len(panels) > 0 {
		all = append(all, pageChart{"What each judge says", "Further right is better. A bar is the 95 % interval over runs. A ring is a plain prompt of as many tokens as " + rows[0].Policy + "'s, step by step.", panels})
	}
	if cell := longest(c, rows[0]); cell != nil {
		all = append(all, pageChart{
			"The longest run, step by step",
			fmt.Sprintf("Run %s; tokens of each prompt, all panels on the same scales. A cross is a prompt that does not begin with the one before: from there on the provider's cache misses. The dotted line is the budget.", cell.Run),
			stepCharts(*cell, policies),
		})
	}
	all = append(all, pageChart{"Where the tokens went", "Made: what a policy wrote itself, as summaries, previews and stubs.", []*chart{spentChart(rows)}})
	if len(lostKinds(rows)) > 0 {
		all = append(all, pageChart{"What was lost", "Strict long-range needs that did not stand in the prompt, by kind of value.", []*chart{lostChart(rows)}})
	}
	return all
}

// longest is the longest run of a table.
func longest(c *replay.Comparison, r replay.Row) *replay.Cell {
	var best *replay.Cell
	for i := range c.Cells {
		l := &c.Cells[i]
		if l.Source == r.Source && l.Budget == r.Budget && (best == nil || l.None.Peak > best.None.Peak) {
			best = l
		}
	}
	return best
}
