package main

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/replay"
)

// chart is a picture with the words for those who do not see it.
type chart struct {
	name string // of its file
	plot *plot.Plot
	alt  string
	w, h vg.Length
}

var (
	ink     = color.RGBA{0x33, 0x33, 0x33, 0xff}
	pale    = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}
	grey    = color.RGBA{0x80, 0x80, 0x80, 0xff}
	blue    = color.RGBA{0x1f, 0x6f, 0xb4, 0xff}
	red     = color.RGBA{0xc4, 0x3c, 0x39, 0xff}
	palette = []color.Color{
		blue,
		color.RGBA{0xe0, 0x8a, 0x1e, 0xff},
		color.RGBA{0x3a, 0x93, 0x4c, 0xff},
		red,
		color.RGBA{0x7a, 0x5f, 0xb0, 0xff},
		color.RGBA{0x8c, 0x6d, 0x5c, 0xff},
		color.RGBA{0x2a, 0xa0, 0xa8, 0xff},
		grey,
	}
)

func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, s := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		s.Font.Typeface, s.Font.Variant, s.Color = "Liberation", "Sans", ink
		s.Font.Size = min(s.Font.Size, 10)
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Color, a.Tick.LineStyle.Color = grey, grey
	}
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = pale, pale
	p.Add(g)
	return p
}

// svg is the picture as a part of a page.
func (c chart) svg() (string, error) {
	w, err := c.plot.WriterTo(c.w, c.h, "svg")
	if err != nil {
		return "", fmt.Errorf("draw %s: %w", c.name, err)
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		return "", fmt.Errorf("draw %s: %w", c.name, err)
	}
	_, s, _ := strings.Cut(b.String(), "<svg")
	return "<svg" + strings.ReplaceAll(s, "font-family:Liberation Sans", "font-family:Liberation Sans,Arial,Helvetica,sans-serif"), nil
}

func (c chart) png() ([]byte, error) {
	w, err := c.plot.WriterTo(c.w, c.h, "png")
	if err != nil {
		return nil, fmt.Errorf("draw %s: %w", c.name, err)
	}
	var b bytes.Buffer
	_, err = w.WriteTo(&b)
	return b.Bytes(), err
}

// recallChart draws what was kept against what it cost. The frontier joins the
// policies that keep the budget and that none beats in both.
func recallChart(rows []replay.Row) chart {
	price := rows[0].Cost[0].Price
	p := newPlot("billed cost, relative to sending everything (price "+price+")", "strict long-range recall, supported, %")
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, costTicks
	if f := frontier(rows); len(f) > 1 {
		trace(p, f, color.RGBA{0x9c, 0xc0, 0xe0, 0xff}, vg.Points(4), "")
	}
	var labels []spot
	for _, r := range rows {
		x, y := r.Cost[0].Ratio, float64(r.Recall[replay.LongRangeStrict].Supported)
		if math.IsNaN(y) || !(x > 0) {
			continue
		}
		labels = append(labels, spot{x, y, r.Policy})
		bars(p, r, x, y)
		s, err := plotter.NewScatter(plotter.XYs{{X: x, Y: y}})
		if err != nil {
			continue
		}
		s.GlyphStyle = mark(r)
		p.Add(s)
	}
	if len(labels) == 0 {
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0.5, 2, 0, 100
	} else {
		p.X.Min, p.X.Max = p.X.Min/1.15, p.X.Max*1.25
		p.Y.Min, p.Y.Max = max(-2, p.Y.Min-4), min(104, p.Y.Max+6)
		p.Add(labelled(p, labels))
	}
	return chart{
		name: fmt.Sprintf("recall-%s-%d", slug(rows[0].Source), rows[0].Budget), plot: p, w: 640, h: 400,
		alt: "Recall against cost, one point a policy; the table above has the numbers.",
	}
}

// costTicks are the ticks of a logarithmic scale of costs.
var costTicks = func() plot.ConstantTicks {
	var ts plot.ConstantTicks
	for _, v := range []float64{0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 7, 10} {
		ts = append(ts, plot.Tick{Value: v, Label: fmt.Sprint(v)})
	}
	return ts
}()

// mark is a disc for what keeps the budget, a ring for what does not, a
// pyramid for the oracle; blue are presets.
func mark(r replay.Row) draw.GlyphStyle {
	g := draw.GlyphStyle{Color: grey, Radius: vg.Points(4), Shape: draw.CircleGlyph{}}
	switch {
	case r.Policy == "oracle":
		g.Color, g.Shape, g.Radius = red, draw.PyramidGlyph{}, vg.Points(5)
	case slices.Contains(policy.Names(), r.Policy):
		g.Color = blue
	}
	if r.Over > 0 {
		g.Shape = draw.RingGlyph{}
	}
	return g
}

// bars are the intervals of a row.
func bars(p *plot.Plot, r replay.Row, x, y float64) {
	at := plotter.XYs{{X: x, Y: y}}
	style := draw.LineStyle{Color: color.RGBA{0xb0, 0xb0, 0xb0, 0xff}, Width: vg.Points(0.7)}
	if lo, hi := float64(r.SupportedCI[0]), float64(r.SupportedCI[1]); lo == lo {
		e, err := plotter.NewYErrorBars(struct {
			plotter.XYs
			plotter.YErrors
		}{at, plotter.YErrors{{Low: max(0, y-lo), High: max(0, hi-y)}}})
		if err == nil {
			e.LineStyle, e.CapWidth = style, 4
			p.Add(e)
		}
	}
	if lo, hi := float64(r.Cost[0].CI[0])/100, float64(r.Cost[0].CI[1])/100; lo == lo {
		e, err := plotter.NewXErrorBars(struct {
			plotter.XYs
			plotter.XErrors
		}{at, plotter.XErrors{{Low: max(0, x-lo), High: max(0, hi-x)}}})
		if err == nil {
			e.LineStyle, e.CapWidth = style, 4
			p.Add(e)
		}
	}
}

// frontier are the policies that keep the budget and that none beats in recall
// and cost, by cost.
func frontier(rows []replay.Row) plotter.XYs {
	var all plotter.XYs
	for _, r := range rows {
		y := float64(r.Recall[replay.LongRangeStrict].Supported)
		if r.Policy != "oracle" && r.Over == 0 && r.Invalid == 0 && y == y && r.Cost[0].Ratio > 0 {
			all = append(all, plotter.XY{X: r.Cost[0].Ratio, Y: y})
		}
	}
	slices.SortFunc(all, func(a, b plotter.XY) int { return sign(a.X-b.X, b.Y-a.Y) })
	var best plotter.XYs
	for _, v := range all {
		if len(best) == 0 || v.Y > best[len(best)-1].Y {
			best = append(best, v)
		}
	}
	return best
}

func sign(of ...float64) int {
	for _, v := range of {
		if v != 0 {
			return int(math.Copysign(1, v))
		}
	}
	return 0
}

// spot is a point with a name.
type spot struct {
	x, y float64
	name string
}

// side is where a name may stand: its direction from the point.
type side struct {
	dx, dy float64
	ax     text.XAlignment
	ay     text.YAlignment
}

// sides are tried in order.
var sides = []side{
	{1, 0, draw.XLeft, draw.YCenter},
	{-1, 0, draw.XRight, draw.YCenter},
	{0, 1, draw.XCenter, draw.YBottom},
	{0, -1, draw.XCenter, draw.YTop},
	{1, 1, draw.XLeft, draw.YBottom},
	{1, -1, draw.XLeft, draw.YTop},
	{-1, 1, draw.XRight, draw.YBottom},
	{-1, -1, draw.XRight, draw.YTop},
}

// box is a part of the picture, in shares of it.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) meets(t box) bool { return b.x0 < t.x1 && t.x0 < b.x1 && b.y0 < t.y1 && t.y0 < b.y1 }

// nearX and nearY are how far a name stands from its point, in shares.
const nearX, nearY = 0.012, 0.014

// labelled puts names beside points, where they cover no other if there is such
// a place.
func labelled(p *plot.Plot, spots []spot) *plotter.Labels {
	l := &plotter.Labels{}
	var taken []box
	for _, s := range spots {
		x, y := p.X.Norm(s.x), p.Y.Norm(s.y)
		taken = append(taken, box{x - 0.008, y - 0.012, x + 0.008, y + 0.012})
	}
	for _, s := range spots {
		x, y := p.X.Norm(s.x), p.Y.Norm(s.y)
		at, b := room(x, y, float64(len(s.name)), taken)
		taken = append(taken, b)
		l.Labels = append(l.Labels, s.name)
		l.XYs = append(l.XYs, plotter.XY{
			X: p.X.Min * math.Pow(p.X.Max/p.X.Min, x+at.dx*nearX), // the scale is logarithmic
			Y: p.Y.Min + (y+at.dy*nearY)*(p.Y.Max-p.Y.Min),
		})
		l.TextStyle = append(l.TextStyle, text.Style{
			Color: ink, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: 9}, XAlign: at.ax, YAlign: at.ay, Handler: plot.DefaultTextHandler,
		})
	}
	return l
}

// room finds the side of a point for a name of n letters.
func room(x, y, n float64, taken []box) (side, box) {
	w, h := 0.0098*n, 0.034
	var first box
	for i, s := range sides {
		cx, cy := x+s.dx*(w/2+nearX), y+s.dy*(h/2+nearY)
		b := box{cx - w/2, cy - h/2, cx + w/2, cy + h/2}
		if i == 0 {
			first = b
		}
		if b.x0 >= 0 && b.x1 <= 1.02 && !slices.ContainsFunc(taken, b.meets) {
			return s, b
		}
	}
	return sides[0], first
}

func trace(p *plot.Plot, at plotter.XYs, c color.Color, dash vg.Length, name string) {
	l, err := plotter.NewLine(at)
	if err != nil {
		return // no points
	}
	l.Color, l.Width = c, vg.Points(1.4)
	if dash > 0 {
		l.Dashes = []vg.Length{dash, dash}
	}
	p.Add(l)
	if name != "" {
		p.Legend.Add(name, l)
	}
}

// stepChart draws the prompts of one run; a cross is a broken prefix.
func stepChart(c replay.Cell, names []string) chart {
	p := newPlot("step", "tokens of the prompt")
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, vg.Points(2)
	for n, i := range drawn(names) {
		s, ink := c.Scores[i], palette[n]
		all, broken := traced(s.Trace)
		trace(p, all, ink, 0, names[i])
		if marks, err := plotter.NewScatter(broken); err == nil && len(broken) > 0 {
			marks.GlyphStyle = draw.GlyphStyle{Color: ink, Radius: vg.Points(3), Shape: draw.CrossGlyph{}}
			p.Add(marks)
		}
	}
	last := float64(len(c.None.Trace.Step))
	trace(p, plotter.XYs{{X: 1, Y: float64(c.Budget)}, {X: last, Y: float64(c.Budget)}}, grey, vg.Points(2), "budget")
	p.Y.Min, p.Y.Max = 0, min(p.Y.Max*1.15, 3*float64(c.Budget)) // what grows without end leaves the picture
	return chart{
		name: fmt.Sprintf("steps-%s-%d", slug(c.Source), c.Budget), plot: p, w: 640, h: 340,
		alt: "Tokens of each prompt of one run, one line a policy; crosses mark broken prefixes.",
	}
}

// drawn picks the policies whose steps are shown: more than five lines nobody
// can tell apart. Presets first, then the oracle and none, then the others.
func drawn(names []string) []int {
	rank := func(i int) int {
		switch {
		case slices.Contains(policy.Names(), names[i]):
			return 0
		case names[i] == "oracle" || names[i] == "none":
			return 1
		}
		return 2
	}
	at := make([]int, len(names))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return rank(a) - rank(b) })
	return at[:min(len(at), 5)]
}

func traced(t replay.Trace) (all, broken plotter.XYs) {
	for i := range t.Step {
		at := plotter.XY{X: float64(i + 1), Y: float64(t.Tokens[i])}
		all = append(all, at)
		if t.Broke[i] {
			broken = append(broken, at)
		}
	}
	return all, broken
}

// stacked draws a horizontal bar for each policy, in pieces.
func stacked(name, x, alt string, rows []replay.Row, pieces []string, of func(r replay.Row, piece string) float64) chart {
	p := newPlot(x, "")
	var below *plotter.BarChart
	for i, piece := range pieces {
		vs := make(plotter.Values, len(rows))
		for n, r := range rows {
			vs[len(rows)-1-n] = of(r, piece)
		}
		b, err := plotter.NewBarChart(vs, vg.Points(13))
		if err != nil {
			continue
		}
		b.Horizontal, b.Color, b.LineStyle.Width = true, palette[i%len(palette)], 0
		if below != nil {
			b.StackOn(below)
		}
		below = b
		p.Add(b)
		p.Legend.Add(piece, b)
	}
	var names []string
	for _, r := range slices.Backward(rows) {
		names = append(names, r.Policy)
	}
	p.NominalY(names...)
	p.X.Min = 0
	p.X.Max = math.Max(p.X.Max*1.3, 0.01) // room for the legend
	p.Legend.Top, p.Legend.XOffs, p.Legend.YOffs, p.Legend.Padding = true, -6, -2, vg.Points(2)
	return chart{name: fmt.Sprintf("%s-%s-%d", name, slug(rows[0].Source), rows[0].Budget), plot: p, alt: alt, w: 640, h: vg.Length(90 + 24*len(rows))}
}

func spentChart(rows []replay.Row) chart {
	return stacked("tokens", "tokens of all prompts, relative to sending everything", "What the tokens of each policy were spent on.", rows,
		[]string{"system", "user", "assistant", "arguments", "results", "made"},
		func(r replay.Row, piece string) float64 { return r.Spent[piece] * r.Tokens })
}

func lostChart(rows []replay.Row) chart {
	return stacked("lost", "strict long-range needs that were not in the prompt, %", "What was needed and not in the prompt, by kind of value.", rows,
		lostKinds(rows), func(r replay.Row, piece string) float64 {
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
	slices.SortFunc(names, func(a, b string) int { return sign(float64(lost[b]-lost[a]), float64(strings.Compare(a, b))) })
	return names[:min(len(names), len(palette))]
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
