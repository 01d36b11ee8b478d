package adk_test

import (
	"testing"

	"google.golang.org/adk/v2/session"

	"github.com/seed-3db51b0e/precis/adapters/adk"
)

// Calls that the model makes at once keep their results, although they have no ids.
//
// SPEC: B26
func TestParallelToolsStayPaired(t *testing.T) {
	for _, stream := range []bool{false, true} {
		m := &scripted{Errand: long()}
		m.AtOnce = 4
		r := sessions(t, adk.Wrap(m, engine(t), adk.Options{Budget: 6000}), m.Errand, session.InMemoryService())
		heard, err := run(t.Context(), r, stream, m.Task())
		said(t, m, heard, err)
		if m.refused > 0 {
			t.Errorf("stream %v: %d prompts were too long", stream, m.refused)
		}
	}
}

// A result that is longer than the window is shown as far as there is room.
//
// SPEC: B26
func TestResultLongerThanTheWindow(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Pages, m.Lines = 5, 2000
	r := sessions(t, adk.Wrap(m, engine(t), adk.Options{Budget: 6000}), m.Errand, session.InMemoryService())
	heard, err := run(t.Context(), r, false, m.Task())
	said(t, m, heard, err)
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
}
