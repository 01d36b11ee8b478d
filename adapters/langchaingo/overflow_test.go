package langchaingo_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/seed-3db51b0e/precis/adapters/langchaingo"
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
	run(t, m, langchaingo.Options{Budget: 6000})
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
}

// Without Précis the same run ends in a refusal.
func TestLongRunFailsWithout(t *testing.T) {
	m := &scripted{Errand: long()}
	a := agents.NewOpenAIFunctionsAgent(m, []tools.Tool{page{m.Errand}})
	if _, err := chains.Run(t.Context(), agents.NewExecutor(a, agents.WithMaxIterations(100)), m.Task()); !llms.IsTokenLimitError(err) {
		t.Errorf("after %d calls: %v", len(m.prompts), err)
	}
}

// A refused prompt is sent again once, shorter, and the window is believed when it was
// stated twice.
//
// SPEC: B26
func TestRefusedPromptIsSentAgainShorter(t *testing.T) {
	m := &scripted{Errand: long()}
	run(t, m, langchaingo.Options{Budget: 60000})
	if m.refused == 0 || m.refused > 2 {
		t.Errorf("%d prompts were refused", m.refused)
	}
}

var errDown = errors.New("the provider is down")

// failing is a model that never answers.
type failing struct{ calls int }

func (f *failing) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return "", errDown
}

func (f *failing) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	f.calls++
	return nil, errDown
}

// An error that does not speak of the length of the prompt is the agent's own.
func TestOtherErrorsAreNotAnswered(t *testing.T) {
	m := &failing{}
	_, err := langchaingo.New(engine(t), langchaingo.Options{}).Wrap(m).Call(t.Context(), "hello")
	if !errors.Is(err, errDown) || m.calls != 1 {
		t.Errorf("%d calls, then: %v", m.calls, err)
	}
}
