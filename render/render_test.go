package render_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/thread"
)

func text(k message.Kind, s string) message.Part { return message.Part{Kind: k, Text: s} }

func result(id, s string) message.Message {
	return message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{text(message.Text, s)}}}}
}

func call(id, args string) message.Message {
	return message.Message{Role: message.Assistant, Parts: []message.Part{
		text(message.Thinking, "hm"), text(message.Text, "running "+id), {Kind: message.Call, CallID: id, Name: "bash", Args: args},
	}}
}

// log is a system prompt, a task, three rounds and a question.
func log(t testing.TB) *thread.Thread {
	t.Helper()
	ms := []message.Message{
		message.TextOf(message.System, "be good"), message.TextOf(message.User, "do it"),
		call("c1", `{"x":1}`), result("c1", "one"), call("c2", `{"x":2}`), result("c2", "two"), call("c3", `{"x":3}`), result("c3", "three"),
		message.TextOf(message.User, "and now?"),
	}
	for i := range ms {
		ms[i].Raw = json.RawMessage(fmt.Sprint(i))
	}
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func span(th *thread.Thread, from, to, part int) plan.Span {
	s := plan.Span{Part: part, FirstTurn: th.Turn(from), LastTurn: th.Turn(to)}
	for i := from; i <= to; i++ {
		s.IDs = append(s.IDs, th.At(i).ID)
	}
	return s
}

func prompt(t testing.TB, th *thread.Thread, style string, rs ...plan.Record) string {
	t.Helper()
	p, err := plan.Build(plan.Plan{Style: style, Records: rs}, th)
	if err != nil {
		t.Fatal(err)
	}
	return show(render.Prompt(th, p, nil))
}

// show writes a prompt: role, the raw bytes' number or ~ when edited, parts.
func show(r render.Result) string {
	var b strings.Builder
	for _, m := range r.Messages {
		raw := string(m.Raw)
		if m.Edited {
			raw = "~"
		}
		fmt.Fprintf(&b, "%s %s\n", m.Role, raw)
		for _, p := range m.Parts {
			fmt.Fprintf(&b, "  %s %s%s\n", p.Kind, p.CallID, strings.ReplaceAll(" "+p.Body(), "\n", "\n    "))
		}
	}
	return b.String()
}

// The wording of the ladder style is its design's, to the letter.
//
// SPEC: L2, L5, L7
func TestLadderWording(t *testing.T) {
	th := log(t)
	got := prompt(t, th, "ladder",
		plan.Record{Action: plan.Summarize, Span: span(th, 2, 3, 0), Text: "[Summary v1]\nfacts"},
		plan.Record{Action: plan.Externalize, Span: span(th, 5, 5, 1), Artifact: "a0123456789ab", Text: "two things"},
		plan.Record{Action: plan.Clear, Span: span(th, 7, 7, 1), Tool: "bash", Outcome: "success", Fields: json.RawMessage(`{"exit_code":0}`)},
	)
	want := `system 0
  text  be good
user 1
  text  do it
assistant ~
  text  [Context Summary - Turns 1-1]
    [Summary v1]
    facts
assistant 4
  thinking  hm
  text  running c2
  tool_call c2 {"x":2}
tool ~
  tool_result c2 [Externalized Content - artifact:a0123456789ab]
    Summary: two things
    To retrieve full content, call: read_artifact("a0123456789ab")
assistant 6
  thinking  hm
  text  running c3
  tool_call c3 {"x":3}
tool ~
  tool_result c3 [bash: success]
    Key data: {"exit_code": 0}
user 8
  text  and now?
`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// One message a span, at the place of its first message, never merged with a
// neighbour; a span cut by a stronger record still stands once.
//
// SPEC: L5, L10
func TestSpansRenderOnce(t *testing.T) {
	th := log(t)
	got := prompt(t, th, "ladder",
		plan.Record{Action: plan.Summarize, Span: span(th, 2, 3, 0), Text: "first"},
		plan.Record{Action: plan.Summarize, Span: span(th, 4, 7, 0), Text: "second"},
		plan.Record{Action: plan.Drop, Span: span(th, 4, 5, 0)},
	)
	want := "system 0\n  text  be good\nuser 1\n  text  do it\n" +
		"assistant ~\n  text  [Context Summary - Turns 1-1]\n    first\n" +
		"assistant ~\n  text  [Context Summary - Turns 3-3]\n    second\n" +
		"user 8\n  text  and now?\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Repairs change only what has to change.
//
// SPEC: V3, V11
func TestRepairs(t *testing.T) {
	th := log(t)
	got := prompt(t, th, "",
		plan.Record{Action: plan.Replace, Kind: plan.Repaired, Span: span(th, 2, 2, 3), CallID: "c1_p2"},
		plan.Record{Action: plan.Replace, Kind: plan.Repaired, Span: span(th, 3, 3, 1), CallID: "c1_p2"},
		plan.Record{Action: plan.Replace, Kind: plan.Preview, Span: span(th, 4, 4, 3), Text: "{}", Answer: "[no result recorded]"},
		plan.Record{Action: plan.Replace, Kind: plan.Preview, Orphan: true, Span: span(th, 5, 5, 1), Text: "lost result"},
	)
	for _, want := range []string{
		"assistant ~\n  thinking  hm\n  text  running c1\n  tool_call c1_p2 {\"x\":1}\ntool ~\n  tool_result c1_p2 one\n",
		"  tool_call c2 {}\ntool ~\n  tool_result c2 [no result recorded]\nuser ~\n  text  lost result\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing\n%s\nin\n%s", want, got)
		}
	}
}

// Thinking bound to its prefix goes when the prefix changes, and only then.
//
// SPEC: B9, V3
func TestUnboundThinkingGoes(t *testing.T) {
	th := log(t)
	build := func(p plan.Plan) string {
		built, err := plan.Build(p, th)
		if err != nil {
			t.Fatal(err)
		}
		return show(render.Prompt(th, built, nil))
	}
	edit := []plan.Record{{Action: plan.Clear, Span: span(th, 5, 5, 1), Tool: "bash", Outcome: "success"}}
	for _, c := range []struct {
		name string
		p    plan.Plan
		want int
	}{
		{"kept where nothing is stripped", plan.Plan{Records: edit}, 3},
		{"stripped in the range, kept before and after", plan.Plan{Records: edit, NoThinking: plan.Range{From: 4, Until: 6}}, 2},
		{"stripped to the end", plan.Plan{Records: edit, NoThinking: plan.Range{From: 4, Until: th.Len()}}, 1},
		{"stripped without any record: what was left out never returns", plan.Plan{NoThinking: plan.Range{From: 0, Until: th.Len()}}, 0},
	} {
		if got := strings.Count(build(c.p), "thinking"); got != c.want {
			t.Errorf("%s: %d thinking parts, want %d", c.name, got, c.want)
		}
	}
}

// Text that imitates our markers is content like any other.
//
// SPEC: V10
func TestMarkersInContentMeanNothing(t *testing.T) {
	fake := "[Context Summary - Turns 1-9]\n[Externalized Content - artifact:a0123456789ab]"
	th, err := thread.New(thread.Extend("", []message.Message{message.TextOf(message.User, fake), message.TextOf(message.Assistant, fake)}))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(plan.Plan{}, th)
	if err != nil {
		t.Fatal(err)
	}
	r := render.Prompt(th, p, nil)
	for i, m := range r.Messages {
		if m.Edited || m.Parts[0].Text != fake || r.Origins[i].Record != nil {
			t.Errorf("message %d was touched: %+v", i, m)
		}
	}
}

func TestEphemeralComesLast(t *testing.T) {
	th := log(t)
	r := render.Prompt(th, nil, []message.Message{message.TextOf(message.User, "read back")})
	if n := len(r.Messages) - 1; r.Origins[n].First != -1 || r.Messages[n].Parts[0].Text != "read back" {
		t.Errorf("last origin %+v", r.Origins[n])
	}
}

func BenchmarkPrompt(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var ms []message.Message
			for i := range n / 2 {
				id := fmt.Sprint("c", i)
				ms = append(ms, call(id, `{"x":1}`), result(id, "done"))
			}
			th, err := thread.New(thread.Extend("", ms))
			if err != nil {
				b.Fatal(err)
			}
			var rs []plan.Record
			for i := 1; i < n; i += 4 {
				rs = append(rs, plan.Record{Action: plan.Replace, Kind: plan.Preview, Span: span(th, i, i, 1), Text: "…"})
			}
			p, err := plan.Build(plan.Plan{Records: rs}, th)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				render.Prompt(th, p, nil)
			}
		})
	}
}
