package openaiagents_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/adapters/openaiagents"
)

// Calls that the model makes at once, and the agent runs at once, keep their results.
//
// SPEC: B26
func TestParallelToolsStayPaired(t *testing.T) {
	m := &scripted{Errand: long()}
	m.AtOnce = 4
	carried(t, m, openaiagents.Options{Budget: 6000})
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
}

// A result that is longer than the window is shown as far as there is room.
//
// SPEC: B26
func TestResultLongerThanTheWindow(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Pages, m.Lines = 5, 2000
	carried(t, m, openaiagents.Options{Budget: 6000})
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
}
