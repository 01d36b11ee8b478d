// Package message is the neutral form of one message of a conversation.
//
// Use: a codec or an importer builds a Message from a provider's bytes; every
// other room reads it. Law: content is data: nothing here looks inside text for
// markers. Promise: Raw holds the exact bytes the message came
// in, and Digest does not change when a client re-spaces JSON, moves cache
// markers, drops thinking, or turns a string into a single text block.
package message

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// Role names the speaker. A developer message is a System message whose Raw
// keeps the original word.
type Role string

// The roles. A Tool message holds results only (OpenAI Chat); Anthropic's
// results arrive in User messages.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Kind is the kind of a Part.
type Kind string

// The kinds of part.
const (
	Text     Kind = "text"        // Text
	Thinking Kind = "thinking"    // Text, Signature; only Signature where the text is redacted or left out
	Call     Kind = "tool_call"   // CallID, Name, Args
	Result   Kind = "tool_result" // CallID, Name (when known), Parts, Failed
	Media    Kind = "media"       // MediaType, URL, Size; the bytes stay in Raw
	// Opaque is of another type that is known: only Raw is read. One that belongs to
	// another part, such as the result of a tool that the provider runs, has the CallID
	// that both name, and neither goes out without the other.
	Opaque Kind = "opaque"
	// Fixed is of a type that is not known, or declares tools: only Raw is read, and no
	// plan, repair or encoding touches it.
	Fixed Kind = "fixed"
)

// Part is one piece of a message. Which fields are set follows from Kind.
type Part struct {
	Kind      Kind   `json:"kind"`
	Text      string `json:"text,omitempty"`
	Signature string `json:"signature,omitempty"`
	CallID    string `json:"call_id,omitempty"`
	Name      string `json:"name,omitempty"`
	// Args is the text of a call's arguments exactly as it was written: for
	// OpenAI the decoded JSON string, for Anthropic the raw JSON object. It
	// need not be valid JSON.
	Args string `json:"args,omitempty"`
	// Parts is a result's content, in order: text, media, opaque.
	Parts []Part `json:"parts,omitempty"`
	// Failed is set where the provider marks the result as an error.
	Failed bool `json:"failed,omitempty"`
	// Declared is the envelope that a tool declared for this result, as
	// tool.Declare writes it; nil for none. It stands beside the content, where
	// no text can reach it: it is no part of the Digest and is sent to nobody.
	Declared  json.RawMessage `json:"declared,omitempty"`
	MediaType string          `json:"media_type,omitempty"`
	URL       string          `json:"url,omitempty"`  // remote media only; data URLs stay in Raw
	Size      int             `json:"size,omitempty"` // decoded bytes of inline media, 0 if remote
	// Raw is the provider's JSON of this part where it is a JSON value of its
	// own (a content block, a tool call); nil for plain string content.
	Raw json.RawMessage `json:"raw,omitempty"`
	// Dialect names the wire format of Raw ("anthropic", "openai", "responses", …).
	Dialect string `json:"dialect,omitempty"`
	// Edited is set by the renderer on a part whose fields no longer match Raw.
	Edited bool `json:"edited,omitempty"`
}

// Message is one message as a provider or a session file holds it, one record
// to one Message.
type Message struct {
	Role  Role   `json:"role"`
	Name  string `json:"name,omitempty"` // participant, when the provider has one
	Parts []Part `json:"parts"`
	// Raw is the exact bytes of the record the message came in.
	Raw json.RawMessage `json:"raw,omitempty"`
	// Dialect names the format of Raw: the name of the codec that can splice it
	// into a request ("openai", "anthropic", "responses"), or of the session
	// format it was read from ("claude-code", "codex", "pi"), or "" when there
	// is none.
	Dialect string `json:"dialect,omitempty"`
	// Edited is set by the renderer when the parts no longer match Raw.
	Edited bool `json:"edited,omitempty"`
	// Time is when the message was said, zero where its record does not say. It
	// is no part of the Digest.
	Time time.Time `json:"time,omitzero"`
	// Meta is true for a record that belongs to the log but is never sent to a
	// model (an agent's bookkeeping line).
	Meta bool `json:"meta,omitempty"`
}

// Body is the readable text of a part: the text of text and thinking, a call's
// arguments, the joined text of a result, "" for the rest.
func (p Part) Body() string {
	switch p.Kind {
	case Text, Thinking:
		return p.Text
	case Call:
		return p.Args
	case Result:
		return joined(p.Parts)
	}
	return ""
}

func joined(parts []Part) string {
	if len(parts) == 1 {
		return parts[0].Text
	}
	n := 0
	for _, p := range parts {
		n += len(p.Text) + 1
	}
	b := make([]byte, 0, n)
	for _, p := range parts {
		if p.Kind != Text {
			continue
		}
		if len(b) > 0 {
			b = append(b, '\n')
		}
		b = append(b, p.Text...)
	}
	return string(b)
}

// Clone is a copy that shares no memory with m.
func (m Message) Clone() Message {
	m.Raw, m.Parts = bytes.Clone(m.Raw), cloneParts(m.Parts)
	return m
}

func cloneParts(parts []Part) []Part {
	out := slices.Clone(parts)
	for i := range out {
		out[i].Raw, out[i].Declared = bytes.Clone(out[i].Raw), bytes.Clone(out[i].Declared)
		out[i].Parts = cloneParts(out[i].Parts)
	}
	return out
}

// Fixed reports whether the message holds a part of kind Fixed, a result's content
// included.
func (m Message) Fixed() bool { return anyFixed(m.Parts) }

func anyFixed(ps []Part) bool {
	for i := range ps {
		if ps[i].Kind == Fixed || anyFixed(ps[i].Parts) {
			return true
		}
	}
	return false
}

// Calls returns the indices of the message's tool calls.
func (m Message) Calls() []int { return m.indices(Call) }

// Results returns the indices of the message's tool results.
func (m Message) Results() []int { return m.indices(Result) }

// Has reports whether the message holds a part of the kind.
func (m Message) Has(k Kind) bool {
	for i := range m.Parts {
		if m.Parts[i].Kind == k {
			return true
		}
	}
	return false
}

func (m Message) indices(k Kind) []int {
	var at []int
	for i := range m.Parts {
		if m.Parts[i].Kind == k {
			at = append(at, i)
		}
	}
	return at
}

// Opening is what the user says where an API wants the user to speak, and nobody did.
const Opening = "(continued)"

// TextOf builds a message of one text part.
func TextOf(role Role, text string) Message {
	return Message{Role: role, Parts: []Part{{Kind: Text, Text: text}}}
}
