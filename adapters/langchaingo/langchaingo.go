// Package langchaingo keeps the prompts of langchaingo's agents and chains within their
// window.
//
// Use: Wrap the model for each conversation, and give the agent Tools beside its own.
// Law: whatever goes wrong in here, the agent's own messages are sent. Promise: the
// agent's history is only read, a message that no plan touches is sent as the very value
// that it is, and a prompt that is refused for its length is sent again once, shorter.
package langchaingo

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/codec"
)

// Options are those of every adapter. Model counts where a call does not name one with
// llms.WithModel.
type Options = adapt.Options

// Adapter is Précis for models. It is safe for concurrent use.
type Adapter struct{ adapter *adapt.Adapter }

// New makes an adapter. The caller closes the engine.
func New(e *precis.Engine, o Options) *Adapter { return &Adapter{adapt.New(e, o)} }

// Wrap returns a model that compacts the prompts of one conversation.
func (a *Adapter) Wrap(m llms.Model) *Model {
	return &Model{inner: m, adapter: a.adapter, conversation: a.adapter.Conversation("")}
}

// Model compacts the prompts of a model.
type Model struct {
	inner        llms.Model
	adapter      *adapt.Adapter
	conversation *adapt.Conversation
}

var _ llms.ReasoningModel = (*Model)(nil)

// SupportsReasoning implements llms.ReasoningModel.
func (m *Model) SupportsReasoning() bool { return llms.SupportsReasoningModel(m.inner) }

// Call implements llms.Model: a single prompt has no history, but is held to the window
// as any other.
func (m *Model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// GenerateContent implements llms.Model.
func (m *Model) GenerateContent(ctx context.Context, own []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, set := range options {
		set(&o)
	}
	s := m.conversation.Step(ctx, m.conversation.Read(ctx, func() adapt.Request {
		return adapt.Request{Framework: dialect, Messages: neutral(own), Tools: declared(o), Model: o.Model, MaxOutput: o.MaxTokens}
	}))
	r, err := adapt.Send(ctx, s, func() (*llms.ContentResponse, error) {
		return m.inner.GenerateContent(ctx, adapt.Write(ctx, s, own, foreign), options...)
	})
	if err == nil {
		s.Accepted(usage(r))
	}
	return r, err
}

// usage returns what a model reported, in the words of its provider.
func usage(r *llms.ContentResponse) codec.Usage {
	if r == nil || len(r.Choices) == 0 || r.Choices[0] == nil {
		return codec.Usage{}
	}
	info := r.Choices[0].GenerationInfo
	in := count(info, "InputTokens") + count(info, "CacheReadInputTokens") + count(info, "CacheCreationInputTokens")
	return codec.Usage{
		Input:  max(in, count(info, "PromptTokens"), count(info, "input_tokens")),
		Output: max(count(info, "OutputTokens"), count(info, "CompletionTokens"), count(info, "output_tokens")),
	}
}

func count(info map[string]any, key string) int {
	switch n := info[key].(type) {
	case int:
		return n
	case int32:
		return int(n)
	case int64:
		return int(n)
	case float64:
		return int(n)
	}
	return 0
}

// Definitions declares the tools with which the model reads back what its prompt does not
// show, for llms.WithTools. Answer answers their calls.
func (m *Model) Definitions() []llms.Tool {
	var out []llms.Tool
	for _, t := range m.adapter.Tools() {
		var schema map[string]any // as googleai wants it
		_ = json.Unmarshal(t.Schema, &schema)
		out = append(out, llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: schema,
		}})
	}
	return out
}

// Answer answers a call of one of Definitions, and reports false for any other.
func (m *Model) Answer(ctx context.Context, call llms.ToolCall) (llms.ToolCallResponse, bool) {
	if call.FunctionCall == nil {
		return llms.ToolCallResponse{}, false
	}
	for _, t := range m.adapter.Tools() {
		if t.Name == call.FunctionCall.Name {
			text := m.conversation.Answer(ctx, t.Name, call.FunctionCall.Arguments)
			return llms.ToolCallResponse{ToolCallID: call.ID, Name: t.Name, Content: text}, true
		}
	}
	return llms.ToolCallResponse{}, false
}

// Tools returns the same tools for package agents. Its agents have tools of one string:
// there it is the JSON of the arguments, or the first argument alone.
func (m *Model) Tools() []tools.Tool {
	var out []tools.Tool
	for _, t := range m.adapter.Tools() {
		out = append(out, recall{m, t})
	}
	return out
}

// recall is one of the tools that read back.
type recall struct {
	m *Model
	t codec.Tool
}

func (r recall) Name() string { return r.t.Name }

func (r recall) Description() string {
	return fmt.Sprintf("%s\nInput: a JSON object of this schema: %s", r.t.Description, r.t.Schema)
}

func (r recall) Call(ctx context.Context, input string) (string, error) {
	var object map[string]any
	if json.Unmarshal([]byte(input), &object) != nil {
		var schema struct{ Required []string }
		_ = json.Unmarshal(r.t.Schema, &schema) // ours
		object = map[string]any{}
		if len(schema.Required) > 0 && input != "" {
			object[schema.Required[0]] = input
		}
		args, err := json.Marshal(object)
		if err != nil {
			return "", fmt.Errorf("call %s: %w", r.t.Name, err)
		}
		input = string(args)
	}
	return r.m.conversation.Answer(ctx, r.t.Name, input), nil
}
