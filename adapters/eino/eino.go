// Package eino compacts the context of agents that are built with eino
// (github.com/cloudwego/eino, package adk).
//
// Use: adk.ChatModelAgentConfig{Handlers: …{eino.New(engine, eino.Options{})}}. Law: the
// agent's own state keeps every message; only what the model is shown is compacted, and
// whatever goes wrong in here it is shown the agent's own messages. Promise: a message
// that is not touched is the agent's own pointer; a prompt that is refused for its length
// is sent again once, compacted.
package eino

import (
	"context"
	"errors"
	"io"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/codec"
)

// Options are those of every adapter. adapt.WithThread names the conversation of one run.
type Options = adapt.Options

// New returns the middleware of any number of agents. The caller closes the engine.
func New(e *precis.Engine, o Options) adk.ChatModelAgentMiddleware {
	return &middleware{
		BaseChatModelAgentMiddleware: &adk.BaseChatModelAgentMiddleware{}, adapter: adapt.New(e, o),
	}
}

type middleware struct {
	*adk.BaseChatModelAgentMiddleware
	adapter *adapt.Adapter
}

type conversationKey struct{ of *adapt.Adapter }

// BeforeAgent begins a conversation, and gives the agent the tools that read back.
func (m *middleware) BeforeAgent(ctx context.Context, run *adk.ChatModelAgentContext) (context.Context, *adk.ChatModelAgentContext, error) {
	c := m.adapter.Conversation("")
	for _, t := range m.adapter.Tools() {
		made, err := newRecallTool(t, c)
		if err != nil {
			return ctx, run, err
		}
		run.Tools = append(run.Tools, made)
	}
	return context.WithValue(ctx, conversationKey{m.adapter}, c), run, nil
}

// WrapModel shows the model what is left of the agent's messages. It is the place where a
// refusal can be answered, and what it changes is not stored: the agent keeps its history.
func (m *middleware) WrapModel(ctx context.Context, inner model.BaseModel[*schema.Message], _ *adk.ModelContext) (model.BaseModel[*schema.Message], error) {
	c, ok := ctx.Value(conversationKey{m.adapter}).(*adapt.Conversation)
	if !ok {
		c = m.adapter.Conversation("")
	}
	return &chatModel{inner, c}, nil
}

// chatModel is a model that is shown prompts of a conversation.
type chatModel struct {
	inner        model.BaseModel[*schema.Message]
	conversation *adapt.Conversation
}

func (m *chatModel) step(ctx context.Context, input []*schema.Message, opts []model.Option) *adapt.Step {
	return m.conversation.Step(ctx, m.conversation.Read(ctx, func() adapt.Request { return request(input, opts) }))
}

// Generate implements model.BaseModel.
func (m *chatModel) Generate(ctx context.Context, input []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	step := m.step(ctx, input, opts)
	reply, err := adapt.Send(ctx, step, func() (*schema.Message, error) {
		return m.inner.Generate(ctx, adapt.Write(ctx, step, input, build), opts...)
	})
	if err == nil {
		step.Accepted(usage(reply))
	}
	return reply, err
}

// Stream implements model.BaseModel. A stream that begins with an error has failed: some
// models report a refusal only there.
func (m *chatModel) Stream(ctx context.Context, input []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	step := m.step(ctx, input, opts)
	stream, err := adapt.Send(ctx, step, func() (*schema.StreamReader[*schema.Message], error) {
		return begun(m.inner.Stream(ctx, adapt.Write(ctx, step, input, build), opts...))
	})
	if err != nil {
		return nil, err
	}
	step.Accepted(codec.Usage{})
	return schema.StreamReaderWithConvert(stream, func(chunk *schema.Message) (*schema.Message, error) {
		if u := usage(chunk); u.Input > 0 {
			step.Accepted(u)
		}
		return chunk, nil
	}), nil
}

// begun waits for the first chunk of a stream, and returns its error if it is one.
func begun(stream *schema.StreamReader[*schema.Message], err error) (*schema.StreamReader[*schema.Message], error) {
	if err != nil {
		return nil, err
	}
	both := stream.Copy(2)
	_, err = both[0].Recv()
	both[0].Close()
	if err != nil && !errors.Is(err, io.EOF) {
		both[1].Close()
		return nil, err
	}
	return both[1], nil
}

// usage is what a reply reports, zero for nothing.
func usage(m *schema.Message) codec.Usage {
	if m == nil || m.ResponseMeta == nil || m.ResponseMeta.Usage == nil {
		return codec.Usage{}
	}
	u := m.ResponseMeta.Usage
	return codec.Usage{Input: u.PromptTokens, Output: u.CompletionTokens}
}

// recallTool reads back what left the prompts of a conversation.
type recallTool struct {
	info         *schema.ToolInfo
	conversation *adapt.Conversation
}

func newRecallTool(t codec.Tool, c *adapt.Conversation) (tool.InvokableTool, error) {
	info, err := toolInfo(t)
	return &recallTool{info, c}, err
}

// Info implements tool.BaseTool.
func (t *recallTool) Info(context.Context) (*schema.ToolInfo, error) { return t.info, nil }

// InvokableRun implements tool.InvokableTool.
func (t *recallTool) InvokableRun(ctx context.Context, args string, _ ...tool.Option) (string, error) {
	return t.conversation.Answer(ctx, t.info.Name, args), nil
}
