package inspect_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A picture is named wherever a message is shown, as in the results of tools: its bytes say nothing to a
// reader.
//
// SPEC: B13
func TestPicturesAreNamed(t *testing.T) {
	picture := message.Part{Kind: message.Media, MediaType: "image/png", Raw: []byte(`{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}`)}
	link := message.Part{Kind: message.Media, URL: "https://example.org/seat.png"}
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	simulateInto(t, s, "t", 16_000, []message.Message{{Role: message.User, Parts: []message.Part{{Kind: message.Text, Text: "Which seat?"}, picture, link}}})
	c := served(t, s, inspect.Options{})
	var (
		sum  inspect.Summary
		card inspect.Message
		text inspect.Text
	)
	c.get("threads/t/summary", &sum)
	c.get("threads/t/messages/1", &card)
	c.get("threads/t/messages/1/text", &text)
	for _, got := range []string{sum.Begins, card.Text, text.Text} {
		if want := "Which seat? [image/png] [picture or file] https://example.org/seat.png"; oneline.Of(got) != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}

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
