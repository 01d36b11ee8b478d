package genkit_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/firebase/genkit/go/ai"

	"github.com/seed-3db51b0e/precis/adapters/genkit"
)

// A run that is many times longer than the window ends well: no prompt is too long, none
// is invalid, and what was said first is known at the end. The history that the caller
// reads is whole.
//
// SPEC: B26
func TestLongRunEndsWell(t *testing.T) {
	m := &scripted{Errand: long()}
	r, err := run(t.Context(), m, ai.WithPrompt(m.Task()), ai.WithUse(genkit.New(engine(t), genkit.Options{Budget: 6000})))
	said(t, m, r, err)
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
	if got := len(r.History()); got < 2*m.Pages+2 {
		t.Errorf("the history has %d messages", got)
	}
}

// Without Précis the same run ends in a refusal.
func TestLongRunFailsWithout(t *testing.T) {
	m := &scripted{Errand: long()}
	_, err := run(t.Context(), m, ai.WithPrompt(m.Task()))
	if err == nil || !strings.Contains(err.Error(), "maximum context length") {
		t.Errorf("after %d calls: %v", len(m.prompts), err)
	}
}

// A refused prompt is sent again once, shorter, and its window is remembered.
//
// SPEC: B26
func TestRefusedPromptIsSentAgainShorter(t *testing.T) {
	for _, stream := range []bool{false, true} {
		m := &scripted{Errand: long()}
		opts := []ai.GenerateOption{ai.WithPrompt(m.Task()), ai.WithUse(genkit.New(engine(t), genkit.Options{Budget: 60000}))}
		if stream {
			opts = append(opts, ai.WithStreaming(func(context.Context, *ai.ModelResponseChunk) error { return nil }))
		}
		r, err := run(t.Context(), m, opts...)
		said(t, m, r, err)
		if m.refused < 1 || m.refused > 2 {
			t.Errorf("stream %v: %d prompts were refused", stream, m.refused)
		}
	}
}

// An error that does not speak of the length of the prompt is the caller's own.
func TestOtherErrorsAreNotAnswered(t *testing.T) {
	m := &scripted{Errand: long(), down: errors.New("the provider is down")}
	_, err := run(t.Context(), m, ai.WithPrompt("hello"), ai.WithUse(genkit.New(engine(t), genkit.Options{})))
	if err == nil || !strings.Contains(err.Error(), m.down.Error()) || len(m.prompts) != 1 {
		t.Errorf("%d calls, then: %v", len(m.prompts), err)
	}
}
