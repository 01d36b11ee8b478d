package storetest

import (
	"encoding/json"
	"strings"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
)

// rich is a conversation with what is hard to keep: raw bytes with spacing,
// escapes and duplicate names, parts inside parts, text that is not UTF-8,
// arguments that are not JSON, empty beside missing.
func rich() []message.Message {
	call := `{ "type":"tool_use", "id":"toolu_1",  "name":"read", "input":{"path":"a.go","path":"b.go","n":9007199254740993} }`
	inner := `{"type":"text","text":"line <1> & \u2028 \u00e9"}`
	image := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}`
	result := `{"type":"tool_result","tool_use_id":"toolu_1","content":[` + inner + `, ` + image + `],"is_error":true}`
	return []message.Message{
		{
			Role: message.User, Dialect: "anthropic", Raw: raw("{\"role\": \"user\",\n \"content\":\t\"do it\"}"),
			Parts: []message.Part{{Kind: message.Text, Text: "do it"}},
		},
		{
			Role: message.Assistant, Dialect: "anthropic", Raw: raw(`{"role":"assistant","content":[` + call + `]}`),
			Parts: []message.Part{{
				Kind: message.Call, CallID: "toolu_1", Name: "read", Dialect: "anthropic",
				Args: `{"path":"a.go","path":"b.go","n":9007199254740993}`, Raw: raw(call),
			}},
		},
		{
			Role: message.User, Dialect: "anthropic", Raw: raw(`{"role":"user","content":[` + result + `]}`),
			Parts: []message.Part{{
				Kind: message.Result, CallID: "toolu_1", Failed: true, Dialect: "anthropic", Raw: raw(result),
				Parts: []message.Part{
					{Kind: message.Text, Text: "line <1> & \u2028 é", Raw: raw(inner)},
					{Kind: message.Media, MediaType: "image/png", Size: 8, Raw: raw(image)},
				},
			}},
		},
		{Role: message.Assistant, Parts: []message.Part{
			{Kind: message.Thinking, Text: "hm\x00m", Signature: "c2ln"},
			{Kind: message.Text, Text: "not UTF-8: \xff\xfe, but this is: \ufffd"},
			{Kind: message.Call, CallID: "c2", Name: "sh", Args: "{\"cmd\": \"ec\xc3"},
		}},
		{Role: message.Tool, Name: "sh", Dialect: "openai", Raw: raw(`{}`), Parts: []message.Part{
			{Kind: message.Result, CallID: "c2", Parts: []message.Part{}},
			{Kind: message.Opaque, Raw: raw(`{"x":1}`)},
			{Kind: message.Opaque, Raw: raw(``)},
		}},
		{Role: message.System, Parts: nil},
		{Role: message.System, Parts: []message.Part{}, Meta: true, Raw: raw(`not JSON ` + strings.Repeat("at all ", 50))},
		{Role: message.Assistant, Edited: true, Parts: []message.Part{{Kind: message.Text, Text: strings.Repeat("x", 100_000), Edited: true}}},
	}
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

// text draws strings, some of them not UTF-8.
func text() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "\xff", "\ufffd", `\ufffd`, "é\u2028<&>"}),
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
}

// bytesOrNil draws raw fields.
func bytesOrNil(t *rapid.T, label string) json.RawMessage {
	if rapid.Bool().Draw(t, label+" set") {
		return json.RawMessage(text().Draw(t, label))
	}
	return nil
}

// anyMessage draws a message.
func anyMessage(t *rapid.T) message.Message {
	m := message.Message{
		Role:    message.Role(rapid.SampledFrom([]string{"system", "user", "assistant", "tool"}).Draw(t, "role")),
		Name:    text().Draw(t, "name"),
		Dialect: rapid.SampledFrom([]string{"", "openai", "anthropic"}).Draw(t, "dialect"),
		Meta:    rapid.Bool().Draw(t, "meta"),
		Raw:     bytesOrNil(t, "message raw"),
		Parts:   anyParts(t, 2),
	}
	for i := range m.Parts { // as codecs do: a part's bytes lie in the message's
		m.Raw = append(m.Raw, m.Parts[i].Raw...)
	}
	return m
}

func anyParts(t *rapid.T, depth int) []message.Part {
	n := rapid.IntRange(-1, 3).Draw(t, "parts")
	if n < 0 {
		return nil
	}
	parts := make([]message.Part, n)
	for i := range parts {
		parts[i] = message.Part{
			Kind:      message.Kind(rapid.SampledFrom([]string{"text", "thinking", "tool_call", "tool_result", "media", "opaque"}).Draw(t, "kind")),
			Text:      text().Draw(t, "text"),
			Signature: text().Draw(t, "signature"),
			CallID:    text().Draw(t, "call id"),
			Name:      text().Draw(t, "part name"),
			Args:      text().Draw(t, "args"),
			Failed:    rapid.Bool().Draw(t, "failed"),
			Size:      rapid.Int().Draw(t, "size"),
			Raw:       bytesOrNil(t, "raw"),
		}
		if depth > 0 {
			parts[i].Parts = anyParts(t, depth-1)
		}
	}
	return parts
}
