package proxy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// additionalTools is how Codex 0.169 declares its tools: the first item, and no tools
// beside the input.
const additionalTools = `{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"read_file","description":"Read a file.","parameters":{"type":"object"}},{"type":"namespace","name":"mcp__files","tools":[{"type":"function","name":"list","parameters":{"type":"object"}}]}]}`

// Codex of today: tools in the input, a search for more of them on the way. They stay
// whole and in their place in every prompt, the summary follows the developer's messages,
// and no tools are declared beside the input.
//
// SPEC: B17, V6
func TestToolsAmongMessages(t *testing.T) {
	a := apiNamed(t, "responses")
	up := newProvider(t)
	o := options(up.url)
	o.Budget = budget
	f := serve(t, o)
	g := newAgent(t, a, f.url, true)
	wrote := []string{}
	g.write = func(messages []string) string {
		body := `{"model":"gpt-5","store":false,"stream":true,"prompt_cache_key":"0199","input":[` + additionalTools +
			`,{"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions>"}]},` + strings.Join(messages, ",") + `]}`
		wrote = append(wrote, body)
		return body
	}
	g.messages, g.lines = []string{`{"type":"message","role":"user","content":[{"type":"input_text","text":"Find out why the build fails."}]}`}, 25
	for n := range 30 {
		g.step()
		if n == 3 {
			g.messages = append(g.messages, `{"type":"tool_search_call","call_id":"ts_1","status":"completed","arguments":{"query":"deploy"}}`,
				`{"type":"tool_search_output","call_id":"ts_1","status":"completed","tools":[{"type":"function","name":"deploy","parameters":{"type":"object"}}]}`)
		}
	}
	got, compacted := up.requests(), false
	for i, r := range got {
		for _, fault := range wirecheck.Kept(a.name, []byte(wrote[i]), []byte(r.body)) {
			t.Errorf("request %d: %s", i, fault)
		}
		if strings.Contains(r.body, `"tools":[{"type":"function","name":"precis_`) {
			t.Errorf("request %d declares tools beside the input", i)
		}
		compacted = compacted || r.body != wrote[i]
	}
	if !compacted || len(got) != 30 {
		t.Errorf("%d requests, compacted: %t", len(got), compacted)
	}
}

// A conversation that the provider holds passes with its bytes, and the log says why:
// also under names that nobody knows.
//
// SPEC: B17, B6 · WO5
func TestHeldByTheProvider(t *testing.T) {
	for _, c := range []struct{ api, member string }{
		{"anthropic", `"thread":{"type":"create"}`},
		{"anthropic", `"thread":{"type":"continue","previous_message_id":"msg_1"}`},
		{"anthropic", `"future_dialogue":{"type":"resume","at":"x"}`},
		{"openai", `"conversation":"conv_1"`},
		{"openai", `"parentCheckpoint":"c_9"`},
		{"responses", `"previous_response_id":"resp_1"`},
		{"responses", `"conversation":{"id":"conv_1"}`},
	} {
		t.Run(c.api+" "+c.member, func(t *testing.T) {
			a := apiNamed(t, c.api)
			up := newProvider(t)
			up.lax = true
			o := options(up.url)
			o.Budget = 300
			f := serve(t, o)
			result := fmt.Sprintf(a.result, "toolu_1", quoted(strings.Repeat("a line of the log. ", 400)))
			body := fmt.Sprintf(`{"model":%q,%s,%s[%s]}`, a.model, c.member, a.head, result)
			post(t, f.url+a.path, body)
			if got := up.requests(); len(got) != 1 || got[0].body != body {
				t.Errorf("%d requests, changed", len(got))
			}
			if name := strings.Split(c.member, `"`)[1]; !strings.Contains(f.log.String(), "reason=stateful state="+name) {
				t.Errorf("the log does not say why:\n%s", f.log.String())
			}
			if hs := f.threads(t, ""); len(hs) != 0 {
				t.Errorf("threads: %+v", hs)
			}
		})
	}
}

// After a compaction that the proxy answers, tools that the client declares first stand
// first, as it declares them now.
//
// SPEC: B17, B6 · WO6
func TestToolsStandFirstAfterCompaction(t *testing.T) {
	up := knowing(t, false)
	o := options(up.url)
	o.Budget, o.Prompt.NativeCompaction = budget, proxy.NativeAnswer
	f := serve(t, o)
	g := newCodexer(t, f.url, "0169")
	head := additionalTools
	g.write = func(messages []string) string {
		return `{"model":"gpt-5","input":[` + strings.Join(append([]string{head}, messages...), ",") + `],"store":false,"stream":true,"prompt_cache_key":"0169"}`
	}
	g.steps(6)
	resp, text := post(t, g.url, g.write(append(slices.Clone(g.messages), `{"type":"compaction_trigger"}`)))
	r := g.read(text)
	if resp.StatusCode != 200 || len(r.Items) != 1 {
		t.Fatalf("%d: %s", resp.StatusCode, text)
	}
	g.kept(string(r.Items[0].Raw))
	for _, head = range []string{additionalTools, strings.Replace(additionalTools, "Read a file.", "Read a file whole.", 1)} {
		g.steps(2)
		for _, r := range up.requests()[len(up.requests())-2:] {
			if !strings.Contains(r.body, `"input":[`+head+`,`) || strings.Count(r.body, `"additional_tools"`) != 1 {
				t.Errorf("upstream: %.600s", r.body)
			}
		}
	}
}
