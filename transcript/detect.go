package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// members are the values of an object by name.
type members map[string]json.RawMessage

func (m members) has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return m[n] != nil })
}

// holds reports whether all of the names are there.
func (m members) holds(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return m[n] == nil })
}

// whole reports whether data is a single JSON value.
func whole(data []byte) bool { return json.Valid(data) }

// detect names the format of data: of a single JSON value by its shape, of
// lines by the first that tells.
func detect(data []byte) (string, error) {
	if whole(data) {
		return detectValue(bytes.TrimSpace(data))
	}
	weak, seen := "", 0
	for _, l := range lines(data) {
		var m members
		if l.object(&m) != nil {
			continue
		}
		if f := sign(m); f != "" {
			return f, nil
		}
		if seen++; weak == "" && claudeKnown[plainText(m["type"])] {
			weak = ClaudeCode
		}
	}
	if weak != "" {
		return weak, nil
	}
	if seen > 0 {
		return "", fmt.Errorf("%w: %d JSON lines and none of a format in %s", ErrFormat, seen, strings.Join(Formats(), ", "))
	}
	var v json.RawMessage
	return "", fmt.Errorf("%w: neither JSON nor lines of it: %w", ErrFormat, json.Unmarshal(data, &v))
}

func detectValue(data []byte) (string, error) {
	if data[0] == '[' {
		return detectArray(data), nil
	}
	var m members
	if json.Unmarshal(data, &m) != nil {
		return "", fmt.Errorf("%w: a JSON value that is neither an object nor an array", ErrFormat)
	}
	switch f := sign(m); {
	case m.holds("info", "messages"):
		return OpenCode, nil
	case m.has("contents") && !m.has("messages", "input"):
		return Gemini, nil
	case f == GeminiCLI, geminiSaved(m["history"]):
		return GeminiCLI, nil
	case f != "" && !m.has("messages", "input"):
		return f, nil
	case m.has("messages") && isRow(m):
		return JSONL, nil
	case m.has("messages"):
		return chatOrMessages(m), nil
	case m.has("input"):
		return Responses, nil
	case claudeKnown[plainText(m["type"])]:
		return ClaudeCode, nil
	}
	return "", fmt.Errorf("%w: a JSON object without messages, input or contents", ErrFormat)
}

func detectArray(data []byte) string {
	if geminiSaved(data) {
		return GeminiCLI
	}
	return JSONL
}

// isRow tells a row of a data set from a request, which has no id.
func isRow(m members) bool {
	return m.has("id") || !m.has("model", "max_tokens", "anthropic_version", "tools", "stream")
}

// sign names the format that an object alone gives away, "" if it does not.
func sign(m members) string {
	kind := plainText(m["type"])
	switch {
	case m.holds("sessionId", "projectHash"), m.has("$set", "$rewindTo"), kind == "gemini" && m.has("content", "toolCalls"):
		return GeminiCLI
	case m.has("payload") && kind != "", m.has("record_type"):
		return Codex
	case m.has("uuid") && m.has("parentUuid", "sessionId"), m.has("isSidechain"), m.has("leafUuid"):
		return ClaudeCode
	case kind == "session" && m.has("id"), kind == "message" && m.has("message"):
		return Pi
	case (kind == "user" || kind == "assistant") && m.has("message"):
		return ClaudeCode
	case shape(m) == Responses:
		return Codex
	case m.has("role") && m.has("content", "tool_calls"), m.has("messages"):
		return JSONL
	}
	return ""
}

// chatOrMessages tells an OpenAI Chat request from an Anthropic Messages
// request: by what only one has, by its messages, by the model's name.
func chatOrMessages(m members) string { return cmp.Or(api(m), OpenAI) }

// api is that of the two which a request can only be for, "" where it may be either.
func api(m members) string {
	var tools []members
	_ = json.Unmarshal(m["tools"], &tools) // what is no list tells nothing
	for _, t := range tools {
		switch {
		case t.has("input_schema"):
			return Anthropic
		case t.has("function"):
			return OpenAI
		}
	}
	if m.has("system", "anthropic_version") {
		return Anthropic
	}
	var messages []json.RawMessage
	_ = json.Unmarshal(m["messages"], &messages) // the codec will say what is wrong
	for _, raw := range messages {
		if s := shapeOf(raw); s == OpenAI || s == Anthropic {
			return s
		}
	}
	if m.has("stop_sequences", "thinking") || strings.Contains(plainText(m["model"]), "claude") {
		return Anthropic
	}
	return ""
}

// Contradicts names the API that a request body can only be for, where that is another than
// format names; "" where data may be what format says.
func Contradicts(data []byte, format string) string {
	requests := []string{OpenAI, Anthropic, Responses, Gemini}
	var m members
	if !slices.Contains(requests, format) || json.Unmarshal(data, &m) != nil {
		return ""
	}
	is := ""
	switch {
	case m.has("messages"):
		is = api(m)
	case m.has("contents"):
		is = Gemini
	case m.has("input"):
		is = Responses
	}
	if is == format {
		return ""
	}
	return is
}

// shapeOf names the API whose message raw can only be, "" if it tells nothing.
func shapeOf(raw []byte) string {
	var m members
	if json.Unmarshal(raw, &m) != nil {
		return ""
	}
	return shape(m)
}

func shape(m members) string {
	switch plainText(m["role"]) {
	case "system", "developer", "tool", "function":
		if s := blockShape(m["content"]); s != "" {
			return s
		}
		return OpenAI
	}
	switch {
	case responsesItem(plainText(m["type"])):
		return Responses
	case m.has("tool_calls", "tool_call_id", "function_call", "reasoning_content", "refusal"):
		return OpenAI
	}
	return blockShape(m["content"])
}

func blockShape(content json.RawMessage) string {
	var blocks []struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return ""
	}
	for _, b := range blocks {
		switch b.Type {
		case "tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document", "server_tool_use":
			return Anthropic
		case "image_url", "input_audio", "file", "refusal":
			return OpenAI
		case "input_text", "output_text", "input_image", "input_file":
			return Responses
		}
	}
	return ""
}

// responsesItem reports whether an item of the type is one of the Responses API
// other than a message.
func responsesItem(kind string) bool {
	return kind == "reasoning" || kind == "item_reference" || kind == "compaction" ||
		strings.HasSuffix(kind, "_call") || strings.HasSuffix(kind, "_call_output")
}
