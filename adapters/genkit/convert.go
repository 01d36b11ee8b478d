package genkit

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/firebase/genkit/go/ai"

	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// dialect names the format of Raw: an ai.Message as JSON.
const dialect = "genkit"

// request is a call of a model in neutral words.
func request(r *ai.ModelRequest, model string) adapt.Request {
	out := adapt.Request{Framework: dialect, Model: model, Messages: make([]message.Message, len(r.Messages))}
	var ids adapt.IDs
	for i, m := range r.Messages {
		out.Messages[i] = neutral(m, &ids)
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, codec.Tool{Name: t.Name, Description: t.Description, Schema: written(t.InputSchema)})
	}
	out.MaxOutput = maxOutput(r.Config)
	return out
}

// maxOutput is the cap of a reply as the common configuration and Google's state it, 0 for
// any other.
func maxOutput(config any) int {
	var c struct{ MaxOutputTokens int }
	raw, err := json.Marshal(config)
	if err != nil || json.Unmarshal(raw, &c) != nil {
		return 0
	}
	return c.MaxOutputTokens
}

// roles are the neutral words for Genkit's roles.
var roles = map[ai.Role]message.Role{
	ai.RoleSystem: message.System, ai.RoleUser: message.User, ai.RoleModel: message.Assistant, ai.RoleTool: message.Tool,
}

// neutral is a message in neutral words, a part for each of its parts.
func neutral(m *ai.Message, ids *adapt.IDs) message.Message {
	if m == nil {
		return message.Message{Role: message.User, Parts: []message.Part{fixed(m)}}
	}
	raw, err := json.Marshal(m)
	role, known := roles[m.Role]
	if !known {
		return message.Message{Role: message.User, Parts: []message.Part{fixed(m)}}
	}
	out := message.Message{Role: role, Parts: make([]message.Part, len(m.Content))}
	if err == nil {
		out.Raw, out.Dialect = raw, dialect
	}
	if role == message.Assistant {
		ids.Round()
	}
	for i, p := range m.Content {
		out.Parts[i] = part(p)
		switch c := &out.Parts[i]; c.Kind { // Genkit pairs calls without a Ref by name and order
		case message.Call:
			c.CallID = ids.Call(c.CallID, c.Name)
		case message.Result:
			c.CallID = ids.Result(c.CallID, c.Name)
		}
	}
	return out
}

func part(p *ai.Part) message.Part {
	switch {
	case p == nil:
		return fixed(p)
	case p.Kind == ai.PartText:
		return message.Part{Kind: message.Text, Text: p.Text}
	case p.Kind == ai.PartReasoning:
		return message.Part{Kind: message.Thinking, Text: p.Text, Signature: signature(p)}
	case p.Kind == ai.PartMedia:
		return media(p)
	case p.Kind == ai.PartToolRequest && p.ToolRequest != nil:
		return message.Part{Kind: message.Call, CallID: p.ToolRequest.Ref, Name: p.ToolRequest.Name, Args: string(written(p.ToolRequest.Input))}
	case p.Kind == ai.PartToolResponse && p.ToolResponse != nil:
		return result(p.ToolResponse)
	}
	return fixed(p)
}

// signature is that of a reasoning part: bytes, or their base64 where the part was stored.
func signature(p *ai.Part) string {
	switch s := p.Metadata["signature"].(type) {
	case []byte:
		return base64.StdEncoding.EncodeToString(s)
	case string:
		return s
	}
	return ""
}

// media is a picture or a document: inline where its address is a data URL.
func media(p *ai.Part) message.Part {
	out := fixed(p)
	out.Kind, out.MediaType = message.Media, p.ContentType
	if data, inline := strings.CutPrefix(p.Text, "data:"); inline {
		out.Size = len(data) * 3 / 4
	} else {
		out.URL = p.Text
	}
	return out
}

func result(r *ai.ToolResponse) message.Part {
	out := message.Part{Kind: message.Result, CallID: r.Ref, Name: r.Name}
	text, said := r.Output.(string)
	if !said && r.Output != nil {
		text = string(written(r.Output))
	}
	if text != "" || len(r.Content) == 0 {
		out.Parts = append(out.Parts, message.Part{Kind: message.Text, Text: text})
	}
	for _, p := range r.Content {
		out.Parts = append(out.Parts, part(p))
	}
	return out
}

// fixed returns a part for a value that is not understood, and stays as it is.
func fixed(v any) message.Part {
	raw := written(v)
	if raw == nil {
		raw = adapt.JSON(v)
	}
	return message.Part{Kind: message.Fixed, Raw: raw, Dialect: dialect}
}

// written is a value as JSON with its members in one order, whatever it was read into;
// nil for what is no JSON.
func written(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var plain any
	if d.Decode(&plain) != nil {
		return raw
	}
	if sorted, err := json.Marshal(plain); err == nil {
		return sorted
	}
	return raw
}

// build writes a message that is not one of the conversation's own as it came.
func build(m adapt.Message, from **ai.Message) *ai.Message {
	out := &ai.Message{}
	if from != nil {
		out = (*from).Clone()
		out.Content = nil
	} else {
		for genkits, role := range roles {
			if role == m.Role {
				out.Role = genkits
			}
		}
	}
	for i, p := range m.Parts {
		if from == nil || m.Of[i] < 0 {
			out.Content = append(out.Content, newPart(p))
			continue
		}
		own := (*from).Content[m.Of[i]]
		if p.Edited {
			own = edit(p, own)
		}
		out.Content = append(out.Content, own)
	}
	return out
}

func newPart(p message.Part) *ai.Part {
	switch p.Kind {
	case message.Call:
		return ai.NewToolRequestPart(&ai.ToolRequest{Name: p.Name, Ref: adapt.Own(p.CallID), Input: input(p.Args)})
	case message.Result:
		return ai.NewToolResponsePart(&ai.ToolResponse{Name: p.Name, Ref: adapt.Own(p.CallID), Output: p.Body()})
	}
	return ai.NewTextPart(p.Body())
}

// edit is a copy of a part with what is shown of it.
func edit(p message.Part, own *ai.Part) *ai.Part {
	out := own.Clone()
	switch p.Kind {
	case message.Call:
		call := *own.ToolRequest
		call.Ref, call.Input = adapt.Own(p.CallID), input(p.Args)
		out.ToolRequest = &call
	case message.Result:
		answer := *own.ToolResponse
		if was := result(own.ToolResponse); !adapt.SameParts(was.Parts, p.Parts) {
			answer.Output, answer.Content = p.Body(), contents(p.Parts)
		}
		answer.Ref = adapt.Own(p.CallID)
		out.ToolResponse = &answer
	default:
		out.Text = p.Text
	}
	return out
}

// contents are what is shown of a result besides its text.
func contents(ps []message.Part) (out []*ai.Part) {
	for _, p := range ps {
		own := new(ai.Part)
		if p.Kind != message.Text && json.Unmarshal(p.Raw, own) == nil {
			out = append(out, own)
		}
	}
	return out
}

// input is the value of a call's arguments.
func input(args string) any {
	var v any
	if json.Unmarshal([]byte(args), &v) != nil {
		return args
	}
	return v
}
