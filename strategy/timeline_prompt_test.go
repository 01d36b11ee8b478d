package strategy_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/cachecost"
	"github.com/seed-3db51b0e/precis/internal/timeline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/thread"
)

// points are the cache points of a prompt, in its order.
func points(d *strategy.Draft, r render.Result) []cachecost.Point {
	of := timeline.Turns(d.T)
	turns := make([]int, len(r.Messages))
	for k, o := range r.Origins {
		if o.Record == nil || o.Record.Action != plan.Summarize {
			turns[k] = of[o.First]
		}
	}
	ps := cachecost.Points(r.Messages, turns, 0, 3, cachecost.Spacing{})
	slices.SortFunc(ps, func(a, b cachecost.Point) int { return cmp.Compare(a.Message, b.Message) })
	return ps
}

// The three diagrams of the design, drawn from what the engine renders.
//
// SPEC: T7, T10
func TestTimelineDiagrams(t *testing.T) {
	turns := func(rounds ...int) *strategy.Draft {
		th, err := thread.New(thread.Extend("", append(speak(rounds...), message.TextOf(message.Assistant, "Done."))))
		if err != nil {
			t.Fatal(err)
		}
		return timelineDraft(th, nil)
	}
	before := turns(0, 0, 0, 0, 0)
	_, r := lay(t, before)
	check(t, "before", draw(before, r), `
[TURN A] [TURN B] [TURN C] [TURN D] [TURN E]
       ^ pre_tail
                                  ^ prev_turn
                                           ^ tail
`)
	long := turns(3, 3, 3, 1, 1)
	run(t, strategy.Timeline{With: extract.Summarizer{}}, keeping(since(long, long.T.Len()-7), line(long, 1200, nil, nil)))
	_, r = lay(t, long)
	check(t, "after", draw(long, r), `
[SUMMARY(A..C)] [TURN D] [TURN E]
                       ^ prev_turn
                                ^ tail
`)
	split := turns(1, 1, 9, 1, 1)
	run(t, strategy.Timeline{With: extract.Summarizer{}}, keeping(1000, line(split, 1700, nil, nil)))
	_, r = lay(t, split)
	check(t, "split", draw(split, r), `
[SUMMARY(A..B + C-prefix)] [TURN C (tail)] [TURN D] [TURN E]
                                         ^ pre_tail
                                                  ^ prev_turn
                                                           ^ tail
`)
}

func check(t *testing.T, about, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got:%s\nwant:%s", about, got, want)
	}
}

// draw labels a prompt's messages by turn, and puts its cache points under them.
func draw(d *strategy.Draft, r render.Result) string {
	turns := timeline.Turns(d.T)
	each := slices.Compact(slices.Clone(turns)) // the user turns in order
	name := func(n int) string { return string(rune('A' + slices.Index(each, n))) }
	var labels []string
	in := make([]int, len(r.Messages))
	split := 0
	for k, o := range r.Origins {
		label := ""
		if o.Record != nil {
			var m timeline.Meta
			if json.Unmarshal(o.Record.Meta, &m) != nil {
				return "no meta"
			}
			label = "SUMMARY(A.." + name(m.CoveredTurns[len(m.CoveredTurns)-1])
			if split = m.SplitTurn; split > 0 {
				label += " + " + name(split) + "-prefix"
			}
			label += ")"
		} else if label = "TURN " + name(turns[o.First]); turns[o.First] == split {
			label += " (tail)"
		}
		if label = "[" + label + "]"; len(labels) == 0 || labels[len(labels)-1] != label {
			labels = append(labels, label)
		}
		in[k] = len(strings.Join(labels, " ")) - 1
	}
	var b strings.Builder
	b.WriteString("\n" + strings.Join(labels, " ") + "\n")
	for _, p := range points(d, r) {
		fmt.Fprintf(&b, "%s^ %s\n", strings.Repeat(" ", in[p.Message]), p.Place)
	}
	return b.String()
}

// Preserves the tool call boundary, and keeps cache points after render: of any
// conversation, under any pins and holds, and again after it went on.
//
// SPEC: T2, T7, T9, V2, V3
func TestTimelineIsWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rounds := rapid.SliceOfN(rapid.IntRange(0, 4), 1, 6).Draw(rt, "rounds")
		d := timelineDraft(talk(t, rounds...), nil)
		keep := rapid.IntRange(0, 1500).Draw(rt, "keep")
		s := strategy.Timeline{With: extract.Summarizer{}}
		var pins, holds []plan.Ref
		if rapid.Bool().Draw(rt, "pin") {
			pins = append(pins, plan.Ref{ID: d.T.At(rapid.IntRange(0, d.T.Len()-1).Draw(rt, "pinned")).ID})
		}
		if rapid.Bool().Draw(rt, "hold") {
			holds = append(holds, plan.Ref{ID: d.T.At(rapid.IntRange(0, d.T.Len()-1).Draw(rt, "held")).ID})
		}
		for range 2 {
			before := d.Total()
			steps, errs := strategy.Ladder{s}.Run(rt.Context(), keeping(keep, line(d, rapid.IntRange(1, 3000).Draw(rt, "target"), pins, holds)))
			if len(errs) > 0 {
				rt.Fatal(errs)
			}
			if len(steps) > 0 && d.Total() >= before {
				rt.Fatalf("%d tokens became %d", before, d.Total())
			}
			p, r := lay(t, d)
			isPaired(rt, r.Messages)
			for _, ref := range append(pins, holds...) {
				if p.Whole(ref.ID) != nil {
					rt.Fatalf("%s is covered", ref)
				}
			}
			covered := 0
			for _, rec := range p.Records {
				if covered++; rec.Action != plan.Summarize || covered > 1 || metaOf(t, rec).Messages != rec.Span.Count() {
					rt.Fatalf("records %+v", p.Records)
				}
			}
			if ps := points(d, r); len(ps) == 0 || ps[len(ps)-1].Message != len(r.Messages)-1 {
				rt.Fatalf("points %v of %d messages", ps, len(r.Messages))
			}
			d = grown(t, d, append([]message.Message{message.TextOf(message.Assistant, "Done so far.")}, speak(1, 2)...))
		}
	})
}

func isPaired(rt *rapid.T, ms []message.Message) {
	open := map[string]int{}
	for _, m := range ms {
		for _, p := range m.Parts {
			switch p.Kind {
			case message.Call:
				open[p.CallID]++
			case message.Result:
				if open[p.CallID]--; open[p.CallID] < 0 {
					rt.Fatalf("result %s without its call", p.CallID)
				}
			}
		}
	}
	for id, n := range open {
		if n != 0 {
			rt.Fatalf("call %s without its result", id)
		}
	}
}
