package trpcagent

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"trpc.group/trpc-go/trpc-agent-go/model"
	"trpc.group/trpc-go/trpc-agent-go/tool"

	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// dialect names trpc-agent-go's JSON in the raw bytes of messages and parts.
const dialect = "trpc-agent-go"

// slot is a place in a message that a part stands for.
type slot struct {
	of int // which of content parts or calls
	in place
}

type place int

const (
	reasoning place = iota
	content
	contentPart
	toolCall
	result
)

// slots lists the places of a message in the order of its parts.
func slots(m *model.Message) (out []slot) {
	if m.Role == model.RoleTool {
		return []slot{{in: result}}
	}
	if m.ReasoningContent != "" || m.ReasoningSignature != "" {
		out = append(out, slot{in: reasoning})
	}
	if m.Content != "" {
		out = append(out, slot{in: content})
	}
	for i := range m.ContentParts {
		out = append(out, slot{i, contentPart})
	}
	for i := range m.ToolCalls {
		out = append(out, slot{i, toolCall})
	}
	return out
}

// neutral returns messages as the engine reads them, a part for each slot.
func neutral(own []model.Message) []message.Message {
	out, ids := make([]message.Message, len(own)), adapt.IDs{}
	for i := range own {
		if own[i].Role == model.RoleAssistant {
			ids.Round()
		}
		out[i] = neutralMessage(own[i], &ids)
	}
	return out
}

func neutralMessage(m model.Message, ids *adapt.IDs) message.Message {
	out := message.Message{Role: message.Role(m.Role), Dialect: dialect, Raw: adapt.JSON(m)}
	if !m.Role.IsValid() {
		out.Role = message.User
	}
	for _, s := range slots(&m) {
		switch s.in {
		case reasoning:
			out.Parts = append(out.Parts, message.Part{Kind: message.Thinking, Text: m.ReasoningContent, Signature: m.ReasoningSignature})
		case content:
			out.Parts = append(out.Parts, message.Part{Kind: message.Text, Text: m.Content})
		case contentPart:
			out.Parts = append(out.Parts, neutralPart(m.ContentParts[s.of]))
		case toolCall:
			c := m.ToolCalls[s.of]
			out.Parts = append(out.Parts, message.Part{Kind: message.Call, CallID: ids.Call(c.ID, c.Function.Name), Name: c.Function.Name, Args: string(c.Function.Arguments)})
		case result:
			out.Parts = append(out.Parts, neutralResult(m, ids))
		}
	}
	return out
}

// neutralResult reads a result. A tool that returns a string answers with the JSON of it:
// its text is what it says.
func neutralResult(m model.Message, ids *adapt.IDs) message.Part {
	text := m.Content
	if strings.HasPrefix(text, `"`) {
		var said string
		if json.Unmarshal([]byte(text), &said) == nil {
			text = said
		}
	}
	out := message.Part{Kind: message.Result, CallID: ids.Result(m.ToolID, m.ToolName), Name: m.ToolName, Parts: []message.Part{{Kind: message.Text, Text: text}}}
	for _, p := range m.ContentParts {
		out.Parts = append(out.Parts, neutralPart(p))
	}
	return out
}

func neutralPart(p model.ContentPart) message.Part {
	media := func(kind, format, url string, data []byte) message.Part {
		if format == "" {
			format = "*"
		}
		if !strings.Contains(format, "/") {
			format = kind + "/" + format
		}
		return message.Part{Kind: message.Media, MediaType: format, URL: url, Size: len(data), Raw: adapt.JSON(p), Dialect: dialect}
	}
	switch {
	case p.ContentRef != nil:
	case p.Type == model.ContentTypeText && p.Text != nil:
		return message.Part{Kind: message.Text, Text: *p.Text}
	case p.Type == model.ContentTypeImage && p.Image != nil:
		return media("image", p.Image.Format, p.Image.URL, p.Image.Data)
	case p.Type == model.ContentTypeAudio && p.Audio != nil:
		return media("audio", p.Audio.Format, p.Audio.URL, p.Audio.Data)
	case p.Type == model.ContentTypeVideo && p.Video != nil:
		return media("video", p.Video.Format, p.Video.URL, p.Video.Data)
	case p.Type == model.ContentTypeFile && p.File != nil:
		return media("application", p.File.MimeType, p.File.URL, p.File.Data)
	}
	return message.Part{Kind: message.Fixed, Raw: adapt.JSON(p), Dialect: dialect}
}

// foreign writes a message that is not sent as it came. from is the one that it is made
// from, nil where Précis wrote it.
func foreign(m adapt.Message, from *model.Message) model.Message {
	out, own := model.Message{Role: model.Role(m.Role)}, []slot(nil)
	if from != nil {
		out, own = *from, slots(from)
		out.Content, out.ContentParts, out.ToolCalls, out.ReasoningContent, out.ReasoningSignature = "", nil, nil, "", ""
	}
	for i, p := range m.Parts {
		if own != nil && m.Of[i] >= 0 {
			put(&out, p, from, own[m.Of[i]])
		} else {
			add(&out, p)
		}
	}
	return out
}

// put writes a part that was made from the one in a slot.
func put(out *model.Message, p message.Part, from *model.Message, s slot) {
	switch {
	case s.in == reasoning && !p.Edited:
		out.ReasoningContent, out.ReasoningSignature = from.ReasoningContent, from.ReasoningSignature
	case s.in == contentPart && !p.Edited:
		out.ContentParts = append(out.ContentParts, from.ContentParts[s.of])
	case s.in == toolCall:
		c := from.ToolCalls[s.of]
		if p.Edited {
			c.ID, c.Function.Arguments = adapt.Own(p.CallID), []byte(p.Args)
		}
		out.ToolCalls = append(out.ToolCalls, c)
	case s.in == result && adapt.SameParts(neutralResult(*from, new(adapt.IDs)).Parts, p.Parts):
		out.Content, out.ContentParts = from.Content, from.ContentParts
		if p.Edited {
			out.ToolID = adapt.Own(p.CallID)
		}
	default:
		add(out, p)
	}
}

// add writes a part that stands alone. Thinking is not written: only its model can.
func add(out *model.Message, p message.Part) {
	switch p.Kind {
	case message.Text:
		if out.Content == "" && len(out.ContentParts) == 0 {
			out.Content = p.Text
			return
		}
		out.ContentParts = append(out.ContentParts, model.ContentPart{Type: model.ContentTypeText, Text: &p.Text})
	case message.Call:
		out.ToolCalls = append(out.ToolCalls, model.ToolCall{
			Type: "function", ID: adapt.Own(p.CallID), Function: model.FunctionDefinitionParam{Name: p.Name, Arguments: []byte(p.Args)},
		})
	case message.Result:
		out.ToolID, out.Content = adapt.Own(p.CallID), p.Body()
		if out.ToolName == "" {
			out.ToolName = p.Name
		}
	}
}

// declared returns the tools of a request in the order of their names.
func declared(tools map[string]tool.Tool) (out []codec.Tool) {
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		if d := tools[name].Declaration(); d != nil {
			out = append(out, codec.Tool{Name: d.Name, Description: d.Description, Schema: adapt.JSON(d.InputSchema)})
		}
	}
	return out
}
