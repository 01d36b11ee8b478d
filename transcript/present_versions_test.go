package transcript_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/transcript"
)

// The session files of Claude Code 2.1.330, Codex 0.169 and pi 0.87: system prompt and
// tools are read where the file holds them, and every line has its reason.
//
// SPEC: L4, V8
func TestPresentVersions(t *testing.T) {
	for name, c := range map[string]struct {
		lines         []string
		system, tools string
		api           string
		messages      int
		hidden        int
	}{
		transcript.ClaudeCode: {
			lines: []string{
				`{"type":"queue-operation","operation":"enqueue","sessionId":"s"}`,
				`{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"Read the notes."}}`,
				`{"type":"atis-latch","atis":"","sessionId":"s"}`,
				`{"type":"api-request-shape","sessionId":"s","shapeHash":"h0","shape":{"system":[{"type":"text","text":"Write a title."}],"tools":[]}}`,
				`{"type":"api-request-shape","sessionId":"s","shapeHash":"h1","shape":{"system":[{"type":"text","text":"You are an agent."},{"type":"text","text":"Be brief."}],"tools":[{"name":"Bash","description":"Runs a command.","input_schema":{"type":"object"}},{"name":"Read","input_schema":{"type":"object"}}]}}`,
				`{"type":"api-request-blob","sessionId":"s","hash":"b1","message":{"role":"user","content":[{"type":"text","text":"Read the notes."}]}}`,
				`{"type":"api-request","sessionId":"s","id":"r1","shapeHash":"h1","params":{"model":"claude-opus-4-5"},"keep":0,"tail":["b1"]}`,
				`{"type":"api-request","sessionId":"s","id":"r2","shapeHash":"h0","params":{"model":"claude-opus-4-5"},"keep":0,"tail":["b1"]}`,
				`{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s","message":{"id":"m1","role":"assistant","model":"claude-opus-4-5","content":[{"type":"text","text":"Done."}]}}`,
				`{"type":"tools-used","tools":["Bash"],"sessionId":"s"}`,
				`{"type":"cost-state","sessionId":"s","totalCostUSD":3.1}`,
			},
			system: "You are an agent.|Be brief.", tools: "Bash Read", messages: 2,
		},
		transcript.Codex: {
			lines: []string{
				`{"timestamp":"2026-11-22T16:59:19Z","ordinal":0,"type":"session_meta","payload":{"id":"s","cli_version":"0.169.0","base_instructions":{"text":"You are a coding agent."}}}`,
				`{"timestamp":"2026-11-22T16:59:19Z","ordinal":1,"type":"response_item","payload":{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"exec_command","parameters":{"type":"object"}},{"type":"namespace","name":"files","tools":[{"type":"function","name":"open"}]}]}}`,
				`{"timestamp":"2026-11-22T16:59:19Z","ordinal":2,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Read the notes."}]}}`,
				`{"timestamp":"2026-11-22T16:59:19Z","ordinal":3,"type":"configuration_update","payload":{"model":"gpt-5.2"}}`,
				`{"timestamp":"2026-11-22T16:59:20Z","ordinal":4,"type":"token_usage_record","payload":{"thread_id":"s","usage":{"input_tokens":7003}}}`,
				`{"timestamp":"2026-11-22T16:59:20Z","ordinal":5,"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}`,
			},
			system: "You are a coding agent.", tools: "exec_command files", messages: 2,
		},
		transcript.Pi: {
			lines: []string{
				`{"type":"session","version":3,"id":"s","timestamp":"2026-11-22T17:00:15Z","cwd":"/srv"}`,
				`{"type":"model_change","id":"e1","parentId":null,"provider":"lab","modelId":"claude-opus-4-5"}`,
				`{"type":"message","id":"e2","parentId":"e1","message":{"role":"system","content":"","sections":{"preamble":"You are an agent.","rules":"Be brief."},"toolsAdded":[{"name":"read","description":"Reads.","parameters":{"type":"object"}},{"name":"bash","parameters":{"type":"object"}}]}}`,
				`{"type":"message","id":"e3","parentId":"e2","message":{"role":"user","content":"Read the notes."}}`,
				`{"type":"message","id":"e4","parentId":"e3","message":{"role":"assistant","content":[{"type":"text","text":"cut o"}],"api":"anthropic-messages","provider":"lab","model":"claude-opus-4-5","stopReason":"error"}}`,
				`{"type":"context_edit","id":"e5","parentId":"e4","targetId":"e4","replacement":null}`,
				`{"type":"message","id":"e6","parentId":"e5","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"api":"anthropic-messages","provider":"lab","model":"claude-opus-4-5","stopReason":"stop"}}`,
			},
			system: "You are an agent.\n\nBe brief.", tools: "read bash", api: transcript.Anthropic, messages: 2, hidden: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := transcript.Read([]byte(strings.Join(c.lines, "\n")+"\n"), "")
			if err != nil {
				t.Fatal(err)
			}
			var system, tools []string
			for _, p := range got.System {
				system = append(system, p.Text)
			}
			for _, tool := range got.Tools {
				tools = append(tools, tool.Name)
			}
			if got.Format != name || strings.Join(system, "|") != c.system || strings.Join(tools, " ") != c.tools || got.API != c.api || len(got.Messages) != c.messages {
				t.Errorf("%s: %d messages, api %q, system %q, tools %q", got.Format, len(got.Messages), got.API, system, tools)
			}
			for _, s := range got.Skipped {
				if s.Why == transcript.Hidden {
					c.hidden--
				} else if s.Why != transcript.Bookkeeping {
					t.Errorf("line %d, %s: %s", s.Line, s.Kind, s.Why)
				}
			}
			if c.hidden != 0 {
				t.Errorf("%d more hidden lines wanted", c.hidden)
			}
		})
	}
}
