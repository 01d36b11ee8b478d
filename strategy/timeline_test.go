package strategy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/timeline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// talk is a conversation of turns: a prompt, so many rounds, a completion. The
// last turn has none of the last.
func talk(t testing.TB, rounds ...int) *thread.Thread {
	t.Helper()
	th, err := thread.New(thread.Extend("", speak(rounds...)))
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func speak(rounds ...int) (ms []message.Message) {
	for k, n := range rounds {
		ms = append(ms, message.TextOf(message.User, fmt.Sprintf("Please write part %d. Never touch db/schema_%d.sql.", k+1, k+1)))
		for r := range n {
			id := fmt.Sprintf("c%d_%d", k+1, r+1)
			args := fmt.Sprintf(`{"path":"src/part%d/file%d.go","content":"package part%d // %s"}`, k+1, r+1, k+1, strings.Repeat("word ", 30))
			ms = append(ms,
				message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: "write_file", Args: args}}},
				message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: "written: " + strings.Repeat("a line of output ", 30)}}}}})
		}
		if k < len(rounds)-1 {
			ms = append(ms, message.TextOf(message.Assistant, fmt.Sprintf("Part %d is done.", k+1)))
		}
	}
	return ms
}

func timelineDraft(t *thread.Thread, p *plan.Plan) *strategy.Draft {
	return strategy.NewDraft(t, p, render.StyleOf("timeline"), token.Truncate(), 0)
}

// line is a view as the timeline policy gives it: nothing pinned but what the
// user marks.
func line(d *strategy.Draft, target int, pins, holds []plan.Ref) *strategy.View {
	l := strategy.Limits{Budget: 100_000, Recall: "precis_read"}
	return &strategy.View{Draft: d, Limits: l, Target: target, Zones: strategy.ZonesOf(d, l, false, pins, holds)}
}

// keeping is a view under which about so many tokens stay at the end.
func keeping(tokens int, v *strategy.View) *strategy.View {
	v.Limits.KeepRecent, v.Limits.RecentTokens = tokens, tokens
	return v
}

// lay builds the draft's plan and renders it: what was counted is what is sent.
func lay(t testing.TB, d *strategy.Draft) (*plan.Plan, render.Result) {
	t.Helper()
	p, err := plan.Build(plan.Plan{Style: "timeline", Records: d.Records()}, d.T)
	if err != nil {
		t.Fatal(err)
	}
	r := render.Prompt(d.T, p, nil)
	if got := d.Meter.Messages(r.Messages); got != d.Total() {
		t.Errorf("rendered %d tokens, the draft says %d", got, d.Total())
	}
	var load token.Load
	for _, m := range r.Messages {
		load = load.Plus(token.LoadOf(m))
	}
	if load != d.Load() {
		t.Errorf("rendered %+v, the draft says %+v", load, d.Load())
	}
	return p, r
}

func metaOf(t testing.TB, r plan.Record) (m timeline.Meta) {
	t.Helper()
	if err := json.Unmarshal(r.Meta, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// shows draws a prompt: messages by their number in the log, a summary by the
// numbers it covers.
func shows(d *strategy.Draft, r render.Result) string {
	var out []string
	for _, o := range r.Origins {
		if o.Record == nil {
			out = append(out, fmt.Sprint(o.First+1))
			continue
		}
		var at []int
		for _, id := range o.Record.Span.IDs {
			i, _ := d.T.Find(id)
			at = append(at, i+1)
		}
		out = append(out, fmt.Sprintf("[%s]", strings.Trim(fmt.Sprint(at), "[]")))
	}
	return strings.Join(out, " ")
}

// since returns what the messages from the n-th on cost.
func since(d *strategy.Draft, n int) (cost int) {
	for i := n - 1; i < d.T.Len(); i++ {
		cost += d.Cost(i)
	}
	return cost
}

// Summary insertion: the retained window starts at the cut, and the summary
// carries what was asked.
//
// SPEC: T2, T3, T9
func TestTimelineInsertsASummary(t *testing.T) {
	d := timelineDraft(talk(t, 1, 1, 1, 1), nil) // 4 messages a turn, 3 the last
	rs := run(t, strategy.Timeline{With: extract.Summarizer{}}, keeping(since(d, 9), line(d, d.Total()-300, nil, nil)))
	_, r := lay(t, d)
	if got := shows(d, r); got != "[1 2 3 4 5 6 7 8] 9 10 11 12 13 14 15" {
		t.Errorf("the prompt is %s", got)
	}
	if len(rs) != 1 || rs[0].Action != plan.Summarize {
		t.Fatalf("records %+v", rs)
	}
	for _, want := range []string{"Please write part 2", "Never touch db/schema_1.sql", "src/part1/file1.go"} {
		if !strings.Contains(rs[0].Text, want) {
			t.Errorf("the summary does not say %q:\n%s", want, rs[0].Text)
		}
	}
	if strings.Contains(rs[0].Text, strategy.TurnContext) {
		t.Error("nothing was split")
	}
	m := metaOf(t, rs[0])
	if m.Path != "su:5.conv.range.summary" || !slices.Equal(m.CoveredTurns, []int{1, 3}) || m.SplitTurn != 0 || m.Messages != 8 {
		t.Errorf("meta %+v", m)
	}
	if len(m.Digest.Produced) != 2 || m.Digest.Produced[1].Path != "src/part2/file1.go" || m.Digest.Produced[1].Call != "#6" {
		t.Errorf("digest %+v", m.Digest)
	}
}

// Split-turn handling: the prefix is told apart under its heading, each text
// within its cap.
//
// SPEC: T3, T10
func TestTimelineSplitsATurn(t *testing.T) {
	d := timelineDraft(talk(t, 1, 9, 1), nil)
	s := strategy.Timeline{With: extract.Summarizer{}}
	rs := run(t, s, keeping(1200, line(d, 1800, nil, nil)))
	if len(rs) != 1 {
		t.Fatalf("records %+v", rs)
	}
	history, head, ok := strings.Cut(rs[0].Text, "\n\n"+strategy.TurnContext+"\n")
	if !ok {
		t.Fatalf("no turn context:\n%s", rs[0].Text)
	}
	if n, m := d.Meter.Text(history), d.Meter.Text(head); n > 800 || m > 400 {
		t.Errorf("history of %d tokens, turn context of %d", n, m)
	}
	if !strings.Contains(history, "part1/file1.go") || strings.Contains(history, "src/part2/") || !strings.Contains(head, "Please write part 2") {
		t.Errorf("history:\n%s\nturn context:\n%s", history, head)
	}
	m := metaOf(t, rs[0])
	if m.SplitTurn != 3 || !slices.Equal(m.CoveredTurns, []int{1}) || m.Path != "su:7.conv.range.summary" {
		t.Errorf("meta %+v", m)
	}
	var st summary.Structured
	if err := json.Unmarshal(rs[0].Summary, &st); err != nil || st.Count != rs[0].Span.Count() || st.Round != 1 {
		t.Errorf("state of %d messages in round %d: %v", st.Count, st.Round, err)
	}
}

// A run with one user message is all one turn: what was asked goes behind the
// summary and is told there.
//
// SPEC: T3, T10
func TestTimelineOfOneTurn(t *testing.T) {
	d := timelineDraft(talk(t, 12), nil)
	rs := run(t, strategy.Timeline{With: extract.Summarizer{}}, keeping(700, line(d, 1200, nil, nil)))
	_, r := lay(t, d)
	if len(rs) != 1 || !strings.HasPrefix(rs[0].Text, strategy.TurnContext+"\n") || !strings.Contains(rs[0].Text, "Please write part 1") {
		t.Fatalf("records %+v", rs)
	}
	if got := r.Messages[1]; !got.Has(message.Call) || len(r.Messages) < 3 {
		t.Errorf("after the summary stands %+v", got)
	}
	// the newest round stays, however little is to be kept
	d = timelineDraft(talk(t, 12), nil)
	run(t, strategy.Timeline{With: extract.Summarizer{}}, keeping(1, line(d, 1, nil, nil)))
	if _, r := lay(t, d); len(r.Messages) != 3 {
		t.Errorf("%d messages stay", len(r.Messages))
	}
}

// No compaction under the limit, and none of what is recent.
//
// SPEC: T9, T10, V7
func TestTimelineLeavesWhatFits(t *testing.T) {
	d := timelineDraft(talk(t, 2, 2), nil)
	if rs := run(t, strategy.Timeline{With: extract.Summarizer{}}, keeping(100, line(d, d.Total(), nil, nil))); len(rs) > 0 {
		t.Errorf("under the limit: %+v", rs)
	}
	s := strategy.Timeline{With: extract.Summarizer{}}
	v := keeping(100_000, line(d, 10, nil, nil))
	if rs := run(t, s, v); len(rs) > 0 || s.Section(v).Reason != timeline.NoBoundaryRoom {
		t.Errorf("all recent: %+v, %q", rs, s.Section(v).Reason)
	}
	th, err := thread.New(thread.Extend("", []message.Message{message.TextOf(message.System, "rules")}))
	if err != nil {
		t.Fatal(err)
	}
	if v := keeping(100_000, line(timelineDraft(th, nil), 1, nil, nil)); s.Section(v).Reason != timeline.NoCutPoint {
		t.Errorf("nothing but rules: %q", s.Section(v).Reason)
	}
}

// Skips a candidate that only reduces visible blocks: many small ones cost less
// than the summary that would stand for them.
//
// SPEC: T10, V7
func TestTimelineSkipsWhatGainsNothing(t *testing.T) {
	var ms []message.Message
	for i := range 4 {
		ms = append(ms, message.TextOf(message.User, fmt.Sprint("q", i)), message.TextOf(message.Assistant, fmt.Sprint("a", i)))
	}
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	d := timelineDraft(th, nil)
	before := d.Total()
	if rs := run(t, strategy.Timeline{With: extract.Summarizer{}}, keeping(5, line(d, 1, nil, nil))); len(rs) > 0 || d.Total() != before {
		t.Errorf("%d tokens became %d: %+v", before, d.Total(), rs)
	}
}

// grown is the thread and plan after a compaction, with more said.
func grown(t testing.TB, d *strategy.Draft, more []message.Message) *strategy.Draft {
	t.Helper()
	p, _ := lay(t, d)
	text, err := p.Format()
	if err != nil {
		t.Fatal(err)
	}
	if p, err = plan.Parse(text); err != nil {
		t.Fatal(err)
	}
	th, err := d.T.Append(thread.Extend(d.T.Tip(), more))
	if err != nil {
		t.Fatal(err)
	}
	return timelineDraft(th, p)
}

// Compaction after an existing summary: one summary stands, of all up to the new
// cut; what the earlier one said, covered and listed is carried on.
//
// SPEC: T2, T3, T4, T9
func TestTimelineContinues(t *testing.T) {
	s := strategy.Timeline{With: &once{t: t, seen: map[thread.ID]bool{}}}
	d := timelineDraft(talk(t, 1, 1, 1, 1), nil)
	run(t, s, keeping(600, line(d, d.Total()-300, nil, nil)))
	d = grown(t, d, append([]message.Message{message.TextOf(message.Assistant, "Part 4 is done.")}, speak(1, 1, 1)...))
	rs := run(t, s, keeping(600, line(d, 1400, nil, nil)))
	if len(rs) != 1 {
		t.Fatalf("%d records", len(rs))
	}
	m := metaOf(t, rs[0])
	for k, turn := range m.CoveredTurns {
		if turn != 2*k+1 { // one round each, and the word that ends it

			t.Errorf("covered turns %v", m.CoveredTurns)
		}
	}
	if len(m.CoveredTurns) < 4 || m.Messages != rs[0].Span.Count() || m.Digest.Produced[0].Call != "#2" || m.Digest.Outputs[0].Count != len(m.CoveredTurns) {
		t.Errorf("meta %+v", m)
	}
	var st summary.Structured
	if err := json.Unmarshal(rs[0].Summary, &st); err != nil || st.Count != rs[0].Span.Count() || st.Round != 2 {
		t.Errorf("state of %d messages in round %d: %v", st.Count, st.Round, err)
	}
	if !strings.Contains(rs[0].Text, "Never touch db/schema_2.sql") {
		t.Errorf("an early constraint was lost:\n%s", rs[0].Text)
	}
}

// once fails where a message is summarized that an earlier summary covers, or
// where it is not told what that one said.
type once struct {
	t    testing.TB
	seen map[thread.ID]bool
}

func (*once) Name() string { return "once" }

func (o *once) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	known := 0
	for _, p := range in.Previous {
		known += p.Count
	}
	for _, id := range in.Span.IDs {
		if o.seen[id] {
			known--
		}
		o.seen[id] = true
	}
	if known != 0 {
		o.t.Errorf("%s: %d messages are told twice or not carried on", in.Part, -known)
	}
	return extract.Summarizer{}.Summarize(ctx, in)
}

// A turn that was split once is split again: the earlier summary stands as it
// was, and only what is new is told.
//
// SPEC: T3, T10
func TestTimelineSplitsAgain(t *testing.T) {
	s := strategy.Timeline{With: &once{t: t, seen: map[thread.ID]bool{}}}
	d := timelineDraft(talk(t, 1, 8), nil)
	first := run(t, s, keeping(700, line(d, 1000, nil, nil)))
	d = grown(t, d, speak(8)[1:])
	rs := run(t, s, keeping(700, line(d, 1000, nil, nil)))
	if len(rs) != 1 || len(first) != 1 {
		t.Fatalf("%d records, then %d", len(first), len(rs))
	}
	history, head, ok := strings.Cut(rs[0].Text, "\n\n"+strategy.TurnContext+"\n")
	if !ok || !strings.Contains(history, "Please write part 2") || strings.Contains(head, "Please write") {
		t.Errorf("history:\n%s\nturn context:\n%s", history, head)
	}
	if m := metaOf(t, rs[0]); m.SplitTurn != 3 || !slices.Equal(m.CoveredTurns, []int{1}) || m.Messages != rs[0].Span.Count() {
		t.Errorf("meta %+v", m)
	}
	var asked []string
	s.With = storyteller{&asked}
	d = grown(t, d, speak(8)[1:])
	run(t, s, keeping(700, line(d, 1000, nil, nil)))
	if got := strings.Join(asked, " "); got != "turn/400/" {
		t.Errorf("nothing before the turn is new, and asked for is %s", got)
	}
}

// What the prefix of a split turn supersedes does not stand in the history.
//
// SPEC: T3
func TestTimelineSupersedes(t *testing.T) {
	ms := speak(1, 8)
	ms[0] = message.TextOf(message.User, "The API port is 8080. Write part 1.")
	ms[4] = message.TextOf(message.User, "The API port is 9090. Write part 2.")
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	rs := run(t, strategy.Timeline{With: extract.Summarizer{}}, keeping(700, line(timelineDraft(th, nil), 1000, nil, nil)))
	history, head, _ := strings.Cut(rs[0].Text, "\n\n"+strategy.TurnContext+"\n")
	if strings.Contains(facts(history), "8080") || !strings.Contains(facts(head), "9090") {
		t.Errorf("history:\n%s\nturn context:\n%s", history, head)
	}
}

// facts are the lines of a summary that say what the user stated.
func facts(text string) string {
	_, rest, _ := strings.Cut(text, "\n## Facts stated\n")
	rest, _, _ = strings.Cut(rest, "\n## ")
	return rest
}

// What a user pinned stands verbatim beside the summary, what an undo gave back
// stays until the budget forces it, and a round stays whole for one of its
// messages.
//
// SPEC: T3, V8, B16
func TestTimelineSparesPinsAndHolds(t *testing.T) {
	th := talk(t, 1, 1, 1, 1, 1)
	pins := []plan.Ref{{ID: th.At(4).ID}}
	holds := []plan.Ref{{ID: th.At(6).ID, Part: 1}}
	d := timelineDraft(th, nil)
	s := strategy.Timeline{With: extract.Summarizer{}}
	run(t, s, keeping(500, line(d, 1, pins, holds)))
	_, r := lay(t, d)
	if got := shows(d, r); !strings.HasPrefix(got, "[1 2 3 4 8 9 10 11") || !strings.Contains(got, "] 5 6 7 ") {
		t.Errorf("the prompt is %s", got)
	}
	if _, errs := strategy.LastResort(400, 0, nil, extract.Summarizer{}).Run(t.Context(), line(d, 400, pins, holds)); len(errs) > 0 {
		t.Fatal(errs)
	}
	if _, r = lay(t, d); !strings.HasPrefix(shows(d, r), "[1 2 3 4 6 7 8 9") {
		t.Errorf("forced, the prompt is %s", shows(d, r))
	}
}

// An empty summary is a failed compaction: nothing mechanical stands in for it.
// An empty prefix compacts prior history only.
//
// SPEC: T3, V7, V9
func TestTimelineRefusesEmptySummaries(t *testing.T) {
	th := talk(t, 2, 8)
	d := timelineDraft(th, nil)
	before := d.Total()
	tiny := strategy.Timeline{SummaryTokens: 1, With: extract.Summarizer{}}
	if _, errs := (strategy.Ladder{tiny}).Run(t.Context(), keeping(700, line(d, 100, nil, nil))); len(errs) != 1 || !errors.Is(errs[0], strategy.ErrEmptySummary) {
		t.Errorf("errors %v", errs)
	}
	if len(d.Records()) > 0 || d.Total() != before {
		t.Error("a failed compaction left something behind")
	}
	tiny.SummaryTokens, tiny.TurnTokens = 800, 1
	rs := run(t, tiny, keeping(700, line(d, 100, nil, nil)))
	_, r := lay(t, d)
	if m := metaOf(t, rs[0]); m.SplitTurn != 0 || !slices.Equal(m.CoveredTurns, []int{1}) || !strings.HasPrefix(shows(d, r), "[1 2 3 4 5 6] 7 8 ") {
		t.Errorf("meta %+v, prompt %s", m, shows(d, r))
	}
}

// storyteller writes narratives, as a model does.
type storyteller struct{ asked *[]string }

func (storyteller) Name() string { return "storyteller" }

func (s storyteller) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	*s.asked = append(*s.asked, fmt.Sprintf("%s/%d/%s", in.Part, in.Cap, in.Instructions))
	made, err := extract.Summarizer{}.Summarize(ctx, in)
	if err == nil {
		made.Narrative = "The tale of " + string(in.Part) + "."
	}
	return made, err
}

// A model is asked for the two texts of the design, each under its cap, and what
// it tells is what is shown and carried on.
//
// SPEC: T3
func TestTimelineTellsNarratives(t *testing.T) {
	var asked []string
	d := timelineDraft(talk(t, 2, 8), nil)
	v := keeping(700, line(d, 1000, nil, nil))
	v.Instructions = "be brief"
	rs := run(t, strategy.Timeline{With: storyteller{&asked}}, v)
	if got := strings.Join(asked, " "); got != "turn/400/be brief range/800/be brief" {
		t.Errorf("asked for %s", got)
	}
	if text := rs[0].Text; !strings.HasPrefix(text, "The tale of range.") || !strings.Contains(text, "\n\n"+strategy.TurnContext+"\nThe tale of turn.") {
		t.Errorf("text:\n%s", text)
	}
	var st summary.Structured
	if err := json.Unmarshal(rs[0].Summary, &st); err != nil || st.Narrative != "The tale of range.\n\nThe tale of turn." {
		t.Errorf("narrative %q: %v", st.Narrative, err)
	}
}
