package precis_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// truncating is an engine under the policy truncate.
func truncating(t *testing.T, o precis.Options) *precis.Engine {
	t.Helper()
	if o.Store == nil {
		o.Store = memory.New()
	}
	o.Policy = policyOf(t, "truncate")
	return newWith(t, o)
}

// The numbers of the design, through the engine: of the window the system prompt
// and 16,384 tokens for the reply come off, and above 80 % of the rest is compacted.
//
// SPEC: G1
func TestTruncateTrigger(t *testing.T) {
	meter := token.Truncate()
	system := []message.Part{words(strings.Repeat("rule", 1000))}
	rules := meter.System(system)
	for name, limit := range map[string]int{"claude-sonnet-4-5": 200_000, "claude-sonnet-4-5[1m]": 1_000_000} {
		m, _ := model.Lookup(name)
		room := limit - rules - 16_384
		for _, c := range []struct {
			messages int
			want     precis.Outcome
		}{{room * 8 / 10, precis.WithinBudget}, {room*8/10 + 1, precis.Compacted}} {
			ms := work(30, 10)
			ms[2].Parts[0].Parts[0].Text = ""
			ms[2].Parts[0].Parts[0].Text = strings.Repeat("word", c.messages-meter.Messages(ms))
			got := meter.Messages(ms)
			utilization := float64(got) / float64(room)
			if got != c.messages || (utilization > .8) != (c.want == precis.Compacted) {
				t.Fatalf("%d tokens of messages, utilization %v", got, utilization)
			}
			in := precis.Input{Thread: "t", Messages: ms, Meter: meter, Model: m, System: system}
			turn := prepared(t, truncating(t, precis.Options{}), in)
			if turn.Outcome != c.want || turn.Budget != limit {
				t.Errorf("%s, %d tokens of messages: %s of %d", name, c.messages, turn.Outcome, turn.Budget)
			}
		}
	}
}

// truncated is a reply that broke off in its second call.
func truncated(text string) *codec.Reply {
	m := says(words(text), asks("whole", `{"command":"ls"}`), asks("cut", `{"command":"cat a ve`))
	return &codec.Reply{Message: m, Stop: codec.StopLength}
}

// A reply that was cut short: what is incomplete of it is discarded, the budget
// is reckoned anew with what is left, and over the trigger the history is compacted
// and the loop goes on. The complete call is answered as not run.
//
// SPEC: G2, V3
func TestTruncatedReplyCompacts(t *testing.T) {
	e := truncating(t, precis.Options{})
	ms := work(60, 10)
	in := request("t", nil, 0)
	in.Budget = in.Meter.Messages(ms)*10/7 + 200 // below 80 % by a little
	l := e.Loop(in)
	if _, err := l.PrepareStep(t.Context(), ms); err != nil || l.Turn().Outcome != precis.WithinBudget {
		t.Fatalf("%s, %v", l.Turn().Outcome, err)
	}
	grown, prompt, err := l.HandleTruncated(t.Context(), ms, truncated(strings.Repeat("I think aloud. ", 120)))
	if err != nil || l.Turn().Outcome != precis.Compacted {
		t.Fatalf("%s, %v", l.Turn().Outcome, err)
	}
	if got := fmt.Sprint(shapes(grown[len(ms):])); got != "[text call:whole result:whole]" {
		t.Errorf("the history grew by %s", got)
	}
	if len(prompt) >= len(ms) || !strings.HasPrefix(prompt[0].Parts[0].Text, "[COMPACT SUMMARY]\n") {
		t.Errorf("%d messages, the first %.40q", len(prompt), prompt[0].Parts[0].Text)
	}
	body := string(wired(t, l.Turn()))
	if strings.Contains(body, "cat a ve") || !strings.Contains(body, "not run") {
		t.Errorf("the body ends in %s", body[max(len(body)-500, 0):])
	}
	if _, err := l.PrepareStep(t.Context(), append(grown, message.TextOf(message.User, "go on"))); err != nil {
		t.Error(err)
	}
	wired(t, l.Turn())
}

// shapes names the parts of messages.
func shapes(ms []message.Message) (out []string) {
	for _, m := range ms {
		for _, p := range m.Parts {
			switch p.Kind {
			case message.Call:
				out = append(out, "call:"+p.CallID)
			case message.Result:
				out = append(out, "result:"+p.CallID)
			default:
				out = append(out, string(p.Kind))
			}
		}
	}
	return out
}

// Under the trigger compaction cannot help: the loop ends, and the messages stay.
//
// SPEC: G2
func TestTruncatedReplyEnds(t *testing.T) {
	e := truncating(t, precis.Options{})
	ms := work(20, 10)
	l := e.Loop(request("t", nil, 100_000))
	if _, _, err := l.HandleTruncated(t.Context(), ms, truncated("so")); !errors.Is(err, precis.ErrMaxTokens) {
		t.Errorf("before anything was sent: %v", err)
	}
	if _, err := l.PrepareStep(t.Context(), ms); err != nil {
		t.Fatal(err)
	}
	grown, prompt, err := l.HandleTruncated(t.Context(), ms, truncated("so"))
	if !errors.Is(err, precis.ErrMaxTokens) || prompt != nil || len(grown) != len(ms)+2 {
		t.Errorf("%d messages, prompt of %d, %v", len(grown), len(prompt), err)
	}
	if l.Turn().Plan != nil {
		t.Error("a plan was made")
	}
}

// Wherever the split falls, it parts no call from its result: it moves earlier, so
// that at least ⌊0.4·n⌋ messages stay; and no more than the round it fell into is
// added to them.
//
// SPEC: G3, V3
func TestTruncateNeverPartsRounds(t *testing.T) {
	p := policyOf(t, "truncate")
	rapid.Check(t, func(rt *rapid.T) {
		e := newEngine(rt, memory.New(), p)
		ms, calls := drawTalk(rt, 0)
		first := checkSplit(rt, e, ms)
		more, _ := drawTalk(rt, calls) // a second round, after the pair
		if again := checkSplit(rt, e, append(ms, more...)); again < first {
			rt.Fatalf("the split went back from %d to %d", first, again)
		}
	})
}

// checkSplit compacts and returns the position of the first message that stays, 0
// where nothing was to be compacted.
func checkSplit(rt *rapid.T, e *precis.Engine, ms []message.Message) int {
	turn, err := e.Prepare(rt.Context(), precis.Input{Thread: "t", Messages: ms, Meter: token.Truncate(), Budget: 200_000, Mode: precis.Mode{Force: true}})
	if err != nil {
		rt.Fatal(err)
	}
	body, err := openai.Codec{}.Encode(&codec.Request{Model: "gpt-4o"}, turn.Messages)
	if err != nil {
		rt.Fatalf("%v\n%s", err, show(turn))
	}
	if faults := wirecheck.OpenAI(body, wirecheck.Options{}); len(faults) > 0 {
		rt.Fatalf("%v\n%s", faults, show(turn))
	}
	if turn.Plan == nil {
		return 0
	}
	first := turn.Origins[2].First // after the summary and its acknowledgement
	if turn.Plan.Version > 1 || turn.Outcome != precis.Compacted {
		return first
	}
	n := len(ms)
	want := min(n-int(float64(n)*.4), turn.Thread.UnitOf(n-1).Start) // the newest unit always stays
	if u := turn.Thread.UnitOf(first); first > want || u.Start != first || u.End <= want && first < want {
		rt.Fatalf("split at %d of %d messages, the rule says %d, unit %+v", first, n, want, u)
	}
	return first
}

// drawTalk is a conversation of questions, answers, and rounds of parallel calls
// whose results come one by one or in one user message; calls is how many there
// were before, and then are.
func drawTalk(rt *rapid.T, calls int) ([]message.Message, int) {
	var ms []message.Message
	for range rapid.IntRange(1, 14).Draw(rt, "units") {
		switch rapid.IntRange(0, 4).Draw(rt, "kind") {
		case 0:
			ms = append(ms, message.TextOf(message.User, strings.Repeat("a question ", rapid.IntRange(1, 60).Draw(rt, "size"))))
		case 1:
			ms = append(ms, message.TextOf(message.Assistant, strings.Repeat("an answer ", rapid.IntRange(1, 60).Draw(rt, "size"))))
		default:
			m, results := message.Message{Role: message.Assistant}, []message.Message(nil)
			for range rapid.IntRange(1, 4).Draw(rt, "parallel") {
				calls++
				id := fmt.Sprintf("c%d", calls)
				m.Parts = append(m.Parts, asks(id, `{"command":"ls"}`))
				results = append(results, answers(id, words(strings.Repeat("a line\n", rapid.IntRange(1, 40).Draw(rt, "lines")))))
			}
			if rapid.Bool().Draw(rt, "in one message") {
				one := message.Message{Role: message.User}
				for _, r := range results {
					one.Parts = append(one.Parts, r.Parts...)
				}
				results = []message.Message{one}
			}
			ms = append(append(ms, m), results...)
		}
	}
	return ms, calls
}

// placeholder is the design's text, for the messages of a span.
func placeholder(n int) string {
	return fmt.Sprintf("[COMPACT SUMMARY]\n[Context truncated. Earlier conversation contained %d messages about: ", n)
}

// A placeholder is a failure survived, and as such it is told, once.
//
// SPEC: G4, V9, S7
func TestTruncatePlaceholderIsTold(t *testing.T) {
	var bus event.Bus
	told := record(t, &bus)
	broken := errors.New("the model is gone")
	e := truncating(t, precis.Options{Summarizer: &scribe{err: broken}, NoFallback: true, Events: &bus})
	turn := prepared(t, e, request("t", work(60, 10), 3_000))
	if len(turn.Failures) != 1 || !errors.Is(turn.Failures[0], broken) || turn.Outcome != precis.Compacted {
		t.Errorf("%s, failures %v", turn.Outcome, turn.Failures)
	}
	if n := count(told(), event.Failed); n != 1 {
		t.Errorf("the failure was told %d times", n)
	}
}

// Where no summary can be had, the older messages are truncated all the same: the
// placeholder with their number and topics stands in for them, the pair and the
// kept messages as ever. The failure is kept with the record.
//
// SPEC: G4, V9
func TestTruncatePlaceholder(t *testing.T) {
	for name, s := range map[string]summary.Summarizer{
		"the model fails":      &scribe{err: errors.New("the model is gone")},
		"it takes too long":    &scribe{err: fmt.Errorf("ask model: %w", context.DeadlineExceeded)},
		"its answer is empty":  narrator{},
		"it writes of nothing": narrator{narrative: " \n"},
	} {
		t.Run(name, func(t *testing.T) {
			e := truncating(t, precis.Options{Summarizer: s, NoFallback: true})
			ms := work(60, 10)
			ms[0] = message.TextOf(message.User, "Please find the höchste Zahl in the outputs")
			turn := prepared(t, e, request("t", ms, 3_000))
			if turn.Outcome != precis.Compacted || turn.Compacted > 3_000 {
				t.Fatalf("%s, %d tokens, %v", turn.Outcome, turn.Compacted, turn.Failures)
			}
			rec := turn.Plan.Records[0]
			text := turn.Messages[0].Parts[0].Text
			if !strings.HasPrefix(text, placeholder(rec.Span.Count())+"Please find the höchste Zahl in the outputs") || !strings.HasSuffix(text, "]") {
				t.Errorf("the placeholder is %q", text)
			}
			if strings.Count(text, "\n") != 1 || !utf8.ValidString(text) {
				t.Errorf("more than one line: %q", text)
			}
			if turn.Messages[1].Parts[0].Text != "Understood." || turn.Messages[1].Role != message.Assistant || turn.Messages[0].Role != message.User {
				t.Errorf("no pair:\n%s", show(turn))
			}
			if first := turn.Origins[2].First; rec.Span.Count() != first || len(turn.Messages) != 2+len(ms)-first {
				t.Errorf("%d messages behind the placeholder, the first that stays is [%d]", rec.Span.Count(), first)
			}
			wired(t, turn)
		})
	}
}

// A compaction whose summary could not be had goes on until nothing more is to be done:
// preparing the same history again, with an engine that remembers nothing, gives the same
// prompt.
//
// SPEC: V5
func TestTruncateSettlesWithoutASummary(t *testing.T) {
	s := memory.New()
	e := truncating(t, precis.Options{Store: s})
	ms := slices.Repeat([]message.Message{message.TextOf(message.User, "ok\n")}, 8)
	ms[4] = message.TextOf(message.User, strings.Repeat("ok\n", 110))
	in := request("t", ms, 150)
	in.Meter = token.Truncate()
	first := prepared(t, e, in)
	if _, err := e.Expand(t.Context(), "t", first.Plan.Records[0].ID); err != nil {
		t.Fatal(err)
	}
	in.Messages = append(in.Messages, message.TextOf(message.User, strings.Repeat("ok\n", 80)))
	turn := prepared(t, e, in)
	again := prepared(t, truncating(t, precis.Options{Store: s}), in)
	if turn.Outcome != precis.Compacted || again.Outcome == precis.Compacted || show(again) != show(turn) {
		t.Errorf("%s to %d tokens:\n%s\nand again, %s to %d tokens:\n%s", turn.Outcome, turn.Compacted, show(turn), again.Outcome, again.Compacted, show(again))
	}
}

// narrator is a summarizer that answers with nothing.
type narrator struct{ narrative string }

func (narrator) Name() string { return "narrator/1" }

func (s narrator) Summarize(_ context.Context, in summary.Input) (*summary.Structured, error) {
	at := func(id int) summary.Source { // both ends of the span
		i, _ := in.Thread.Find(in.Span.IDs[id])
		return summary.Source{ID: in.Span.IDs[id], N: i + 1}
	}
	return &summary.Structured{
		Schema: summary.Schema, Round: 1, From: at(0), To: at(len(in.Span.IDs) - 1), Count: in.Span.Count(), Narrative: s.narrative,
	}, nil
}

// A later summary takes the placeholder's messages in again: they are not lost for
// having been truncated once.
//
// SPEC: G4, V1
func TestTruncatePlaceholderIsNoSummary(t *testing.T) {
	s := &scribe{err: errors.New("the model is gone")}
	e := truncating(t, precis.Options{Summarizer: s, NoFallback: true})
	ms := work(60, 10)
	ms[0] = message.TextOf(message.User, "Count the outputs. Never touch the file secrets.env.")
	prepared(t, e, request("t", ms, 3_000))
	s.err, s.asked = nil, make(chan summary.Input, 9)
	ms = append(ms, work(90, 10)[121:]...)
	turn := prepared(t, e, request("t", ms, 3_000))
	if in := <-s.asked; len(in.Previous) != 0 || in.Span.Count() != turn.Plan.Records[0].Span.Count() || in.Span.IDs[0] != turn.Thread.At(0).ID {
		t.Errorf("asked for %d messages after %d summaries", in.Span.Count(), len(in.Previous))
	}
	if text := turn.Messages[0].Parts[0].Text; !strings.Contains(text, "Never touch the file secrets.env.") || strings.Contains(text, "Context truncated") {
		t.Errorf("the summary is\n%s", text)
	}
}

// The pre-compact hook may add instructions or object; after a compaction the
// session starts again with source "compact", and the boundary is told.
//
// SPEC: G5, L19
func TestTruncateHooks(t *testing.T) {
	var bus event.Bus
	told := record(t, &bus)
	var sources []string
	verdict := event.Verdict{Veto: true, Reason: "not now"}
	s := &scribe{asked: make(chan summary.Input, 9)}
	e := truncating(t, precis.Options{Summarizer: s, Events: &bus, Hooks: event.Hooks{
		Before: func(context.Context, event.Payload) (event.Verdict, error) { return verdict, nil },
		After: func(_ context.Context, p event.Payload) error {
			sources = append(sources, string(p.Name)+":"+p.Source)
			return nil
		},
	}})
	in := request("t", work(60, 10), 0)
	in.Budget = in.Meter.Messages(in.Messages) * 10 / 9
	if turn := prepared(t, e, in); turn.Outcome != precis.Vetoed || len(turn.Messages) != len(in.Messages) {
		t.Errorf("vetoed, yet %s", turn.Outcome)
	}
	verdict = event.Verdict{Instructions: "Mind the licence."}
	if turn := prepared(t, e, in); turn.Outcome != precis.Compacted {
		t.Errorf("then %s", turn.Outcome)
	}
	if asked := <-s.asked; asked.Instructions != "Mind the licence." || asked.Part != summary.Handover {
		t.Errorf("asked for %q with %q", asked.Part, asked.Instructions)
	}
	e.Close()
	if got := strings.Join(sources, " "); got != "PostCompact: SessionStart:compact" {
		t.Errorf("told %s", got)
	}
	all := told()
	if count(all, event.Boundary) != 1 || count(all, event.Session) != 1 {
		t.Errorf("%d boundaries, %d session starts", count(all, event.Boundary), count(all, event.Session))
	}
}

// The pair is one record: what it covers leaves the prompt, and undoing it brings
// both back as they came.
//
// SPEC: G4, V8, V1
func TestTruncateUndo(t *testing.T) {
	e := truncating(t, precis.Options{})
	ms := work(60, 10)
	turn := prepared(t, e, request("t", ms, 3_000))
	if len(turn.Plan.Records) != 1 || turn.Plan.Records[0].Action != plan.Summarize || !slices.Equal(spanned(turn), covered(turn)) {
		t.Fatalf("records %+v", turn.Plan.Records)
	}
	if _, err := e.Expand(t.Context(), "t", turn.Plan.Records[0].ID); err != nil {
		t.Fatal(err)
	}
	if back := prepared(t, e, request("t", ms, 100_000)); !reflect.DeepEqual(back.Messages, ms) {
		t.Errorf("after the undo\n%s", show(back))
	}
}

// A reply of which nothing came is one without content: it ends the loop, or is compacted
// for, and does not panic.
//
// SPEC: G2, V9
func TestNoReplyIsAnEmptyOne(t *testing.T) {
	ms := work(10, 4)
	l := truncating(t, precis.Options{}).Loop(request("t", nil, 80_000))
	for _, r := range []*codec.Reply{nil, nil, {}} { // before the first step, and after it
		grown, prompt, err := l.HandleTruncated(t.Context(), ms, r)
		if !errors.Is(err, precis.ErrMaxTokens) || len(grown) != len(ms) || prompt != nil {
			t.Errorf("%d messages of %d, a prompt of %d: %v", len(grown), len(ms), len(prompt), err)
		}
		if _, err := l.PrepareStep(t.Context(), ms); err != nil {
			t.Fatal(err)
		}
	}
}

// A window is told when it is learned, and not again by a reply that teaches nothing new.
//
// SPEC: G2, S8
func TestWindowIsToldOnce(t *testing.T) {
	bus, told := &event.Bus{}, make(chan int, 8)
	bus.Subscribe(func(v event.Event) {
		if v.Kind == event.WindowLearned {
			told <- v.Details.Window
		}
	}, event.Options{})
	l := truncating(t, precis.Options{Events: bus}).Loop(request("t", nil, 80_000))
	ms, window := work(60, 10), 0
	for _, more := range []int{100, 600, 900} {
		if _, err := l.PrepareStep(t.Context(), ms); err != nil {
			t.Fatal(err)
		}
		sent := l.Turn().Compacted
		if window == 0 {
			window = sent
		}
		r := truncated("so")
		r.Stop, r.Usage = codec.StopWindow, codec.Usage{Context: sent, Output: window + more - sent}
		_, _, _ = l.HandleTruncated(t.Context(), ms, r) // it may not help: what it teaches counts
	}
	if err := bus.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if close(told); len(told) != 1 {
		t.Errorf("told %d times: first %d, then %d", len(told), <-told, <-told)
	}
}
