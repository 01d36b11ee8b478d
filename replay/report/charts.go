package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/replay"
)

// newChart is a picture of the given size, with room around its frame.
func newChart(name string, r replay.Row, w, h float64, x, y, alt string) (*chart, axis, axis) {
	c := &chart{
		Name: fmt.Sprintf("%s-%s-%d", name, slug(r.Source), r.Budget), Alt: alt, W: w, H: h, XLabel: x, YLabel: y,
		Frame: box{64, 10, w - 12, h - 40},
	}
	return c, axis{from: c.Frame.X0, to: c.Frame.X1}, axis{from: c.Frame.Y1, to: c.Frame.Y0}
}

// costTicks are the ticks of a logarithmic scale of costs.
var costTicks = []float64{0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 7, 10, 20, 50}

// recallChart draws what was kept against what it cost. The frontier joins the
// policies that keep the budget and that none beats in both.
func recallChart(rows []replay.Row) *chart {
	c, x, y := newChart("recall", rows[0], 640, 400, "billed cost, relative to sending everything (price "+rows[0].Cost[0].Price+"; logarithmic scale)",
		"strict long-range recall, supported, % (linear scale)", "Recall against cost, one point a policy; the table above has the numbers.")
	var shown []replay.Row
	var points []point
	var names []string
	for _, r := range rows {
		p := point{r.Cost[0].Ratio, float64(r.Recall[replay.LongRangeStrict].Supported)}
		if !math.IsNaN(p.Y) && p.X > 0 {
			shown, points, names = append(shown, r), append(points, p), append(names, r.Policy)
		}
	}
	x.log, x.min, x.max, y.min, y.max = true, 0.5, 2, 0, 100
	if len(points) > 0 {
		span(&x, &y, shown, points)
	}
	c.XTicks, c.YTicks = x.ticks(costTicks...), y.ticks()
	c.draw(x, y, "#9cc0e0", "4", 1.4, frontier(rows)...)
	for i, r := range shown {
		c.intervals(x, y, r, points[i])
		shape, color, size := markOf(r)
		c.Marks = append(c.Marks, mark{x.at(points[i].X), y.at(points[i].Y), size, shape, color})
	}
	c.name(x, y, points, names)
	return c
}

// span makes the axes take in all points and their intervals.
func span(x, y *axis, rows []replay.Row, points []point) {
	x.min, x.max, y.min, y.max = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i, p := range points {
		low, high := costInterval(rows[i], p)
		x.min, x.max = min(x.min, low), max(x.max, high)
		low, high = recallInterval(rows[i], p)
		y.min, y.max = min(y.min, low), max(y.max, high)
	}
	x.min, x.max = x.min/1.15, x.max*1.25
	y.min, y.max = max(-2, y.min-4), min(104, y.max+6)
}

// costInterval and recallInterval are the intervals of a row, or its point where
// it has none.
func costInterval(r replay.Row, p point) (low, high float64) {
	low, high = float64(r.Cost[0].CI[0])/100, float64(r.Cost[0].CI[1])/100
	if math.IsNaN(low) || low <= 0 {
		return p.X, p.X
	}
	return min(low, p.X), max(high, p.X)
}

func recallInterval(r replay.Row, p point) (low, high float64) {
	low, high = float64(r.SupportedCI[0]), float64(r.SupportedCI[1])
	if math.IsNaN(low) {
		return p.Y, p.Y
	}
	return min(low, p.Y), max(high, p.Y)
}

func (c *chart) intervals(x, y axis, r replay.Row, p point) {
	if low, high := recallInterval(r, p); low < high {
		c.draw(x, y, pale, "", 0.7, point{p.X, low}, point{p.X, high})
	}
	if low, high := costInterval(r, p); low < high {
		c.draw(x, y, pale, "", 0.7, point{low, p.Y}, point{high, p.Y})
	}
}

// markOf is a disc for what keeps the budget, a ring for what does not, a
// pyramid for the oracle; blue are presets.
func markOf(r replay.Row) (shape, color string, size float64) {
	shape, color, size = "disc", colorOf(r.Policy), 4
	if r.Policy == "oracle" {
		shape = "pyramid"
	}
	if r.Over > 0 {
		shape = "ring"
	}
	return shape, color, size
}

// frontier are the policies that keep the budget and that none beats in recall
// and cost, by cost.
func frontier(rows []replay.Row) (best []point) {
	var all []point
	for _, r := range rows {
		y := float64(r.Recall[replay.LongRangeStrict].Supported)
		if r.Policy != "oracle" && r.Over == 0 && r.Invalid == 0 && !math.IsNaN(y) && r.Cost[0].Ratio > 0 {
			all = append(all, point{r.Cost[0].Ratio, y})
		}
	}
	slices.SortFunc(all, func(a, b point) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(b.Y, a.Y)) })
	for _, v := range all {
		if len(best) == 0 || v.Y > best[len(best)-1].Y {
			best = append(best, v)
		}
	}
	return best
}

// newPanel is one of several small charts that share their scales.
func newPanel(name, title string, h float64, alt string) *chart {
	return &chart{Name: name, Title: title, Alt: alt, W: 340, H: h, Frame: box{64, 24, 328, h - 36}}
}

// stepCharts draw the prompts of one run, a panel for each policy, all on the same
// scales; a cross is a broken prefix.
func stepCharts(cell replay.Cell, names []string) (panels []*chart) {
	x := axis{min: 1, max: float64(max(2, len(cell.None.Trace.Step)))}
	y := axis{max: float64(max(1, cell.Budget))}
	for i := range names {
		for _, n := range cell.Scores[i].Trace.Tokens {
			y.max = max(y.max, float64(n))
		}
	}
	y.max = min(y.max*1.15, 2*float64(max(1, cell.Budget))) // what grows without end leaves the picture
	for i, name := range names {
		c := newPanel(fmt.Sprintf("steps-%s-%d-%s", slug(cell.Source), cell.Budget, slug(name)), name, 170,
			"Tokens of each prompt of one run under "+name+"; crosses mark broken prefixes.")
		c.XLabel = "step (linear scale)"
		x.from, x.to, y.from, y.to = c.Frame.X0, c.Frame.X1, c.Frame.Y1, c.Frame.Y0
		c.XTicks, c.YTicks = x.ticks(), y.ticks()
		color := colorOf(name)
		var all []point
		for s, tokens := range cell.Scores[i].Trace.Tokens {
			p := point{float64(s + 1), float64(tokens)}
			all = append(all, p)
			if cell.Scores[i].Trace.Broke[s] && p.Y <= y.max {
				c.Marks = append(c.Marks, mark{x.at(p.X), y.at(p.Y), 3, "cross", color})
			}
		}
		c.draw(x, y, color, "", 1.4, all...)
		c.draw(x, y, grey, "2", 1, point{1, float64(cell.Budget)}, point{x.max, float64(cell.Budget)})
		panels = append(panels, c)
	}
	return panels
}

// colorOf is the colour of a policy.
func colorOf(name string) string {
	switch {
	case name == "oracle":
		return red
	case slices.Contains(policy.Names(), name):
		return blue
	}
	return grey
}

// judgeCharts draw a panel for each judge: a point for each policy, and a ring for each
// control of the first, with their intervals, all on the same scale.
func judgeCharts(rows []replay.Row) (panels []*chart) {
	for _, m := range meaning {
		if !judgedBy(rows, m.judge) {
			continue
		}
		c := newPanel(fmt.Sprintf("judge-%s-%d-%s", slug(rows[0].Source), rows[0].Budget, m.judge), m.head, 0, m.words+", in percent; the table has the numbers.")
		c.Frame.X0 = 130
		x := axis{min: 0, max: 100, from: c.Frame.X0, to: c.Frame.X1}
		at := c.Frame.Y0 + 10
		add := func(name, shape, color string, js []replay.Judgement) {
			i := slices.IndexFunc(js, func(j replay.Judgement) bool { return j.Judge == m.judge })
			c.YTicks = append(c.YTicks, tick{at, name})
			if i >= 0 {
				v := min(max(float64(js[i].Percent), x.min), x.max)
				if low, high := float64(js[i].CI[0]), float64(js[i].CI[1]); low < high {
					c.Lines = append(c.Lines, line{fmt.Sprintf("%s,%s %s,%s", px(x.at(max(low, x.min))), px(at), px(x.at(min(high, x.max))), px(at)), pale, "", 3})
				}
				c.Marks = append(c.Marks, mark{x.at(v), at, 4, shape, color})
			}
			at += 18
		}
		for _, r := range rows {
			add(r.Policy, "disc", colorOf(r.Policy), r.Judges)
		}
		for _, control := range rows[0].Controls {
			add("· "+control.Name, "ring", grey, control.Judges)
		}
		c.Frame.Y1 = at - 4
		c.H, c.XTicks, c.XLabel = at+32, x.ticks(), m.head+", % (linear scale)"
		panels = append(panels, c)
	}
	return panels
}

// stacked draws a horizontal bar for each policy, in pieces.
func stacked(name, label, alt string, rows []replay.Row, pieces, colors []string, of func(r replay.Row, piece string) float64) *chart {
	c, x, _ := newChart(name, rows[0], 640, float64(90+24*len(rows)), label, "", alt)
	for _, r := range rows {
		sum := 0.0
		for _, piece := range pieces {
			sum += of(r, piece)
		}
		x.max = max(x.max, sum)
		c.Frame.X0 = max(c.Frame.X0, 14+6.5*float64(len(r.Policy)))
	}
	c.beside(&x, 100)
	x.from, x.max = c.Frame.X0, max(x.max*1.05, 0.01)
	c.XTicks = x.ticks()
	for n, r := range rows {
		at, top := 0.0, c.Frame.Y0+8+24*float64(n)
		c.YTicks = append(c.YTicks, tick{top + 6.5, r.Policy})
		for i, piece := range pieces {
			v := of(r, piece)
			c.Bars = append(c.Bars, bar{x.at(at), top, max(0, x.at(at+v)-x.at(at)), 13, colors[i%len(colors)]})
			at += v
		}
	}
	c.legend(pieces, colors)
	return c
}

func spentChart(rows []replay.Row) *chart {
	return stacked("tokens", "tokens of all prompts, relative to sending everything (linear scale)", "What the tokens of each policy were spent on.", rows,
		replay.Spends[:], spendColors,
		func(r replay.Row, piece string) float64 { return r.Spent[piece] * r.Tokens })
}

func lostChart(rows []replay.Row) *chart {
	return stacked("lost", "strict long-range needs that were not in the prompt, % (linear scale)", "What was needed and not in the prompt, by kind of value.", rows,
		lostKinds(rows), lostColors, func(r replay.Row, piece string) float64 {
			return 100 * float64(r.Lost[piece].Unmet) / float64(max(r.Recall[replay.LongRangeStrict].Needs, 1))
		})
}

// lostKinds are the kinds of value that were lost, the most lost first.
func lostKinds(rows []replay.Row) []string {
	lost := map[string]int{}
	for _, r := range rows {
		for k, n := range r.Lost {
			lost[k] += n.Unmet
		}
	}
	var names []string
	for k, n := range lost {
		if n > 0 {
			names = append(names, k)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(lost[b], lost[a]), strings.Compare(a, b)) })
	return names[:min(len(names), len(lostColors))]
}

// slug is a name fit for a file.
func slug(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, s)
}
