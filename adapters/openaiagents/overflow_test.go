package openaiagents_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/adapters/openaiagents"
)

// A run that is many times longer than the window ends well: no prompt is too long, none
// is invalid, and what was said first is known at the end.
//
// SPEC: B26
func TestLongRunEndsWell(t *testing.T) {
	m := &scripted{Errand: long()}
	carried(t, m, openaiagents.Options{Budget: 6000})
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
}

// Without Précis the same run ends in a refusal.
func TestLongRunFailsWithout(t *testing.T) {
	m := &scripted{Errand: long()}
	if _, err := runner.Run(t.Context(), librarian(m, page(m.Errand)), m.Task()); err == nil || !strings.Contains(err.Error(), "maximum context length") {
		t.Errorf("after %d calls: %v", m.calls, err)
	}
}

// A refused prompt is sent again once, shorter, and the window is believed when it was
// stated twice.
//
// SPEC: B26
func TestRefusedPromptIsSentAgainShorter(t *testing.T) {
	m := &scripted{Errand: long()}
	carried(t, m, openaiagents.Options{Budget: 60000})
	if m.refused == 0 || m.refused > 2 {
		t.Errorf("%d prompts were refused", m.refused)
	}
}
