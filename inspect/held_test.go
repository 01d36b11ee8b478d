package inspect_test

import (
	"fmt"
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
)

// A message that is held came back only if a plan had left it out, and stays so while it is
// held, whatever else the versions after it change.
//
// SPEC: B13
func TestHeldIsNotBack(t *testing.T) {
	s := simulated(t, "t", 16_000)
	c := served(t, s, inspect.Options{})
	state := func(n int) (m inspect.Message) {
		t.Helper()
		c.get(fmt.Sprintf("threads/t/messages/%d", n), &m)
		return m
	}
	var all inspect.Messages
	c.get("threads/t/messages", &all)
	var out int
	whole := all.Total // the last message was never left out
	for _, m := range all.Messages {
		if m.State == inspect.Summarized {
			out = m.Number
		}
	}
	if out == 0 || state(whole).State != inspect.Whole {
		t.Fatalf("#%d left the prompt, #%d is %s", out, whole, state(whole).State)
	}
	for _, a := range []inspect.Action{{Action: "hold", Message: whole}, {Action: "return", Message: out}, {Action: "pin", Message: whole}} {
		a.Version = current(t, s, "t")
		c.act("t", a)
	}
	if m := state(whole); m.State != inspect.Whole || !m.Held {
		t.Errorf("#%d was only held: %s, held %v", whole, m.State, m.Held)
	}
	if m := state(out); m.State != inspect.Returned || !m.Held {
		t.Errorf("#%d was brought back: %s, held %v", out, m.State, m.Held)
	}
}
