package proxy_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
)

// claudeCode writes as Claude Code does: blocks everywhere, a cache marker that
// moves to the end with each request, and more of them on the system prompt.
func claudeCode(messages []string) string {
	const marker = `,"cache_control":{"type":"ephemeral"}}]}`
	last := strings.TrimSuffix(messages[len(messages)-1], `}]}`) + marker
	return `{"model":"claude-sonnet-4-5-20250929","messages":[` + strings.Join(append(messages[:len(messages)-1:len(messages)-1], last), ",") +
		`],"system":[{"type":"text","text":"You are Claude Code.","cache_control":{"type":"ephemeral"}},{"type":"text","text":"# Rules\nBe brief.","cache_control":{"type":"ephemeral"}}],` +
		`"tools":[{"name":"read_file","description":"Read.","input_schema":{"type":"object"}}],"metadata":{"user_id":"user_1_session_2"},"max_tokens":32000,"thinking":{"budget_tokens":31999,"type":"enabled"},"stream":true}`
}

// codex writes as Codex does: a developer message, the surroundings, then the
// task, and everything that came back.
func codex(messages []string) string {
	return `{"model":"gpt-5","instructions":"You are Codex.","input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions>"}]},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context><cwd>/srv</cwd></environment_context>"}]},` + strings.Join(messages, ",") +
		`],"tools":[{"type":"function","name":"read_file","strict":false,"parameters":{"type":"object","properties":{}}}],"tool_choice":"auto","parallel_tool_calls":false,"reasoning":{"effort":"medium","summary":"auto"},"store":false,"stream":true,"include":["reasoning.encrypted_content"],"prompt_cache_key":"0199"}`
}

// openAI writes as OpenAI's SDK does.
func openAI(messages []string) string {
	return `{"messages":[` + strings.Join(messages, ",") + `],"model":"gpt-4.1","parallel_tool_calls":true,"stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"read_file","parameters":{"type":"object"}}}]}`
}

// Clients as they write: moving cache markers, thinking and reasoning that comes
// back, headers of their own. Every request is valid and within the budget; the
// prefix, markers aside, changes with plans only.
//
// SPEC: B6, V3, V4, V6 · WP1, WP2, WP6, WA10, WT1, WT2, WO3, P5, P6
func TestClientHabits(t *testing.T) {
	for _, c := range []struct {
		name, api, query, first string
		write                   func([]string) string
		header                  []string
	}{
		{
			"Claude Code", "anthropic", "?beta=true", `{"role":"user","content":[{"type":"text","text":"<system-reminder>none</system-reminder>"},{"type":"text","text":"Find out why the build fails."}]}`, claudeCode,
			[]string{"X-Claude-Code-Session-Id", "5f2c9a10", "Anthropic-Beta", "claude-code-20250219,interleaved-thinking-2025-05-14", "Anthropic-Version", "2023-06-01", "X-App", "cli", "Accept-Encoding", "gzip, deflate, br, zstd"},
		},
		{"Codex", "responses", "", `{"type":"message","role":"user","content":[{"type":"input_text","text":"Find out why the build fails."}]}`, codex, []string{"Accept", "text/event-stream", "Originator", "codex_cli_rs"}},
		{"OpenAI SDK", "openai", "", `{"role":"developer","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"Find out why the build fails."}]}`, openAI, []string{"X-Stainless-Lang", "go", "X-Stainless-Retry-Count", "0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := apiNamed(t, c.api)
			up := newProvider(t)
			up.thinks, up.pieces = true, 11
			o := options(up.url)
			o.Budget, o.Engine.Store = budget, onDisk(t, "")
			f := serve(t, o)
			g := newAgent(t, a, f.url, true, c.header...)
			g.url += c.query
			g.messages, g.write, g.lines = []string{c.first}, c.write, 25
			for range 40 {
				g.step()
			}
			hs := f.threads(t, "")
			if len(hs) != 1 {
				t.Fatalf("%d threads: %+v", len(hs), hs)
			}
			got := up.requests()
			if n := digestBreaks(t, a, got); n == 0 || n != hs[0].PlanVersion || n > 8 {
				t.Errorf("%d prefix breaks, %d plans", n, hs[0].PlanVersion)
			}
			if up.most > budget {
				t.Errorf("a request of %d tokens", up.most)
			}
			for i := 0; i < len(c.header); i += 2 {
				if v := got[39].header.Get(c.header[i]); v != c.header[i+1] && c.header[i] != "Accept-Encoding" {
					t.Errorf("%s: %q", c.header[i], v)
				}
			}
		})
	}
}

// digestBreaks are breaks of what the model reads.
func digestBreaks(t *testing.T, a api, got []received) (n int) {
	t.Helper()
	var last []message.Digest
	for _, r := range got {
		req, err := a.codec.Decode([]byte(r.body))
		if err != nil {
			t.Fatal(err)
		}
		now := make([]message.Digest, len(req.Messages))
		for i, m := range req.Messages {
			now[i] = m.Digest()
		}
		for i, d := range last {
			if i >= len(now) || now[i] != d {
				n++
				break
			}
		}
		last = now
	}
	return n
}
