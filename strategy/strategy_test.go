package strategy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// draft is a task and n rounds; each call writes a body, each result is output.
func draft(t testing.TB, n int, output string) *strategy.Draft {
	t.Helper()
	ms := []message.Message{message.TextOf(message.User, "Fix the build. Never touch db/schema.sql.")}
	for i := range n {
		id := fmt.Sprintf("c%d", i)
		args, err := json.Marshal(map[string]string{"path": fmt.Sprintf("src/mod_%d.go", i), "body": strings.Repeat(fmt.Sprintf("line of file %d\n", i), 60)})
		if err != nil {
			t.Fatal(err)
		}
		ms = append(ms,
			message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: "write_file", Args: string(args)}}},
			message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: output}}}}},
		)
	}
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	return strategy.NewDraft(th, nil, render.StyleOf("ladder"), token.Truncate(), 0)
}

func view(d *strategy.Draft, target int) *strategy.View {
	l := strategy.Limits{Budget: target, RecentTurns: 1, SummaryTokens: target / 3, Recall: "precis_read"}
	return &strategy.View{Draft: d, Limits: l, Target: target, Zones: strategy.ZonesOf(d, l, true, nil, nil)}
}

func run(t *testing.T, s strategy.Strategy, v *strategy.View) []plan.Record {
	t.Helper()
	before := v.Total()
	steps, errs := strategy.Ladder{s}.Run(t.Context(), v)
	for _, err := range errs {
		t.Error(err)
	}
	freed := 0
	for _, st := range steps {
		if st.Freed <= 0 {
			t.Errorf("a step of %s freed %d", s.Name(), st.Freed)
		}
		freed += st.Freed
	}
	if before-v.Total() != freed {
		t.Errorf("%s freed %d, says %d", s.Name(), before-v.Total(), freed)
	}
	return v.Records()
}

// Re-encoding changes nothing that the JSON says.
//
// SPEC: B4
func TestReencodeIsLossless(t *testing.T) {
	pretty := `{
	"id": 9007199254740993,
	"price": 1.50,
	"names": [ "é / \u00e9", "b\n" ],
	"nested": {                                                      "a": null }
}` + strings.Repeat(" ", 300)
	v := view(draft(t, 4, pretty), 1)
	rs := run(t, strategy.Reencode{}, v)
	if len(rs) == 0 {
		t.Fatal("nothing was re-encoded")
	}
	for _, r := range rs {
		if r.Kind != plan.Reencoded || decode(t, r.Text) != decode(t, pretty) {
			t.Errorf("re-encoded to %s", r.Text)
		}
	}
}

func decode(t *testing.T, s string) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%#v", v)
}

// Argument bodies are cut like results; names, paths and short values stay, and
// the arguments stay JSON.
//
// SPEC: B3
func TestArgsKeepTheSkeleton(t *testing.T) {
	v := view(draft(t, 6, "ok"), 600)
	rs := run(t, strategy.Args{Above: 50, To: 30, From: strategy.Old, Relevance: strategy.NewRelevance(v.Draft, v.Limits.Budget)}, v)
	if len(rs) < 3 {
		t.Fatalf("%d records", len(rs))
	}
	for i, r := range rs {
		var args map[string]string
		if err := json.Unmarshal([]byte(r.Text), &args); err != nil {
			t.Fatalf("arguments are no JSON: %v\n%s", err, r.Text)
		}
		if args["path"] != fmt.Sprintf("src/mod_%d.go", i) {
			t.Errorf("path became %q", args["path"])
		}
		if !strings.Contains(args["body"], "lines left out; precis_read(") {
			t.Errorf("the body has no pointer: %q", args["body"])
		}
	}
}

// A large result becomes an artifact with its whole content, and the pointer
// stands in the result, which keeps its call.
//
// SPEC: L5, L10
func TestExternalizeKeepsTheContent(t *testing.T) {
	output := strings.Repeat("output of the tool\n", 300)
	v := view(draft(t, 5, output), 2000)
	rs := run(t, strategy.Externalize{Above: 100, To: 20, Relevance: strategy.NewRelevance(v.Draft, v.Limits.Budget)}, v)
	if len(rs) == 0 || len(rs) != len(v.Artifacts) {
		t.Fatalf("%d records, %d artifacts", len(rs), len(v.Artifacts))
	}
	for i, a := range v.Artifacts {
		if string(a.Content) != output || a.Tool != "write_file" || a.Source != rs[i].Span.Start() || a.ID != rs[i].Artifact {
			t.Errorf("artifact %+v", a)
		}
		if rs[i].Span.Part != 1 {
			t.Errorf("record covers %+v", rs[i].Span)
		}
	}
}

// What cannot be had again is not cleared.
//
// SPEC: L8, L10
func TestClearRespectsDurability(t *testing.T) {
	d := draft(t, 5, strings.Repeat("result\n", 100))
	v := view(d, 500)
	if rs := run(t, strategy.Clear{Above: 50}, v); len(rs) == 0 || rs[0].Tool != "write_file" {
		t.Errorf("cleared %+v", rs)
	}
	ms := []message.Message{message.TextOf(message.User, "search")}
	for i := range 4 {
		id := fmt.Sprint("w", i)
		ms = append(ms, message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: "web_search", Args: `{"query":"x"}`}}},
			message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: strings.Repeat("hit\n", 200)}}}}})
	}
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	web := view(strategy.NewDraft(th, nil, render.StyleOf("ladder"), token.Truncate(), 0), 100)
	if rs := run(t, strategy.Clear{Above: 50}, web); len(rs) != 0 {
		t.Errorf("a web search was cleared: %+v", rs)
	}
}

// The last resort meets any budget that holds the last user message, and the draft's
// arithmetic is what rendering costs.
//
// SPEC: V4
func TestLastResortAlwaysFits(t *testing.T) {
	for _, target := range []int{5000, 2000, 600, 200, 80, 40} {
		d := draft(t, 30, strings.Repeat("output of the tool\n", 50))
		v := view(d, target)
		if _, errs := strategy.LastResort(target, 0, strategy.NewRelevance(d, 1<<30), extract.Summarizer{}).Run(t.Context(), v); len(errs) > 0 {
			t.Error(errs)
		}
		p, err := plan.Build(plan.Plan{Style: "ladder", Records: d.Records()}, d.T)
		if err != nil {
			t.Fatal(err)
		}
		got := d.Meter.Messages(render.Prompt(d.T, p, nil).Messages)
		if got != d.Total() || got > target {
			t.Errorf("target %d: rendered %d, the draft says %d", target, got, d.Total())
		}
	}
}

// No strategy is quadratic: ten times the messages, about ten times the counting.
//
// SPEC: L10
func TestLaddersAreLinear(t *testing.T) {
	work := func(n int) int {
		d := draft(t, n, strings.Repeat("output src/server/handler.go:42 failed\n", 5))
		c := &counting{Counter: d.Meter.Counter}
		d.Meter.Counter = c
		v := view(d, 2000)
		relevance := strategy.NewRelevance(d, 1<<30)
		l := append(strategy.Ladder{
			strategy.Reencode{},
			strategy.Args{Above: 50, To: 30, From: strategy.Old, Relevance: relevance},
			strategy.Preview{Above: 50, To: 30, From: strategy.Old, Relevance: relevance},
			strategy.Externalize{Above: 20, To: 10, Relevance: relevance},
			strategy.Clear{Above: 10},
			strategy.Summarize{From: strategy.Old, With: extract.Summarizer{}, Fill: true, Relevance: relevance},
		}, strategy.LastResort(2000, 0, relevance, extract.Summarizer{})...)
		if _, errs := l.Run(t.Context(), v); len(errs) > 0 {
			t.Fatal(errs)
		}
		return c.bytes
	}
	small, large := work(100), work(1000)
	if large > 16*small {
		t.Errorf("100 rounds count %d bytes, 1,000 rounds %d", small, large)
	}
}

// counting counts the bytes it is asked to count.
type counting struct {
	token.Counter
	bytes int
}

func (c *counting) Count(s string) int {
	c.bytes += len(s)
	return c.Counter.Count(s)
}
