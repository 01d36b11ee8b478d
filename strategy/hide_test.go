package strategy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/thread"
)

// Nothing is pruned while the cache is warm, whatever the budget; once it is
// cold, old turns are, recent ones are trimmed or left.
//
// SPEC: T5
func TestHideOnlyWhenCold(t *testing.T) {
	large := strings.Repeat("output of the tool, line by line\n", 300)
	s := strategy.Hide{KeepTurns: 6, KeepIntact: 2}
	d := draft(t, 12, large)
	if rs := run(t, s, view(d, 0)); len(rs) > 0 {
		t.Fatalf("hot, %d blocks are hidden", len(rs))
	}
	s.Cold = true
	rs := run(t, s, view(d, 0))
	got := map[plan.ReplaceKind]int{}
	for _, r := range rs {
		i, _ := d.T.Find(r.Span.IDs[0])
		age := d.T.Turns() - d.T.Turn(i)
		n := d.Meter.Text(r.Text)
		got[r.Kind]++
		switch {
		case r.Kind == plan.Hidden && (age < 6 || n > 240), r.Kind == plan.Preview && (age < 2 || age >= 6 || n > 960):
			t.Errorf("%s of %d tokens, %d turns ago", r.Kind, n, age)
		case !strings.Contains(r.Text, fmt.Sprintf("precis_read(\"#%d\") returns all]", i+1)) && !strings.Contains(r.Text, fmt.Sprintf(`precis_read(\"#%d\") returns all]`, i+1)):
			t.Errorf("no pointer in %q", r.Text)
		}
	}
	if got[plan.Hidden] != 6*2 || got[plan.Preview] != 4 { // results and arguments of 6 turns, results of 4
		t.Errorf("hidden and trimmed: %v", got)
	}
}

// What is hidden stays as it is, byte for byte, when the cache grows cold again;
// what was trimmed while its turn was recent is hidden once.
//
// SPEC: T5, V6
func TestHideIsStable(t *testing.T) {
	d := draft(t, 12, strings.Repeat("output of the tool, line by line\n", 300))
	s := strategy.Hide{Cold: true, KeepTurns: 6, KeepIntact: 2}
	first := run(t, s, view(d, 0))
	if again := run(t, s, view(d, 0)); len(again) != len(first) {
		t.Fatalf("pruned again: %d records became %d", len(first), len(again))
	}
	p, err := plan.Build(plan.Plan{Style: "ladder", Records: d.Records()}, d.T)
	if err != nil {
		t.Fatal(err)
	}
	var more []message.Message
	for i := range 4 {
		more = append(more, message.TextOf(message.Assistant, fmt.Sprint("said ", i)), message.TextOf(message.User, fmt.Sprint("next ", i)))
	}
	th, err := d.T.Append(thread.Extend(d.T.Tip(), more))
	if err != nil {
		t.Fatal(err)
	}
	d = strategy.NewDraft(th, p, render.StyleOf("ladder"), d.Meter, 0)
	now := map[string]string{}
	for _, r := range run(t, s, view(d, 0)) {
		now[plan.Ref{ID: r.Span.IDs[0], Part: r.Span.Part}.String()] = string(r.Kind) + r.Text
	}
	for _, r := range first {
		switch got := now[plan.Ref{ID: r.Span.IDs[0], Part: r.Span.Part}.String()]; {
		case r.Kind == plan.Hidden && got != "hidden"+r.Text:
			t.Errorf("hidden text changed: %q", got)
		case r.Kind == plan.Preview && !strings.HasPrefix(got, "hidden"):
			t.Errorf("an old turn is only trimmed: %q", got[:20])
		}
	}
}

// Hidden replacements never grow: of any part they cost less than what they
// stand for and at most the cap, arguments stay JSON, calls stay paired.
//
// SPEC: T5, V3, V7
func TestHiddenNeverGrows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "x ", "é", "line\n", `"k":"v",`, "/usr/lib/x.so ", "0f3a9c", "\n\n", "日本"})
		body := func(name string) string {
			return strings.Repeat(word.Draw(rt, name), rapid.IntRange(0, 1200).Draw(rt, name+" times"))
		}
		args, err := json.Marshal(map[string]any{"path": "a.go", "body": body("body"), "list": []string{body("item"), "short"}})
		if err != nil {
			rt.Fatal(err)
		}
		if rapid.Bool().Draw(rt, "broken") {
			args = args[:len(args)-1]
		}
		ms := []message.Message{
			message.TextOf(message.User, body("asked")),
			{Role: message.Assistant, Parts: []message.Part{{Kind: message.Text, Text: body("said")}, {Kind: message.Call, CallID: "c", Name: "write", Args: string(args)}}},
			{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: "c", Parts: []message.Part{{Kind: message.Text, Text: body("output")}}}}},
			message.TextOf(message.User, "go on"),
		}
		th, err := thread.New(thread.Extend("", ms))
		if err != nil {
			rt.Fatal(err)
		}
		d := timelineDraft(th, nil)
		most := rapid.SampledFrom([]int{0, 30, 240}).Draw(rt, "cap")
		steps, errs := strategy.Ladder{strategy.Hide{Cold: true, MaxTokens: most}}.Run(rt.Context(), line(d, 0, nil, nil))
		if len(errs) > 0 {
			rt.Fatal(errs)
		}
		if most == 0 {
			most = 240
		}
		for _, s := range steps {
			i, _ := th.Find(s.Span.IDs[0])
			was := d.Meter.Part(th.At(i).Message.Parts[s.Span.Part-1])
			now, _ := d.Now(i, s.Span.Part)
			if d.Meter.Part(now) >= was || d.Meter.Text(now.Body()) > most {
				rt.Fatalf("%d tokens became %d", was, d.Meter.Part(now))
			}
			if now.Kind == message.Call && !json.Valid([]byte(now.Args)) {
				rt.Fatalf("arguments are no JSON: %s", now.Args)
			}
		}
		_, r := lay(t, d)
		isPaired(rt, r.Messages)
	})
}

// Pruned first, then compacted, then shown from the summary on with what is
// hidden in its place and points on the last blocks; the digest includes hidden
// blocks and their replacement text.
//
// SPEC: T4, T5, T6, T9
func TestTimelineOrder(t *testing.T) {
	d := timelineDraft(talk(t, 3, 3, 3), nil)
	l := strategy.Ladder{
		strategy.Hide{Cold: true, KeepTurns: 2, KeepIntact: 2, MaxTokens: 40},
		strategy.Timeline{With: extract.Summarizer{}},
	}
	steps, errs := l.Run(t.Context(), keeping(500, line(d, 1, nil, nil)))
	if len(errs) > 0 || len(steps) < 2 || steps[len(steps)-1].Strategy != "timeline" {
		t.Fatalf("steps %+v, errors %v", steps, errs)
	}
	p, r := lay(t, d)
	sum, hidden := p.Records[0], 0
	m := metaOf(t, sum)
	for _, h := range m.Digest.Hidden {
		if h.How == "hidden" && strings.Contains(h.Text, "precis_read(") && strings.Contains(h.Path, ".c1_") {
			hidden++
		}
	}
	if hidden != 6 { // a result and the arguments of each round of the first turn
		t.Errorf("the digest tells of %d hidden blocks of the first turn: %+v", hidden, m.Digest.Hidden)
	}
	if !strings.HasPrefix(shows(d, r), "[1 2 3 ") || len(p.Records) < 2 || p.Records[1].Kind != plan.Hidden {
		t.Errorf("the prompt is %s", shows(d, r))
	}
	if ps := points(d, r); len(ps) != 3 || ps[2].Message != len(r.Messages)-1 {
		t.Errorf("points %v of %d messages", ps, len(r.Messages))
	}
}

// Neither rung is quadratic, and the last resort below them meets any budget.
//
// SPEC: V4, L10
func TestTimelineIsLinear(t *testing.T) {
	work := func(n int) int {
		d := timelineDraft(draft(t, n, strings.Repeat("output src/server/handler.go:42 failed\n", 30)).T, nil)
		c := &counting{Counter: d.Meter.Counter}
		d.Meter.Counter = c
		l := append(strategy.Ladder{
			strategy.Hide{Cold: true, KeepTurns: 6, KeepIntact: 2, Relevance: strategy.NewRelevance(d, 1<<30)},
			strategy.Timeline{With: extract.Summarizer{}},
		}, strategy.LastResort(1500, 0, nil, extract.Summarizer{})...)
		if _, errs := l.Run(t.Context(), keeping(2000, line(d, 1500, nil, nil))); len(errs) > 0 {
			t.Fatal(errs)
		}
		if d.Total() > 1500 {
			t.Errorf("%d tokens of 1,500", d.Total())
		}
		lay(t, d)
		return c.bytes
	}
	small, large := work(50), work(500)
	if large > 16*small {
		t.Errorf("50 rounds count %d bytes, 500 rounds %d", small, large)
	}
}
