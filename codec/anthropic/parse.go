package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// ParseMessage reads one message object. Raw is the object's own bytes. What
// is not a message of the API becomes one fixed part.
func ParseMessage(raw json.RawMessage) (message.Message, error) {
	return convert.Parse(raw, "anthropic message", readMessage)
}

// ParseBlocks reads a message's content: a string or an array of blocks. null
// and nothing are no parts.
func ParseBlocks(content json.RawMessage) ([]message.Part, error) {
	if len(content) == 0 {
		return nil, nil
	}
	return convert.Parse(content, "anthropic content", readContent)
}

func readMessage(r *jsonedit.Reader) (message.Message, error) {
	if r.Kind() != jsonedit.Object {
		raw, err := r.Value()
		return message.Message{
			Role: message.User, Raw: raw, Dialect: Name,
			Parts: []message.Part{convert.FixedPart(raw, Name)},
		}, err
	}
	m, known := message.Message{Role: message.User, Dialect: Name}, true
	raw, err := r.Object(func(name []byte) error {
		var err error
		var v []byte
		switch string(name) {
		case "content":
			m.Parts, err = readContent(r)
		case "role":
			v, err = r.Value()
			m.Role = role(jsonedit.TextOf(v))
			known = knownRoles[jsonedit.TextOf(v)]
		default:
			_, err = r.Value()
		}
		return err
	})
	if m.Raw = raw; !known {
		m.Parts = []message.Part{convert.FixedPart(raw, Name)}
	}
	return m, err
}

// knownRoles are those of messages; one without a role is read as the user's.
var knownRoles = map[string]bool{"user": true, "assistant": true, "system": true, "": true}

// knownBlocks are the blocks that are not read and may be left out. What declares tools
// is not among them: tool_reference, tool_search_tool_result, mcp_tool_listing,
// tool_addition, tool_removal.
var knownBlocks = map[string]bool{
	"text": true, "thinking": true, "redacted_thinking": true, "tool_use": true, "tool_result": true,
	"image": true, "document": true, "search_result": true, "container_upload": true, "compaction": true, "fallback": true,
	"server_tool_use": true, "mcp_tool_use": true, "mcp_tool_result": true, "web_search_tool_result": true, "web_fetch_tool_result": true,
	"code_execution_tool_result": true, "bash_code_execution_tool_result": true, "text_editor_code_execution_tool_result": true,
	"advisor_tool_result": true, "browser_state": true,
}

func role(s string) message.Role {
	switch s {
	case "assistant":
		return message.Assistant
	case "system":
		return message.System
	}
	return message.User
}

func readContent(r *jsonedit.Reader) ([]message.Part, error) {
	if r.Kind() != jsonedit.Array {
		v, err := r.Value()
		return convert.Plain(v, Name), err
	}
	var ps []message.Part
	_, err := r.Array(func() error {
		p, err := readBlock(r)
		ps = append(ps, p)
		return err
	})
	return ps, err
}

// fields are the members of a block that some kind of part needs, raw.
type fields struct {
	kind, text, thinking, signature, data     []byte
	id, name, input, callID, content, isError []byte
}

func readBlock(r *jsonedit.Reader) (message.Part, error) {
	if r.Kind() != jsonedit.Object {
		raw, err := r.Value()
		return convert.FixedPart(raw, Name), err
	}
	var f fields
	raw, err := f.read(r)
	if err != nil {
		return message.Part{}, err
	}
	p := f.part(raw)
	p.Raw, p.Dialect = raw, Name
	return p, nil
}

// read reads a block.
func (f *fields) read(r *jsonedit.Reader) ([]byte, error) {
	return r.Object(func(name []byte) error {
		v, err := r.Value()
		f.set(name, v)
		return err
	})
}

func (f *fields) set(name, v []byte) {
	switch string(name) {
	case "type":
		f.kind = v
	case "text":
		f.text = v
	case "thinking":
		f.thinking = v
	case "signature":
		f.signature = v
	case "data":
		f.data = v
	case "id":
		f.id = v
	case "name":
		f.name = v
	case "input":
		f.input = v
	case "tool_use_id":
		f.callID = v
	case "content":
		f.content = v
	case "is_error":
		f.isError = v
	}
}

func (f *fields) part(raw []byte) message.Part {
	switch jsonedit.TextOf(f.kind) {
	case "text":
		if s, ok := jsonedit.Text(f.text); ok {
			return message.Part{Kind: message.Text, Text: s}
		}
	case "thinking":
		return message.Part{Kind: message.Thinking, Text: jsonedit.TextOf(f.thinking), Signature: jsonedit.TextOf(f.signature)}
	case "redacted_thinking":
		return message.Part{Kind: message.Thinking, Signature: jsonedit.TextOf(f.data)}
	case "tool_use":
		if id, ok := jsonedit.Text(f.id); ok { // its result is its own, whatever its name
			return message.Part{Kind: message.Call, CallID: id, Name: jsonedit.TextOf(f.name), Args: string(f.input)}
		}
	case "tool_result":
		if id, ok := jsonedit.Text(f.callID); ok {
			return message.Part{Kind: message.Result, CallID: id, Failed: jsonedit.True(f.isError), Parts: inner(f.content)}
		}
	case "image", "document":
		return convert.MediaPart(raw, Name)
	}
	p := convert.Other(raw, Name, jsonedit.TextOf(f.kind), knownBlocks)
	p.CallID = f.pair()
	return p
}

// pair is the id that binds a call that the provider runs and its result, "" for a block
// that is neither.
func (f *fields) pair() string {
	if strings.HasSuffix(jsonedit.TextOf(f.kind), "_tool_use") {
		return jsonedit.TextOf(f.id)
	}
	return jsonedit.TextOf(f.callID)
}

// inner reads a result's content, which the outer walk found valid. It holds
// text, media and what is not known, not further calls and results.
func inner(raw []byte) []message.Part {
	if len(raw) == 0 || raw[0] != '[' {
		return convert.Plain(raw, Name)
	}
	var ps []message.Part
	r := jsonedit.NewReader(raw)
	_, err := r.Array(func() error {
		p, err := readInner(r)
		ps = append(ps, p)
		return err
	})
	if err != nil {
		return nil
	}
	return ps
}

func readInner(r *jsonedit.Reader) (message.Part, error) {
	if r.Kind() != jsonedit.Object {
		raw, err := r.Value()
		return convert.FixedPart(raw, Name), err
	}
	var f fields
	raw, err := f.read(r)
	switch jsonedit.TextOf(f.kind) {
	case "text":
		if s, ok := jsonedit.Text(f.text); ok {
			return message.Part{Kind: message.Text, Text: s, Raw: raw, Dialect: Name}, err
		}
	case "image", "document":
		return convert.MediaPart(raw, Name), err
	}
	return convert.Other(raw, Name, jsonedit.TextOf(f.kind), knownBlocks), err
}
