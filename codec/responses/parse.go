package responses

import (
	"encoding/json"
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// ParseItem reads one input item. Raw is the item's own bytes; where the item
// is a single part (a call, an output, reasoning) they are the part's too. A
// JSON string is a user message, as the whole input may be one.
func ParseItem(raw json.RawMessage) (message.Message, error) {
	return convert.Parse(raw, "responses item", readItem)
}

// fields are the members of an item that make parts, raw.
type fields struct {
	kind, role, id, callID, name string
	args, output                 []byte
	summary, encrypted           []byte
	content                      []message.Part
}

func readItem(r *jsonedit.Reader) (message.Message, error) {
	if r.Kind() != jsonedit.Object {
		raw, err := r.Value()
		m := message.Message{Role: message.User, Raw: raw, Dialect: Name}
		m.Parts = convert.Plain(raw, Name)
		return m, err
	}
	var f fields
	raw, err := r.Object(func(name []byte) error { return f.read(r, name) })
	if err != nil {
		return message.Message{}, err
	}
	return f.message(raw), nil
}

func (f *fields) read(r *jsonedit.Reader, name []byte) (err error) {
	if string(name) == "content" {
		f.content, err = convert.Content(r, Name, block)
		return err
	}
	v, err := r.Value()
	switch string(name) {
	case "type":
		f.kind = jsonedit.TextOf(v)
	case "role":
		f.role = jsonedit.TextOf(v)
	case "id":
		f.id = jsonedit.TextOf(v)
	case "call_id":
		f.callID = jsonedit.TextOf(v)
	case "name":
		f.name = jsonedit.TextOf(v)
	case "arguments", "input", "action", "operation":
		f.args = v
	case "output":
		f.output = v
	case "summary":
		f.summary = v
	case "encrypted_content":
		f.encrypted = v
	}
	return err
}

func (f *fields) message(raw []byte) message.Message {
	m := message.Message{Raw: raw, Dialect: Name}
	if f.kind == "message" || f.kind == "" && f.role != "" {
		m.Role, m.Parts = role(f.role), f.content
		return m
	}
	p := convert.OpaquePart(raw, Name)
	m.Role = message.Assistant
	switch {
	case f.kind == "reasoning":
		p = message.Part{Kind: message.Thinking, Text: f.thought(), Signature: jsonedit.TextOf(f.encrypted)}
	case isCall(f.kind) && f.call() != "":
		p = message.Part{Kind: message.Call, CallID: f.call(), Name: f.tool(), Args: text(f.args)}
	case isOutput(f.kind):
		m.Role = message.Tool
		if f.call() == "" {
			break
		}
		p = message.Part{Kind: message.Result, CallID: f.call(), Parts: output(f.output)}
	}
	p.Raw, p.Dialect = raw, Name
	m.Parts = []message.Part{p}
	return m
}

// isCall is true for the kinds of item that an output of the client answers, if
// they carry a call id.
func isCall(kind string) bool { return strings.HasSuffix(kind, "_call") || kind == "program" }

func isOutput(kind string) bool { return strings.HasSuffix(kind, "_output") }

// outputOf is the kind of item that answers a call.
func outputOf(kind string) string {
	if kind == "tool_search_call" {
		return "tool_search_output"
	}
	return kind + "_output"
}

// call is the id that binds a call and its output. Local shell outputs carry
// it as id; calls that the server answers itself have an id only and no pair.
func (f *fields) call() string {
	if f.callID == "" && f.kind == "local_shell_call_output" {
		return f.id
	}
	return f.callID
}

func (f *fields) tool() string {
	if f.name != "" {
		return f.name
	}
	return strings.TrimSuffix(f.kind, "_call")
}

func role(s string) message.Role {
	switch s {
	case "assistant":
		return message.Assistant
	case "system", "developer":
		return message.System
	}
	return message.User
}

// text is a JSON string decoded, or any other value as it is written.
func text(raw []byte) string {
	if s, ok := jsonedit.Text(raw); ok {
		return s
	}
	return string(raw)
}

func (f *fields) thought() string {
	var b strings.Builder
	for _, raw := range jsonedit.Elements(f.summary) {
		line(&b, jsonedit.TextOf(jsonedit.Get(raw, "text")))
	}
	for _, p := range f.content {
		line(&b, jsonedit.TextOf(jsonedit.Get(p.Raw, "text")))
	}
	return b.String()
}

func line(b *strings.Builder, s string) {
	if b.Len() > 0 && s != "" {
		b.WriteByte('\n')
	}
	b.WriteString(s)
}

// output reads a call output: a string, or an array of parts.
func output(raw []byte) []message.Part {
	if len(raw) == 0 {
		return nil
	}
	ps, err := convert.Content(jsonedit.NewReader(raw), Name, block)
	if err != nil {
		return []message.Part{convert.OpaquePart(raw, Name)}
	}
	return ps
}

func block(raw []byte) message.Part {
	switch jsonedit.TextOf(jsonedit.Get(raw, "type")) {
	case "input_text", "output_text", "text":
		if s, ok := jsonedit.Text(jsonedit.Get(raw, "text")); ok {
			return message.Part{Kind: message.Text, Text: s}
		}
	case "input_image", "input_file", "input_audio":
		return convert.MediaPart(raw, Name)
	}
	return convert.OpaquePart(raw, Name)
}
