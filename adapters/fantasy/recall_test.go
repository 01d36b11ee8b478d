package fantasy_test

import (
	"testing"

	charm "charm.land/fantasy"

	"github.com/seed-3db51b0e/precis/adapters/fantasy"
)

// What left the prompt long ago is looked up with the tools that Précis adds.
//
// SPEC: B26
func TestModelLooksUpWhatLeftThePrompt(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Ask = 3
	r, err := agent(m, fantasy.New(engine(t), fantasy.Options{Budget: 6000})).Generate(t.Context(), charm.AgentCall{Prompt: m.Task()})
	said(t, m, r, err)
	if m.lookedUp == 0 {
		t.Error("nothing was looked up: the errand is too easy")
	}
}

// Without the tools the same question has no answer, and no prompt speaks of tools that
// are not there.
func TestWithoutRecallNothingIsLookedUp(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Ask, m.Grep = 3, ""
	p := fantasy.New(engine(t), fantasy.Options{Budget: 6000, NoRecall: true})
	if len(p.Tools()) > 0 {
		t.Fatal("there are tools")
	}
	r, err := agent(m, p).Generate(t.Context(), charm.AgentCall{Prompt: m.Task()})
	if err != nil || r.Response.Content.Text() != "I do not know." {
		t.Errorf("%v, %v", r, err)
	}
}
