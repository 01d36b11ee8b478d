package adk_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/adk/v2/session"

	"github.com/seed-3db51b0e/precis/adapters/adk"
)

// A run that is many times longer than the window ends well: no prompt is too long, none
// is invalid, and what was said first is known at the end.
//
// SPEC: B26
func TestLongRunEndsWell(t *testing.T) {
	m := &scripted{Errand: long()}
	r := sessions(t, adk.Wrap(m, engine(t), adk.Options{Budget: 6000}), m.Errand, session.InMemoryService())
	heard, err := run(t.Context(), r, false, m.Task())
	said(t, m, heard, err)
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
}

// Without Précis the same run ends in a refusal.
func TestLongRunFailsWithout(t *testing.T) {
	m := &scripted{Errand: long()}
	_, err := run(t.Context(), sessions(t, m, m.Errand, session.InMemoryService()), false, m.Task())
	if err == nil || !strings.Contains(err.Error(), "exceeds the maximum number of tokens") {
		t.Errorf("after %d calls: %v", len(m.prompts), err)
	}
}

// A refused prompt is sent again once, shorter, and its window is remembered.
//
// SPEC: B26
func TestRefusedPromptIsSentAgainShorter(t *testing.T) {
	for _, stream := range []bool{false, true} {
		m := &scripted{Errand: long()}
		r := sessions(t, adk.Wrap(m, engine(t), adk.Options{Budget: 60000}), m.Errand, session.InMemoryService())
		heard, err := run(t.Context(), r, stream, m.Task())
		said(t, m, heard, err)
		if m.refused < 1 || m.refused > 2 {
			t.Errorf("stream %v: %d prompts were refused", stream, m.refused)
		}
	}
}

// An error that does not speak of the length of the prompt is the agent's own.
func TestOtherErrorsAreNotAnswered(t *testing.T) {
	m := &scripted{Errand: long(), down: errors.New("the provider is down")}
	r := sessions(t, adk.Wrap(m, engine(t), adk.Options{}), m.Errand, session.InMemoryService())
	if _, err := run(t.Context(), r, false, "hello"); !errors.Is(err, m.down) || len(m.prompts) != 1 {
		t.Errorf("%d calls, then: %v", len(m.prompts), err)
	}
}
