package fantasy_test

import (
	"errors"
	"testing"

	charm "charm.land/fantasy"

	"github.com/seed-3db51b0e/precis/adapters/fantasy"
	"github.com/seed-3db51b0e/precis/internal/errand"
)

// long is an errand of about 30,000 tokens for a window of 6,000.
func long() errand.Errand {
	return errand.Errand{Pages: 60, Lines: 40, Window: 6000, Grep: "precis_grep"}
}

// A run that is many times longer than the window ends well: no prompt is too long, none
// is invalid, and what was said first is known at the end.
//
// SPEC: B26
func TestLongRunEndsWell(t *testing.T) {
	m := &scripted{Errand: long()}
	r, err := agent(m, fantasy.New(engine(t), fantasy.Options{Budget: 6000})).Generate(t.Context(), charm.AgentCall{Prompt: m.Task()})
	said(t, m, r, err)
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
}

// Without Précis the same run ends in a refusal.
func TestLongRunFailsWithout(t *testing.T) {
	m := &scripted{Errand: long()}
	_, err := charm.NewAgent(m, charm.WithTools(page(m.Errand))).Generate(t.Context(), charm.AgentCall{Prompt: m.Task()})
	var refused *charm.ProviderError
	if !errors.As(err, &refused) || !refused.IsContextTooLarge() {
		t.Errorf("after %d calls: %v", len(m.prompts), err)
	}
}

// A refused prompt is sent again once, shorter, and the window is believed when it was
// stated twice.
//
// SPEC: B26
func TestRefusedPromptIsSentAgainShorter(t *testing.T) {
	m := &scripted{Errand: long()}
	r, err := agent(m, fantasy.New(engine(t), fantasy.Options{Budget: 60000})).Generate(t.Context(), charm.AgentCall{Prompt: m.Task()})
	said(t, m, r, err)
	if m.refused == 0 || m.refused > 2 {
		t.Errorf("%d prompts were refused", m.refused)
	}
}

// A model that a ModelProvider returns, which fantasy takes in place of the prepared one,
// is wrapped by hand.
//
// SPEC: B26
func TestModelOfAProviderIsWrapped(t *testing.T) {
	m := &scripted{Errand: long()}
	p := fantasy.New(engine(t), fantasy.Options{Budget: 6000})
	r, err := agent(m, p).Generate(t.Context(), charm.AgentCall{Prompt: m.Task(), ModelProvider: func() charm.LanguageModel { return p.Wrap(m) }})
	said(t, m, r, err)
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
}

// An error that does not speak of the length of the prompt is the agent's own.
func TestOtherErrorsAreNotAnswered(t *testing.T) {
	m := &failing{scripted: scripted{Errand: long()}}
	_, err := charm.NewAgent(m, charm.WithMaxRetries(0),
		charm.WithPrepareStep(fantasy.New(engine(t), fantasy.Options{}).PrepareStep)).Generate(t.Context(), charm.AgentCall{Prompt: m.Task()})
	if !errors.Is(err, errDown) || m.calls != 1 {
		t.Errorf("%d calls, then: %v", m.calls, err)
	}
}
