package precis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/codectest"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// clientShapes are rounds of conversations as clients send them, by API and by what is in
// them. N stands for the round's number, LONG for some of its text.
var clientShapes = map[string]map[string][]string{
	"anthropic": {
		"server":       {`{"role":"user","content":"Q LONG"}`, `{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"sigN"},{"type":"redacted_thinking","data":"redN"},{"type":"server_tool_use","id":"srvtoolu_N","name":"web_search","input":{"query":"x"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_N","content":[{"type":"web_search_result","url":"https://e.org","title":"t","encrypted_content":"LONG","page_age":null}]},{"type":"text","text":"so LONG","citations":[{"type":"web_search_result_location","cited_text":"c","url":"u","title":null,"encrypted_index":"x"}]}]}`},
		"mcp":          {`{"role":"user","content":"Q LONG"}`, `{"role":"assistant","content":[{"type":"mcp_tool_use","id":"mcptoolu_N","name":"echo","server_name":"s","input":{}},{"type":"mcp_tool_result","tool_use_id":"mcptoolu_N","is_error":false,"content":[{"type":"text","text":"LONG"}]},{"type":"text","text":"done LONG"}]}`},
		"code":         {`{"role":"user","content":[{"type":"text","text":"LONG"},{"type":"container_upload","file_id":"file_N"}]}`, `{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_N","name":"bash_code_execution","input":{"command":"ls"},"caller":{"type":"direct"}},{"type":"bash_code_execution_tool_result","tool_use_id":"srvtoolu_N","content":{"type":"bash_code_execution_result","stdout":"LONG","stderr":"","return_code":0,"content":[]}},{"type":"text","text":"ok LONG"}]}`},
		"searchresult": {`{"role":"user","content":[{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"LONG"}],"citations":{"enabled":true}},{"type":"text","text":"LONG"}]}`, `{"role":"assistant","content":[{"type":"tool_use","id":"toolu_N","name":"f","input":{"a":1.0}}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_N","content":[{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"LONG"}]},{"type":"document","source":{"type":"content","content":[{"type":"text","text":"LONG"}]}}]}]}`, `{"role":"assistant","content":"fine LONG"}`},
		"toolsearch":   {`{"role":"user","content":"LONG"}`, `{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_N","name":"tool_search_tool_regex","input":{"pattern":"x"}},{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_N","content":{"type":"tool_search_tool_search_result","tool_references":[{"type":"tool_reference","tool_name":"tN"}]}},{"type":"tool_use","id":"toolu_N","name":"tN","input":{}}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_N","content":"LONG"}]}`, `{"role":"assistant","content":"fine LONG"}`},
		"sysmid":       {`{"role":"user","content":"LONG"}`, `{"role":"system","content":"mode N LONG"}`, `{"role":"assistant","content":[{"type":"tool_use","id":"toolu_N","name":"f","input":{}}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_N","content":"LONG"}]}`, `{"role":"system","content":[],"output_config":{"effort":"low"}}`, `{"role":"assistant","content":"fine LONG"}`},
		"compaction":   {`{"role":"user","content":"LONG"}`, `{"role":"assistant","content":[{"type":"compaction","content":"LONG","encrypted_content":"e"},{"type":"text","text":"LONG"}]}`},
		"codecalls":    {`{"role":"user","content":"LONG"}`, `{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_N","name":"code_execution","input":{"code":"LONG"}},{"type":"tool_use","id":"toolu_N","name":"f","input":{},"caller":{"type":"code_execution_20260120","tool_id":"srvtoolu_N"}}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_N","content":"LONG"}]}`, `{"role":"assistant","content":[{"type":"code_execution_tool_result","tool_use_id":"srvtoolu_N","content":{"type":"code_execution_result","stdout":"LONG","stderr":"","return_code":0,"content":[]}},{"type":"text","text":"LONG"}]}`},
		"fallback":     {`{"role":"user","content":"LONG"}`, `{"role":"assistant","content":[{"type":"fallback","from":{"model":"a"},"to":{"model":"b"}},{"type":"text","text":"LONG"}]}`},
	},
	"responses": {
		"reasoning":       {`{"role":"user","content":"LONG"}`, `{"type":"reasoning","id":"rs_N","summary":[],"encrypted_content":"encN","status":null,"content":null}`, `{"type":"function_call","id":"fc_N","call_id":"call_N","name":"f","arguments":"{}","status":"completed","namespace":null}`, `{"type":"function_call_output","call_id":"call_N","output":"LONG"}`, `{"type":"reasoning","id":"rs_N_2","summary":[],"encrypted_content":"encN2"}`, `{"type":"message","id":"msg_N","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"LONG","annotations":[],"logprobs":[]}]}`},
		"patch":           {`{"role":"user","content":"LONG"}`, `{"type":"custom_tool_call","id":"ctc_N","call_id":"call_N","name":"apply_patch","input":"*** LONG"}`, `{"type":"custom_tool_call_output","call_id":"call_N","output":"LONG"}`, `{"type":"apply_patch_call","id":"apc_N","call_id":"call_N_2","operation":{"type":"update_file","path":"/a","diff":"LONG"},"status":"completed"}`, `{"type":"apply_patch_call_output","call_id":"call_N_2","status":"failed","output":"LONG"}`},
		"shell":           {`{"role":"user","content":"LONG"}`, `{"type":"shell_call","id":"sh_N","call_id":"call_N","action":{"commands":["ls LONG"],"timeout_ms":null,"max_output_length":4096},"status":"completed","environment":null}`, `{"type":"shell_call_output","call_id":"call_N","max_output_length":4096,"output":[{"stdout":"LONG","stderr":"","outcome":{"type":"exit","exit_code":1}}]}`},
		"localshell":      {`{"role":"user","content":"LONG"}`, `{"type":"local_shell_call","id":"ls_N","call_id":"call_N","action":{"type":"exec","command":["ls"],"env":{}},"status":"completed"}`, `{"type":"local_shell_call_output","id":"call_N","output":"LONG"}`},
		"mcp":             {`{"role":"user","content":"LONG"}`, `{"type":"mcp_list_tools","id":"mcpl_N","server_label":"s","tools":[{"name":"x","input_schema":{}}]}`, `{"type":"mcp_approval_request","id":"mcpr_N","name":"x","server_label":"s","arguments":"{}"}`, `{"type":"mcp_approval_response","approval_request_id":"mcpr_N","approve":true}`, `{"type":"mcp_call","id":"mcp_N","name":"x","server_label":"s","arguments":"{}","output":"LONG","error":null,"approval_request_id":"mcpr_N"}`, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"LONG"}]}`},
		"image":           {`{"role":"user","content":"LONG"}`, `{"type":"image_generation_call","id":"ig_N","status":"completed","result":"aGVsbG8="}`, `{"type":"code_interpreter_call","id":"ci_N","status":"completed","code":"LONG","container_id":"c","outputs":[{"type":"logs","logs":"LONG"}]}`, `{"type":"web_search_call","id":"ws_N","status":"completed","action":{"type":"open_page","url":"u"}}`, `{"type":"file_search_call","id":"fs_N","status":"completed","queries":["q"],"results":[{"text":"LONG"}]}`, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"LONG"}]}`},
		"compaction":      {`{"role":"user","content":"LONG"}`, `{"type":"compaction","id":"cmp_N","encrypted_content":"LONG"}`, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"LONG"}]}`},
		"computer":        {`{"role":"user","content":"LONG"}`, `{"type":"reasoning","id":"rs_N","summary":[],"encrypted_content":"encN"}`, `{"type":"computer_call","id":"cu_N","call_id":"call_N","action":{"type":"wait"},"actions":null,"pending_safety_checks":[],"status":"completed"}`, `{"type":"computer_call_output","call_id":"call_N","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,iVBORw0KGgo="},"acknowledged_safety_checks":[]}`, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"LONG"}]}`},
		"program":         {`{"role":"user","content":"LONG"}`, `{"type":"program","id":"prog_N","call_id":"call_N","code":"LONG","fingerprint":"fp"}`, `{"type":"function_call","id":"fc_N","call_id":"call_N_1","name":"read_file","arguments":"{}","caller":{"type":"program","caller_id":"call_N"}}`, `{"type":"function_call_output","call_id":"call_N_1","output":"LONG","caller":{"type":"program","caller_id":"call_N"}}`, `{"type":"program_output","id":"po_N","call_id":"call_N","result":"LONG","status":"completed"}`},
		"late":            {`{"role":"user","content":"LONG"}`, `{"type":"function_call","call_id":"call_N","name":"f","arguments":"{}","async":true}`, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"LONG"}]}`, `{"role":"developer","content":"LONG"}`, `{"type":"function_call_output","call_id":"call_N","output":"LONG"}`},
		"toolsearch":      {`{"role":"user","content":"LONG"}`, `{"type":"tool_search_call","id":"ts_N","call_id":"call_N_s","execution":"client","arguments":{"query":"x"},"status":"completed"}`, `{"type":"tool_search_output","call_id":"call_N_s","execution":"client","tools":[{"type":"function","name":"fN"}],"status":"completed"}`, `{"type":"function_call","call_id":"call_N","name":"fN","arguments":"{}"}`, `{"type":"function_call_output","call_id":"call_N","output":"LONG"}`},
		"mixed reasoning": {`{"role":"user","content":"LONG"}`, `{"type":"reasoning","id":"rs_N","summary":[{"type":"summary_text","text":"LONG"}],"encrypted_content":"encN"}`, `{"type":"web_search_call","id":"ws_N","status":"completed","action":{"type":"search","query":"q","queries":["q"]}}`, `{"type":"reasoning","id":"rs_N_b","summary":[],"encrypted_content":"encNb"}`, `{"type":"function_call","call_id":"call_N","name":"f","arguments":"{}"}`, `{"type":"function_call","call_id":"call_N_2","name":"f","arguments":"{\"x\": 1e400}"}`, `{"type":"function_call_output","call_id":"call_N","output":"LONG"}`, `{"type":"function_call_output","call_id":"call_N_2","output":[{"type":"input_text","text":"LONG"},{"type":"input_file","file_id":"f"}]}`, `{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"LONG"}]}`},
	},
	"openai": {
		"dev":     {`{"role":"developer","content":"LONG"}`, `{"role":"user","content":"LONG","name":"ann"}`, `{"role":"assistant","content":"LONG","refusal":null,"annotations":[],"audio":null,"function_call":null,"tool_calls":null}`},
		"audio":   {`{"role":"user","content":[{"type":"text","text":"LONG"},{"type":"input_audio","input_audio":{"data":"aGVsbG8=","format":"wav"}}]}`, `{"role":"assistant","audio":{"id":"audio_N"},"content":null}`},
		"refusal": {`{"role":"user","content":"LONG"}`, `{"role":"assistant","content":null,"refusal":"LONG"}`, `{"role":"user","content":"LONG"}`, `{"role":"assistant","content":[{"type":"refusal","refusal":"LONG"}]}`},
		"legacy":  {`{"role":"user","content":"LONG"}`, `{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}`, `{"role":"function","name":"f","content":"LONG"}`, `{"role":"assistant","content":"LONG"}`},
		"tools":   {`{"role":"user","content":"LONG"}`, `{"role":"assistant","content":"","reasoning_content":"LONG","reasoning_details":[{"type":"reasoning.encrypted","data":"x"}],"tool_calls":[{"id":"call_N","type":"function","function":{"name":"f","arguments":"{\"a\": 1.0}"},"extra_content":{"google":{"thought_signature":"s"}}},{"id":"call_N_2","type":"custom","custom":{"name":"g","input":"LONG"}}]}`, `{"role":"tool","tool_call_id":"call_N","content":"LONG"}`, `{"role":"tool","tool_call_id":"call_N_2","content":[{"type":"text","text":"LONG"}]}`, `{"role":"assistant","content":"LONG"}`},
	},
	"gemini": {
		"sig":  {`{"role":"user","parts":[{"text":"LONG"}]}`, `{"role":"model","parts":[{"text":"hm LONG","thought":true},{"functionCall":{"id":"fcN","name":"f","args":{"a":1.0}},"thoughtSignature":"c2lnN"},{"functionCall":{"id":"fcN_2","name":"f","args":{}}}]}`, `{"role":"user","parts":[{"functionResponse":{"id":"fcN","name":"f","response":{"output":"LONG"},"parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]}},{"functionResponse":{"id":"fcN_2","name":"f","response":{"result":"LONG"},"willContinue":false,"scheduling":"SILENT"}}]}`, `{"role":"model","parts":[{"text":"LONG","thoughtSignature":"c2lnNb"}]}`},
		"code": {`{"role":"user","parts":[{"text":"LONG"}]}`, `{"role":"model","parts":[{"executableCode":{"language":"PYTHON","code":"LONG","id":"x"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"LONG","id":"x"}},{"toolCall":{"id":"tN","toolType":"GOOGLE_SEARCH","args":{}},"thoughtSignature":"c2ln"},{"toolResponse":{"id":"tN","toolType":"GOOGLE_SEARCH","response":{"x":"LONG"}}},{"text":"LONG"}]}`},
		"noid": {`{"role":"user","parts":[{"text":"LONG"}]}`, `{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"c2lnN"}]}`, `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"a":1.50,"text":"LONG"}}}]}`, `{"role":"model","parts":[{"text":"","thoughtSignature":"c2ln"}]}`},
	},
}

// What clients send of tools that the provider runs, of signed and encrypted reasoning, of
// searches, programs, patches and settings makes a valid prompt, whatever the preset and
// the budget leave of it; a prompt of which nothing is left out is the request itself.
//
// SPEC: V3, V11, B17
func TestClientShapes(t *testing.T) {
	if testing.Short() {
		t.Skip("every shape under every preset")
	}
	models := map[string]string{"anthropic": "claude-opus-5-5", "openai": "gpt-5.6", "responses": "gpt-5.6", "gemini": "gemini-3-pro"}
	for _, c := range []codec.Codec{anthropic.Codec{}, openai.Codec{}, responses.Codec{}, gemini.Codec{}} {
		for shape, items := range clientShapes[c.Name()] {
			for _, name := range policy.Names() {
				for _, budget := range []int{900, 1500, 100_000} {
					t.Run(fmt.Sprintf("%s/%s/%s/%d", c.Name(), shape, name, budget), func(t *testing.T) {
						s := shaped{T: t, codec: c, model: models[c.Name()], items: items}
						s.grow(name, budget)
					})
				}
			}
		}
	}
}

// shaped is a conversation that repeats a shape.
type shaped struct {
	*testing.T
	codec codec.Codec
	model string
	items []string
	all   []string
}

// grow adds rounds and judges the prompt after each.
func (s *shaped) grow(name string, budget int) {
	p, err := policy.Named(name)
	if err != nil {
		s.Fatal(err)
	}
	e := newEngine(s, memory.New(), p)
	for n := range 8 {
		text := strings.Repeat(fmt.Sprintf("line %d of /srv/part%d.go says so. ", n, n), 5+n%20)
		for _, it := range s.items {
			s.all = append(s.all, strings.NewReplacer("LONG", text, "N", fmt.Sprint(n)).Replace(it))
		}
		s.judge(e, budget)
	}
}

func (s *shaped) judge(e *precis.Engine, budget int) {
	api, body := s.codec.Name(), s.body()
	req, err := s.codec.Decode([]byte(body))
	if err != nil {
		s.Fatal(err)
	}
	turn, err := e.Prepare(s.Context(), precis.Input{
		Thread: "t", Messages: req.Messages, Budget: budget, Meter: token.Truncate(),
		Mode: precis.Mode{CloseOpenCalls: true}, Client: precis.Client{CallsApart: req.CallsApart},
	})
	if err != nil {
		return // what may not be touched does not fit
	}
	req.Model = s.model
	out, err := s.codec.Encode(req, turn.Messages)
	if err != nil {
		s.Fatal(err)
	}
	if budget == 100_000 && string(out) != body {
		s.Errorf("changed, and everything fits:\n%s\n%s", body, out)
	}
	faults := wirecheck.Check(api, out, wirecheck.Options{Model: s.model, AllowEmpty: true})
	for _, f := range append(faults, wirecheck.Kept(api, []byte(body), out)...) {
		s.Errorf("%s\n%s", f, out)
	}
}

// body is the request that goes on with the conversation so far.
func (s *shaped) body() string {
	last, list := `{"role":"user","content":"Go on."}`, codectest.List(s.codec.Name())
	if list == "contents" {
		last = `{"role":"user","parts":[{"text":"Go on."}]}`
	}
	items := strings.Join(append(s.all[:len(s.all):len(s.all)], last), ",")
	if list == "contents" {
		return `{"contents":[` + items + `]}`
	}
	return fmt.Sprintf(`{"model":%q,"max_tokens":100,"store":false,%q:[%s]}`, s.model, list, items)
}
