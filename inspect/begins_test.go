package inspect_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A thread that nobody named is known by what its user said first; an erasure takes that away.
//
// SPEC: B13
func TestSummaryTellsHowAThreadBegins(t *testing.T) {
	first := message.Message{Role: message.User, Parts: []message.Part{
		{Kind: message.Text, Text: "<system-reminder>\nThe date has changed.\n</system-reminder>"},
		{Kind: message.Text, Text: "Fix the\nrefund of seat 12."},
	}}
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	simulateInto(t, s, "t", 16_000, []message.Message{first, message.TextOf(message.Assistant, "I look."), message.TextOf(message.User, "Go on.")})
	c := served(t, s, inspect.Options{})
	begins := func() string {
		var sum inspect.Summary
		c.get("threads/t/summary", &sum)
		return sum.Begins
	}
	if got, want := begins(), "Fix the refund of seat 12."; got != want {
		t.Errorf("it begins %q, want %q", got, want)
	}
	c.act("t", inspect.Action{Action: "erase", Message: 1, Version: current(t, s, "t"), Confirm: "erase #1", Reason: "a password"})
	if got := begins(); got == "" || got == "Fix the refund of seat 12." {
		t.Errorf("after the erasure it begins %q, want what was said next", got)
	}
}
