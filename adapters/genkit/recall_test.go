package genkit_test

import (
	"testing"

	"github.com/firebase/genkit/go/ai"

	"github.com/seed-3db51b0e/precis/adapters/genkit"
)

// What left the prompt long ago is looked up with the tools that Précis adds.
//
// SPEC: B26
func TestModelLooksUpWhatLeftThePrompt(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Ask = 3
	r, err := run(t.Context(), m, ai.WithPrompt(m.Task()), ai.WithUse(genkit.New(engine(t), genkit.Options{Budget: 6000})))
	said(t, m, r, err)
	if m.lookedUp == 0 {
		t.Error("nothing was looked up: the errand is too easy")
	}
}

// Without the tools the same question has no answer.
func TestWithoutRecallNothingIsLookedUp(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Ask, m.Grep = 3, ""
	r, err := run(t.Context(), m, ai.WithPrompt(m.Task()), ai.WithUse(genkit.New(engine(t), genkit.Options{Budget: 6000, NoRecall: true})))
	if err != nil || r.Text() != "I do not know." {
		t.Errorf("%v, %v", r, err)
	}
}
