package fantasy_test

import (
	"context"
	"strings"
	"testing"

	charm "charm.land/fantasy"

	"github.com/seed-3db51b0e/precis/adapt"
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

// Runs that share an adapter look up their own conversations, and those only.
//
// SPEC: B26
func TestRunsLookUpTheirOwn(t *testing.T) {
	p, m := fantasy.New(engine(t), fantasy.Options{}), &scripted{Errand: long()}
	begin := func(name, says string) context.Context {
		ctx, step, err := p.PrepareStep(adapt.WithThread(t.Context(), name), charm.PrepareStepFunctionOptions{Model: m})
		if err == nil {
			_, err = step.Model.Generate(ctx, charm.Call{Prompt: charm.Prompt{charm.NewUserMessage(says)}})
		}
		if err != nil {
			t.Fatal(err)
		}
		return ctx
	}
	one, two := begin("one", "the lighthouse is red"), begin("two", "the windmill is green")
	for ctx, want := range map[context.Context]string{one: "red", two: "green"} {
		r, err := p.Tools()[1].Run(ctx, charm.ToolCall{Input: `{"query":"lighthouse windmill"}`})
		if err != nil || strings.Contains(r.Content, "red") != (want == "red") || strings.Contains(r.Content, "green") != (want == "green") {
			t.Errorf("%s: %q, %v", want, r.Content, err)
		}
	}
}

// Calls without PrepareStep belong to no run: a tool reads back from none, least of all
// from the one that called a model last.
//
// SPEC: B26
func TestWithoutPrepareStepNothingIsLookedUp(t *testing.T) {
	p := fantasy.New(engine(t), fantasy.Options{})
	m := p.Wrap(&scripted{Errand: long()})
	if _, err := m.Generate(adapt.WithThread(t.Context(), "ann"), charm.Call{Prompt: charm.Prompt{charm.NewUserMessage("the lighthouse is red")}}); err != nil {
		t.Fatal(err)
	}
	r, err := p.Tools()[1].Run(adapt.WithThread(t.Context(), "bob"), charm.ToolCall{Input: `{"query":"lighthouse"}`})
	if err != nil || !strings.HasPrefix(r.Content, "miss: ") || strings.Contains(r.Content, "red") {
		t.Errorf("%q, %v", r.Content, err)
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
