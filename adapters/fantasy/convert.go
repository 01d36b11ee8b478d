package fantasy

import (
	"encoding/json"
	"errors"

	charm "charm.land/fantasy"

	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// dialect names fantasy's JSON in the raw bytes of parts.
const dialect = "fantasy"

// neutral returns a message as the engine reads it, part by part.
func neutral(m charm.Message) message.Message {
	out := message.Message{Role: message.Role(m.Role), Parts: make([]message.Part, 0, len(m.Content)), Dialect: dialect, Raw: whole(m)}
	for _, p := range m.Content {
		out.Parts = append(out.Parts, neutralPart(p))
	}
	return out
}

func neutralPart(p charm.MessagePart) message.Part {
	if t, ok := charm.AsMessagePart[charm.TextPart](p); ok {
		return message.Part{Kind: message.Text, Text: t.Text}
	}
	if t, ok := charm.AsMessagePart[charm.ReasoningPart](p); ok {
		return message.Part{Kind: message.Thinking, Text: t.Text, Signature: string(optionsJSON(t.ProviderOptions))}
	}
	if f, ok := charm.AsMessagePart[charm.FilePart](p); ok {
		return message.Part{Kind: message.Media, MediaType: f.MediaType, Size: len(f.Data), Raw: adapt.JSON(f), Dialect: dialect}
	}
	if c, ok := charm.AsMessagePart[charm.ToolCallPart](p); ok && !c.ProviderExecuted {
		return message.Part{Kind: message.Call, CallID: c.ToolCallID, Name: c.ToolName, Args: c.Input}
	}
	if r, ok := charm.AsMessagePart[charm.ToolResultPart](p); ok && !r.ProviderExecuted {
		return neutralResult(r)
	}
	return message.Part{Kind: message.Fixed, Raw: adapt.JSON(p), Dialect: dialect} // what the provider ran, and what is not known
}

func neutralResult(r charm.ToolResultPart) message.Part {
	out := message.Part{Kind: message.Result, CallID: r.ToolCallID}
	if t, ok := charm.AsToolResultOutputType[charm.ToolResultOutputContentText](r.Output); ok {
		out.Parts = []message.Part{{Kind: message.Text, Text: t.Text}}
		return out
	}
	if e, ok := charm.AsToolResultOutputType[charm.ToolResultOutputContentError](r.Output); ok {
		out.Failed = true
		if e.Error != nil {
			out.Parts = []message.Part{{Kind: message.Text, Text: e.Error.Error()}}
		}
		return out
	}
	if m, ok := charm.AsToolResultOutputType[charm.ToolResultOutputContentMedia](r.Output); ok {
		if m.Text != "" {
			out.Parts = append(out.Parts, message.Part{Kind: message.Text, Text: m.Text})
		}
		out.Parts = append(out.Parts, message.Part{
			Kind: message.Media, MediaType: m.MediaType, Size: len(m.Data) / 4 * 3, Raw: adapt.JSON(m), Dialect: dialect,
		})
		return out
	}
	if r.Output != nil {
		out.Parts = []message.Part{{Kind: message.Fixed, Raw: adapt.JSON(r.Output), Dialect: dialect}}
	}
	return out
}

// Parts without fantasy's MarshalJSON, which encodes what they hold three times over: for
// a long history that would take longer than everything else.
type (
	plainText   charm.TextPart
	plainCall   charm.ToolCallPart
	plainResult charm.ToolResultPart
	plainOutput charm.ToolResultOutputContentText
)

// GetType makes plainOutput an output, as it stands in a plainResult.
func (plainOutput) GetType() charm.ToolResultContentType { return charm.ToolResultContentTypeText }

// whole returns a message as JSON, for the log.
func whole(m charm.Message) json.RawMessage {
	type part struct {
		Type charm.ContentType `json:"type"`
		Data any               `json:"data"`
	}
	parts := make([]part, len(m.Content))
	for i, p := range m.Content {
		if p == nil {
			continue
		}
		parts[i] = part{p.GetType(), p}
		switch p := p.(type) {
		case charm.TextPart:
			parts[i].Data = plainText(p)
		case charm.ToolCallPart:
			parts[i].Data = plainCall(p)
		case charm.ToolResultPart:
			r := plainResult(p)
			if t, ok := p.Output.(charm.ToolResultOutputContentText); ok {
				r.Output = plainOutput(t)
			}
			parts[i].Data = r
		}
	}
	return adapt.JSON(struct {
		Role            charm.MessageRole     `json:"role"`
		Content         []part                `json:"content"`
		ProviderOptions charm.ProviderOptions `json:"provider_options,omitempty"`
	}{m.Role, parts, m.ProviderOptions})
}

func optionsJSON(o charm.ProviderOptions) []byte {
	if len(o) == 0 {
		return nil
	}
	return adapt.JSON(o)
}

// foreign writes a message that is not sent as it came. from is the one that it is made
// from, nil where Précis wrote it.
func foreign(m adapt.Message, from *charm.Message) charm.Message {
	out := charm.Message{Role: charm.MessageRole(m.Role)}
	if from != nil {
		out.ProviderOptions = from.ProviderOptions
	}
	for i, p := range m.Parts {
		var own charm.MessagePart
		if from != nil && m.Of[i] >= 0 {
			own = from.Content[m.Of[i]]
		}
		if own != nil && !p.Edited {
			out.Content = append(out.Content, own)
		} else if made := foreignPart(p, own); made != nil {
			out.Content = append(out.Content, made)
		}
	}
	return out
}

// foreignPart writes a part with what its own one has beside the content. It returns nil
// for one that only a provider can write.
func foreignPart(p message.Part, own charm.MessagePart) charm.MessagePart {
	switch p.Kind {
	case message.Text:
		t, _ := charm.AsMessagePart[charm.TextPart](own)
		t.Text = p.Text
		return t
	case message.Call:
		c, _ := charm.AsMessagePart[charm.ToolCallPart](own)
		c.ToolCallID, c.ToolName, c.Input = p.CallID, p.Name, p.Args
		return c
	case message.Result:
		r, _ := charm.AsMessagePart[charm.ToolResultPart](own)
		if own == nil || !adapt.SameParts(neutralResult(r).Parts, p.Parts) {
			r.Output = foreignOutput(p)
		}
		r.ToolCallID = p.CallID
		return r
	}
	return nil
}

func foreignOutput(p message.Part) charm.ToolResultOutputContent {
	if p.Failed {
		return charm.ToolResultOutputContentError{Error: errors.New(p.Body())}
	}
	return charm.ToolResultOutputContentText{Text: p.Body()}
}

// declared returns the tools of a call, as far as they count.
func declared(tools []charm.Tool) []codec.Tool {
	out := make([]codec.Tool, 0, len(tools))
	for _, t := range tools {
		if f, ok := t.(charm.FunctionTool); ok {
			out = append(out, codec.Tool{Name: f.Name, Description: f.Description, Schema: adapt.JSON(f.InputSchema)})
			continue
		}
		out = append(out, codec.Tool{Name: t.GetName(), Raw: adapt.JSON(t)})
	}
	return out
}
