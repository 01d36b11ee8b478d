package precis_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/staged"
	"github.com/seed-3db51b0e/precis/token"
)

// lines is a result of n lines that say which round they are of.
func lines(round, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "round %d line %d of the report on host-%d.example\n", round, i, round%7)
	}
	return b.String()
}

// pointers are the artifacts that a plan points to, oldest first.
func pointers(p *plan.Plan) (ids []string) {
	if p == nil {
		return nil
	}
	for _, r := range p.Records {
		if r.Action == plan.Externalize {
			ids = append(ids, r.Artifact)
		}
	}
	return ids
}

// An agent that names externalized content at every turn, for 500 turns and
// under pressure, never makes the ladder take away what it has just brought back:
// at most one new plan in 20 turns, nothing back within its cooldown, the
// reserve never exceeded, and nothing of it in the log.
//
// SPEC: L13, L14, V4, V6
func TestNoOscillation(t *testing.T) {
	const budget, turns, cooldown = 32_000, 500, 2
	e, meter := newEngine(t, memory.New(), policyOf(t, "ladder")), token.Truncate()
	history := []message.Message{message.TextOf(message.User, "Watch the hosts and report.")}
	back, commits, version, brought := map[string]int{}, []int(nil), 0, 0
	name := ""
	for turn := range turns {
		said, size := "looking on", 6
		if name != "" {
			said = "I need " + name + " again"
		}
		if turn%10 == 0 {
			size = 90 // large enough to be externalized
		}
		history = append(history, round(turn, "fetch_report", fmt.Sprintf(`{"n":%d}`, turn), said, lines(turn, size))...)
		got, err := e.Prepare(t.Context(), precis.Input{Thread: "t", Messages: history, Meter: meter, Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		if got.Plan != nil && got.Plan.Version > version {
			commits, version = append(commits, turn), got.Plan.Version
		}
		tail := 0
		for _, s := range got.Rehydrated {
			if last, ok := back[s.Artifact]; ok && turn-last < cooldown {
				t.Fatalf("turn %d brings %s back, turn %d did", turn, s.Artifact, last)
			}
			back[s.Artifact], brought = turn, brought+1
			tail += s.Tokens
		}
		if tail > policyOf(t, "ladder").Reserve(budget) || got.Compacted > budget {
			t.Fatalf("turn %d: %d tokens came back, the prompt has %d", turn, tail, got.Compacted)
		}
		if got.Thread.Len() != len(history) {
			t.Fatalf("the log has %d messages, the history %d", got.Thread.Len(), len(history))
		}
		if ids := pointers(got.Plan); len(ids) > 0 {
			name = ids[turn%len(ids)]
		}
	}
	for i := 1; i < len(commits); i++ {
		if commits[i]-commits[i-1] < 20 {
			t.Errorf("plans at turns %d and %d", commits[i-1], commits[i])
		}
	}
	if len(commits) < 5 || brought < 100 {
		t.Errorf("%d plans and %d artifacts back: no pressure, no proof", len(commits), brought)
	}
}

// What comes back stands at the very end, for one turn, within the reserve; the
// gate and the limits hold, and every refusal is told.
//
// SPEC: L13, L14, L15, L19, V10
func TestRehydrationIsEphemeral(t *testing.T) {
	var bus event.Bus
	told := record(t, &bus)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	e, err := precis.New(precis.Options{Store: memory.New(), Policy: policyOf(t, "ladder"), Events: &bus, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	prepare := func(ms []message.Message) *precis.Turn {
		t.Helper()
		turn, err := e.Prepare(t.Context(), precis.Input{Thread: "t", Messages: ms, Meter: token.Truncate(), Budget: 16_000})
		if err != nil {
			t.Fatal(err)
		}
		return turn
	}
	history := []message.Message{message.TextOf(message.User, "Watch the hosts.")}
	for i := range 11 {
		history = append(history, round(i, "fetch_report", fmt.Sprintf(`{"n":%d}`, i), "looking", lines(i, 90))...)
	}
	ids := pointers(prepare(history).Plan)
	if len(ids) < 2 {
		t.Fatalf("externalized: %v", ids)
	}
	quiet := prepare(history)
	history = append(history, round(7, "fetch_report", `{"n":7}`, "back to "+ids[0], "fine")...)
	loud := prepare(history)
	if len(quiet.Rehydrated) != 0 || len(loud.Rehydrated) != 1 || loud.Rehydrated[0].Artifact != ids[0] {
		t.Fatalf("came back: %+v, then %+v", quiet.Rehydrated, loud.Rehydrated)
	}
	last := loud.Messages[len(loud.Messages)-1]
	if loud.Origins[len(loud.Messages)-1].First != -1 || !strings.Contains(last.Parts[0].Text, "of the report on host-") {
		t.Errorf("the last message is %+v", last)
	}
	history = append(history, round(8, "fetch_report", `{"n":8}`, "go on", "the report says: "+ids[1])...) // a result names one
	if next := prepare(history); len(next.Rehydrated) != 0 || next.Thread.Len() != len(history) {
		t.Errorf("a tool result brought %+v back", next.Rehydrated)
	}
	if n := count(told(), event.Rehydrated); n != 1 {
		t.Errorf("%d events tell of it", n)
	}
}

// record collects a bus's events; the function it returns waits for all of them.
func record(t *testing.T, b *event.Bus) func() []event.Event {
	t.Helper()
	var all []event.Event
	b.Subscribe(func(v event.Event) { all = append(all, v) }, event.Options{})
	return func() []event.Event {
		t.Helper()
		if err := b.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		return all
	}
}

func count(all []event.Event, k event.Kind) (n int) {
	for _, v := range all {
		if v.Kind == k {
			n++
		}
	}
	return n
}

// A turn that brings content back moves nothing else out and drops nothing,
// though it is over the trigger; the same turn without it does.
//
// SPEC: L14
func TestBringingBackTakesNothingAway(t *testing.T) {
	taken := func(back bool) (n int) {
		e, ms, ids := watched(t)
		said := "on"
		if back {
			said = "I need " + ids[0]
		}
		for i := range 5 {
			ms = append(ms, round(20+i, "fetch_report", fmt.Sprintf(`{"m":%d}`, i), said, lines(20+i, 90))...)
		}
		before := map[string]bool{}
		for _, id := range ids {
			before[id] = true
		}
		turn := prepared(t, e, request("t", ms, 16_000))
		if (len(turn.Rehydrated) > 0) != back || turn.Before < 11_500 {
			t.Fatalf("%d came back, %d tokens before", len(turn.Rehydrated), turn.Before)
		}
		for _, r := range turn.Plan.Records {
			if r.Action == plan.Drop || r.Action == plan.Externalize && !before[r.Artifact] {
				n++
			}
		}
		return n
	}
	if loud, quiet := taken(true), taken(false); loud != 0 || quiet == 0 {
		t.Errorf("took %d away where content came back, %d where none did", loud, quiet)
	}
}

// Of content larger than the reserve a part comes back.
//
// SPEC: L13, L14, V4
func TestReserveHolds(t *testing.T) {
	e, ms, ids := watched(t)
	ms = append(ms, round(30, "fetch_report", `{"n":30}`, "I need "+strings.Join(ids, " and "), "fine")...)
	in := request("t", ms, 16_000)
	turn := prepared(t, e, in)
	tail := 0
	for i, o := range turn.Origins {
		if o.First < 0 {
			tail += in.Meter.Message(turn.Messages[i])
		}
	}
	if most := policyOf(t, "ladder").Reserve(in.Budget); tail > most || tail < most/2 {
		t.Errorf("%d tokens came back of %+v, the reserve is %d", tail, turn.Rehydrated, most)
	}
}

// A fork of a thread whose artifact is gone keeps the rest of its plan.
//
// SPEC: V8, V9, B16, L16
func TestForkOfExpired(t *testing.T) {
	st := memory.New()
	e := newEngine(t, st, policyOf(t, "ladder"))
	ms, turn := externalized(t, e)
	ids := pointers(turn.Plan)
	if len(ids) == 0 {
		t.Fatal("nothing externalized")
	}
	if _, err := e.Pin(t.Context(), "t", plan.Ref{ID: idOf(ms, 1)}); err != nil {
		t.Fatal(err)
	}
	k := store.Key{Thread: "t"}
	p, _ := st.Plan(t.Context(), k)
	ids = pointers(p)
	if err := st.Erase(t.Context(), k, ids[0], tomb()); err != nil {
		t.Fatal(err)
	}
	ms = append(ms[:len(ms)-1:len(ms)-1], message.TextOf(message.User, "another way"))
	in := precis.Input{Thread: "t", Messages: ms, Meter: token.Truncate(), Budget: 32_000}
	_, err := e.Prepare(t.Context(), in)
	t.Logf("first: %v", err)
	turn2, err2 := e.Prepare(t.Context(), in)
	if err2 != nil {
		t.Fatal(err2)
	}
	pins := 0
	if turn2.Plan != nil {
		pins = len(turn2.Plan.Pins)
	}
	if err != nil || pins != 1 {
		t.Errorf("fork fails: %v; then %d pins, plan version %v", err, pins, turn2.Plan.Version)
	}
}

// A request that writes on trial, as one whose key no provider has accepted, and that departs
// from its thread is prepared under the plan that its fork inherits, and brings back what that
// externalized.
//
// SPEC: L13, B6
func TestForkOnTrialBringsContentBack(t *testing.T) {
	e := newEngine(t, staged.Over(memory.New()), policyOf(t, "ladder"))
	ms, turn := externalized(t, e)
	ids := pointers(turn.Plan)
	if len(ids) == 0 {
		t.Fatalf("nothing is externalized: %s", turn.Outcome)
	}
	in := precis.Input{Thread: "t", Messages: append(ms[:len(ms)-2:len(ms)-2], message.TextOf(message.User, "What was in "+ids[0]+"?")), Meter: token.Truncate(), Budget: 32_000}
	ctx, stage := staged.Begin(t.Context(), true)
	defer stage.Drop()
	got, err := e.Prepare(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got.Key.Thread, "~") || len(got.Rehydrated) == 0 {
		t.Errorf("thread %s, back %v, not back %v", got.Key.Thread, got.Rehydrated, got.RehydrationSkipped)
	}
}
