package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/proxy"
)

// A call whose arguments are cut is a call of its kind still, with all else that it said,
// also where the model has no tools to read the rest: its result answers no other kind,
// and a signature belongs to it.
//
// SPEC: B6, V3 · WO2, WG17
func TestCutArguments(t *testing.T) {
	for name, c := range map[string]struct{ api, call, result, kept string }{
		"patch item": {
			"responses", `{"type":"apply_patch_call","id":"apc_%[1]d","call_id":"call_%[1]d","status":"completed","operation":{"type":"update_file","path":"f%[1]d.go","diff":%[2]s}}`,
			`{"type":"apply_patch_call_output","call_id":"call_%d","status":"completed","output":"ok"}`, `"type":"apply_patch_call","id":"apc_`,
		},
		"custom tool item": {
			"responses", `{"type":"custom_tool_call","id":"ctc_%[1]d","call_id":"call_%[1]d","name":"patch","input":%[2]s}`,
			`{"type":"custom_tool_call_output","call_id":"call_%d","output":"ok"}`, `"type":"custom_tool_call","id":"ctc_`,
		},
		"custom tool": {
			"openai", `{"role":"assistant","content":null,"tool_calls":[{"id":"call_%[1]d","type":"custom","custom":{"name":"patch","input":%[2]s}}]}`,
			`{"role":"tool","tool_call_id":"call_%d","content":"ok"}`, `"type":"custom","custom":{`,
		},
		"member nobody knows": {
			"anthropic", `{"role":"assistant","content":[{"type":"tool_use","id":"toolu_%[1]d","name":"write","input":{"diff":%[2]s},"future":{"n":1.50}}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":"ok"}]}`, `"future":{"n":1.50}`,
		},
		"signature": {
			"gemini", `{"role":"model","parts":[{"functionCall":{"name":"write","args":{"diff":%[2]s}},"thoughtSignature":"c2lnbmVk"}]}`,
			`{"role":"user","parts":[{"functionResponse":{"name":"write","response":{"output":"ok %d"}}}]}`, `"thoughtSignature":"c2lnbmVk"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := apiNamed(t, c.api)
			up := newProvider(t)
			o := options(up.url)
			o.Budget, o.Prompt.Recall = budget, proxy.RecallOff
			f := serve(t, o)
			g := newAgent(t, a, f.url, false)
			g.lines = 600
			messages, cut := []string{a.first}, false
			for n := range 3 {
				messages = append(messages, fmt.Sprintf(c.call, n, quoted(g.output(fmt.Sprint(n)))), fmt.Sprintf(c.result, n))
				post(t, f.url+a.path, a.body(messages, false))
				sent := up.last()
				if !strings.Contains(sent, c.kept) {
					t.Errorf("request %d has no call as it was: %.3000s", n, sent)
				}
				cut = cut || strings.Contains(sent, "left out of #")
			}
			if !cut {
				t.Error("no arguments were cut")
			}
		})
	}
}
