package precis_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// What real clients do to their history between requests.

func words(s string) message.Part { return message.Part{Kind: message.Text, Text: s} }

func asks(id, args string) message.Part {
	return message.Part{Kind: message.Call, CallID: id, Name: "bash", Args: args}
}

func says(ps ...message.Part) message.Message {
	return message.Message{Role: message.Assistant, Parts: ps}
}

func answers(id string, ps ...message.Part) message.Message {
	return message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: ps}}}
}

// work is a task and n tool rounds with results of size lines.
func work(n, size int) []message.Message {
	ms := []message.Message{message.TextOf(message.User, "the task")}
	for i := range n {
		id := fmt.Sprintf("c%d", i)
		ms = append(ms, says(words(fmt.Sprintf("step %d", i)), asks(id, fmt.Sprintf(`{"command":"run %d"}`, i))),
			answers(id, words(strings.Repeat(fmt.Sprintf("out_%d value %d\n", i, i*7), size))))
	}
	return ms
}

type session struct {
	*testing.T
	store  store.Store
	engine *precis.Engine
}

func newSession(t *testing.T, name string) *session {
	s := &session{T: t, store: memory.New()}
	s.engine = newEngine(t, s.store, policyOf(t, name))
	return s
}

// prepare asks for a prompt and holds it against budget, count and wire rules.
func (s *session) prepare(in precis.Input) *precis.Turn {
	s.Helper()
	in.Thread, in.Meter = "t", token.Truncate()
	turn, err := s.engine.Prepare(s.Context(), in)
	if err != nil {
		s.Fatalf("prepare: %v", err)
	}
	got := in.Meter.Overhead.Request + in.Meter.Messages(turn.Messages)
	if got > in.Budget || got != turn.Compacted {
		s.Errorf("prompt has %d tokens, the turn says %d of %d\n%s", got, turn.Compacted, in.Budget, show(turn))
	}
	body, err := openai.Codec{}.Encode(&codec.Request{Model: "gpt-4o"}, turn.Messages)
	if err != nil {
		s.Fatalf("encode: %v\n%s", err, show(turn))
	}
	if faults := wirecheck.OpenAI(body, wirecheck.Options{}); len(faults) > 0 {
		s.Errorf("%v\n%s", faults, show(turn))
	}
	return turn
}

func tagged(ms []message.Message, tag string) []message.Message {
	for i := range ms {
		ms[i].Raw = fmt.Appendf(nil, `{"tag":%q,"i":%d}`, tag, i)
	}
	return ms
}

// A client that is behind gets a prompt of its own view, and decides nothing
// for the thread.
//
// SPEC: V6, V8, B16
func TestShorterHistoryKeepsThePlan(t *testing.T) {
	s := newSession(t, "balanced")
	ms := work(60, 20)
	turn := s.prepare(precis.Input{Messages: ms, Budget: 2500})
	if _, err := s.engine.Pin(t.Context(), "t", plan.Ref{ID: turn.Thread.At(110).ID}); err != nil {
		t.Fatal(err)
	}
	full := s.prepare(precis.Input{Messages: ms, Budget: 2500})
	for _, n := range []int{81, 8, 3} {
		s.prepare(precis.Input{Messages: ms[:n], Budget: 2500, Mode: precis.Mode{CloseOpenCalls: true}})
		again := s.prepare(precis.Input{Messages: ms, Budget: 2500})
		if again.Plan.Version != full.Plan.Version || len(again.Plan.Pins) != 1 || !reflect.DeepEqual(again.Messages, full.Messages) {
			t.Fatalf("after a history of %d messages: plan %d, was %d; %d pins", n, again.Plan.Version, full.Plan.Version, len(again.Plan.Pins))
		}
	}
}

// Re-encoding is for results that are nothing but JSON.
//
// SPEC: B4, V2
func TestPictureBesideJSONStays(t *testing.T) {
	s := newSession(t, "balanced")
	pretty, err := json.MarshalIndent(make([]map[string]int, 200), "", "        ")
	if err != nil {
		t.Fatal(err)
	}
	ms := append(work(2, 20), says(asks("img", `{}`)),
		answers("img", words(strings.ReplaceAll(string(pretty), "null", `{"a":    1}`)), message.Part{Kind: message.Media, MediaType: "image/png", URL: "https://example.org/y.png"}))
	ms = append(ms, message.TextOf(message.User, "what is in the picture?"))
	m := token.Truncate()
	turn := s.prepare(precis.Input{Messages: ms, Budget: m.Overhead.Request + m.Messages(ms) - 20})
	for _, rec := range turn.Plan.Records {
		if rec.Kind == plan.Reencoded && rec.Span.Start() == turn.Thread.At(6).ID {
			t.Errorf("the picture went with %+v", rec)
		}
	}
}

// SPEC: V4
func TestBookkeepingCostsNothing(t *testing.T) {
	ms := work(2, 2)
	for range 20 {
		ms = append(ms, message.Message{Role: message.User, Meta: true, Parts: []message.Part{words(strings.Repeat("never sent ", 200))}})
	}
	ms = append(ms, message.TextOf(message.User, strings.Repeat("question ", 90)), says(asks("q", "{}")), answers("q", words(strings.Repeat("answer line\n", 600))))
	for _, budget := range []int{250, 400, 700} {
		newSession(t, "balanced").prepare(precis.Input{Messages: ms, Budget: budget, Mode: precis.Mode{CloseOpenCalls: true}})
	}
}

// After an edit that moves messages, no pointer names another message, and no
// pointer names an artifact that cannot be read.
//
// SPEC: V10, L13
func TestPointersSurviveEdits(t *testing.T) {
	for _, name := range []string{"balanced", "ladder"} {
		s := newSession(t, name)
		ms := append([]message.Message{
			message.TextOf(message.User, "the task"), message.TextOf(message.Assistant, "hi"),
			message.TextOf(message.User, "a side remark"), message.TextOf(message.Assistant, "noted"),
		}, work(6, 300)[1:]...)
		s.prepare(precis.Input{Messages: ms, Budget: 6000})
		for _, edited := range [][]message.Message{
			append(append([]message.Message{}, ms[:2]...), ms[4:]...),
			append([]message.Message{message.TextOf(message.User, "another task")}, ms[1:]...),
		} {
			turn := s.prepare(precis.Input{Messages: edited, Budget: 6000})
			if turn.Key.Thread == "t" {
				t.Error("an edited history is not a fork")
			}
			for _, r := range turn.Plan.Records {
				at, _ := turn.Thread.Find(r.Span.Start())
				if r.Artifact != "" {
					if a, err := s.store.Artifact(t.Context(), turn.Key, r.Artifact); err != nil || len(a.Content) == 0 {
						t.Errorf("%s: artifact %s: %v", name, r.Artifact, err)
					}
				}
				if i := strings.Index(r.Text, `("#`); i >= 0 && !strings.HasPrefix(r.Text[i:], fmt.Sprintf(`("#%d")`, at+1)) {
					t.Errorf("%s: record on #%d points to %.12s", name, at+1, r.Text[i:])
				}
			}
		}
	}
}

// A reused id got a new one; the client may come to use that very one.
//
// SPEC: V3, V5
func TestRepairedIDIsTaken(t *testing.T) {
	s := newSession(t, "balanced")
	ms := []message.Message{
		message.TextOf(message.User, "go"), says(asks("c1", "{}")), answers("c1", words("a")), says(asks("c1", "{}")), answers("c1", words("b")),
		says(words("done")), message.TextOf(message.User, "more"),
	}
	s.prepare(precis.Input{Messages: ms, Budget: 5000})
	ms = append(ms, says(asks("c1_p2", "{}")), answers("c1_p2", words("c")))
	s.prepare(precis.Input{Messages: ms, Budget: 5000})
}

// Thinking bound to a prefix goes when the prefix changes, and an undo does not
// bring it back.
//
// SPEC: B9, V8
func TestBoundThinkingNeverReturns(t *testing.T) {
	s := newSession(t, "balanced")
	thoughts := func(ms []message.Message, from int) []message.Message {
		for i := from; i < len(ms); i++ {
			if ms[i].Role == message.Assistant {
				ms[i].Parts = append([]message.Part{{Kind: message.Thinking, Text: "hm", Signature: "x"}}, ms[i].Parts...)
			}
		}
		return ms
	}
	count := func(turn *precis.Turn) (n int) {
		for _, m := range turn.Messages {
			if m.Has(message.Thinking) {
				n++
			}
		}
		return n
	}
	bound := model.Model{Thinking: model.Bound}
	all := thoughts(work(44, 20), 0)
	turn := s.prepare(precis.Input{Messages: all[:81], Model: bound, Budget: 2500})
	if count(turn) != 0 {
		t.Errorf("%d thinking parts of another prefix", count(turn))
	}
	turn = s.prepare(precis.Input{Messages: all[:85], Model: bound, Budget: 2500})
	if turn.Outcome != precis.WithinBudget || count(turn) != 2 {
		t.Errorf("%s: %d thinking parts produced under the plan, want 2", turn.Outcome, count(turn))
	}
	if _, err := s.engine.Restore(t.Context(), "t", 0); err != nil {
		t.Fatal(err)
	}
	if turn = s.prepare(precis.Input{Messages: all[:85], Model: bound, Budget: 50_000}); count(turn) != 0 {
		t.Errorf("%d thinking parts after the undo changed their prefix", count(turn))
	}
}

// SPEC: V1
func TestEnvelopeIsLogged(t *testing.T) {
	s := newSession(t, "balanced")
	for _, envelope := range []string{`{"a":1}`, `{"a":2}`} {
		s.prepare(precis.Input{Messages: work(2, 2), Budget: 3000, Client: precis.Client{Envelope: []byte(envelope)}})
		if have, err := s.store.Envelope(t.Context(), store.Key{Thread: "t"}); err != nil || string(have) != envelope {
			t.Errorf("envelope %s, %v", have, err)
		}
	}
}

// What a caller does to a prompt does not reach the next one.
func TestPromptIsTheCallers(t *testing.T) {
	s := newSession(t, "balanced")
	ms := work(3, 3)
	turn := s.prepare(precis.Input{Messages: ms, Budget: 3000})
	turn.Messages[0].Parts[0].Text = "CHANGED"
	ms = append(ms, message.TextOf(message.User, "next"))
	if next := s.prepare(precis.Input{Messages: ms, Budget: 3000}); next.Messages[0].Parts[0].Text != "the task" {
		t.Error("the change came back")
	}
}
