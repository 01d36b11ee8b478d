package transcript

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/message"
)

// codexLine is a line of a rollout: an envelope, or, in old files, the item
// itself or the header.
type codexLine struct {
	Timestamp  string          `json:"timestamp"`
	Type       string          `json:"type"`
	RecordType string          `json:"record_type"`
	Payload    json.RawMessage `json:"payload"`
	codexHeader
}

// codexHeader is the payload of session_meta, and the first line of old files.
type codexHeader struct {
	ID               string          `json:"id"`
	Instructions     json.RawMessage `json:"instructions"`
	BaseInstructions json.RawMessage `json:"base_instructions"`
}

// codexPayload holds what we read of the other payloads.
type codexPayload struct {
	Type        string            `json:"type"`
	Model       string            `json:"model"`
	NumTurns    int               `json:"num_turns"`
	Message     json.RawMessage   `json:"message"`
	Replacement []json.RawMessage `json:"replacement_history"`
	Tools       json.RawMessage   `json:"tools"`
}

var codexBookkeeping = map[string]bool{
	"session_meta": true, "turn_context": true, "event_msg": true,
	"world_state": true, "inter_agent_communication": true, "session_state": true,
	"token_usage_record": true, "configuration_update": true, "additional_tools": true,
}

// codex reads a rollout. It interleaves two logs: the items that the model
// saw, which are the conversation, and the events that the screen showed.
func (t *Transcript) codex(ls []line) {
	for _, l := range ls {
		var r codexLine
		if err := l.object(&r); err != nil {
			t.broken(l, r.Type, err)
			continue
		}
		if len(r.Payload) == 0 {
			t.codexFlat(l, &r)
			continue
		}
		t.codexEnvelope(l, &r)
	}
}

func (t *Transcript) codexFlat(l line, r *codexLine) {
	switch {
	case r.Type != "":
		t.codexItem(l, r, l.raw, r.Type)
	case r.RecordType != "":
		t.skip(l, r.RecordType, Bookkeeping, "")
	case r.ID != "":
		t.codexMeta(&r.codexHeader)
		t.skip(l, "header", Bookkeeping, "")
	default:
		t.skip(l, "", UnknownType, "")
	}
}

func (t *Transcript) codexEnvelope(l line, r *codexLine) {
	var p codexPayload
	_ = decode(r.Payload, &p) // the line is valid JSON, and so is its payload
	switch r.Type {
	case "response_item":
		t.codexItem(l, r, r.Payload, p.Type)
		return
	case "compacted":
		t.codexCompacted(l, r, &p)
		return
	case "session_meta":
		var h codexHeader
		_ = decode(r.Payload, &h)
		t.codexMeta(&h)
	case "additional_tools":
		t.codexTools(p.Tools)
	case "turn_context":
		t.Model = cmp.Or(p.Model, t.Model)
	case "event_msg":
		if p.Type == "thread_rolled_back" {
			t.note("line %d: what the user took back is kept, turns: %d", l.no, p.NumTurns)
		}
	}
	why := Bookkeeping
	if !codexBookkeeping[r.Type] {
		why = UnknownType
	}
	t.skip(l, slashed(r.Type, p.Type), why, "")
}

// codexTools takes tools that the model is given among its messages.
func (t *Transcript) codexTools(raw json.RawMessage) {
	got := around(responses.Codec{}, "input", nil, raw)
	if got == nil {
		return
	}
	for _, n := range got.Tools {
		t.addTool(n)
	}
}

func (t *Transcript) codexMeta(h *codexHeader) {
	t.Session = cmp.Or(t.Session, h.ID)
	text := cmp.Or(plainText(h.BaseInstructions), plainText(h.Instructions))
	if len(t.System) == 0 && text != "" {
		t.System = []message.Part{{Kind: message.Text, Text: text}}
	}
}

// plainText reads a string or {"text": string}; "" for anything else.
func plainText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var o struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return ""
	}
	return o.Text
}

func (t *Transcript) codexItem(l line, r *codexLine, item json.RawMessage, kind string) {
	name := kind
	if len(r.Payload) > 0 {
		name = slashed(r.Type, kind)
	}
	if kind == "additional_tools" {
		var p codexPayload
		_ = decode(item, &p) // the line is valid JSON, and so is the item
		t.codexTools(p.Tools)
	}
	if why := t.codexLeft(kind); why != "" {
		t.skip(l, name, why, "")
		return
	}
	m, err := responses.ParseItem(item)
	switch {
	case err != nil:
		t.broken(l, name, err)
	case len(m.Parts) == 0:
		t.skip(l, name, Empty, "")
	default:
		m.Raw, m.Dialect = l.raw, Codex
		t.add(l, m, r.Timestamp)
	}
}

// codexLeft is why an item of the kind is left out, "" if it is used.
func (t *Transcript) codexLeft(kind string) Why {
	switch {
	case kind == "ghost_snapshot", kind == "other", kind == "compaction_trigger",
		kind == "additional_tools", kind == "configuration_update":
		return Bookkeeping
	case strings.HasSuffix(kind, "compaction"), kind == "compaction_summary":
		if len(t.Messages) > 0 {
			return Compaction
		}
		return ""
	case kind == "message", kind == "reasoning", strings.HasSuffix(kind, "_call"), strings.HasSuffix(kind, "_output"):
		return ""
	}
	return UnknownType
}

// codexCompacted reads the agent's own compaction. What it replaces stands
// above it and stays; only where nothing does is the replacement all we have.
func (t *Transcript) codexCompacted(l line, r *codexLine, p *codexPayload) {
	if len(t.Messages) > 0 {
		t.skip(l, r.Type, Compaction, "")
		return
	}
	for _, raw := range p.Replacement {
		if m, err := responses.ParseItem(raw); err == nil && len(m.Parts) > 0 {
			t.add(l, m, r.Timestamp)
		}
	}
	if len(t.Messages) > 0 {
		t.note("line %d: the history before this compaction is not in the file; its replacement is used", l.no)
		return
	}
	text := plainText(p.Message)
	if text == "" {
		t.skip(l, r.Type, Empty, "")
		return
	}
	m := message.TextOf(message.User, text)
	m.Raw, m.Dialect = l.raw, Codex
	t.add(l, m, r.Timestamp)
}
