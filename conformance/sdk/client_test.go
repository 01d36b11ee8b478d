package sdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

// said is an answer as the SDK gives it.
type said struct {
	text, thinking string
	calls          []call
	input          int64 // tokens of the prompt, as reported
}

type call struct{ id, name, args string }

// client is a program that uses an SDK: it keeps its history in the SDK's types.
type client interface {
	user(text string)
	// ask sends the history and adds the answer to it.
	ask(ctx context.Context, stream bool) (said, error)
	// results answers the calls of the last answer.
	results(texts []string)
}

const (
	system = "You are an agent. Never touch db/migrations."
	key    = "sk-very-secret-0042"
)

var parameters = map[string]any{"type": "object", "properties": map[string]any{"path": map[string]any{"type": "string"}}}

// messages uses Anthropic's SDK.
type messages struct {
	sdk  anthropic.Client
	list []anthropic.MessageParam
	last []call
}

func newMessages(url string, h *http.Client, retries int) *messages {
	return &messages{sdk: anthropic.NewClient(anthropicoption.WithBaseURL(url), anthropicoption.WithAPIKey(key),
		anthropicoption.WithHTTPClient(h), anthropicoption.WithMaxRetries(retries), anthropicoption.WithoutOpenTelemetry())}
}

func (c *messages) user(text string) {
	c.list = append(c.list, anthropic.NewUserMessage(anthropic.NewTextBlock(text)))
}

func (c *messages) params() anthropic.MessageNewParams {
	return anthropic.MessageNewParams{
		Model: "claude-opus-4-5", MaxTokens: 4096, Messages: c.list, System: []anthropic.TextBlockParam{{Text: system}},
		Thinking: anthropic.ThinkingConfigParamOfEnabled(2048),
		Tools:    []anthropic.ToolUnionParam{anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{Properties: parameters["properties"]}, "read_file")},
	}
}

func (c *messages) ask(ctx context.Context, stream bool) (said, error) {
	var m *anthropic.Message
	if stream {
		s := c.sdk.Messages.NewStreaming(ctx, c.params())
		defer s.Close()
		m = &anthropic.Message{}
		for s.Next() {
			if err := m.Accumulate(s.Current()); err != nil {
				return said{}, err
			}
		}
		if err := s.Err(); err != nil {
			return said{}, err
		}
	} else {
		var err error
		if m, err = c.sdk.Messages.New(ctx, c.params()); err != nil {
			return said{}, err
		}
	}
	out := said{input: m.Usage.InputTokens + m.Usage.CacheReadInputTokens}
	for _, b := range m.Content {
		switch b := b.AsAny().(type) {
		case anthropic.TextBlock:
			out.text += b.Text
		case anthropic.ThinkingBlock:
			out.thinking += b.Thinking + "|" + b.Signature
		case anthropic.ToolUseBlock:
			out.calls = append(out.calls, call{b.ID, b.Name, string(b.Input)})
		}
	}
	c.list, c.last = append(c.list, m.ToParam()), out.calls
	return out, nil
}

func (c *messages) results(texts []string) {
	var blocks []anthropic.ContentBlockParamUnion
	for i, text := range texts {
		blocks = append(blocks, anthropic.NewToolResultBlock(c.last[i].id, text, false))
	}
	c.list = append(c.list, anthropic.NewUserMessage(blocks...))
}

// chat uses OpenAI's SDK for Chat Completions.
type chat struct {
	sdk  openai.Client
	list []openai.ChatCompletionMessageParamUnion
	last []call
}

func openAI(url string, h *http.Client, retries int) openai.Client {
	return openai.NewClient(openaioption.WithBaseURL(url+"/v1"), openaioption.WithAPIKey(key), openaioption.WithHTTPClient(h), openaioption.WithMaxRetries(retries))
}

func newChat(url string, h *http.Client, retries int) *chat {
	return &chat{sdk: openAI(url, h, retries), list: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(system)}}
}

func (c *chat) user(text string) { c.list = append(c.list, openai.UserMessage(text)) }

func (c *chat) ask(ctx context.Context, stream bool) (said, error) {
	p := openai.ChatCompletionNewParams{Model: "gpt-4.1", Messages: c.list, Tools: []openai.ChatCompletionToolUnionParam{
		openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "read_file", Parameters: parameters}),
	}}
	var done *openai.ChatCompletion
	if stream {
		p.StreamOptions.IncludeUsage = openai.Bool(true)
		s := c.sdk.Chat.Completions.NewStreaming(ctx, p)
		defer s.Close()
		var acc openai.ChatCompletionAccumulator
		for s.Next() {
			if !acc.AddChunk(s.Current()) {
				return said{}, fmt.Errorf("chunk does not fit: %s", s.Current().RawJSON())
			}
		}
		if err := s.Err(); err != nil {
			return said{}, err
		}
		done = &acc.ChatCompletion
	} else {
		var err error
		if done, err = c.sdk.Chat.Completions.New(ctx, p); err != nil {
			return said{}, err
		}
	}
	if len(done.Choices) != 1 {
		return said{}, fmt.Errorf("%d choices", len(done.Choices))
	}
	m := done.Choices[0].Message
	out := said{text: m.Content, input: done.Usage.PromptTokens}
	for _, t := range m.ToolCalls {
		out.calls = append(out.calls, call{t.ID, t.Function.Name, t.Function.Arguments})
	}
	c.list, c.last = append(c.list, m.ToParam()), out.calls
	return out, nil
}

func (c *chat) results(texts []string) {
	for i, text := range texts {
		c.list = append(c.list, openai.ToolMessage(text, c.last[i].id))
	}
}

// items uses OpenAI's SDK for Responses.
type items struct {
	sdk  openai.Client
	list responses.ResponseInputParam
	last []call
}

func newItems(url string, h *http.Client, retries int) *items {
	return &items{sdk: openAI(url, h, retries)}
}

func (c *items) user(text string) {
	c.list = append(c.list, responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleUser))
}

func (c *items) ask(ctx context.Context, stream bool) (said, error) {
	p := responses.ResponseNewParams{
		Model: "gpt-5", Instructions: openai.String(system), Store: openai.Bool(false),
		Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
		Input:   responses.ResponseNewParamsInputUnion{OfInputItemList: c.list},
		Tools:   []responses.ToolUnionParam{responses.ToolParamOfFunction("read_file", parameters, false)},
	}
	var done *responses.Response
	var deltas string
	if stream {
		s := c.sdk.Responses.NewStreaming(ctx, p)
		defer s.Close()
		for s.Next() {
			switch e := s.Current().AsAny().(type) {
			case responses.ResponseTextDeltaEvent:
				deltas += e.Delta
			case responses.ResponseCompletedEvent:
				done = &e.Response
			}
		}
		if err := s.Err(); err != nil {
			return said{}, err
		}
		if done == nil || deltas != done.OutputText() {
			return said{}, fmt.Errorf("the pieces are %q", deltas)
		}
	} else {
		var err error
		if done, err = c.sdk.Responses.New(ctx, p); err != nil {
			return said{}, err
		}
	}
	out := said{text: done.OutputText(), input: done.Usage.InputTokens}
	for _, item := range done.Output {
		switch item := item.AsAny().(type) {
		case responses.ResponseFunctionToolCall:
			out.calls = append(out.calls, call{item.CallID, item.Name, item.Arguments})
		case responses.ResponseReasoningItem:
			out.thinking += item.Summary[0].Text + "|" + item.EncryptedContent
		}
		c.list = append(c.list, param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item.RawJSON())))
	}
	c.last = out.calls
	return out, nil
}

func (c *items) results(texts []string) {
	for i, text := range texts {
		item := responses.ResponseInputItemParamOfFunctionCallOutput(text)
		item.OfFunctionCallOutput.CallID = openai.String(c.last[i].id)
		c.list = append(c.list, item)
	}
}
