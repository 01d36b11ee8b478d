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
	approves                     string // an approval request's id
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
	case "approval_request_id":
		f.approves = jsonedit.TextOf(v)
	case "name":
		f.name = jsonedit.TextOf(v)
	case "arguments", "input", "action", "actions", "operation":
		if !jsonedit.IsNull(v) {
			f.args = v
		}
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
		if knownRoles[f.role] {
			return m
		}
		m.Parts = []message.Part{convert.FixedPart(raw, Name)}
		return m
	}
	p := convert.Other(raw, Name, f.kind, knownItems)
	p.CallID = f.pair()
	m.Role = message.Assistant
	if f.role != "" {
		m.Role = role(f.role)
	}
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
		p = message.Part{Kind: message.Result, CallID: f.call(), Parts: output(f.kind, f.output)}
	}
	p.Raw, p.Dialect = raw, Name
	m.Parts = []message.Part{p}
	return m
}

// calls are the items that an output of the client answers, if they carry a call id. A
// program is none: the provider runs it, and it goes back as it came.
var calls = map[string]bool{
	"function_call": true, "custom_tool_call": true, "computer_call": true, "local_shell_call": true,
	"shell_call": true, "apply_patch_call": true,
}

// isCall reports whether an output answers items of a kind. A tool search and its output
// are none of these: they declare tools, and stay.
func isCall(kind string) bool { return calls[kind] }

func isOutput(kind string) bool {
	call, ok := strings.CutSuffix(kind, "_output")
	return ok && calls[call]
}

// outputOf is the kind of item that answers a call.
func outputOf(kind string) string { return kind + "_output" }

// knownItems are the other items that may be left out of a prompt. What declares tools
// or sets the conversation up is not among them.
var knownItems = map[string]bool{
	"web_search_call": true, "file_search_call": true, "code_interpreter_call": true, "image_generation_call": true,
	"mcp_call": true, "mcp_approval_request": true, "mcp_approval_response": true,
	"compaction": true, "compaction_trigger": true, "reasoning": true,
	"function_call": true, "custom_tool_call": true, "computer_call": true, "local_shell_call": true,
	"shell_call": true, "apply_patch_call": true, "program": true,
	"function_call_output": true, "custom_tool_call_output": true, "computer_call_output": true,
	"local_shell_call_output": true, "shell_call_output": true, "apply_patch_call_output": true, "program_output": true,
}

// knownRoles are those of message items.
var knownRoles = map[string]bool{"user": true, "assistant": true, "system": true, "developer": true, "": true}

// knownBlocks are the blocks that are not read and may be left out.
var knownBlocks = map[string]bool{
	"input_text": true, "output_text": true, "text": true, "refusal": true, "summary_text": true, "reasoning_text": true,
	"input_image": true, "input_file": true, "input_audio": true, "computer_screenshot": true,
}

// call is the id that binds a call and its output. Local shell outputs carry
// it as id; calls that the server answers itself have an id only and no pair.
func (f *fields) call() string {
	if f.callID == "" && f.kind == "local_shell_call_output" {
		return f.id
	}
	return f.callID
}

// pair is the id that binds items of the provider's own, a program and its output or a
// request for the user's approval and the answer to it; "" for other items.
func (f *fields) pair() string {
	switch f.kind {
	case "mcp_approval_request":
		return f.id
	case "mcp_approval_response":
		return f.approves
	case "program", "program_output":
		return f.callID
	}
	return ""
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

// output reads a call output: a string, or an array of parts. Those of built-in tools
// hold objects of their own.
func output(kind string, raw []byte) []message.Part {
	if len(raw) == 0 {
		return nil
	}
	read := block
	if kind != "function_call_output" && kind != "custom_tool_call_output" {
		read = builtIn
		if raw[0] == '{' {
			return []message.Part{read(raw)}
		}
	}
	if kind == "shell_call_output" {
		read = printed
	}
	ps, err := convert.Content(jsonedit.NewReader(raw), Name, read)
	if err != nil {
		return []message.Part{convert.OpaquePart(raw, Name)}
	}
	return ps
}

// builtIn reads a part of the output of a built-in tool.
func builtIn(raw []byte) message.Part {
	if p := block(raw); p.Kind != message.Fixed {
		return p
	}
	return convert.OpaquePart(raw, Name)
}

// printed reads what a command of a shell call printed, behind the code it ended with.
func printed(raw []byte) message.Part {
	stdout, isText := jsonedit.Text(jsonedit.Get(raw, "stdout"))
	if !isText {
		return builtIn(raw)
	}
	text := stdout
	if stderr := jsonedit.TextOf(jsonedit.Get(raw, "stderr")); stderr != "" {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += stderr
	}
	switch end := jsonedit.Get(raw, "outcome"); itemType(end) {
	case "":
	case "exit":
		text = "Exit code: " + string(jsonedit.Get(end, "exit_code")) + "\nOutput:\n" + text
	default:
		text = "[" + itemType(end) + "]\n" + text
	}
	return message.Part{Kind: message.Text, Text: text}
}

func block(raw []byte) message.Part {
	kind := jsonedit.TextOf(jsonedit.Get(raw, "type"))
	switch kind {
	case "input_text", "output_text", "text":
		if s, ok := jsonedit.Text(jsonedit.Get(raw, "text")); ok {
			return message.Part{Kind: message.Text, Text: s}
		}
	case "input_image", "input_file", "input_audio", "computer_screenshot":
		return convert.MediaPart(raw, Name)
	}
	return convert.Other(raw, Name, kind, knownBlocks)
}
