package precis_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// An undo that does not fit is taken back in one go: it does not make every later
// step compact.
//
// SPEC: V8, V4, V6
func TestUndoThatDoesNotFit(t *testing.T) {
	for _, name := range policy.Names() {
		e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, name)})
		ms := work(150, 40)
		in := request("t", ms[:121], 8_000)
		if turn := prepared(t, e, in); turn.Outcome != precis.Compacted {
			t.Fatalf("%s: %s", name, turn.Outcome)
		}
		if _, err := e.Restore(t.Context(), "t", 0); err != nil {
			t.Fatal(err)
		}
		compacted := 0
		for n := 123; n <= 181; n += 2 {
			in.Messages = ms[:n]
			if prepared(t, e, in).Outcome == precis.Compacted {
				compacted++
			}
		}
		if compacted > 15 {
			t.Errorf("%s: %d compactions in 30 steps", name, compacted)
		}
	}
}

// A pin brings the whole round back, so that call and result stay together, and
// pins sent with every request settle.
//
// SPEC: B16, V3, V6
func TestPinsUncoverRounds(t *testing.T) {
	for _, at := range []int{5, 6} {
		s := newSession(t, "balanced")
		ms := work(40, 20)
		turn := s.prepare(precis.Input{Messages: ms, Budget: 2000})
		pins := []plan.Ref{{ID: turn.Thread.At(at).ID}}
		if turn.Plan.Whole(pins[0].ID) == nil {
			t.Fatal("the message is not covered to begin with")
		}
		first := s.prepare(precis.Input{Messages: ms, Budget: 2200, Pins: pins})
		if first.Plan.Touches(pins[0].ID) {
			t.Error("a pinned message is covered")
		}
		for range 3 {
			if again := s.prepare(precis.Input{Messages: ms, Budget: 2200, Pins: pins}); again.Plan.Version != first.Plan.Version {
				t.Fatalf("the same request made plan %d after %d", again.Plan.Version, first.Plan.Version)
			}
		}
	}
	s := newSession(t, "balanced")
	ms := work(40, 20)
	turn := s.prepare(precis.Input{Messages: ms, Budget: 2000})
	if _, err := s.engine.Pin(t.Context(), "t", plan.Ref{ID: turn.Thread.At(5).ID}); err != nil {
		t.Fatal(err)
	}
	s.prepare(precis.Input{Messages: ms, Budget: 2200})
}

// A plan that is changed by hand after the conversation went on tells the tokens of the
// prompt as it is then, not as it was at the version before.
//
// SPEC: B16, V8
func TestPlanMadeByHandCountsWhatCameSince(t *testing.T) {
	for name, change := range map[string]func(*precis.Engine, *precis.Turn) (*plan.Plan, error){
		"pin": func(e *precis.Engine, turn *precis.Turn) (*plan.Plan, error) {
			return e.Pin(t.Context(), "t", plan.Ref{ID: turn.Thread.At(5).ID})
		},
		"undo": func(e *precis.Engine, _ *precis.Turn) (*plan.Plan, error) { return e.Undo(t.Context(), "t") },
	} {
		e := newWith(t, precis.Options{Store: memory.New()})
		ms := work(80, 40)
		in := request("t", ms[:121], 8_000)
		if turn := prepared(t, e, in); turn.Outcome != precis.Compacted {
			t.Fatal(turn.Outcome)
		}
		in.Messages = ms[:127]
		turn := prepared(t, e, in)
		if turn.Plan.ThreadVersion != 121 {
			t.Fatalf("plan %d is made at message %d", turn.Plan.Version, turn.Plan.ThreadVersion)
		}
		made, err := change(e, turn)
		if err != nil {
			t.Fatal(err)
		}
		if made.Original != turn.Original {
			t.Errorf("%s: the plan says %d tokens without it, the request has %d", name, made.Original, turn.Original)
		}
		if next := prepared(t, e, in); next.Plan.Version == made.Version && made.Compacted != next.Compacted {
			t.Errorf("%s: the plan says %d tokens, the prompt has %d", name, made.Compacted, next.Compacted)
		}
	}
}

// SPEC: V8, B16
func TestRestoreKeepsHoldsAndPins(t *testing.T) {
	s := newSession(t, "balanced")
	turn := s.prepare(precis.Input{Messages: work(60, 40), Budget: 4000})
	id := turn.Thread.At(5).ID
	if _, err := s.engine.ExpandMessage(t.Context(), "t", id); err != nil {
		t.Fatal(err)
	}
	p, err := s.engine.Restore(t.Context(), "t", 0)
	if err != nil {
		t.Fatal(err)
	}
	held := map[any]bool{}
	for _, h := range p.Holds {
		held[h.ID] = true
	}
	if !held[id] || len(p.Records) != 0 {
		t.Errorf("restored to nothing: %d records, the expanded message held: %t", len(p.Records), held[id])
	}
	if _, err := s.engine.Pin(t.Context(), "t", plan.Ref{ID: id}); err != nil {
		t.Fatal(err)
	}
	if p, err = s.engine.Restore(t.Context(), "t", 1); err != nil {
		t.Fatal(err)
	}
	if p.Whole(id) != nil {
		t.Error("a restored plan covers what was pinned since")
	}
	if after := s.prepare(precis.Input{Messages: work(60, 40), Budget: 4000}); after.Plan.Version != p.Version {
		t.Errorf("a restored plan that fits was replaced: plan %d after %d", after.Plan.Version, p.Version)
	}
}

// SPEC: V8
// What an undo gave back, and the budget cannot keep, leaves again before anything newer:
// the plan is that of a conversation without an undo.
func TestUndoneWithoutRoomLeavesOldestFirst(t *testing.T) {
	s := newSession(t, "balanced")
	ms := work(60, 40)
	first := s.prepare(precis.Input{Messages: ms, Budget: 4000})
	if _, err := s.engine.Restore(t.Context(), "t", 0); err != nil {
		t.Fatal(err)
	}
	again := s.prepare(precis.Input{Messages: ms, Budget: 4000})
	for i := range again.Thread.Len() {
		id := again.Thread.ID(i)
		if was, is := first.Plan.Whole(id) != nil, again.Plan.Whole(id) != nil; was != is {
			t.Errorf("#%d: left the prompt %t, after the undo %t", i+1, was, is)
		}
	}
	if len(again.Plan.Holds) != 0 {
		t.Errorf("%d holds stand on what left", len(again.Plan.Holds))
	}
	if p, err := s.engine.Restore(t.Context(), "t", 1); err != nil || len(p.Holds) != 0 {
		t.Errorf("%v; %d holds on what a restored plan leaves out", err, len(p.Holds))
	}
}

// SPEC: V8, B16
// An undo takes back what the last step marked, and nothing that older steps did; a version
// that is taken up again keeps the marks of today.
func TestUndoTakesMarksBack(t *testing.T) {
	type step func(*precis.Engine, *testing.T, plan.Ref) (*plan.Plan, error)
	pin := func(e *precis.Engine, t *testing.T, f plan.Ref) (*plan.Plan, error) {
		return e.Pin(t.Context(), "t", f)
	}
	unpin := func(e *precis.Engine, t *testing.T, f plan.Ref) (*plan.Plan, error) {
		return e.Unpin(t.Context(), "t", f)
	}
	hold := func(e *precis.Engine, t *testing.T, f plan.Ref) (*plan.Plan, error) {
		return e.Hold(t.Context(), "t", f.ID)
	}
	undo := func(e *precis.Engine, t *testing.T, _ plan.Ref) (*plan.Plan, error) { return e.Undo(t.Context(), "t") }
	for name, steps := range map[string][]step{
		"pin": {pin, undo}, "hold": {hold, undo}, "unpin after a pin": {pin, unpin, undo, undo}, "pin twice undone": {hold, pin, undo, undo},
	} {
		s := newSession(t, "balanced")
		first := s.prepare(precis.Input{Messages: work(60, 40), Budget: 4000})
		var p *plan.Plan
		var err error
		for _, do := range steps {
			if p, err = do(s.engine, t, plan.Ref{ID: first.Thread.At(5).ID}); err != nil {
				t.Fatal(err)
			}
		}
		if len(p.Pins)+len(p.Holds) > 0 || p.Compacted != first.Plan.Compacted || !slices.EqualFunc(p.Records, first.Plan.Records, func(a, b plan.Record) bool { return a.ID == b.ID }) {
			t.Errorf("%s: plan %d has %d pins, %d holds and %d tokens, plan 1 had %d", name, p.Version, len(p.Pins), len(p.Holds), p.Compacted, first.Plan.Compacted)
		}
	}
	s := newSession(t, "balanced")
	if _, err := s.engine.Undo(t.Context(), "t"); err == nil {
		t.Error("a thread that is not there was undone")
	}
	s.prepare(precis.Input{Messages: work(60, 40), Budget: 4000})
	if p, err := s.engine.Undo(t.Context(), "t"); err != nil || len(p.Records) != 0 {
		t.Errorf("%v; %d records", err, len(p.Records))
	}
	if _, err := s.engine.Undo(t.Context(), "t"); !errors.Is(err, precis.ErrNoUndo) {
		t.Errorf("undo of nothing: %v", err)
	}
}
