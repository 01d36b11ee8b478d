package precis_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/testsessions"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// unplanned is an engine with a thread of some length and no plan.
func unplanned(t *testing.T) (*precis.Engine, *precis.Turn) {
	t.Helper()
	s := memory.New()
	e, err := precis.New(precis.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(); _ = s.Close() })
	ms := testsessions.Session(3, testsessions.Options{Messages: 80}).Messages
	turn, err := e.Prepare(t.Context(), precis.Input{Thread: "t", Messages: ms, Budget: 900_000})
	if err != nil {
		t.Fatal(err)
	}
	return e, turn
}

// A pin that is taken off leaves no trace but a version.
func TestUnpin(t *testing.T) {
	e, turn := unplanned(t)
	pin := plan.Ref{ID: turn.Thread.ID(7)}
	if p, err := e.Pin(t.Context(), "t", pin); err != nil || len(p.Pins) != 1 {
		t.Fatalf("%v, %v", p, err)
	}
	if p, err := e.Unpin(t.Context(), "t", pin); err != nil || len(p.Pins) != 0 || p.Version != 2 {
		t.Errorf("%v, %v", p, err)
	}
}

// What changes nothing makes no version, which an undo would have to take back.
func TestMarksThatChangeNothing(t *testing.T) {
	e, turn := unplanned(t)
	id := turn.Thread.ID(7)
	pin := plan.Ref{ID: id}
	for name, mark := range map[string]func() (*plan.Plan, error){
		"unpin":   func() (*plan.Plan, error) { return e.Unpin(t.Context(), "t", pin) },
		"release": func() (*plan.Plan, error) { return e.Release(t.Context(), "t", id) },
	} {
		if p, err := mark(); err != nil || p.Version != 0 {
			t.Errorf("%s of what has no mark: %+v, %v", name, p, err)
		}
	}
	for want, mark := range []func() (*plan.Plan, error){
		func() (*plan.Plan, error) { return e.Pin(t.Context(), "t", pin) },
		func() (*plan.Plan, error) { return e.Hold(t.Context(), "t", id) },
	} {
		for range 2 {
			if p, err := mark(); err != nil || p.Version != want+1 {
				t.Errorf("mark %d: version %d, %v", want, p.Version, err)
			}
		}
	}
}

// SPEC: V8
// What is held stays through a compaction that does not need it, and goes after its
// release.
func TestHoldAndRelease(t *testing.T) {
	e, turn := unplanned(t)
	id := turn.Thread.ID(20)
	held, err := e.Hold(t.Context(), "t", id)
	if err != nil || len(held.Holds) == 0 {
		t.Fatalf("%v, %v", held, err)
	}
	compact := precis.Input{Thread: "t", Continue: true, Budget: 900_000, Mode: precis.Mode{Force: true, Trigger: event.Manual}}
	after, err := e.Prepare(t.Context(), compact)
	if err != nil || after.Outcome != precis.Compacted || after.Plan.Touches(id) {
		t.Fatalf("%v, %v: the held message is touched", after.Outcome, err)
	}
	if p, err := e.Release(t.Context(), "t", id); err != nil || len(p.Holds) != 0 {
		t.Fatalf("%v, %v", p, err)
	}
	if after, err = e.Prepare(t.Context(), compact); err != nil || !after.Plan.Touches(id) {
		t.Errorf("%v: the released message is still whole", err)
	}
}

// A compaction above a message leaves it and what follows alone, and takes what is
// before.
func TestCompactAbove(t *testing.T) {
	e, turn := unplanned(t)
	const here = 50
	after, err := e.Prepare(t.Context(), precis.Input{
		Thread: "t", Continue: true, Budget: 900_000, Mode: precis.Mode{Force: true, Above: turn.Thread.ID(here)},
	})
	if err != nil || after.Outcome != precis.Compacted {
		t.Fatalf("%v, %v", after, err)
	}
	touched := 0
	for i := range after.Thread.Len() {
		if after.Plan.Touches(after.Thread.ID(i)) {
			touched++
			if i >= here {
				t.Errorf("#%d is touched", i+1)
			}
		}
	}
	if touched < here/2 {
		t.Errorf("%d messages above are touched", touched)
	}
}
