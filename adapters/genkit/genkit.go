// Package genkit compacts the context of calls that are made with Genkit
// (github.com/firebase/genkit/go).
//
// Use: ai.WithUse(New(engine, Options{})) among the options of genkit.Generate, under a
// name of your own for this package. Law: the loop and its history keep every message;
// only what the model is shown is compacted, and whatever goes wrong in here it is shown
// the messages as they came. Promise: a message that is not touched is the same pointer;
// a prompt that is refused for its length is sent again once, compacted.
package genkit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/firebase/genkit/go/ai"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/model"
)

// Options are those of every adapter. adapt.WithThread names the conversation of one call.
type Options = adapt.Options

// New returns the middleware of any number of calls: see ai.WithUse. The caller closes
// the engine.
func New(e *precis.Engine, o Options) ai.Middleware { return &middleware{adapter: adapt.New(e, o)} }

type middleware struct{ adapter *adapt.Adapter }

// Name implements ai.Middleware.
func (*middleware) Name() string { return "precis" }

// New implements ai.Middleware: it begins the conversation of one call.
func (m *middleware) New(context.Context) (*ai.Hooks, error) {
	c := m.adapter.Conversation("")
	one := &call{conversation: c}
	hooks := &ai.Hooks{WrapGenerate: one.generate, WrapModel: one.ask}
	for _, t := range m.adapter.Tools() {
		made, err := recallTool(t, c)
		if err != nil {
			return nil, err
		}
		hooks.Tools = append(hooks.Tools, made)
	}
	return hooks, nil
}

// call is one call of Generate, which asks the model many times, one after another.
type call struct {
	conversation *adapt.Conversation
	model        string // its name, "" where that is not known
}

// generate notes which model is asked: only here that is known.
func (c *call) generate(ctx context.Context, params *ai.GenerateParams, next ai.GenerateNext) (*ai.ModelResponse, error) {
	if params.Options != nil {
		c.model = params.Options.Model[strings.LastIndexByte(params.Options.Model, '/')+1:] // without its plugin
	}
	return next(ctx, params)
}

// ask shows the model what is left of the messages. What the caller reads of the reply
// is the request as it was.
func (c *call) ask(ctx context.Context, params *ai.ModelParams, next ai.ModelNext) (*ai.ModelResponse, error) {
	own, began := params.Request, false
	step := c.conversation.Step(ctx, c.conversation.Read(ctx, func() adapt.Request { return request(own, c.model) }))
	send := func() (*ai.ModelResponse, error) {
		shown := *own
		shown.Messages = adapt.Write(ctx, step, own.Messages, build)
		p := &ai.ModelParams{Request: &shown}
		if params.Callback != nil {
			p.Callback = func(ctx context.Context, chunk *ai.ModelResponseChunk) error {
				began = true
				return params.Callback(ctx, chunk)
			}
		}
		return next(ctx, p)
	}
	reply, err := send()
	if !began && step.Refused(ctx, err) {
		reply, err = send()
	}
	if err != nil || reply == nil {
		return reply, err
	}
	step.Accepted(c.usage(reply.Usage))
	if reply.Request != nil { // ModelResponse.History begins with it
		reply.Request = own
	}
	return reply, nil
}

// usage returns what a model reported. Anthropic counts what it read from a cache beside the
// input, the others among it.
func (c *call) usage(u *ai.GenerationUsage) codec.Usage {
	if u == nil {
		return codec.Usage{}
	}
	in := u.InputTokens
	if m, _ := model.Lookup(c.model); m.Provider == "anthropic" {
		in += u.CachedContentTokens
	}
	return codec.Usage{Input: in, Output: u.OutputTokens}
}

// recallTool reads back what left the prompts of a conversation.
func recallTool(t codec.Tool, c *adapt.Conversation) (ai.Tool, error) {
	var schema map[string]any
	if err := json.Unmarshal(t.Schema, &schema); err != nil {
		return nil, fmt.Errorf("read schema of %s: %w", t.Name, err)
	}
	answer := func(ctx *ai.ToolContext, input any) (string, error) {
		args, err := json.Marshal(input)
		if err != nil {
			return "", fmt.Errorf("read arguments of %s: %w", t.Name, err)
		}
		return c.Answer(ctx, t.Name, string(args)), nil
	}
	return ai.NewTool(t.Name, t.Description, answer, ai.WithInputSchema(schema)), nil
}
