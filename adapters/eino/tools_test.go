package eino_test

import (
	"testing"

	"github.com/cloudwego/eino/schema"

	"github.com/seed-3db51b0e/precis/adapters/eino"
)

// Calls that the model makes at once keep their results.
//
// SPEC: B26
func TestParallelToolsStayPaired(t *testing.T) {
	for _, stream := range []bool{false, true} {
		m := &scripted{Errand: long()}
		m.AtOnce = 4
		history, err := run(t.Context(), agent(t, m, m.Errand, eino.New(engine(t), eino.Options{Budget: 6000})), stream, schema.UserMessage(m.Task()))
		said(t, m, history, err)
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
	history, err := run(t.Context(), agent(t, m, m.Errand, eino.New(engine(t), eino.Options{Budget: 6000})), false, schema.UserMessage(m.Task()))
	said(t, m, history, err)
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
}
