package summary_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/summary"
)

// SPEC: V9. Nothing of a conversation stands in an error that is logged or told to subscribers: neither
// what a summary named nor what a summarizer said of it.
func TestErrorsWithoutContent(t *testing.T) {
	unsupported := &summary.UnsupportedError{Section: "facts", Item: 2, Value: "berth-99", From: at(4)}
	for _, c := range []struct {
		err  error
		want string
	}{
		{unsupported, "verify summary: facts 2: summary names what its span does not hold"},
		{fmt.Errorf("compact: %w", unsupported), "compact: verify summary: facts 2: summary names what its span does not hold"},
		{summary.Attempted("summarize with clerk", unsupported), "summarize with clerk: verify summary: facts 2: summary names what its span does not hold"},
		{fmt.Errorf("compact: %w", summary.Attempted("summarize with clerk", errors.New("no berth-99"))), "compact: summarize with clerk"},
		{summary.Attempted("summarize with clerk", &codec.Failure{Status: 529, Message: "berth-99"}), "summarize with clerk: status 529"},
		{errors.Join(summary.Attempted("summarize with clerk", unsupported), errors.New("berth-99")), "summarize with clerk: verify summary: facts 2: summary names what its span does not hold"},
		{errors.New("commit plan: stale"), "commit plan: stale"},
	} {
		if got := summary.Redact(c.err); got != c.want {
			t.Errorf("%v\nis told as %q, want %q", c.err, got, c.want)
		}
	}
	th, span := conversation(t, "Never take berth-99.")
	pin := summary.Fact{Kind: summary.Constraint, Text: "Never take berth-99.", Pinned: true, From: summary.Source{ID: th.At(0).ID, N: 1}}
	lost := summary.Verify(&summary.Structured{}, th, span, &summary.Structured{Facts: []summary.Fact{pin}})
	if got := summary.Redact(lost); !errors.Is(lost, summary.ErrLostPin) || got != "verify summary: summary lost a pinned text" {
		t.Errorf("%v is told as %q", lost, got)
	}
}
