package precis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
)

func thoughts(ms []message.Message) (n int) {
	for _, m := range ms {
		for _, p := range m.Parts {
			if p.Kind == message.Thinking && p.Signature != "" {
				n++
			}
		}
	}
	return n
}

// What a client leaves out stays out, also where the plan works on the message,
// and records find their parts whatever form the message has: as it is compacted,
// afterwards, and on an engine that starts anew.
//
// SPEC: B9, V1, V5 · WT4
func TestLeftOutThinkingStaysOut(t *testing.T) {
	for _, tag := range []string{"", "raw"} {
		s := newSession(t, "balanced")
		body := strings.Repeat("line of code to write; ", 300)
		history := func(thinks bool) []message.Message {
			a := says(words("writing"), asks("c1", `{"path":"a.go","content":"`+body+`"}`))
			if thinks {
				a.Parts = append([]message.Part{{Kind: message.Thinking, Text: "hm", Signature: "x"}}, a.Parts...)
			}
			ms := []message.Message{message.TextOf(message.User, "go"), a, answers("c1", words("ok"))}
			if tag != "" {
				return tagged(ms, tag)
			}
			return ms
		}
		s.prepare(precis.Input{Messages: history(true), Budget: 50_000})
		for n := range 3 {
			if n == 2 {
				s.engine = newEngine(t, s.store, policyOf(t, "balanced"))
			}
			turn := s.prepare(precis.Input{Messages: history(false), Budget: 1000})
			text := show(turn)
			if turn.Plan == nil || !turn.Plan.Touches(turn.Thread.At(1).ID) || thoughts(turn.Messages) != 0 || strings.Contains(text, body) || !strings.Contains(text, "writing") {
				t.Errorf("%d: %d thinking parts return\n%s", n, thoughts(turn.Messages), text)
			}
		}
	}
}

// Thinking that a provider refused is left out from then on; what is thought
// later is sent.
//
// SPEC: B9 · WT8
func TestDropThinking(t *testing.T) {
	s := newSession(t, "balanced")
	ms := thinkingWork(10)
	turn := s.prepare(precis.Input{Messages: ms[:15], Budget: 50_000, Mode: precis.Mode{DropThinking: true}})
	if turn.Plan == nil || turn.Plan.NoThinking != (plan.Range{From: 0, Until: 15}) || thoughts(turn.Messages) != 0 {
		t.Errorf("%d thinking parts under %+v", thoughts(turn.Messages), turn.Plan)
	}
	if turn = s.prepare(precis.Input{Messages: ms, Budget: 50_000}); thoughts(turn.Messages) != 3 {
		t.Errorf("%d thinking parts", thoughts(turn.Messages))
	}
}

// A prompt that somebody else compacts is as the plan in force has it, whatever
// its size and the budget.
//
// SPEC: B6 · WP7
func TestNoCompact(t *testing.T) {
	s := newSession(t, "balanced")
	ms := work(60, 20)
	first := s.prepare(precis.Input{Messages: ms[:81], Budget: 2500})
	if first.Plan == nil {
		t.Fatal("no plan to begin with")
	}
	for _, budget := range []int{1000, 2500, 100_000} {
		in := precis.Input{Thread: "t", Messages: ms, Budget: budget, Mode: precis.Mode{NoCompact: true}, Meter: token.Truncate()}
		turn, err := s.engine.Prepare(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if turn.Outcome != precis.WithinBudget || turn.Plan.Version != first.Plan.Version || len(turn.Messages) != len(first.Messages)+len(ms)-81 {
			t.Errorf("%d: %s, plan %d, %d messages", budget, turn.Outcome, turn.Plan.Version, len(turn.Messages))
		}
	}
}

// Content does not come back by itself for models that bind thinking: what they
// thought would be bound to content that is gone in the next prompt.
//
// SPEC: B9, L13, L14 · WT3
func TestNothingComesBackToBoundThinking(t *testing.T) {
	for _, m := range []model.Model{{Thinking: model.Bound}, {Thinking: model.Kept}} {
		e := newEngine(t, memory.New(), policyOf(t, "ladder"))
		in := precis.Input{Thread: "t", Model: m, Meter: token.Truncate(), Budget: 32_000}
		in.Messages = []message.Message{message.TextOf(message.User, "Watch the hosts and report.")}
		for n := range 40 {
			in.Messages = append(in.Messages, round(n, "fetch_report", `{}`, "looking on", lines(n, 90))...)
		}
		turn, err := e.Prepare(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		in.Messages = append(in.Messages, message.TextOf(message.User, "What was in "+pointers(turn.Plan)[0]+"?"))
		if turn, err = e.Prepare(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if back := len(turn.Rehydrated) > 0; back != (m.Thinking == model.Kept) {
			t.Errorf("%s: rehydrated %t, held %+v", m.Thinking, back, turn.RehydrationSkipped)
		}
	}
}

// Thinking that is left out does not count against the budget, on an engine that starts anew either.
//
// SPEC: V4, V5, B9
func TestStrippedThinkingIsNotCounted(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline")})
	m := model.Unknown
	m.Thinking = model.Bound
	ms := thinkingWork(120)
	for n := 3; n <= len(ms); n += 2 {
		in := precis.Input{Thread: "t", Messages: ms[:n], Model: m, Meter: token.Truncate(), Budget: 12_000}
		turn, err := e.Prepare(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if turn.Outcome == precis.Compacted {
			in.Budget = 7_000
			again, err := e.Prepare(t.Context(), in)
			t.Logf("at %d: %d tokens are sent; Before of the next is %d", n, turn.Compacted, again.Before)
			if err != nil || again.Before != turn.Compacted {
				t.Errorf("%v", err)
			}
			return
		}
	}
}

// What the model thought in its answer to a prompt is left out once an undo changed what stands
// before it, although the answer is logged only with the next request; what it thinks under
// the new plan stays.
//
// SPEC: B9, V8 · WT3
func TestUndoReachesThinkingOfTheLastAnswer(t *testing.T) {
	m := model.Unknown
	m.Thinking = model.Bound
	ms := thinkingWork(120)
	for name, undo := range map[string]func(*precis.Engine, *precis.Turn) error{
		"undo":    func(e *precis.Engine, turn *precis.Turn) error { _, err := e.Undo(t.Context(), "t"); return err },
		"restore": func(e *precis.Engine, turn *precis.Turn) error { _, err := e.Restore(t.Context(), "t", 0); return err },
		"expand": func(e *precis.Engine, turn *precis.Turn) error {
			_, err := e.Expand(t.Context(), "t", turn.Plan.Records[0].ID)
			return err
		},
	} {
		e := newEngine(t, memory.New(), policyOf(t, "balanced"))
		in := precis.Input{Thread: "t", Model: m, Meter: token.Truncate(), Budget: 12_000}
		n := 1
		for turn := (*precis.Turn)(nil); turn == nil || turn.Outcome != precis.Compacted; n += 2 {
			if in.Messages = ms[:n+2]; n > len(ms)-6 {
				t.Fatal("nothing was compacted")
			}
			turn = prepared(t, e, in)
			if turn.Outcome == precis.Compacted {
				if err := undo(e, turn); err != nil {
					t.Fatal(err)
				}
			}
		}
		in.Budget = 200_000
		for _, more := range []int{2, 4} {
			in.Messages = ms[:n+more]
			turn := prepared(t, e, in)
			if got := thoughts(turn.Messages[len(turn.Messages)-more:]); got != more/2-1 {
				t.Errorf("%s: of the last %d messages %d hold thinking, under %+v of %d", name, more, got, turn.Plan.NoThinking, n)
			}
		}
	}
}

// Of rounds that a tool of the provider ties together only the last is being answered: what was
// thought in those before it may go, and they do not make a budget impossible.
//
// SPEC: B6, V4 · WT2
func TestTiedRoundsGiveUpWhatWasThoughtBefore(t *testing.T) {
	said := []message.Message{message.TextOf(message.User, "go")}
	for n := range 20 {
		thought := message.Part{Kind: message.Thinking, Text: strings.Repeat("Hm hm. ", 60), Signature: fmt.Sprint("s", n)}
		call := asks(fmt.Sprint("toolu_", n), `{}`)
		call.Raw = []byte(`{"caller":{"tool_id":"srvtoolu_1"}}`)
		a := says(thought, call)
		if n == 0 {
			a.Parts = append(a.Parts, message.Part{Kind: message.Opaque, CallID: "srvtoolu_1", Raw: []byte(`{"id":"srvtoolu_1"}`)})
		}
		said = append(said, a, answers(call.CallID, words(strings.Repeat("said so. ", 10))))
	}
	for _, leads := range []bool{false, true} {
		for _, preset := range policy.Names() {
			in := precis.Input{
				Thread: "t", Messages: said, Budget: 1500, Meter: token.Truncate(),
				Client: precis.Client{ThinkingStays: true, ThinkingLeads: leads},
			}
			turn, err := newEngine(t, memory.New(), policyOf(t, preset)).Prepare(t.Context(), in)
			if err != nil {
				t.Errorf("%s: %v", preset, err)
				continue
			}
			last := turn.Messages[len(turn.Messages)-2]
			if n := thoughts(turn.Messages); turn.Thread.Units()[1].Len() != 40 || n == 20 || thoughts([]message.Message{last}) != 1 {
				t.Errorf("%s: %d messages hold thinking, the last %+v", preset, n, last)
			}
		}
	}
}
