package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/term"
)

// chart is a picture: shapes in pixels, with the words for those who do not see it.
type chart struct {
	Name string // of its file, without the ending
	Alt  string
	// Title stands above the frame of a small chart.
	Title string
	W, H  float64
	// Frame is where values are drawn; what is named stands around it.
	Frame          box
	XLabel, YLabel string
	XTicks, YTicks []tick
	Bars           []bar
	Lines          []line
	Marks          []mark
	Labels         []label
}

type tick struct {
	At   float64
	Text string
}

type bar struct {
	X, Y, W, H float64
	Color      string
}

type line struct {
	Points, Color, Dash string
	Width               float64
}

// mark is a point: a disc, a ring, a pyramid or a cross.
type mark struct {
	X, Y, R      float64
	Shape, Color string
}

type label struct {
	X, Y   float64
	Text   string
	Anchor string // start, middle, end
}

// The colours, one palette for each meaning: who made the prompts, what tokens are spent
// on, and what kind of value was lost.
const (
	grey = "#808080" // a baseline, a control
	blue = "#1f6fb4" // a preset
	red  = "#c43c39" // the oracle
	pale = "#b0b0b0" // intervals
)

var (
	spendColors = []string{"#4d4d4d", "#d9a441", "#7fb069", "#3f7d5a", "#a9c8b5", "#8a5fb0"}
	lostColors  = []string{"#5b2a6e", "#7d4b94", "#9d70b5", "#bb97cd", "#d3b9e0", "#e4d5ec", "#efe6f4", "#cfc4d6"}
)

//go:embed chart.svg
var chartText string

// px writes a coordinate.
func px(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

var charts = template.Must(template.New("chart").Funcs(template.FuncMap{
	"px": px, "add": func(a, b float64) float64 { return a + b }, "mid": func(a, b float64) float64 { return (a + b) / 2 },
}).Parse(chartText))

// svg is the picture as a file.
func (c *chart) svg() (string, error) {
	var b strings.Builder
	if err := charts.Execute(&b, c); err != nil {
		return "", fmt.Errorf("draw %s: %w", c.Name, err)
	}
	return b.String(), nil
}

// axis maps values to pixels.
type axis struct {
	min, max, from, to float64
	log                bool
}

// norm is a value's share of the axis.
func (a axis) norm(v float64) float64 {
	if a.log {
		return math.Log(v/a.min) / math.Log(a.max/a.min)
	}
	return (v - a.min) / (a.max - a.min)
}

func (a axis) at(v float64) float64 { return a.from + a.norm(v)*(a.to-a.from) }

// ticks are about six round values of an axis, or those of given that it shows.
func (a axis) ticks(given ...float64) (ts []tick) {
	if len(given) == 0 {
		step := math.Pow(10, math.Floor(math.Log10((a.max-a.min)/5)))
		i := slices.IndexFunc([]float64{1, 2, 5}, func(f float64) bool { return (a.max-a.min)/(step*f) <= 8 })
		step *= []float64{10, 1, 2, 5}[i+1]
		for v := math.Ceil(a.min/step) * step; v <= a.max; v += step {
			given = append(given, v)
		}
	}
	for _, v := range given {
		if v < a.min || v > a.max {
			continue
		}
		text := strconv.FormatFloat(math.Round(v*1e6)/1e6, 'g', -1, 64)
		if v >= 1000 {
			text = term.Comma(int(v))
		}
		ts = append(ts, tick{a.at(v), text})
	}
	return ts
}

// draw adds a line through points.
func (c *chart) draw(x, y axis, color, dash string, width float64, points ...point) {
	var b strings.Builder
	for _, p := range points {
		fmt.Fprintf(&b, "%s,%s ", px(x.at(p.X)), px(y.at(min(p.Y, y.max))))
	}
	if len(points) > 0 {
		c.Lines = append(c.Lines, line{strings.TrimSpace(b.String()), color, dash, width})
	}
}

// beside makes room for a legend on the right of the frame, where it covers nothing.
func (c *chart) beside(x *axis, width float64) {
	c.Frame.X1 -= width
	x.to = c.Frame.X1
}

// legend names colours on the right of the frame, one below the other.
func (c *chart) legend(names, colors []string) {
	x, y := c.Frame.X1+12, c.Frame.Y0+12
	for i, n := range names {
		at := y + 15*float64(i)
		c.Bars = append(c.Bars, bar{x, at - 4, 14, 4, colors[i]})
		c.Labels = append(c.Labels, label{x + 19, at + 1, n, "start"})
	}
}

// point is a pair of values.
type point struct{ X, Y float64 }

// side is where a name may stand: its direction from the point, up is positive.
type side struct{ dx, dy float64 }

// sides are tried in order.
var sides = []side{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}}

// box is a part of a picture.
type box struct{ X0, Y0, X1, Y1 float64 }

func (b box) meets(t box) bool { return b.X0 < t.X1 && t.X0 < b.X1 && b.Y0 < t.Y1 && t.Y0 < b.Y1 }

// nearX and nearY are how far a name stands from its point, in shares.
const nearX, nearY = 0.012, 0.014

// room finds the side of a point for a name of n letters, where it covers no other
// if there is such a place. Positions are shares of the frame.
func room(x, y, n float64, taken []box) (side, box) {
	w, h := 0.0098*n, 0.034
	var first box
	for i, s := range sides {
		cx, cy := x+s.dx*(w/2+nearX), y+s.dy*(h/2+nearY)
		b := box{cx - w/2, cy - h/2, cx + w/2, cy + h/2}
		if i == 0 {
			first = b
		}
		if b.X0 >= 0 && b.X1 <= 1.02 && !slices.ContainsFunc(taken, b.meets) {
			return s, b
		}
	}
	return sides[0], first
}

// name puts names beside their points.
func (c *chart) name(x, y axis, points []point, names []string) {
	var taken []box
	for _, p := range points {
		px, py := x.norm(p.X), y.norm(p.Y)
		taken = append(taken, box{px - 0.008, py - 0.012, px + 0.008, py + 0.012})
	}
	for i, p := range points {
		px, py := x.norm(p.X), y.norm(p.Y)
		s, b := room(px, py, float64(len(names[i])), taken)
		taken = append(taken, b)
		anchor := map[float64]string{1: "start", 0: "middle", -1: "end"}[s.dx]
		c.Labels = append(c.Labels, label{x.from + (px+s.dx*nearX)*(x.to-x.from), y.from + (b.Y0+0.008)*(y.to-y.from), names[i], anchor})
	}
}
