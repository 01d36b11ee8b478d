package eino_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/seed-3db51b0e/precis/adapters/eino"
	"github.com/seed-3db51b0e/precis/internal/errand"
)

// A run that is many times longer than the window ends well: no prompt is too long, none
// is invalid, and what was said first is known at the end.
//
// SPEC: B26
func TestLongRunEndsWell(t *testing.T) {
	m := &scripted{Errand: long()}
	history, err := run(t.Context(), agent(t, m, m.Errand, eino.New(engine(t), eino.Options{Budget: 6000})), false, schema.UserMessage(m.Task()))
	said(t, m, history, err)
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
}

// Without Précis the same run ends in a refusal.
func TestLongRunFailsWithout(t *testing.T) {
	m := &scripted{Errand: long()}
	_, err := run(t.Context(), agent(t, m, m.Errand), false, schema.UserMessage(m.Task()))
	var long *errand.TooLong
	if !errors.As(err, &long) {
		t.Errorf("after %d calls: %v", len(m.prompts), err)
	}
}

// A refused prompt is sent again once, shorter, and its window is remembered.
//
// SPEC: B26
func TestRefusedPromptIsSentAgainShorter(t *testing.T) {
	for _, stream := range []bool{false, true} {
		m := &scripted{Errand: long()}
		history, err := run(t.Context(), agent(t, m, m.Errand, eino.New(engine(t), eino.Options{Budget: 60000})), stream, schema.UserMessage(m.Task()))
		said(t, m, history, err)
		if m.refused < 1 || m.refused > 2 {
			t.Errorf("stream %v: %d prompts were refused", stream, m.refused)
		}
	}
}

var errDown = errors.New("the provider is down")

// failing is a model that never answers.
type failing struct{ calls int }

func (f *failing) Generate(context.Context, []*schema.Message, ...model.Option) (*schema.Message, error) {
	f.calls++
	return nil, errDown
}

func (f *failing) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	f.calls++
	return nil, errDown
}

// An error that does not speak of the length of the prompt is the agent's own.
func TestOtherErrorsAreNotAnswered(t *testing.T) {
	for _, stream := range []bool{false, true} {
		m := &failing{}
		_, err := run(t.Context(), agent(t, m, long(), eino.New(engine(t), eino.Options{})), stream, schema.UserMessage("hello"))
		if !errors.Is(err, errDown) || m.calls != 1 {
			t.Errorf("stream %v: %d calls, then: %v", stream, m.calls, err)
		}
	}
}
