package openaiagents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nlpodyssey/openai-agents-go/agents"
	"github.com/openai/openai-go/v2/packages/param"
	openai "github.com/openai/openai-go/v2/responses"

	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/message"
)

// items are the input of a call, and what codec/responses reads in their JSON: the
// framework's items are those of OpenAI's Responses API.
type items struct {
	own     []agents.TResponseInputItem
	raw     []json.RawMessage
	request *codec.Request
}

func read(in agents.Input) (*items, error) {
	out := &items{}
	switch in := in.(type) {
	case agents.InputString:
		out.own = []agents.TResponseInputItem{agents.UserMessage(in.String())}
	case agents.InputItems:
		out.own = in
	}
	for _, i := range out.own {
		if i.OfItemReference != nil {
			return nil, errors.New("read input item: the provider holds it")
		}
		b, err := json.Marshal(i)
		if err != nil {
			return nil, fmt.Errorf("read input item: %w", err)
		}
		out.raw = append(out.raw, b)
	}
	body, err := json.Marshal(map[string]any{"input": out.raw})
	if err != nil {
		return nil, fmt.Errorf("read input: %w", err)
	}
	if out.request, err = (responses.Codec{}).Decode(body); err != nil {
		return nil, fmt.Errorf("read input: %w", err)
	}
	if out.request.State != "" || len(out.request.Messages) != len(out.own) {
		return nil, fmt.Errorf("read input: %d messages of %d items, state %q", len(out.request.Messages), len(out.own), out.request.State)
	}
	return out, nil
}

// write returns a prompt as input. What cannot be written goes as it came.
func (s *items) write(prompt []adapt.Message, asItCame agents.Input) agents.Input {
	ms, whole := make([]message.Message, len(prompt)), len(prompt) == len(s.own)
	for i, m := range prompt {
		ms[i], whole = m.Message, whole && m.Whole && m.Own == i
	}
	if whole {
		return asItCame
	}
	body, err := responses.Codec{}.Encode(s.request, ms)
	if err != nil {
		return asItCame
	}
	var written struct{ Input []json.RawMessage }
	if json.Unmarshal(body, &written) != nil {
		return asItCame
	}
	out, next := make(agents.InputItems, 0, len(written.Input)), 0
	for _, raw := range written.Input {
		if at := s.find(raw, next); at >= 0 {
			out, next = append(out, s.own[at]), at+1
			continue
		}
		out = append(out, item(raw))
	}
	return out
}

// find returns the position of an item from one on, -1 if it is none of the agent's.
func (s *items) find(raw []byte, from int) int {
	for at := from; at < len(s.raw); at++ {
		if bytes.Equal(s.raw[at], raw) {
			return at
		}
	}
	return -1
}

// item makes an item of its JSON, in the form in which converters of the framework look
// for it.
func item(raw json.RawMessage) agents.TResponseInputItem {
	var f struct {
		Type, Role, Content, Output, Arguments, Name, ID, Status string
		CallID                                                   string `json:"call_id"`
	}
	if json.Unmarshal(raw, &f) == nil {
		switch {
		case f.Type == "function_call":
			i := openai.ResponseInputItemParamOfFunctionCall(f.Arguments, f.CallID, f.Name)
			i.OfFunctionCall.Status = openai.ResponseFunctionToolCallStatus(f.Status)
			if f.ID != "" {
				i.OfFunctionCall.ID = param.NewOpt(f.ID)
			}
			return i
		case f.Type == "function_call_output":
			return openai.ResponseInputItemParamOfFunctionCallOutput(f.CallID, f.Output)
		case f.Content != "":
			return agents.MessageItem(openai.EasyInputMessageRole(f.Role), f.Content)
		}
	}
	var text struct {
		Type, Role string
		Content    []struct{ Type, Text string }
	}
	if json.Unmarshal(raw, &text) == nil && text.Type == "message" && len(text.Content) == 1 && text.Content[0].Text != "" {
		return agents.MessageItem(openai.EasyInputMessageRole(text.Role), text.Content[0].Text)
	}
	return param.Override[agents.TResponseInputItem](raw)
}

// declared returns the tools of a call, as far as they count.
func declared(tools []agents.Tool) (out []codec.Tool) {
	for _, t := range tools {
		c := codec.Tool{Name: t.ToolName()}
		if f, ok := t.(agents.FunctionTool); ok {
			c.Description = f.Description
			c.Schema, _ = json.Marshal(f.ParamsJSONSchema)
		}
		out = append(out, c)
	}
	return out
}
