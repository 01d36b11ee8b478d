package eino_test

import (
	"testing"

	"github.com/cloudwego/eino/schema"

	"github.com/seed-3db51b0e/precis/adapters/eino"
)

// What left the prompt long ago is looked up with the tools that Précis adds.
//
// SPEC: B26
func TestModelLooksUpWhatLeftThePrompt(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Ask = 3
	history, err := run(t.Context(), agent(t, m, m.Errand, eino.New(engine(t), eino.Options{Budget: 6000})), false, schema.UserMessage(m.Task()))
	said(t, m, history, err)
	if m.lookedUp == 0 {
		t.Error("nothing was looked up: the errand is too easy")
	}
}

// Without the tools the same question has no answer.
func TestWithoutRecallNothingIsLookedUp(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Ask, m.Grep = 3, ""
	history, err := run(t.Context(), agent(t, m, m.Errand, eino.New(engine(t), eino.Options{Budget: 6000, NoRecall: true})), false, schema.UserMessage(m.Task()))
	if err != nil || history[len(history)-1].Content != "I do not know." {
		t.Errorf("%v, %v", history[len(history)-1], err)
	}
}
