package adk_test

import (
	"testing"

	"google.golang.org/adk/v2/session"

	"github.com/seed-3db51b0e/precis/adapters/adk"
)

// What left the prompt long ago is looked up with the tools that Précis adds.
//
// SPEC: B26
func TestModelLooksUpWhatLeftThePrompt(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Ask = 3
	r := sessions(t, adk.Wrap(m, engine(t), adk.Options{Budget: 6000}), m.Errand, session.InMemoryService())
	heard, err := run(t.Context(), r, false, m.Task())
	said(t, m, heard, err)
	if m.lookedUp == 0 {
		t.Error("nothing was looked up: the errand is too easy")
	}
}

// Without the tools the same question has no answer.
func TestWithoutRecallNothingIsLookedUp(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Ask, m.Grep = 3, ""
	r := sessions(t, adk.Wrap(m, engine(t), adk.Options{Budget: 6000, NoRecall: true}), m.Errand, session.InMemoryService())
	heard, err := run(t.Context(), r, false, m.Task())
	if err != nil || len(heard) == 0 || heard[len(heard)-1] != "I do not know." {
		t.Errorf("%q, %v", heard, err)
	}
}
