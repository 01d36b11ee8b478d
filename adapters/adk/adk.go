// Package adk compacts the context of agents that are built with Google's Agent
// Development Kit (google.golang.org/adk/v2).
//
// Use: llmagent.Config{Model: adk.Wrap(model, engine, adk.Options{})}. Law: the session
// keeps every event; only what the model is shown is compacted, and whatever goes wrong
// in here it is shown the contents as they came. Promise: a content that is not touched
// is the same pointer; contents stand as the Gemini API wants them; a prompt that is
// refused for its length is sent again once, compacted.
package adk

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/tool/toolutils"
	"google.golang.org/genai"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/codec"
)

// Options are those of every adapter. Without a thread the session's name and the agent's
// are the conversation's.
type Options = adapt.Options

// Wrap returns a model for any number of agents and sessions. A plugin would be asked
// before each call, too, but could not send a refused prompt again. The caller closes the
// engine.
func Wrap(inner model.LLM, e *precis.Engine, o Options) model.LLM {
	m := &llm{inner: inner, adapter: adapt.New(e, o)}
	if g, ok := inner.(google); ok {
		return &googleLLM{m, g}
	}
	return m
}

// google is a model of Google's: it says over which of their services it is reached.
type google interface{ GetGoogleLLMVariant() genai.Backend }

type googleLLM struct {
	*llm
	google
}

type llm struct {
	inner   model.LLM
	adapter *adapt.Adapter
}

// Name implements model.LLM.
func (m *llm) Name() string { return m.inner.Name() }

// GenerateContent implements model.LLM.
func (m *llm) GenerateContent(ctx context.Context, req *model.LLMRequest, stream bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		c := m.adapter.Conversation(session(ctx))
		m.declare(req, c)
		call := call{own: req}
		step := c.Step(ctx, c.Read(ctx, func() (asked adapt.Request) {
			call, asked = read(req, m.inner.Name())
			return asked
		}))
		for again := true; again; {
			again = m.send(ctx, call, step, stream, yield)
		}
	}
}

// send asks the model with a step's prompt, and reports whether it is to be asked again:
// with a shorter one, as it refused this one before it said anything.
func (m *llm) send(ctx context.Context, c call, step *adapt.Step, stream bool, yield func(*model.LLMResponse, error) bool) (again bool) {
	began := false
	for reply, err := range m.inner.GenerateContent(ctx, adapt.Written(ctx, step, c.own, c.shown), stream) {
		if err != nil && !began && step.Refused(ctx, err) {
			return true
		}
		if began = true; err == nil && reply != nil && !reply.Partial {
			step.Accepted(usage(reply.UsageMetadata))
		}
		if !yield(reply, err) {
			return false
		}
	}
	return false
}

func usage(u *genai.GenerateContentResponseUsageMetadata) codec.Usage {
	if u == nil {
		return codec.Usage{}
	}
	return codec.Usage{Input: int(u.PromptTokenCount), Output: int(u.CandidatesTokenCount)}
}

// session is the name of a call's conversation, "" outside of an agent.
func session(ctx context.Context) string {
	run, ok := ctx.(agent.InvocationContext)
	if !ok || run.Session() == nil || run.Agent() == nil {
		return ""
	}
	s := run.Session()
	return adapt.SessionName(s.AppName(), s.UserID(), s.ID(), run.Agent().Name(), run.Branch())
}

// declare gives the agent the tools that read back, unless it has tools of these names.
func (m *llm) declare(req *model.LLMRequest, c *adapt.Conversation) {
	for _, t := range m.adapter.Tools() {
		if _, has := req.Tools[t.Name]; !has {
			_ = toolutils.PackTool(req, &recallTool{t, c}) // it fails for a name that is there
		}
	}
}

// recallTool reads back what left the prompts of a conversation.
type recallTool struct {
	tool         codec.Tool
	conversation *adapt.Conversation
}

func (t *recallTool) Name() string        { return t.tool.Name }
func (t *recallTool) Description() string { return t.tool.Description }
func (t *recallTool) IsLongRunning() bool { return false }

// Declaration says to the model what the tool takes.
func (t *recallTool) Declaration() *genai.FunctionDeclaration {
	return &genai.FunctionDeclaration{Name: t.tool.Name, Description: t.tool.Description, ParametersJsonSchema: t.tool.Schema}
}

// Run answers a call.
func (t *recallTool) Run(ctx agent.Context, args any) (map[string]any, error) {
	written, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("read arguments of %s: %w", t.tool.Name, err)
	}
	return map[string]any{"output": t.conversation.Answer(ctx, t.tool.Name, string(written))}, nil
}
