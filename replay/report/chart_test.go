package report

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/replay"
)

// at is a row with a recall and a cost.
func at(policy string, sup, cost float64, over replay.Percent) replay.Row {
	r := replay.Row{Source: "s", Policy: policy, Budget: 1000, Over: over, Cost: []replay.Cost{{Price: "A", Ratio: cost}}}
	for i := range r.Recall {
		r.Recall[i].Supported = replay.Percent(sup)
	}
	r.Cost[0].CI = [2]replay.Percent{replay.Percent(math.NaN()), replay.Percent(math.NaN())}
	r.SupportedCI = r.Cost[0].CI
	return r
}

// The frontier holds what keeps the budget and is not beaten in both, without
// the oracle.
func TestFrontier(t *testing.T) {
	rows := []replay.Row{
		at("oracle", 99, 0.4, 0), at("none", 100, 1, 100), at("good", 90, 0.7, 0), at("cheap", 50, 0.5, 0),
		at("beaten", 60, 0.8, 0), at("equal cost, less", 80, 0.7, 0), at("nothing to say", math.NaN(), 0.1, 0),
	}
	if got := fmt.Sprint(frontier(rows)); got != "[{0.5 50} {0.7 90}]" {
		t.Error(got)
	}
}

// Names go where they cover no other, if there is room.
func TestLabelRoom(t *testing.T) {
	free, b := room(0.5, 0.5, 5, nil)
	if free != sides[0] || b.X0 <= 0.5 {
		t.Errorf("alone: %+v at %+v", free, b)
	}
	if s, c := room(0.5, 0.5, 5, []box{b}); s == sides[0] || b.meets(c) {
		t.Errorf("beside another: %+v at %+v", s, c)
	}
	if s, _ := room(0.99, 0.5, 9, nil); s.dx == 1 {
		t.Errorf("at the edge: %+v", s)
	}
	if s, _ := room(0.5, 0.5, 5, []box{{0, 0, 1, 1}}); s != sides[0] {
		t.Errorf("nowhere: %+v", s)
	}
}

// SPEC: B10. Charts of odd rows are drawn: one point, no needs, nothing lost.
func TestChartsDraw(t *testing.T) {
	for _, rows := range [][]replay.Row{
		{at("balanced", 90, 0.7, 0)},
		{at("balanced", math.NaN(), 0.7, 0), at("none", math.NaN(), 1, 100)},
		{at("balanced", 90, 0.7, 0), at("oracle", 90, 0.7, 0), at("window", 0, 40, 0)},
	} {
		for _, c := range append(stepCharts(replay.Cell{Source: "s", Scores: make([]replay.Score, len(rows))}, make([]string, len(rows))), recallChart(rows), spentChart(rows), lostChart(rows)) {
			s, err := c.svg()
			if err != nil || xml.Unmarshal([]byte(s), new(struct{})) != nil || !strings.HasPrefix(s, "<svg") || !strings.Contains(s, "</svg>") || strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
				t.Errorf("%s: %v %s", c.Name, err, s)
			}
		}
	}
}

// A legend stands beside the frame, where it covers no line; every axis with numbers
// names its scale.
//
// SPEC: B10
func TestLegendsAndScales(t *testing.T) {
	rows := []replay.Row{at("balanced", 90, 0.7, 0), at("none", 100, 1, 100)}
	for i := range rows {
		rows[i].Tokens, rows[i].Spent = 1, map[string]float64{"results": .7, "made": .3}
	}
	step := replay.Cell{Source: "s", Budget: 1000, Scores: make([]replay.Score, 2)}
	for _, c := range append(stepCharts(step, []string{"balanced", "none"}), recallChart(rows), spentChart(rows)) {
		for _, label := range []string{c.XLabel, c.YLabel} {
			if label != "" && !strings.Contains(label, "scale)") {
				t.Errorf("%s: an axis %q names no scale", c.Name, label)
			}
		}
		if !strings.HasPrefix(c.Name, "tokens") {
			continue
		}
		if len(c.Labels) == 0 {
			t.Errorf("%s has no legend", c.Name)
		}
		for _, l := range c.Labels {
			if l.X <= c.Frame.X1 || l.X+6.5*float64(len(l.Text)) > c.W {
				t.Errorf("%s: %q stands at %v, the frame ends at %v of %v", c.Name, l.Text, l.X, c.Frame.X1, c.W)
			}
		}
	}
}

// Panels share their scales, so that they can be compared: a step, and a number of
// tokens, are as far along in each; every policy has one, in the colour of its kind.
//
// SPEC: B21
func TestPanelsShareTheirScales(t *testing.T) {
	cell := replay.Cell{Source: "s", Budget: 1000, Scores: make([]replay.Score, 3)}
	for i := range cell.Scores {
		cell.Scores[i].Trace.Tokens, cell.Scores[i].Trace.Broke = []int{500, 900 * (i + 1), 700}, []bool{false, false, true}
	}
	cell.None.Trace.Step = []int{1, 2, 3}
	names := []string{"balanced", "window", "oracle"}
	panels := stepCharts(cell, names)
	if len(panels) != len(names) {
		t.Fatalf("%d panels of %d policies", len(panels), len(names))
	}
	for i, c := range panels {
		if c.Title != names[i] || c.Lines[0].Color != []string{blue, grey, red}[i] {
			t.Errorf("panel %q is drawn in %s", c.Title, c.Lines[0].Color)
		}
		if fmt.Sprint(c.XTicks, c.YTicks) != fmt.Sprint(panels[0].XTicks, panels[0].YTicks) {
			t.Errorf("panel %q has scales of its own", c.Title)
		}
	}
}
