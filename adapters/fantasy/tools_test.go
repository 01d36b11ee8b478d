package fantasy_test

import (
	"testing"

	charm "charm.land/fantasy"

	"github.com/seed-3db51b0e/precis/adapters/fantasy"
)

// Calls that the model makes at once keep their results.
//
// SPEC: B26
func TestParallelToolsStayPaired(t *testing.T) {
	for name, run := range runs {
		m := &scripted{Errand: long()}
		m.AtOnce = 4
		r, err := run(t.Context(), agent(m, fantasy.New(engine(t), fantasy.Options{Budget: 6000})), m.Task())
		t.Log(name)
		said(t, m, r, err)
		if m.refused > 0 {
			t.Errorf("%d prompts were too long", m.refused)
		}
	}
}

// A result that is longer than the window is shown as far as there is room.
//
// SPEC: B26
func TestResultLongerThanTheWindow(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Pages, m.Lines = 5, 2000
	r, err := agent(m, fantasy.New(engine(t), fantasy.Options{Budget: 6000})).Generate(t.Context(), charm.AgentCall{Prompt: m.Task()})
	said(t, m, r, err)
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
}
