package precis_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A client that changes its messages afterwards changes nothing that is kept.
//
// SPEC: V1
func TestThreadIsNotTheClientsMemory(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
	ms := work(5, 3)
	prepared(t, e, request("t", ms, 80_000))
	ms = work(5, 3)
	ms[1].Raw = []byte(`{"other":"form"}`)
	turn := prepared(t, e, request("t", ms, 80_000))
	ms[1].Parts[0].Text = "changed by the client afterwards"
	if turn.Thread.At(1).Message.Parts[0].Text == ms[1].Parts[0].Text {
		t.Error("the thread of the turn (and of a proposal made on it) holds the client's slice")
	}
}

// A rung that needs a summarizer cannot run while the cache is cold.
//
// SPEC: T5, L20
func TestOnlyHidingIsCold(t *testing.T) {
	p := policyOf(t, "timeline")
	p.Rungs = append([]policy.Rung{{Strategy: "summarize", Cold: true}}, p.Rungs...)
	if err := p.Validate(); err != nil {
		t.Skip(err)
	}
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("panic: %v", v)
		}
	}()
	e := newWith(t, precis.Options{Store: memory.New(), Policy: p})
	in := request("t", turnsOf(300, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3), 80_000)
	in.Client.Idle = time.Hour
	e.SafeCompact(t.Context(), in)
}

// A plan made anew for a larger budget is told to subscribers.
//
// SPEC: L19
func TestNewPlanForALargerBudgetIsTold(t *testing.T) {
	var bus event.Bus
	told := record(t, &bus)
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced"), Events: &bus})
	ms := work(60, 10)
	first := prepared(t, e, request("t", ms, 3_000))
	second := prepared(t, e, request("t", ms, 80_000))
	n := 0
	for _, v := range told() {
		if v.Version == second.Plan.Version {
			n++
		}
	}
	t.Logf("%s plan %d (%d tokens), then %s plan %d: before %d, after %d; %d events", first.Outcome, first.Plan.Version, first.Compacted, second.Outcome, second.Plan.Version, second.Before, second.Compacted, n)
	if second.Plan.Version != first.Plan.Version && n == 0 {
		t.Error("a new plan is in force, the prompt changed, and no event tells")
	}
}

// An engine that goes on and one that starts anew give the same prompts, with parallel calls, texts, pins, holds and closed ends.
//
// SPEC: V5
func TestSteadyIsFull(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, name := range policy.Names() {
		if testing.Short() && name != "balanced" {
			continue
		}
		one, two := memory.New(), memory.New()
		opts := precis.Options{Policy: policyOf(t, name), Now: func() time.Time { return now }, Store: one}
		lasting := newWith(t, opts)
		opts.Store = two
		ms := []message.Message{message.TextOf(message.User, "the task")}
		for i := range 90 {
			switch i % 6 {
			case 0:
				ms = append(ms, message.TextOf(message.User, fmt.Sprintf("question %d about out_%d", i, i-1)))
			case 1:
				ms = append(ms, message.TextOf(message.Assistant, fmt.Sprintf("thinking aloud %d", i)))
			case 2: // an id used before
				ms = append(ms, says(words("again"), asks("same", `{"command":"x"}`)), answers("same", words(strings.Repeat("dup\n", 20))))
			case 3: // an unanswered call
				ms = append(ms, says(words("lost"), asks(fmt.Sprint("l", i), `{"command":"x"}`)), message.TextOf(message.User, "never mind"))
			case 4: // parallel
				ms = append(ms, says(words("two"), asks(fmt.Sprint("a", i), `{"command":"x"}`), asks(fmt.Sprint("b", i), `{"command":"y"}`)),
					answers(fmt.Sprint("a", i), words(strings.Repeat(fmt.Sprintf("pa_%d\n", i), 40))), answers(fmt.Sprint("b", i), words(strings.Repeat(fmt.Sprintf("pb_%d\n", i), 40))))
			case 5: // meta and orphan
				m := message.TextOf(message.User, "bookkeeping "+strings.Repeat("x ", 50))
				m.Meta = true
				ms = append(ms, m, answers(fmt.Sprint("none", i), words("orphan")))
			}
		}
		for n := 1; n <= len(ms); n++ {
			in := request("t", ms[:n], 4_000)
			a, err := lasting.Prepare(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			b, err := newWith(t, opts).Prepare(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(a.Messages, b.Messages) || a.Compacted != b.Compacted || a.Original != b.Original {
				t.Errorf("%s at %d messages: lasting %s %d/%d plan %d; fresh %s %d/%d plan %d", name, n, a.Outcome, a.Compacted, a.Original, planOf(a), b.Outcome, b.Compacted, b.Original, planOf(b))
				break
			}
		}
	}
}
