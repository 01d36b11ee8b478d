// Package openaiagents keeps the prompts of openai-agents-go's agents within their window.
//
// Use: Wrap the model for each conversation, and give the agent Tools beside its own.
// Law: whatever goes wrong in here, the agent's own items are sent. Promise: the agent's
// history is only read, an item that no plan touches is sent as the very value that it
// is, and a prompt that is refused for its length is sent again once, shorter.
package openaiagents

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/nlpodyssey/openai-agents-go/agents"
	"github.com/openai/openai-go/v2/packages/param"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/message"
)

// Options are those of every adapter. Models do not tell their names: Model does.
type Options = adapt.Options

// Adapter is Précis for models. It is safe for concurrent use.
type Adapter struct{ adapter *adapt.Adapter }

// New makes an adapter. The caller closes the engine.
func New(e *precis.Engine, o Options) *Adapter { return &Adapter{adapt.New(e, o)} }

// Wrap returns a model that compacts the prompts of one conversation.
func (a *Adapter) Wrap(m agents.Model) *Model {
	return &Model{inner: m, adapter: a.adapter, conversation: a.adapter.Conversation("")}
}

// Model compacts the prompts of a model.
type Model struct {
	inner        agents.Model
	adapter      *adapt.Adapter
	conversation *adapt.Conversation
}

var _ agents.Model = (*Model)(nil)

// call is one call of a model; without a step its input goes as it came.
type call struct {
	params agents.ModelResponseParams
	own    *items
	step   *adapt.Step
}

func (m *Model) begin(ctx context.Context, p agents.ModelResponseParams) *call {
	c := &call{params: p}
	if p.PreviousResponseID != "" { // the provider holds what came before
		return c
	}
	r := m.conversation.Read(ctx, c.read)
	if len(r.Messages) > 0 {
		c.step = m.conversation.Step(ctx, r)
	}
	return c
}

// read returns the call in neutral words, without messages where it cannot be read.
func (c *call) read() adapt.Request {
	p := &c.params
	own, err := read(p.Input)
	if err != nil {
		return adapt.Request{}
	}
	c.own = own
	r := adapt.Request{Framework: responses.Name, Messages: own.request.Messages, Tools: declared(p.Tools)}
	if p.SystemInstructions.Valid() {
		r.System = []message.Part{{Kind: message.Text, Text: p.SystemInstructions.Value}}
	}
	if most := p.ModelSettings.MaxTokens; most.Valid() {
		r.MaxOutput = int(most.Value)
	}
	return r
}

// send calls a model, and once more with a shorter prompt where the first was refused
// before anything was said.
func (c *call) send(ctx context.Context, said *bool, model func(agents.ModelResponseParams) error) error {
	if c.step == nil {
		return model(c.params)
	}
	_, err := adapt.Send(ctx, c.step, func() (struct{}, error) {
		p := c.params
		p.Input = adapt.Written(ctx, c.step, p.Input, func(prompt []adapt.Message) agents.Input { return c.own.write(prompt, p.Input) })
		err := model(p)
		if err != nil && *said {
			err = &tooLate{err}
		}
		return struct{}{}, err
	})
	if late := new(tooLate); errors.As(err, &late) {
		return late.error
	}
	return err
}

// tooLate is an error after which nothing can be sent again.
type tooLate struct{ error }

func (*tooLate) Error() string { return "the answer had begun" }

func (c *call) accepted(in, out int) {
	if c.step != nil {
		c.step.Accepted(codec.Usage{Input: in, Output: out})
	}
}

// GetResponse implements agents.Model.
func (m *Model) GetResponse(ctx context.Context, p agents.ModelResponseParams) (r *agents.ModelResponse, err error) {
	c, said := m.begin(ctx, p), false
	err = c.send(ctx, &said, func(p agents.ModelResponseParams) error {
		r, err = m.inner.GetResponse(ctx, p)
		return err
	})
	if err == nil && r != nil && r.Usage != nil {
		c.accepted(int(r.Usage.InputTokens), int(r.Usage.OutputTokens))
	}
	return r, err
}

// StreamResponse implements agents.Model.
func (m *Model) StreamResponse(ctx context.Context, p agents.ModelResponseParams, yield agents.ModelStreamResponseCallback) error {
	c, said := m.begin(ctx, p), false
	return c.send(ctx, &said, func(p agents.ModelResponseParams) error {
		return m.inner.StreamResponse(ctx, p, func(ctx context.Context, e agents.TResponseStreamEvent) error {
			said = true
			if e.Type == "response.completed" {
				c.accepted(int(e.Response.Usage.InputTokens), int(e.Response.Usage.OutputTokens))
			}
			return yield(ctx, e)
		})
	})
}

// Tools returns the tools with which the model reads back what its prompt does not show.
func (m *Model) Tools() []agents.Tool {
	var out []agents.Tool
	for _, t := range m.adapter.Tools() {
		var schema map[string]any
		_ = json.Unmarshal(t.Schema, &schema) // ours
		out = append(out, agents.FunctionTool{
			Name: t.Name, Description: t.Description, ParamsJSONSchema: schema, StrictJSONSchema: param.NewOpt(false),
			OnInvokeTool: func(ctx context.Context, args string) (any, error) {
				return m.conversation.Answer(ctx, t.Name, args), nil
			},
		})
	}
	return out
}
