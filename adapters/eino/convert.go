package eino

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/eino-contrib/jsonschema"

	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// dialect names the format of Raw: a schema.Message as JSON.
const dialect = "eino"

// request is a call of a model in neutral words.
func request(input []*schema.Message, opts []model.Option) adapt.Request {
	r := adapt.Request{Framework: dialect, Messages: make([]message.Message, len(input))}
	for i, m := range input {
		r.Messages[i] = neutral(m)
	}
	o := model.GetCommonOptions(nil, opts...)
	if o.Model != nil {
		r.Model = *o.Model
	}
	if o.MaxTokens != nil {
		r.MaxOutput = *o.MaxTokens
	}
	for _, t := range o.Tools {
		r.Tools = append(r.Tools, codecTool(t))
	}
	return r
}

func codecTool(t *schema.ToolInfo) codec.Tool {
	made := codec.Tool{Name: t.Name, Description: t.Desc}
	if t.ParamsOneOf == nil {
		return made
	}
	if s, err := t.ToJSONSchema(); err == nil && s != nil {
		made.Schema, _ = json.Marshal(s) // one that is no JSON counts nothing
	}
	return made
}

func toolInfo(t codec.Tool) (*schema.ToolInfo, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(t.Schema, &s); err != nil {
		return nil, fmt.Errorf("read schema of %s: %w", t.Name, err)
	}
	return &schema.ToolInfo{Name: t.Name, Desc: t.Description, ParamsOneOf: schema.NewParamsOneOfByJSONSchema(&s)}, nil
}

// field names a field of a schema.Message that holds parts.
type field int

const (
	content field = iota
	reasoning
	call
	input
	output
	old   // MultiContent, which eino gave up
	whole // the message itself, as its result or as what is not understood
)

// place is where a neutral part stands in a schema.Message.
type place struct {
	field field
	index int
}

// neutral is a message in neutral words.
func neutral(m *schema.Message) message.Message {
	if m == nil {
		return message.Message{Role: message.User, Parts: []message.Part{fixed(m)}}
	}
	parts, _ := read(m)
	out := message.Message{Role: message.Role(m.Role), Name: m.Name, Parts: parts}
	if raw, err := json.Marshal(m); err == nil { // Extra may hold what is no JSON
		out.Raw, out.Dialect = raw, dialect
	}
	if !known(m.Role) {
		out.Role = message.User
	}
	return out
}

func known(r schema.RoleType) bool {
	switch r {
	case schema.System, schema.User, schema.Assistant, schema.Tool:
		return true
	}
	return false
}

// read returns the parts of a message, and the places where they stand.
func read(m *schema.Message) (parts []message.Part, places []place) {
	add := func(p message.Part, f field, i int) {
		parts, places = append(parts, p), append(places, place{f, i})
	}
	switch {
	case !known(m.Role):
		add(fixed(m), whole, 0)
		return parts, places
	case m.Role == schema.Tool:
		p := message.Part{Kind: message.Result, CallID: m.ToolCallID, Name: m.ToolName}
		if m.Content != "" || len(m.UserInputMultiContent) == 0 {
			p.Parts = append(p.Parts, message.Part{Kind: message.Text, Text: m.Content})
		}
		for i := range m.UserInputMultiContent {
			p.Parts = append(p.Parts, inputPart(&m.UserInputMultiContent[i]))
		}
		add(p, whole, 0)
		return parts, places
	}
	if m.ReasoningContent != "" {
		add(message.Part{Kind: message.Thinking, Text: m.ReasoningContent}, reasoning, 0)
	}
	if m.Content != "" {
		add(message.Part{Kind: message.Text, Text: m.Content}, content, 0)
	}
	for i := range m.MultiContent {
		p := &m.MultiContent[i]
		add(mediaPart(p, p.Type, p.Text), old, i)
	}
	for i := range m.UserInputMultiContent {
		add(inputPart(&m.UserInputMultiContent[i]), input, i)
	}
	for i := range m.AssistantGenMultiContent {
		add(outputPart(&m.AssistantGenMultiContent[i]), output, i)
	}
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		add(message.Part{Kind: message.Call, CallID: c.ID, Name: c.Function.Name, Args: c.Function.Arguments}, call, i)
	}
	return parts, places
}

func inputPart(p *schema.MessageInputPart) message.Part { return mediaPart(p, p.Type, p.Text) }

func outputPart(p *schema.MessageOutputPart) message.Part {
	if p.Type == schema.ChatMessagePartTypeReasoning && p.Reasoning != nil {
		return message.Part{Kind: message.Thinking, Text: p.Reasoning.Text, Signature: p.Reasoning.Signature}
	}
	return mediaPart(p, p.Type, p.Text)
}

// mediaPart is a part of a message of several, of which only texts and media are known.
func mediaPart(p any, kind schema.ChatMessagePartType, text string) message.Part {
	if kind == schema.ChatMessagePartTypeText {
		return message.Part{Kind: message.Text, Text: text}
	}
	m := fixed(p)
	if mediaTypes[kind] != "" {
		m.Kind, m.MediaType, m.Size = message.Media, mediaTypes[kind], len(m.Raw)*3/4 // base64, or a short address
	}
	return m
}

var mediaTypes = map[schema.ChatMessagePartType]string{
	schema.ChatMessagePartTypeImageURL: "image/*", schema.ChatMessagePartTypeAudioURL: "audio/*",
	schema.ChatMessagePartTypeVideoURL: "video/*", schema.ChatMessagePartTypeFileURL: "application/octet-stream",
}

// fixed returns a part for a value that is not understood, and stays as it is.
func fixed(v any) message.Part {
	return message.Part{Kind: message.Fixed, Raw: adapt.JSON(v), Dialect: dialect}
}

// build writes a message that is not one of the agent's own as it came.
func build(m adapt.Message, from **schema.Message) *schema.Message {
	if from != nil {
		return edit(m, *from)
	}
	out := &schema.Message{Role: schema.RoleType(m.Role), Name: m.Name}
	for _, p := range m.Parts {
		switch p.Kind {
		case message.Call:
			out.ToolCalls = append(out.ToolCalls, newCall(p))
		case message.Result:
			out.ToolCallID, out.ToolName = p.CallID, p.Name
			fallthrough
		case message.Text:
			out.Content = joined(out.Content, p.Body())
		}
	}
	return out
}

func newCall(p message.Part) schema.ToolCall {
	return schema.ToolCall{ID: p.CallID, Type: "function", Function: schema.FunctionCall{Name: p.Name, Arguments: p.Args}}
}

func joined(a, b string) string { return strings.Trim(a+"\n"+b, "\n") }

// edit is a copy of one of the agent's messages with the parts that are shown of it. All
// that is no part stays.
func edit(m adapt.Message, from *schema.Message) *schema.Message {
	out := *from
	_, places := read(from)
	out.Content, out.ReasoningContent = "", ""
	out.MultiContent, out.UserInputMultiContent, out.AssistantGenMultiContent, out.ToolCalls = nil, nil, nil, nil
	for i, p := range m.Parts {
		at := place{content, -1}
		if m.Of[i] >= 0 {
			at = places[m.Of[i]]
		}
		switch at.field {
		case content:
			addText(&out, from, p.Body())
		case reasoning:
			out.ReasoningContent = p.Text
		case call:
			c := from.ToolCalls[at.index]
			c.ID, c.Function.Arguments = p.CallID, p.Args
			out.ToolCalls = append(out.ToolCalls, c)
		case old:
			own := from.MultiContent[at.index]
			own.Text = p.Text
			out.MultiContent = append(out.MultiContent, own)
		case input:
			own := from.UserInputMultiContent[at.index]
			own.Text = p.Text
			out.UserInputMultiContent = append(out.UserInputMultiContent, own)
		case output:
			own := from.AssistantGenMultiContent[at.index]
			if p.Kind == message.Text {
				own.Text = p.Text
			}
			out.AssistantGenMultiContent = append(out.AssistantGenMultiContent, own)
		case whole:
			editResult(&out, from, p)
		}
	}
	return &out
}

// addText adds a text where the message has its texts.
func addText(out, from *schema.Message, text string) {
	switch {
	case len(from.UserInputMultiContent) > 0 && from.Content == "":
		out.UserInputMultiContent = append(out.UserInputMultiContent, schema.MessageInputPart{Type: schema.ChatMessagePartTypeText, Text: text})
	case len(from.AssistantGenMultiContent) > 0 && from.Content == "":
		out.AssistantGenMultiContent = append(out.AssistantGenMultiContent, schema.MessageOutputPart{Type: schema.ChatMessagePartTypeText, Text: text})
	case len(from.MultiContent) > 0 && from.Content == "":
		out.MultiContent = append(out.MultiContent, schema.ChatMessagePart{Type: schema.ChatMessagePartTypeText, Text: text})
	default:
		out.Content = joined(out.Content, text)
	}
}

// editResult writes what is shown of a tool's result; what else it holds stays where it
// is shown.
func editResult(out, from *schema.Message, p message.Part) {
	if !p.Edited {
		out.Content, out.UserInputMultiContent = from.Content, from.UserInputMultiContent
		return
	}
	out.ToolCallID = p.CallID
	var media []schema.MessageInputPart
	for _, inner := range p.Parts {
		var own schema.MessageInputPart
		if inner.Kind != message.Text && json.Unmarshal(inner.Raw, &own) == nil {
			media = append(media, own)
		}
	}
	if text := p.Body(); len(media) > 0 && text != "" {
		media = append([]schema.MessageInputPart{{Type: schema.ChatMessagePartTypeText, Text: text}}, media...)
	} else {
		out.Content = text
	}
	out.UserInputMultiContent = media
}
