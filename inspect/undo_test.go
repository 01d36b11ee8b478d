package inspect_test

import (
	"strconv"
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
)

// An action says that an undo takes it back where an undo restores the version before it. After an
// undo or a restoration the next undo goes further back: these are taken back by a restoration.
//
// SPEC: B13
func TestWhatAnUndoTakesBack(t *testing.T) {
	for _, a := range []inspect.Action{
		{Action: "pin", Message: 3}, {Action: "hold", Message: 4}, {Action: "return", Message: 5}, {Action: "undo"}, {Action: "restore", Restore: 1}, {Action: "restore"},
	} {
		t.Run(a.Action+strconv.Itoa(a.Restore), func(t *testing.T) {
			s := simulated(t, "t", 16_000)
			c := served(t, s, inspect.Options{})
			c.act("t", inspect.Action{Action: "pin", Message: 2, Version: current(t, s, "t")})
			before := current(t, s, "t")
			a.Version = before
			done := c.act("t", a)
			back := false
			if a.Action != "restore" || a.Restore > 0 { // version 0 is the first: nothing is left to undo
				undone := c.act("t", inspect.Action{Action: "undo", Version: done.Version})
				var p inspect.Plan
				c.get("threads/t/plans/"+strconv.Itoa(undone.Version), &p)
				back = p.Restores != nil && *p.Restores == before
			}
			if done.Undo != back {
				t.Errorf("%s says can_undo %v, and an undo takes it back: %v", a.Action, done.Undo, back)
			}
		})
	}
}
