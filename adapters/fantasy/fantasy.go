// Package fantasy keeps the prompts of charm.land/fantasy agents within their window.
//
// Use: give the agent PrepareStep, and Tools beside its own; adapt.WithThread names the
// conversation of a run. Law: whatever goes wrong in here, the agent's own messages are
// sent. Promise: the agent's history is only read, a message that no plan touches is sent
// as the very value that it is, and a prompt that is refused for its length is sent
// again once, shorter.
package fantasy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	charm "charm.land/fantasy"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/codec"
)

// Options are those of every adapter. The model's name is that of the agent's model.
type Options = adapt.Options

// Adapter is Précis in agents. It is safe for concurrent use, by any number of agents
// and conversations.
type Adapter struct{ adapter *adapt.Adapter }

// New makes an adapter. The caller closes the engine.
func New(e *precis.Engine, o Options) *Adapter { return &Adapter{adapt.New(e, o)} }

type conversationKey struct{}

// PrepareStep is a fantasy.PrepareStepFunction. It leaves the messages to the model that
// it returns, which knows the tools of the step, too.
func (a *Adapter) PrepareStep(ctx context.Context, o charm.PrepareStepFunctionOptions) (context.Context, charm.PrepareStepResult, error) {
	if o.StepNumber == 0 { // a run of its own, even inside of a tool of another
		ctx = context.WithValue(ctx, conversationKey{}, a.adapter.Conversation(""))
	}
	return ctx, charm.PrepareStepResult{Model: a.Wrap(o.Model)}, nil
}

// conversation returns the one of a run; without PrepareStep a new one for each call, from
// which no tool can read back.
func (a *Adapter) conversation(ctx context.Context) *adapt.Conversation {
	if c, ok := ctx.Value(conversationKey{}).(*adapt.Conversation); ok {
		return c
	}
	return a.adapter.Conversation("")
}

// Wrap returns a model that compacts the prompts of its calls. PrepareStep does that by
// itself; the models that a ModelProvider returns need it.
func (a *Adapter) Wrap(m charm.LanguageModel) charm.LanguageModel {
	if w, ok := m.(*model); ok && w.a == a {
		return m
	}
	return &model{m, a}
}

// model compacts the prompts of a model.
type model struct {
	charm.LanguageModel
	a *Adapter
}

func (m *model) step(ctx context.Context, call charm.Call) *adapt.Step {
	c := m.a.conversation(ctx)
	return c.Step(ctx, c.Read(ctx, func() adapt.Request {
		r := adapt.Request{Framework: dialect, Tools: declared(call.Tools), Model: m.Model()}
		for _, own := range call.Prompt {
			r.Messages = append(r.Messages, neutral(own))
		}
		if call.MaxOutputTokens != nil {
			r.MaxOutput = int(*call.MaxOutputTokens)
		}
		return r
	}))
}

// Generate implements fantasy.LanguageModel.
func (m *model) Generate(ctx context.Context, call charm.Call) (*charm.Response, error) {
	s, own := m.step(ctx, call), call.Prompt
	r, err := adapt.Send(ctx, s, func() (*charm.Response, error) {
		call.Prompt = adapt.Write(ctx, s, own, foreign)
		r, err := m.LanguageModel.Generate(ctx, call)
		return r, legible(err)
	})
	if err == nil {
		s.Accepted(m.usage(r.Usage))
	}
	return r, err
}

// Stream implements fantasy.LanguageModel. A refusal may come as the first part.
func (m *model) Stream(ctx context.Context, call charm.Call) (charm.StreamResponse, error) {
	s, own := m.step(ctx, call), call.Prompt
	open := func() (charm.StreamResponse, error) {
		call.Prompt = adapt.Write(ctx, s, own, foreign)
		r, err := m.LanguageModel.Stream(ctx, call)
		return r, legible(err)
	}
	stream, err := adapt.Send(ctx, s, open)
	if err != nil {
		return nil, err
	}
	return func(yield func(charm.StreamPart) bool) {
		refused := m.relay(s, stream, yield)
		if refused == nil || !s.Refused(ctx, legible(refused)) {
			if refused != nil {
				yield(charm.StreamPart{Type: charm.StreamPartTypeError, Error: refused})
			}
			return
		}
		again, err := open()
		if err == nil {
			err = m.relay(s, again, yield)
		}
		if err != nil {
			yield(charm.StreamPart{Type: charm.StreamPartTypeError, Error: err})
		}
	}, nil
}

// relay hands a stream on, but for an error that comes before anything was said: that it
// returns.
func (m *model) relay(s *adapt.Step, stream charm.StreamResponse, yield func(charm.StreamPart) bool) error {
	said := false
	for part := range stream {
		switch part.Type {
		case charm.StreamPartTypeError:
			if !said && part.Error != nil {
				return part.Error
			}
		case charm.StreamPartTypeFinish:
			s.Accepted(m.usage(part.Usage))
		case charm.StreamPartTypeWarnings:
			if !yield(part) {
				return nil
			}
			continue
		}
		said = true
		if !yield(part) {
			return nil
		}
	}
	return nil
}

// legible adds to an error the words that say that a prompt was too long, and by how much,
// where its provider says it in none that are known.
func legible(err error) error {
	var p *charm.ProviderError
	if !errors.As(err, &p) || p.ContextMaxTokens == 0 {
		return err
	}
	if p.ContextUsedTokens == 0 {
		return fmt.Errorf("%w (maximum context length is %d tokens)", err, p.ContextMaxTokens)
	}
	return fmt.Errorf("%w (maximum context length is %d tokens, your messages resulted in %d tokens)", err, p.ContextMaxTokens, p.ContextUsedTokens)
}

// usage returns what a model reported. Google and Kronk count what they read from a
// cache among the input, the others beside it.
func (m *model) usage(u charm.Usage) codec.Usage {
	in := u.InputTokens
	if p := m.Provider(); p != "google" && p != "kronk" {
		in += u.CacheReadTokens + u.CacheCreationTokens
	}
	return codec.Usage{Input: int(in), Output: int(u.OutputTokens)}
}

// Tools returns the tools with which the model reads back what its prompt does not show.
func (a *Adapter) Tools() []charm.AgentTool {
	var out []charm.AgentTool
	for _, t := range a.adapter.Tools() {
		var schema struct {
			Properties map[string]any
			Required   []string
		}
		_ = json.Unmarshal(t.Schema, &schema) // ours
		out = append(out, &recall{a: a, info: charm.ToolInfo{
			Name: t.Name, Description: t.Description, Parameters: schema.Properties, Required: schema.Required, Parallel: true,
		}})
	}
	return out
}

// recall is one of the tools that read back.
type recall struct {
	a       *Adapter
	info    charm.ToolInfo
	options charm.ProviderOptions
}

func (r *recall) Info() charm.ToolInfo                          { return r.info }
func (r *recall) ProviderOptions() charm.ProviderOptions        { return r.options }
func (r *recall) SetProviderOptions(opts charm.ProviderOptions) { r.options = opts }

func (r *recall) Run(ctx context.Context, call charm.ToolCall) (charm.ToolResponse, error) {
	return charm.NewTextResponse(r.a.conversation(ctx).Answer(ctx, r.info.Name, call.Input)), nil
}
