package openai

import (
	"encoding/json"

	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// ParseMessage reads one message object. Raw is the object's own bytes. What
// is not a message of the API becomes one fixed part.
func ParseMessage(raw json.RawMessage) (message.Message, error) {
	return convert.Parse(raw, "openai message", readMessage)
}

// fields are the members of a message that make parts.
type fields struct {
	role, name, callID string
	content, calls     []message.Part
	before, after      []message.Part // reasoning; refusal, audio, function_call
}

func readMessage(r *jsonedit.Reader) (message.Message, error) {
	if r.Kind() != jsonedit.Object {
		raw, err := r.Value()
		return fixed(message.User, raw), err
	}
	var f fields
	raw, err := r.Object(func(name []byte) error { return f.read(r, name) })
	if err != nil {
		return message.Message{}, err
	}
	return f.message(raw), nil
}

func (f *fields) read(r *jsonedit.Reader, name []byte) (err error) {
	switch string(name) {
	case "content":
		f.content, err = convert.Content(r, Name, block)
		return err
	case "tool_calls":
		f.calls, err = convert.Content(r, Name, call)
		return err
	}
	v, err := r.Value()
	switch string(name) {
	case "role":
		f.role = jsonedit.TextOf(v)
	case "name":
		f.name = jsonedit.TextOf(v)
	case "tool_call_id":
		f.callID = jsonedit.TextOf(v)
	default:
		if p, ok := memberPart(string(name), v); ok && p.Kind == message.Thinking {
			f.before = append(f.before, p)
		} else if ok {
			f.after = append(f.after, p)
		}
	}
	return err
}

func (f *fields) message(raw []byte) message.Message {
	m := message.Message{Role: roleOf(f.role), Name: f.name, Raw: raw, Dialect: Name}
	switch f.role {
	default:
		if !knownRoles[f.role] {
			return fixed(m.Role, raw)
		}
	case "tool":
		m.Name = ""
		m.Parts = []message.Part{{Kind: message.Result, CallID: f.callID, Name: f.name, Parts: f.content}}
		return m
	case "function": // legacy; bound to its call by nothing but place
		m.Parts = []message.Part{convert.OpaquePart(raw, Name)}
		return m
	}
	m.Parts = append(append(f.before, f.content...), append(f.after, f.calls...)...)
	return m
}

func roleOf(s string) message.Role {
	switch s {
	case "system", "developer":
		return message.System
	case "assistant":
		return message.Assistant
	case "tool", "function":
		return message.Tool
	}
	return message.User
}

// knownRoles are those of messages; one without a role is read as the user's.
var knownRoles = map[string]bool{"system": true, "developer": true, "user": true, "assistant": true, "tool": true, "function": true, "": true}

func fixed(role message.Role, raw []byte) message.Message {
	return message.Message{
		Role: role, Raw: raw, Dialect: Name,
		Parts: []message.Part{convert.FixedPart(raw, Name)},
	}
}

// memberPart reads a member of a message that is a part by itself.
func memberPart(name string, v []byte) (message.Part, bool) {
	if jsonedit.IsNull(v) {
		return message.Part{}, false
	}
	switch name {
	case "reasoning_content", "reasoning":
		s, ok := jsonedit.Text(v)
		return message.Part{Kind: message.Thinking, Text: s, Dialect: Name}, ok && s != ""
	case "refusal":
		raw := jsonedit.Build(jsonedit.Member{Name: "type", Value: []byte(`"refusal"`)}, jsonedit.Member{Name: name, Value: v})
		return convert.OpaquePart(raw, Name), true
	case "audio": // a reply holds the sound, its echo the id
		if id := jsonedit.Get(v, "id"); id != nil {
			v = jsonedit.Build(jsonedit.Member{Name: "id", Value: id})
		}
		return convert.OpaquePart(v, Name), true
	case "function_call":
		return convert.OpaquePart(v, Name), true
	}
	return message.Part{}, false
}

func block(raw []byte) message.Part {
	kind := jsonedit.TextOf(jsonedit.Get(raw, "type"))
	switch kind {
	case "text":
		if s, ok := jsonedit.Text(jsonedit.Get(raw, "text")); ok {
			return message.Part{Kind: message.Text, Text: s}
		}
	case "image_url", "input_audio", "file":
		return convert.MediaPart(raw, Name)
	}
	return convert.Other(raw, Name, kind, knownBlocks)
}

// knownBlocks are the blocks that are not read and may be left out.
var knownBlocks = map[string]bool{
	"text": true, "image_url": true, "input_audio": true, "file": true, "refusal": true,
	"thinking": true, "redacted_thinking": true, "reasoning": true, "video_url": true, "audio_url": true,
}

// call reads an element of tool_calls: a function call, or a custom tool's,
// whose input is free text. A missing id is empty: a plan repairs it.
func call(raw []byte) message.Part {
	var id, function, custom []byte
	for _, m := range jsonedit.Members(raw) {
		if jsonedit.IsNull(m.Value) {
			continue
		}
		switch m.Name {
		case "id":
			id = m.Value
		case "function":
			function = m.Value
		case "custom":
			custom = m.Value
		}
	}
	body, args := function, "arguments"
	if len(function) == 0 {
		body, args = custom, "input"
	}
	name, ok := jsonedit.Text(jsonedit.Get(body, "name"))
	if !ok && len(body) == 0 {
		return convert.FixedPart(raw, Name)
	} else if !ok && jsonedit.TextOf(id) == "" { // with an id its result is its own, whatever its name
		return convert.OpaquePart(raw, Name)
	}
	return message.Part{
		Kind: message.Call, CallID: jsonedit.TextOf(id), Name: name,
		Args: jsonedit.TextOf(jsonedit.Get(body, args)),
	}
}
