package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/policy"
)

// What runs at the provider calls the client's tools, and its result comes rounds later:
// the call, the rounds and the result stay in the prompt together or leave it together.
//
// SPEC: V3, B6 · WA7
func TestProviderToolsCallTools(t *testing.T) {
	a := apiNamed(t, "anthropic")
	up := newProvider(t)
	o := options(up.url)
	o.Budget = budget
	f := serve(t, o)
	g := newAgent(t, a, f.url, false)
	g.lines = 20
	messages, compacted := []string{a.first}, false
	use := func(id, within string) string {
		return fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"read_file","input":{"path":"a"},"caller":{"type":"code_execution_20260120","tool_id":%q}}`, id, within)
	}
	send := func() {
		wrote := a.body(messages, false)
		post(t, f.url+a.path, wrote)
		sent := up.last()
		compacted = compacted || sent != wrote
		for n := range 20 {
			id := fmt.Sprintf(`"srvtoolu_%d"`, n)
			if strings.Contains(sent, id) && !strings.Contains(sent, `"type":"server_tool_use","id":`+id) {
				t.Errorf("%s is named, and its call is gone: %.3000s", id, sent)
			}
		}
	}
	for n := range 20 {
		code := fmt.Sprintf("srvtoolu_%d", n)
		said := fmt.Sprintf(`{"type":"server_tool_use","id":%q,"name":"code_execution","input":{"code":"read()"}},`, code)
		for k := range 3 {
			id := fmt.Sprintf("toolu_%d_%d", n, k)
			messages = append(messages, `{"role":"assistant","content":[`+said+use(id, code)+`]}`, fmt.Sprintf(a.result, id, quoted(g.output(id))))
			said = ""
			send()
		}
		messages = append(messages,
			fmt.Sprintf(`{"role":"assistant","content":[{"type":"code_execution_tool_result","tool_use_id":%q,"content":{"type":"code_execution_result","stdout":"ok","stderr":"","return_code":0,"content":[]}},{"type":"text","text":"Part %d is done."}]}`, code, n),
			`{"role":"user","content":"Go on."}`)
		send()
	}
	if !compacted {
		t.Error("nothing was compacted")
	}
}

// Where each answer brings a result of the provider's and makes the next call there, the rounds
// are one unit that nothing cuts: results of earlier rounds become pointers in their place, the
// newest stays whole, and what follows a compaction has room before the next.
//
// SPEC: V3, B6 · WA7
func TestChainOfProviderTools(t *testing.T) {
	for _, name := range few(policy.Names()) {
		t.Run(name, func(t *testing.T) {
			a := apiNamed(t, "anthropic")
			up := newProvider(t)
			o := options(up.url)
			o.Budget = budget
			var err error
			if o.Engine.Policy, err = policy.Named(name); err != nil {
				t.Fatal(err)
			}
			f := serve(t, o)
			g := newAgent(t, a, f.url, false)
			g.lines = 20
			messages := []string{a.first}
			const rounds = 40
			for n := range rounds {
				code, id := fmt.Sprintf("srvtoolu_%d", n), fmt.Sprintf("toolu_%d", n)
				said := fmt.Sprintf(`{"type":"server_tool_use","id":%q,"name":"code_execution","input":{"code":"read()"}},`+
					`{"type":"tool_use","id":%q,"name":"read_file","input":{"path":"a"},"caller":{"type":"code_execution_20260120","tool_id":%q}}`, code, id, code)
				if n > 0 {
					said = fmt.Sprintf(`{"type":"code_execution_tool_result","tool_use_id":"srvtoolu_%d","content":{"type":"code_execution_result","stdout":"ok","stderr":"","return_code":0,"content":[]}},`, n-1) + said
				}
				newest := fmt.Sprintf(a.result, id, quoted(g.output(id)))
				messages = append(messages, `{"role":"assistant","content":[`+said+`]}`, newest)
				post(t, f.url+a.path, a.body(messages, false))
				sent := up.last()
				if !strings.Contains(sent, newest) || strings.Count(sent, `"type":"tool_result"`) != n+1 {
					t.Errorf("round %d: %d results of %d", n, strings.Count(sent, `"type":"tool_result"`), n+1)
				}
			}
			if v := f.threads(t, "")[0].PlanVersion; v < 1 || v > rounds/4 {
				t.Errorf("%d plans in %d rounds", v, rounds)
			}
		})
	}
}

// What must be cut to fit is never one of two parts that go together: the call of a tool
// that the provider runs and its result, a request for approval and its answer.
//
// SPEC: V3, V7 · WA7
func TestHalvesStayTogether(t *testing.T) {
	long := strings.Repeat("Zm9yIHRoZSByZWNvcmQ", 4000)
	for name, c := range map[string]struct{ api, call, result string }{
		"search": {
			"anthropic", `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"q"}}`,
			`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"u","title":"t","encrypted_content":"` + long + `"}]}`,
		},
		"code": {
			"anthropic", `{"type":"server_tool_use","id":"srvtoolu_1","name":"code_execution","input":{"code":"` + long + `"}}`,
			`{"type":"code_execution_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"code_execution_result","stdout":"","stderr":"","return_code":0,"content":[]}}`,
		},
		"server of tools": {
			"anthropic", `{"type":"mcp_tool_use","id":"mcptoolu_1","name":"echo","server_name":"s","input":{}}`,
			`{"type":"mcp_tool_result","tool_use_id":"mcptoolu_1","is_error":false,"content":[{"type":"text","text":"` + long + `"}]}`,
		},
		"approval": {
			"responses", `{"type":"mcp_approval_request","id":"mcpr_1","arguments":"` + long + `","name":"echo","server_label":"s"}`,
			`{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":true}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := apiNamed(t, c.api)
			up := newProvider(t)
			o := options(up.url)
			o.Budget = budget
			f := serve(t, o)
			round := c.call + "," + c.result
			if a.name == "anthropic" {
				round = `{"role":"assistant","content":[` + round + `,{"type":"tool_use","id":"toolu_1","name":"read_file","input":{}}]},` + fmt.Sprintf(a.result, "toolu_1", `"x"`)
			}
			wrote := a.body([]string{a.first, round}, false)
			post(t, f.url+a.path, wrote)
			sent := up.last()
			if sent == wrote || strings.Contains(sent, c.call) != strings.Contains(sent, c.result) {
				t.Errorf("sent %.3000s", sent)
			}
		})
	}
}
