package precis_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A refusal because the reply asked for is larger than the window says nothing
// of prompts: the next step sends the whole history again.
//
// SPEC: B6, T8
func TestOversizedReplyTeachesNoWindow(t *testing.T) {
	const refusal = "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":" +
		"\"input length and `max_tokens` exceed context limit: 3000 + 10000 > 8192, decrease input length or `max_tokens` and try again\"}}"
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline")})
	l := e.Loop(request("t", nil, 80_000))
	ms := turnsOf(12, 4, 4, 4, 0, 1)
	whole, err := l.PrepareStep(t.Context(), ms)
	if err != nil || len(whole) != len(ms) {
		t.Fatalf("%d messages, %v", len(whole), err)
	}
	sent := l.Turn().Compacted
	if _, _, err := l.HandleOverflow(t.Context(), ms, 400, refusal); err != nil {
		t.Errorf("the retry: %v", err)
	}
	if now := l.Turn().Compacted; now > sent*4/5 || now < sent/10 {
		t.Errorf("the retry has %d tokens after %d", now, sent)
	}
	again := turnsOf(14, 4, 4, 4, 0, 1)
	if _, err := l.PrepareStep(t.Context(), again); err != nil {
		t.Fatalf("the step after it: %v", err)
	}
	if now := l.Turn().Budget; now != 80_000 {
		t.Errorf("the step after it has a budget of %d", now)
	}
}
