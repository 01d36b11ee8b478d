package langchaingo

import (
	"encoding/json"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// dialect names langchaingo's JSON in the raw bytes of messages and parts.
const dialect = "langchaingo"

// neutral returns messages as the engine reads them, part by part.
func neutral(own []llms.MessageContent) []message.Message {
	out, ids := make([]message.Message, len(own)), adapt.IDs{}
	for i, m := range own {
		if m.Role == llms.ChatMessageTypeAI {
			ids.Round()
		}
		n := message.Message{Role: role(m.Role), Parts: make([]message.Part, 0, len(m.Parts)), Dialect: dialect, Raw: whole(m)}
		for _, p := range m.Parts {
			n.Parts = append(n.Parts, neutralPart(p, &ids))
		}
		out[i] = n
	}
	return out
}

func role(r llms.ChatMessageType) message.Role {
	switch r {
	case llms.ChatMessageTypeSystem:
		return message.System
	case llms.ChatMessageTypeAI:
		return message.Assistant
	case llms.ChatMessageTypeTool, llms.ChatMessageTypeFunction:
		return message.Tool
	}
	return message.User
}

func neutralPart(p llms.ContentPart, ids *adapt.IDs) message.Part {
	switch p := p.(type) {
	case llms.CachedContent:
		return neutralPart(p.ContentPart, ids)
	case llms.TextContent:
		return message.Part{Kind: message.Text, Text: p.Text}
	case llms.ImageURLContent:
		if !strings.HasPrefix(p.URL, "data:") {
			return message.Part{Kind: message.Media, MediaType: "image/*", URL: p.URL, Raw: adapt.JSON(p), Dialect: dialect}
		}
		return message.Part{Kind: message.Media, MediaType: "image/*", Size: len(p.URL) / 4 * 3, Raw: adapt.JSON(p), Dialect: dialect}
	case llms.BinaryContent:
		return message.Part{Kind: message.Media, MediaType: p.MIMEType, Size: len(p.Data), Raw: adapt.JSON(p), Dialect: dialect}
	case llms.ToolCall:
		if f := p.FunctionCall; f != nil {
			return message.Part{Kind: message.Call, CallID: ids.Call(p.ID, f.Name), Name: f.Name, Args: f.Arguments}
		}
	case llms.ToolCallResponse:
		return message.Part{
			Kind: message.Result, CallID: ids.Result(p.ToolCallID, p.Name), Name: p.Name,
			Parts: []message.Part{{Kind: message.Text, Text: p.Content}},
		}
	}
	return message.Part{Kind: message.Fixed, Raw: adapt.JSON(p), Dialect: dialect}
}

// whole returns a message as JSON, for the log, without langchaingo's MarshalJSON, which
// encodes what a part holds three times over: for a long history that would take longer
// than everything else.
func whole(m llms.MessageContent) json.RawMessage {
	type (
		text   llms.TextContent
		call   llms.ToolCall
		result llms.ToolCallResponse
		part   struct {
			Type string `json:"type"`
			Data any    `json:"data"`
		}
	)
	parts := make([]part, len(m.Parts))
	for i, p := range m.Parts {
		switch p := p.(type) {
		case llms.TextContent:
			parts[i] = part{"text", text(p)}
		case llms.ToolCall:
			parts[i] = part{"tool_call", call(p)}
		case llms.ToolCallResponse:
			parts[i] = part{"tool_response", result(p)}
		default:
			parts[i] = part{"other", p}
		}
	}
	return adapt.JSON(struct {
		Role  llms.ChatMessageType `json:"role"`
		Parts []part               `json:"parts"`
	}{m.Role, parts})
}

// foreign writes a message that is not sent as it came. from is the one that it is made
// from, nil where Précis wrote it.
func foreign(m adapt.Message, from *llms.MessageContent) llms.MessageContent {
	out := llms.MessageContent{Role: map[message.Role]llms.ChatMessageType{
		message.System: llms.ChatMessageTypeSystem, message.Assistant: llms.ChatMessageTypeAI, message.Tool: llms.ChatMessageTypeTool,
	}[m.Role]}
	if out.Role == "" {
		out.Role = llms.ChatMessageTypeHuman
	}
	if from != nil {
		out.Role = from.Role
	}
	for i, p := range m.Parts {
		var own llms.ContentPart
		if from != nil && m.Of[i] >= 0 {
			own = from.Parts[m.Of[i]]
		}
		if own != nil && !p.Edited {
			out.Parts = append(out.Parts, own)
		} else if made := foreignPart(p, own); made != nil {
			out.Parts = append(out.Parts, made)
		}
	}
	return out
}

// foreignPart writes a part with what its own one has beside the content. It returns nil
// for one that cannot be written.
func foreignPart(p message.Part, own llms.ContentPart) llms.ContentPart {
	if c, ok := own.(llms.CachedContent); ok {
		if c.ContentPart = foreignPart(p, c.ContentPart); c.ContentPart == nil {
			return nil
		}
		return c
	}
	switch p.Kind {
	case message.Text:
		return llms.TextContent{Text: p.Text}
	case message.Call:
		c := llms.ToolCall{Type: "function"}
		if o, ok := own.(llms.ToolCall); ok {
			c = o
		}
		c.ID, c.FunctionCall = adapt.Own(p.CallID), &llms.FunctionCall{Name: p.Name, Arguments: p.Args}
		return c
	case message.Result:
		r, _ := own.(llms.ToolCallResponse)
		if r.Name == "" && own == nil {
			r.Name = p.Name
		}
		r.ToolCallID, r.Content = adapt.Own(p.CallID), p.Body()
		return r
	}
	return nil
}

// declared returns the tools of a call, as far as they count.
func declared(o llms.CallOptions) (out []codec.Tool) {
	for _, t := range o.Tools {
		if t.Function == nil {
			out = append(out, codec.Tool{Name: t.Type, Raw: adapt.JSON(t)})
			continue
		}
		out = append(out, codec.Tool{Name: t.Function.Name, Description: t.Function.Description, Schema: adapt.JSON(t.Function.Parameters)})
	}
	for _, f := range o.Functions {
		out = append(out, codec.Tool{Name: f.Name, Description: f.Description, Schema: adapt.JSON(f.Parameters)})
	}
	return out
}
