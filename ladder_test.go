package precis_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// hosts is a run of one user message: reports of very different size, a search, a
// command that fails, an edit, all in rounds of their own.
func hosts(n int) []message.Message {
	ms := []message.Message{
		message.TextOf(message.System, "You watch hosts."),
		message.TextOf(message.User, "Watch the hosts. Never restart host-3.example."),
	}
	for i := range n {
		switch i % 4 {
		case 0:
			ms = append(ms, round(i, "fetch_report", fmt.Sprintf(`{"n":%d}`, i), "", lines(i, 60))...)
		case 1:
			ms = append(ms, round(i, "bash", fmt.Sprintf(`{"command":"ping host-%d.example"}`, i%7), "Checking.", fmt.Sprintf("exit code 1\nhost-%d.example is down", i%7))...)
		case 2:
			ms = append(ms, round(i, "web_search", fmt.Sprintf(`{"query":"error %d"}`, i), "", lines(i, 14))...)
		default:
			ms = append(ms, round(i, "write_file", fmt.Sprintf(`{"path":"notes/%d.md","content":"down again"}`, i), "Noting it.", "ok")...)
		}
	}
	return ms
}

// The prompt of the ladder, whole: the exact prefixes of summary and pointer, the
// first user message and the last turns as they came, one message for the span at
// the place of its first message.
//
// SPEC: L5, L10, L2
func TestLadderWorkedExample(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "ladder")})
	turn := prepared(t, e, request("t", hosts(24), 5_000))
	golden(t, "ladder-50.txt", table(turn))
	wired(t, turn)
	summaries, pointers := 0, 0
	for i, m := range turn.Messages {
		text := m.Parts[len(m.Parts)-1].Body()
		switch r := turn.Origins[i].Record; {
		case r != nil:
			summaries++
			if m.Role != message.Assistant || !strings.HasPrefix(text, fmt.Sprintf("[Context Summary - Turns %d-%d]\n[Summary v1.1] ", r.Span.FirstTurn, r.Span.LastTurn)) {
				t.Errorf("%s: %.80q", m.Role, text)
			}
		case m.Edited && strings.HasPrefix(text, "[Externalized Content"):
			pointers++
			p := regexp.MustCompile(`^\[Externalized Content - artifact:(a[0-9a-f]+)\]\nSummary: (?s:.*)\nTo retrieve full content, call: read_artifact\("(a[0-9a-f]+)"\)$`).FindStringSubmatch(text)
			if m.Role != message.Tool || p == nil || p[1] != p[2] {
				t.Errorf("%s: %q", m.Role, text)
			}
		}
	}
	if summaries != 1 || turn.Messages[1].Parts[0].Text != "Watch the hosts. Never restart host-3.example." {
		t.Errorf("%d summaries, %d pointers", summaries, pointers)
	}
}

// Where room is less tight, only results are externalized: the pointer stands in
// the result itself, which keeps its call id, and the content can be had again.
//
// SPEC: L5, L2, L13, V1
func TestLadderPointers(t *testing.T) {
	st := memory.New()
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "ladder")})
	ms := hosts(24)
	turn := prepared(t, e, request("t", ms, 7_000))
	n := 0
	for _, r := range turn.Plan.Records {
		if r.Action != plan.Externalize {
			continue
		}
		n++
		at, _ := turn.Thread.Find(r.Span.Start())
		a, err := st.Artifact(t.Context(), store.Key{Thread: "t"}, r.Artifact)
		if err != nil || string(a.Content) != ms[at].Parts[0].Body() || a.Source != r.Span.Start() {
			t.Errorf("%s holds %d bytes of %d: %v", r.Artifact, len(a.Content), len(ms[at].Parts[0].Body()), err)
		}
		m := turn.Messages[at]
		if m.Parts[0].CallID != ms[at].Parts[0].CallID || m.Parts[0].Body() != render.StyleOf("ladder").Pointer(&r) || r.Hint == "" {
			t.Errorf("message %d: %+v", at, m.Parts[0])
		}
	}
	if n < 3 || len(turn.Messages) != len(ms) {
		t.Errorf("%d externalized, %d messages of %d", n, len(turn.Messages), len(ms))
	}
}

// Spans that start at the same message, and spans that a stronger record takes a
// part of: each renders once, at the first message it still covers, under the text
// it should have.
//
// SPEC: L10, L5, L3, V2
func TestSpansThatShareMessages(t *testing.T) {
	ms := hosts(4)
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	span := func(from, until int) (s plan.Span) {
		for i := from; i < until; i++ {
			s.IDs = append(s.IDs, th.At(i).ID)
		}
		return s
	}
	sum := func(from, until int, text string) plan.Record {
		return plan.Record{Action: plan.Summarize, Span: span(from, until), Text: text}
	}
	out := func(from, until int) plan.Record {
		return plan.Record{Action: plan.Externalize, Span: span(from, until), Artifact: "a000000000000", Text: "moved"}
	}
	drop := func(from, until int) plan.Record {
		return plan.Record{Action: plan.Drop, Span: span(from, until), Reason: "room"}
	}
	for name, c := range map[string]struct {
		records  []plan.Record
		want     string // S summary, P pointer, numbers of what stands
		overlaps bool
	}{
		"the same start, the stronger shorter": {[]plan.Record{sum(2, 8, "rest"), out(2, 4)}, "0 1 P S(rest) 8 9", true},
		"the same start, the stronger longer":  {[]plan.Record{sum(2, 4, "gone"), out(2, 8)}, "0 1 P 8 9", true},
		"the same start, the first dropped":    {[]plan.Record{sum(2, 8, "rest"), drop(2, 4)}, "0 1 S(rest) 8 9", true},
		"the middle dropped":                   {[]plan.Record{sum(2, 8, "both"), drop(4, 6)}, "0 1 S(both) 8 9", true},
		"the end externalized":                 {[]plan.Record{sum(2, 8, "head"), out(6, 8)}, "0 1 S(head) P 8 9", true},
		"neighbours":                           {[]plan.Record{sum(2, 4, "one"), sum(4, 6, "two"), sum(6, 8, "three")}, "0 1 S(one) S(two) S(three) 8 9", false},
		"all of it dropped":                    {[]plan.Record{sum(2, 4, "gone"), drop(2, 4)}, "0 1 4 5 6 7 8 9", true},
	} {
		p, err := plan.Build(plan.Plan{Style: "ladder", Records: c.records}, th)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var back plan.Plan
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		for _, p := range []*plan.Plan{p, &back} { // as built, and as read back
			if got := outline(render.Prompt(th, p, nil)); got != c.want {
				t.Errorf("%s: %s, want %s", name, got, c.want)
			}
		}
		if (len(p.Warnings) > 0) != c.overlaps {
			t.Errorf("%s: warnings %q", name, p.Warnings)
		}
	}
}

// outline draws a prompt: what stands by its position, summaries and pointers.
func outline(r render.Result) string {
	var out []string
	for i, o := range r.Origins {
		switch _, text, _ := strings.Cut(r.Messages[i].Parts[0].Text, "]\n"); {
		case o.Record == nil:
			out = append(out, fmt.Sprint(o.First))
		case o.Record.Action == plan.Summarize:
			out = append(out, "S("+text+")")
		default:
			out = append(out, "P")
		}
	}
	return strings.Join(out, " ")
}

// reports is a run of n rounds whose results are large enough to be externalized.
func reports(n int) []message.Message {
	ms := []message.Message{message.TextOf(message.User, "Watch the hosts.")}
	for i := range n {
		ms = append(ms, round(i, "fetch_report", fmt.Sprintf(`{"n":%d}`, i), "", lines(i, 100))...)
	}
	return ms
}

// The ladder climbs least aggressive first, and no further than it has to.
//
// SPEC: L10, L8
func TestLadderOrder(t *testing.T) {
	ms := reports(20)
	rank := map[string]int{"externalize": 1, "summarize": 2, "clear": 3, "drop": 4, "last_resort": 5}
	seen := map[string]bool{}
	for _, budget := range []int{26_000, 16_000, 8_000, 5_000, 2_000, 800} {
		e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "ladder")})
		turn := prepared(t, e, request("t", ms, budget))
		last := 0
		for _, s := range turn.Steps {
			seen[s.Strategy] = true
			if rank[s.Strategy] < last && s.Strategy != "summarize" { // the last resort writes summaries again
				t.Errorf("budget %d: %s after a stronger rung", budget, s.Strategy)
			}
			last = max(last, rank[s.Strategy])
		}
		if budget == 26_000 && (last != 1 || len(turn.Steps) == 17) {
			t.Errorf("budget %d: climbed to rung %d in %d steps", budget, last, len(turn.Steps))
		}
	}
	if !seen["externalize"] || !seen["summarize"] {
		t.Errorf("rungs %v", seen)
	}
}

// A plan says whose it is, what it was made from and what it saved, and survives
// being stored in either form.
//
// SPEC: L4, L3, L17
func TestLadderPlanSpeaks(t *testing.T) {
	st := memory.New()
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "ladder")})
	turn := prepared(t, e, request("t", hosts(24), 5_000))
	p := turn.Plan
	if p.Thread != "t" || p.ThreadVersion != 50 || p.CreatedAt.IsZero() || p.Original != turn.Original || p.Compacted != turn.Compacted || p.Inputs.Budget != 5_000 {
		t.Errorf("%+v", p)
	}
	text, err := p.Format()
	if err != nil {
		t.Fatal(err)
	}
	back, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := back.Format(); err != nil || again != text {
		t.Errorf("the text form changed: %v", err)
	}
	want := outline(render.Prompt(turn.Thread, p, nil))
	if got := outline(render.Prompt(turn.Thread, back, nil)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	p.Records[0].Span.IDs = append(p.Records[0].Span.IDs, "00000000000000000000000000000000")
	if _, err := plan.Build(*p, turn.Thread); err == nil {
		t.Error("an unknown id was accepted")
	}
}

// Every preset keeps every budget, however small, with runs of one user message:
// the prompt fits by count, is valid, and where that is impossible the error says
// so with numbers that show it.
//
// SPEC: V4, V3, L11
func TestSmallBudgetsOfOneTask(t *testing.T) {
	long := strings.Repeat("Check each of the hosts and write down what you find. ", 20)
	tools := []codec.Tool{{Name: "bash", Description: "Runs a command.", Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}}}`)}}
	for _, name := range policy.Names() {
		for _, n := range []int{1, 3, 12, 60} {
			for _, budget := range []int{60, 120, 200, 300, 400, 600, 1_000, 4_000} {
				ms := hosts(n)
				if n == 12 {
					ms[1] = message.TextOf(message.User, long)
				}
				meter := token.Truncate()
				in := precis.Input{Thread: "t", Messages: ms, Meter: meter, Budget: budget, Tools: tools}
				about := fmt.Sprintf("%s, %d rounds, budget %d", name, n, budget)
				turn, err := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, name)}).Prepare(t.Context(), in)
				need := meter.Overhead.Request + meter.Message(ms[0]) + meter.Message(ms[1]) + meter.Tools([]token.Tool{{Name: "bash", Description: "Runs a command.", Schema: tools[0].Schema}})
				var no *precis.ImpossibleError
				if errors.As(err, &no) {
					if need <= budget {
						t.Errorf("%s: %v, but the last user message and the rest need %d", about, err, need)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", about, err)
				}
				got := need - meter.Message(ms[0]) - meter.Message(ms[1]) + meter.Messages(turn.Messages)
				if got > budget || got != turn.Compacted {
					t.Errorf("%s: %d tokens, the turn says %d", about, got, turn.Compacted)
				}
				wired(t, turn)
			}
		}
	}
}
