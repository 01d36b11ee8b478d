package fantasy_test

import (
	"context"
	"strings"
	"testing"

	charm "charm.land/fantasy"

	"github.com/seed-3db51b0e/precis/adapters/fantasy"
)

// runs are the two ways to run an agent.
var runs = map[string]func(context.Context, charm.Agent, string) (*charm.AgentResult, error){
	"generate": func(ctx context.Context, a charm.Agent, task string) (*charm.AgentResult, error) {
		return a.Generate(ctx, charm.AgentCall{Prompt: task})
	},
	"stream": func(ctx context.Context, a charm.Agent, task string) (*charm.AgentResult, error) {
		return a.Stream(ctx, charm.AgentStreamCall{Prompt: task})
	},
}

// A stream reaches its listener piece by piece, as without Précis.
//
// SPEC: B26
func TestStreamIsHandedOn(t *testing.T) {
	m := &scripted{Errand: long()}
	var heard []string
	r, err := agent(m, fantasy.New(engine(t), fantasy.Options{Budget: 6000})).Stream(t.Context(), charm.AgentStreamCall{
		Prompt: m.Task(), OnTextDelta: func(_, text string) error { heard = append(heard, text); return nil },
	})
	said(t, m, r, err)
	if m.refused > 0 || len(heard) < 5 || strings.Join(heard, "") != m.Answer() {
		t.Errorf("%d refused; heard %q", m.refused, heard)
	}
}

// A refusal that comes in the stream is answered with a shorter prompt; the listener
// hears nothing of it.
//
// SPEC: B26
func TestRefusalInStreamIsAnswered(t *testing.T) {
	m := &scripted{Errand: long()}
	var heard []error
	r, err := agent(m, fantasy.New(engine(t), fantasy.Options{Budget: 60000})).Stream(t.Context(), charm.AgentStreamCall{
		Prompt: m.Task(), OnChunk: func(p charm.StreamPart) error {
			if p.Error != nil {
				heard = append(heard, p.Error)
			}
			return nil
		},
	})
	said(t, m, r, err)
	if m.refused == 0 || m.refused > 2 || len(heard) > 0 {
		t.Errorf("%d refused; heard %v", m.refused, heard)
	}
}
