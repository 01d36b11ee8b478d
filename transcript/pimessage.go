package transcript

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// piMessage is the message of an entry; which fields are set follows from
// Role.
type piMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Model      string          `json:"model"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	IsError    bool            `json:"isError"`
	Summary    string          `json:"summary"`
	API        string          `json:"api"` // of a reply: see piAPIs
	// Sections and ToolsAdded are a system message's.
	Sections   json.RawMessage `json:"sections"`
	ToolsAdded []piTool        `json:"toolsAdded"`
	piShell
}

// piTool is a tool that the model is given.
type piTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// piAPIs are the formats of requests by pi's names.
var piAPIs = map[string]string{
	"anthropic-messages": Anthropic, "openai-completions": OpenAI, "openai-responses": Responses,
	"openai-codex-responses": Responses, "azure-openai-responses": Responses,
}

// piShell is a command that the user ran.
type piShell struct {
	Command            string `json:"command"`
	Output             string `json:"output"`
	ExitCode           *int64 `json:"exitCode"`
	Cancelled          bool   `json:"cancelled"`
	Truncated          bool   `json:"truncated"`
	FullOutputPath     string `json:"fullOutputPath"`
	ExcludeFromContext bool   `json:"excludeFromContext"`
}

func (t *Transcript) piMessage(e *piEntry) {
	var p piMessage
	if err := decode(e.Message, &p); err != nil {
		t.broken(e.at, e.Type, err)
		return
	}
	kind := slashed(e.Type, p.Role)
	m := message.Message{Role: message.User}
	var err error
	switch p.Role {
	case "user", "custom", "hookMessage":
		m.Parts, err = piContent(p.Content)
	case "assistant":
		m.Role = message.Assistant
		m.Parts, err = piContent(p.Content)
		t.Model, t.API = cmp.Or(p.Model, t.Model), cmp.Or(piAPIs[p.API], t.API)
	case "system":
		t.piSystem(&p)
		t.skip(e.at, kind, Bookkeeping, "")
		return
	case "toolResult":
		m.Role = message.Tool
		m.Parts, err = p.result()
	case "bashExecution":
		if p.ExcludeFromContext {
			t.skip(e.at, kind, Hidden, "")
			return
		}
		m = message.TextOf(message.User, p.piShell.text())
	case "branchSummary", "compactionSummary":
		if p.Role == "compactionSummary" && len(t.Messages) > 0 {
			t.skip(e.at, kind, Compaction, "")
			return
		}
		m = summaryOf(p.Summary)
	default:
		t.skip(e.at, kind, UnknownType, "")
		return
	}
	t.piAdd(e, kind, m, err)
}

// piSystem takes the system prompt, whole or in sections, and the tools that come with it.
func (t *Transcript) piSystem(p *piMessage) {
	text := plainText(p.Content)
	if text == "" && len(p.Sections) > 0 {
		var all []string
		_ = walk(p.Sections, func(_ string, v []byte, _ int) { all = append(all, plainText(v)) }) // what is no object has none
		text = strings.Join(all, "\n\n")
	}
	if text != "" {
		t.System = []message.Part{{Kind: message.Text, Text: text}}
	}
	for _, n := range p.ToolsAdded {
		t.addTool(codec.Tool{Name: n.Name, Description: n.Description, Schema: n.Parameters})
	}
}

func (p *piMessage) result() ([]message.Part, error) {
	parts, err := piContent(p.Content)
	return []message.Part{{
		Kind: message.Result, CallID: p.ToolCallID, Name: p.ToolName, Parts: parts, Failed: p.IsError,
	}}, err
}

// text is the command as pi tells it to the model.
func (p piShell) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Ran `%s`\n", p.Command)
	if p.Output == "" {
		b.WriteString("(no output)")
	} else {
		fmt.Fprintf(&b, "```\n%s\n```", p.Output)
	}
	switch {
	case p.Cancelled:
		b.WriteString("\n\n(command cancelled)")
	case p.ExitCode != nil && *p.ExitCode != 0:
		fmt.Fprintf(&b, "\n\nCommand exited with code %d", *p.ExitCode)
	}
	if p.Truncated && p.FullOutputPath != "" {
		fmt.Fprintf(&b, "\n\n[Output truncated. Full output: %s]", p.FullOutputPath)
	}
	return b.String()
}

// piContent reads a message's content: a string or an array of blocks.
func piContent(raw json.RawMessage) ([]message.Part, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if raw = bytes.TrimSpace(raw); raw[0] != '[' {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil || s == "" {
			return nil, err
		}
		return []message.Part{{Kind: message.Text, Text: s}}, nil
	}
	var blocks []json.RawMessage
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return nil, err
	}
	parts := make([]message.Part, 0, len(blocks))
	for _, b := range blocks {
		p, err := piBlock(b)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

func piBlock(raw json.RawMessage) (message.Part, error) {
	var b struct {
		Type              string          `json:"type"`
		Text              string          `json:"text"`
		Thinking          string          `json:"thinking"`
		ThinkingSignature string          `json:"thinkingSignature"`
		ID                string          `json:"id"`
		Name              string          `json:"name"`
		Arguments         json.RawMessage `json:"arguments"`
		Data              string          `json:"data"`
		MimeType          string          `json:"mimeType"`
	}
	if err := decode(raw, &b); err != nil {
		return message.Part{}, err
	}
	p := message.Part{Kind: message.Opaque, Raw: raw, Dialect: Pi}
	switch b.Type {
	case "text":
		p.Kind, p.Text = message.Text, b.Text
	case "thinking":
		p.Kind, p.Text, p.Signature = message.Thinking, b.Thinking, b.ThinkingSignature
	case "toolCall":
		p.Kind, p.CallID, p.Name, p.Args = message.Call, b.ID, b.Name, string(b.Arguments)
	case "image":
		p.Kind, p.MediaType = message.Media, b.MimeType
		p.Size = base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(b.Data, "=")))
	}
	return p, nil
}
