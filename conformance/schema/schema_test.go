package schema_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/conformance/schema"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// SPEC: V3

func TestCheck(t *testing.T) {
	const (
		claude = `{"model":"claude-opus-5-5","max_tokens":9,`
		gpt    = `{"model":"gpt-5",`
	)
	for _, tt := range []struct {
		name, provider, body, want string // want is part of the error, "" for none
	}{
		{"plain", "anthropic", claude + `"messages":[{"role":"user","content":"hi"}]}`, ""},
		{"round", "anthropic", claude + `"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral","ttl":"1h"}}],"tools":[{"name":"f","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"s"},{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":[1]}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"ok"}]}]}]}`, ""},
		{"not JSON", "anthropic", `{`, "EOF"},
		{"no messages", "anthropic", `{"model":"claude-opus-5-5","max_tokens":9}`, "'messages'"},
		{"unknown member", "anthropic", claude + `"messages":[{"role":"user","content":"hi","id":"x"}]}`, "messages.0: additional properties 'id'"},
		{"unknown member of a block", "anthropic", claude + `"messages":[{"role":"user","content":[{"type":"text","text":"a","x":1}]}]}`, "messages.0.content.0: additional properties 'x'"},
		{"empty text", "anthropic", claude + `"messages":[{"role":"user","content":[{"type":"text","text":""}]}]}`, "messages.0.content.0.text: minLength"},
		{"unknown block", "anthropic", claude + `"messages":[{"role":"user","content":[{"type":"hologram"}]}]}`, "messages.0.content.0.type"},
		{"input is a string", "anthropic", claude + `"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":"{}"}]}]}`, "messages.0.content.0.input: got string, want object"},
		{"wrong role", "anthropic", claude + `"messages":[{"role":"tool","content":"a"}]}`, "messages.0.role"},
		{"a beta's member", "anthropic", claude + `"context_management":{"edits":[]},"messages":[{"role":"user","content":"hi"}]}`, "additional properties 'context_management'"},
		{"a beta's member in the beta", "anthropic-beta", claude + `"context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]},"messages":[{"role":"assistant","content":[{"type":"compaction","content":"s","signature":"x"}]},{"role":"user","content":"hi"}]}`, ""},
		{"wrong in the beta", "anthropic-beta", claude + `"messages":[{"role":"user","content":[{"type":"compaction","content":1}]}]}`, "messages.0.content.0.content"},

		{"plain", "openai", gpt + `"messages":[{"role":"user","content":"hi"}]}`, ""},
		{"round", "openai", gpt + `"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"messages":[{"role":"developer","content":"s"},{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url","image_url":{"url":"u","detail":"auto"}}]},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_1","content":[{"type":"text","text":"ok"}]}]}`, ""},
		{"a tool's name", "openai", gpt + `"messages":[{"role":"tool","name":"f","tool_call_id":"a","content":"ok"}]}`, ""},
		{"streamed", "openai", gpt + `"stream":true,"messages":[{"role":"user","content":"hi"}]}`, ""},
		{"no messages", "openai", `{"model":"gpt-5"}`, "'messages'"},
		{"no tool_call_id", "openai", gpt + `"messages":[{"role":"tool","content":"a"}]}`, "messages.0: missing property 'tool_call_id'"},
		{"unknown member", "openai", gpt + `"messages":[{"role":"user","content":"hi","id":"x"}]}`, "messages.0: additional properties 'id'"},
		{"unknown top member", "openai", gpt + `"cache_control":{},"messages":[]}`, "additional properties 'cache_control'"},
		{"arguments are an object", "openai", gpt + `"messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":{}}}]}]}`, "messages.0.tool_calls.0.function.arguments: got object, want string"},
		{"unknown part", "openai", gpt + `"messages":[{"role":"user","content":[{"type":"hologram"}]}]}`, "messages.0.content.0.type"},
		{"unknown role", "openai", gpt + `"messages":[{"role":"wizard","content":"a"}]}`, "messages.0.role"},
		{"image in a result", "openai", gpt + `"messages":[{"role":"tool","tool_call_id":"a","content":[{"type":"image_url","image_url":{"url":"u"}}]}]}`, "messages.0.content.0"},

		{"plain", "responses", gpt + `"input":"hi"}`, ""},
		{"round", "responses", gpt + `"store":false,"include":["reasoning.encrypted_content"],"reasoning":{"effort":"high","summary":"auto"},"text":{"verbosity":"low"},"tools":[{"type":"function","name":"f","parameters":{},"strict":false}],"input":[{"role":"user","content":"hi"},{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"}],"encrypted_content":"x"},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"ok"}]},{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"b","annotations":[]}]},{"type":"compaction","encrypted_content":"x"}]}`, ""},
		{"nothing stored, no ids", "responses", gpt + `"input":[{"type":"reasoning","summary":[],"encrypted_content":"x"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}]}`, ""},
		{"no call_id", "responses", gpt + `"input":[{"type":"function_call","name":"f","arguments":"{}"}]}`, "input.0: missing property 'call_id'"},
		{"arguments are an object", "responses", gpt + `"input":[{"type":"function_call","call_id":"a","name":"f","arguments":{}}]}`, "input.0.arguments: got object, want string"},
		{"unknown item", "responses", gpt + `"input":[{"type":"hologram"}]}`, "input.0.type"},
		{"messages", "responses", gpt + `"messages":[]}`, "additional properties 'messages'"},

		{"plain", "gemini", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, ""},
		{"round", "gemini", `{"systemInstruction":{"parts":[{"text":"s"}]},"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"type":"object"}}]}],"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"c2ln"}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"ok"},"parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]}}]}]}`, ""},
		{"no contents", "gemini", `{}`, "'contents'"},
		{"unknown member", "gemini", `{"contents":[{"role":"user","text":"hi"}]}`, `unknown field "text"`},
		{"response is a string", "gemini", `{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":"ok"}}]}]}`, "cannot unmarshal string"},

		{"nobody", "carrier-pigeon", `{}`, `"carrier-pigeon"`},
	} {
		t.Run(tt.provider+"/"+tt.name, func(t *testing.T) {
			err := schema.Check(tt.provider, []byte(tt.body))
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if tt.provider != "carrier-pigeon" && !errors.Is(err, schema.ErrInvalid) {
				t.Errorf("error %v is not ErrInvalid", err)
			}
		})
	}
}

// TestOraclesAgree: a body that wirecheck's own tables call faultless is one
// that the provider's schema accepts, so neither oracle asks what the other
// forbids.
func TestOraclesAgree(t *testing.T) {
	for _, tt := range []struct{ table, provider string }{
		{"anthropic", "anthropic-beta"}, {"openai", "openai"}, {"responses", "responses"},
	} {
		data, err := os.ReadFile("../../wirecheck/testdata/" + tt.table + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		agreed := 0
		for chunk := range strings.SplitSeq("\n"+string(data), "\n-- ") {
			name, rest, ok := strings.Cut(chunk, " --\n")
			if !ok || strings.HasSuffix(name, "]") { // options bend the rules
				continue
			}
			body, _, _ := strings.Cut(rest, "\n----\n")
			if len(wirecheck.Check(tt.table, []byte(body), wirecheck.Options{})) > 0 {
				continue
			}
			if err := schema.Check(tt.provider, []byte(body)); err != nil {
				t.Errorf("%s: %s: %v", tt.table, name, err)
			}
			agreed++
		}
		if agreed < 5 {
			t.Errorf("%s: only %d faultless bodies", tt.table, agreed)
		}
	}
}

func BenchmarkAnthropic(b *testing.B) {
	body := []byte(`{"model":"claude-opus-5","max_tokens":1,"messages":[` + strings.Repeat(`{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"text","text":"b"}]},`, 200) + `{"role":"user","content":"c"}]}`)
	b.ReportAllocs()
	for b.Loop() {
		if err := schema.Anthropic(body); err != nil {
			b.Fatal(err)
		}
	}
}
