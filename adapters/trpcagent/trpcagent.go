// Package trpcagent keeps the prompts of trpc-agent-go's agents within their window.
//
// Use: give the runner the plugin that New makes, and the agents its Tools. Law: whatever
// goes wrong in here, the agent's own messages are sent. Promise: sessions are only read,
// a message that no plan touches is sent as the very value that it is, and a prompt that
// is refused for its length is sent again once, shorter.
package trpcagent

import (
	"context"
	"encoding/json"
	"errors"

	"trpc.group/trpc-go/trpc-agent-go/agent"
	"trpc.group/trpc-go/trpc-agent-go/model"
	"trpc.group/trpc-go/trpc-agent-go/plugin"
	"trpc.group/trpc-go/trpc-agent-go/tool"
	"trpc.group/trpc-go/trpc-agent-go/tool/resultformat"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/codec"
)

// Options are those of every adapter. A conversation is named by its app, user, session
// and agent, and the model is the agent's, where they leave that open.
type Options = adapt.Options

// Plugin is Précis in a runner. It is safe for concurrent use.
type Plugin struct{ adapter *adapt.Adapter }

var _ plugin.Plugin = (*Plugin)(nil)

// New makes a plugin. The caller closes the engine.
func New(e *precis.Engine, o Options) *Plugin { return &Plugin{adapt.New(e, o)} }

// Name implements plugin.Plugin.
func (p *Plugin) Name() string { return "precis" }

// Register implements plugin.Plugin.
func (p *Plugin) Register(r *plugin.Registry) {
	r.BeforeModel(p.beforeModel)
	r.AfterModel(p.afterModel)
}

// call is one call of a model.
type call struct {
	conversation *adapt.Conversation
	step         *adapt.Step
	own          []model.Message
	answering    bool // a part of the answer was handed on
}

type callKey struct{}

// beforeModel puts the compacted prompt into the request.
func (p *Plugin) beforeModel(ctx context.Context, args *model.BeforeModelArgs) (*model.BeforeModelResult, error) {
	if args == nil || args.Request == nil {
		return nil, nil
	}
	c := &call{own: args.Request.Messages}
	session, named := "", ""
	if i, ok := agent.InvocationFromContext(ctx); ok && i != nil {
		if i.Model != nil {
			named = i.Model.Info().Name
		}
		if s := i.Session; s != nil {
			session = adapt.SessionName(s.AppName, s.UserID, s.ID, i.AgentName)
		}
	}
	c.conversation = p.adapter.Conversation(session)
	c.step = c.conversation.Step(ctx, c.conversation.Read(ctx, func() adapt.Request {
		r := adapt.Request{Framework: dialect, Messages: neutral(c.own), Tools: declared(args.Request.Tools), Model: named}
		if most := args.Request.MaxTokens; most != nil {
			r.MaxOutput = *most
		}
		return r
	}))
	args.Request.Messages = adapt.Write(ctx, c.step, c.own, foreign)
	return &model.BeforeModelResult{Context: context.WithValue(ctx, callKey{}, c)}, nil
}

// afterModel learns from what was reported, and answers a refusal with a shorter prompt.
func (p *Plugin) afterModel(ctx context.Context, args *model.AfterModelArgs) (*model.AfterModelResult, error) {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok || args == nil || args.Response == nil {
		return nil, nil
	}
	if args.Response.Error == nil {
		c.answering = true
		if !args.Response.IsPartial {
			c.step.Accepted(usage(args.Response))
		}
		return nil, nil
	}
	if c.answering || !c.step.Refused(ctx, errors.New(args.Response.Error.Message)) {
		return nil, nil
	}
	if r := c.again(ctx, args.Request); r != nil {
		return &model.AfterModelResult{CustomResponse: r}, nil
	}
	return nil, nil
}

// again sends the shorter prompt, and returns the whole answer: a callback cannot hand on
// a stream. It returns nil where there is none.
func (c *call) again(ctx context.Context, refused *model.Request) *model.Response {
	i, ok := agent.InvocationFromContext(ctx)
	if !ok || i == nil || i.Model == nil || refused == nil {
		return nil
	}
	r := *refused
	r.Messages, r.Stream = adapt.Write(ctx, c.step, c.own, foreign), false
	answers, err := i.Model.GenerateContent(ctx, &r)
	if err != nil {
		return nil
	}
	var last *model.Response
	for a := range answers {
		if a != nil && !a.IsPartial {
			last = a
		}
	}
	if last != nil && last.Error == nil {
		c.step.Accepted(usage(last))
	}
	return last
}

// usage returns what a model reported. Only Anthropic's says what was read from a cache and
// written to it, and counts that beside the input.
func usage(r *model.Response) codec.Usage {
	if r.Usage == nil {
		return codec.Usage{}
	}
	cached := r.Usage.PromptTokensDetails
	return codec.Usage{Input: r.Usage.PromptTokens + cached.CacheReadTokens + cached.CacheCreationTokens, Output: r.Usage.CompletionTokens}
}

// Tools returns the tools with which the model reads back what its prompt does not show.
func (p *Plugin) Tools() []tool.Tool {
	var out []tool.Tool
	for _, t := range p.adapter.Tools() {
		var schema tool.Schema
		_ = json.Unmarshal(t.Schema, &schema) // ours
		out = append(out, &recall{p, tool.Declaration{Name: t.Name, Description: t.Description, InputSchema: &schema}})
	}
	return out
}

// recall is one of the tools that read back.
type recall struct {
	p           *Plugin
	declaration tool.Declaration
}

var _ tool.CallableTool = (*recall)(nil)

// Declaration implements tool.Tool.
func (r *recall) Declaration() *tool.Declaration { return &r.declaration }

// Call implements tool.CallableTool.
func (r *recall) Call(ctx context.Context, args []byte) (any, error) {
	conversation := r.p.adapter.Conversation("")
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		conversation = c.conversation
	}
	return conversation.Answer(ctx, r.declaration.Name, string(args)), nil
}

// ResultFormatter makes an answer reach the model as text, and not as JSON of a text.
func (r *recall) ResultFormatter() resultformat.Formatter {
	return resultformat.FormatterFunc[string](func(_ context.Context, text string) (string, error) { return text, nil })
}
