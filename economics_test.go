package precis_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/cachecost"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// The gate says no as long as waiting is cheaper, then yes, and whatever the
// budget forces is done. The sums stand in the plan and go out with the events.
//
// SPEC: B5, V4, V7
func TestTheGateSaysBoth(t *testing.T) {
	var bus event.Bus
	verdicts := map[string]int{}
	bus.Subscribe(func(v event.Event) { verdicts[v.Details.Verdict]++ }, event.Options{Buffer: 10_000})
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced"), Events: &bus})
	known, _ := model.Lookup("claude-sonnet-4-5")
	said := map[precis.Outcome]int{}
	ms := turnsOf(40, 150)
	for n := 3; n < len(ms); n += 2 {
		in := request("t", ms[:n], 12_000)
		in.Model, in.Client.Idle = known, time.Second
		turn := prepared(t, e, in)
		said[turn.Outcome]++
		agrees(t, turn)
	}
	if said[precis.Compacted] == 0 || said[precis.NotWorthIt] == 0 {
		t.Errorf("it said only %v", said)
	}
	if err := bus.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if verdicts[string(cachecost.TooSoon)]+verdicts[string(cachecost.NoTime)] != said[precis.NotWorthIt] {
		t.Errorf("events tell of %v, turns of %v", verdicts, said)
	}
}

// agrees holds a turn's outcome against its sums and its plan's.
func agrees(t *testing.T, turn *precis.Turn) {
	t.Helper()
	if turn.Compacted > turn.Budget {
		t.Fatalf("%d tokens of %d", turn.Compacted, turn.Budget)
	}
	x := turn.Economy
	switch {
	case x == nil:
		if turn.Outcome != precis.WithinBudget {
			t.Errorf("%s without sums", turn.Outcome)
		}
	case cachecost.Verdict(x.Verdict).Worth() != (turn.Outcome == precis.Compacted):
		t.Errorf("%s, but %s", x.Verdict, turn.Outcome)
	case turn.Outcome == precis.Compacted:
		text, err := turn.Plan.Format()
		if err != nil {
			t.Fatal(err)
		}
		back, err := plan.Parse(text)
		if err != nil || back.Economy == nil || *back.Economy != *x {
			t.Errorf("the plan says %+v, the turn %+v (%v)", back.Economy, x, err)
		}
		if x.Before != turn.Before || x.After != turn.Compacted || x.Kept > x.After {
			t.Errorf("sums of %+v for %d → %d tokens", x, turn.Before, turn.Compacted)
		}
	}
}

// After a rest that emptied the cache a prompt is compacted that would have been
// left alone: that costs nothing then.
//
// SPEC: B5, T5
func TestColdIsFree(t *testing.T) {
	known, _ := model.Lookup("claude-sonnet-4-5")
	at := func(rest, kept time.Duration) *precis.Turn {
		e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
		in := request("t", turnsOf(40, 40), 0)
		in.Model, in.Client.Idle = known.Caching(kept), rest
		in.Budget = in.Meter.Messages(in.Messages) * 4 / 3 // three quarters full
		return prepared(t, e, in)
	}
	for kept, rest := range map[time.Duration]time.Duration{0: time.Second, time.Hour: 50 * time.Minute} {
		if warm := at(rest, kept); warm.Outcome != precis.WithinBudget {
			t.Errorf("warm: %s", warm.Outcome)
		}
	}
	cold := at(time.Hour, 0)
	if cold.Outcome != precis.Compacted || cold.Economy.Verdict != string(cachecost.Free) || cold.Economy.BreakEven != 0 {
		t.Errorf("cold: %s %+v", cold.Outcome, cold.Economy)
	}
}

// What stands at the beginning of a prompt is read from a cache that finds any prefix, or whose client
// marks what stands beside the messages; a cache that breaks at the end of each request by itself has
// nothing of it but up to a breakpoint.
//
// SPEC: B5, B21 · WO7
func TestOnlyWhatTheCacheFindsIsKept(t *testing.T) {
	kept := func(name string, points bool) (first, again int) {
		m, ok := model.Lookup(name)
		if !ok {
			t.Fatalf("no model %s", name)
		}
		e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
		ms := surveying(220)
		compacted := 0
		for end := 3; end <= len(ms) && compacted < 2; end += 2 {
			in := request("t", ms[:end], 3000)
			in.Model, in.Client.Idle, in.Client.CachePoints = m, time.Second, points
			if turn := prepared(t, e, in); turn.Outcome == precis.Compacted {
				first, again = again, turn.Economy.Kept
				compacted++
			}
		}
		return first, again
	}
	for _, c := range []struct {
		model        string
		points       bool
		first, again bool
	}{
		{"gpt-5", false, true, true},
		{"claude-opus-4-5", false, true, true},
		{"claude-opus-4-5", true, true, true},
		{"gpt-6.1-sol", false, false, false},
		{"gpt-6.1-sol", true, false, true},
	} {
		if first, again := kept(c.model, c.points); (first > 0) != c.first || (again > 0) != c.again {
			t.Errorf("%s, points %v: %d tokens kept by the first compaction, %d by the second", c.model, c.points, first, again)
		}
	}
}

// Where no turn is known to follow, what fits stays as it came, and a compaction
// that has to be leaves no room of the budget unused, as nothing is carried along; where
// the conversation goes on, room is left for what comes.
//
// SPEC: B5, V7, V11
func TestTheLastTurn(t *testing.T) {
	ms := turnsOf(40, 150)
	prompt := func(budget int, last bool) *precis.Turn {
		in := request("t", ms, budget)
		in.Mode.FinalTurn = last
		return prepared(t, newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")}), in)
	}
	all := prompt(1_000_000, true).Original
	tight := all * 51 / 50
	if turn := prompt(tight, true); turn.Outcome != precis.WithinBudget || turn.Plan != nil || turn.Economy != nil {
		t.Errorf("%d of %d tokens: %s", all, tight, turn.Outcome)
	}
	if turn := prompt(tight, false); turn.Economy == nil {
		t.Errorf("%d of %d tokens: nobody asked whether it pays", all, tight)
	}
	budget := all / 2
	once, on := prompt(budget, true), prompt(budget, false)
	if once.Compacted > budget || once.Compacted < budget*97/100 || on.Compacted > budget*2/3 {
		t.Errorf("%d tokens of %d for once, %d to go on with", once.Compacted, budget, on.Compacted)
	}
	ms = []message.Message{message.TextOf(message.User, strings.Repeat("The first message names it: value 17.\n", 3000)), message.TextOf(message.Assistant, "I see."), message.TextOf(message.User, "Go on.")}
	all = prompt(1_000_000, true).Original
	for _, budget = range []int{all / 4, all / 2, all * 4 / 5} {
		if once, on = prompt(budget, true), prompt(budget, false); once.Compacted > budget || once.Compacted < budget*9/10 || on.Compacted > budget*2/3 {
			t.Errorf("one large message: %d tokens of %d for once, %d to go on with", once.Compacted, budget, on.Compacted)
		}
	}
}
