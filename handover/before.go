package handover

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/transcript"
)

// Message is a message as plugins of Claude Code have it.
type Message struct {
	Role        string   `json:"role"` // user or assistant
	Text        string   `json:"text"`
	ToolUses    []Use    `json:"toolUses"`
	ToolResults []Result `json:"toolResults,omitempty"`
}

// Use is a call of a tool.
type Use struct {
	ID    string          `json:"tool_use_id"`
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
}

// Result is the answer of a tool to a call.
type Result struct {
	ID      string `json:"tool_use_id"`
	Text    string `json:"text"`
	IsError bool   `json:"isError"`
}

// ErrNone is returned by Before where no compaction of ours is in force.
var ErrNone = errors.New("no compaction by precis can be taken back")

// Before returns the messages that stood in a session of Claude Code before its last
// compaction, which must be one of ours that was not taken back. Thinking is not in them,
// and a picture is named only.
func Before(session []byte) ([]Message, error) {
	all := inForce(session)
	if len(all) == 0 || !strings.HasPrefix(all[len(all)-1].text, Heading) {
		return nil, ErrNone
	}
	until, from := all[len(all)-1], compaction{}
	out := []Message{}
	if len(all) > 1 {
		from = all[len(all)-2]
		out = append(out, Message{Role: "user", Text: from.text, ToolUses: []Use{}})
	}
	t, err := transcript.Read(session[:until.offset], transcript.ClaudeCode)
	if err != nil {
		return nil, err
	}
	for i, m := range t.Messages {
		if t.Sources[i].Line <= from.line {
			continue
		}
		if got, ok := ofClaude(m); ok {
			out = append(out, got)
		}
	}
	return out, nil
}

// compaction is one that a session holds: where its boundary stands, and the text of the
// first message behind it.
type compaction struct {
	line, offset int
	text         string
}

// inForce lists the compactions of a session that were not taken back.
func inForce(session []byte) (all []compaction) {
	var at *compaction
	line, offset := 0, 0
	for raw := range bytes.Lines(session) {
		line++
		here := compaction{line: line, offset: offset}
		offset += len(raw)
		if at == nil && !bytes.Contains(raw, []byte("compact_boundary")) {
			continue
		}
		var r struct {
			Type, Subtype    string
			IsCompactSummary bool
			IsMeta           bool
			Message          struct{ Content json.RawMessage }
		}
		if json.Unmarshal(raw, &r) != nil {
			continue
		}
		switch {
		case r.Subtype == "compact_boundary":
			at = &here
		case at != nil && r.Type == "user" && !r.IsMeta:
			at.text = plain(r.Message.Content)
			n := len(all)
			switch {
			case n > 1 && at.text == all[n-2].text: // taken back: the one before it is in force
				all = all[:n-1]
			case r.IsCompactSummary || strings.HasPrefix(at.text, Heading):
				all = append(all, *at)
			case n > 0: // taken back: it begins with the conversation
				all = all[:n-1]
			}
			at = nil
		}
	}
	return all
}

// plain is the text of a message's content, which is a text or blocks.
func plain(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []struct{ Text string }
	_ = json.Unmarshal(content, &blocks) // what is neither has no text
	for _, b := range blocks {
		text += b.Text
	}
	return text
}

// ofClaude is a message as plugins have it; there is none of one that only thinks.
func ofClaude(m message.Message) (Message, bool) {
	out := Message{Role: "user", ToolUses: []Use{}}
	if m.Role == message.Assistant {
		out.Role = "assistant"
	}
	var said []string
	for _, p := range m.Parts {
		switch p.Kind {
		case message.Text:
			said = append(said, p.Text)
		case message.Call:
			input := json.RawMessage(p.Args)
			if !json.Valid(input) {
				input = json.RawMessage("{}")
			}
			out.ToolUses = append(out.ToolUses, Use{ID: p.CallID, Tool: p.Name, Input: input})
		case message.Result:
			out.ToolResults = append(out.ToolResults, Result{ID: p.CallID, Text: p.Body(), IsError: p.Failed})
		case message.Media:
			said = append(said, fmt.Sprintf("[a picture or a file, %s, was here]", p.MediaType))
		}
	}
	out.Text = strings.Join(said, "\n")
	return out, out.Text != "" || len(out.ToolUses)+len(out.ToolResults) > 0
}
