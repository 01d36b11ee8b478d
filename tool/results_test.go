package tool_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
)

// shape is one way a call and its result stand in a request: tool name, JSON
// arguments, and the result's text, quoted where it is content.
type shape struct {
	name  string
	codec codec.Codec
	body  func(name, args, text string) string
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func anthropicBody(name, args, result string) string {
	return fmt.Sprintf(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},
		{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":%q,"input":%s}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1",%s}]}]}`, name, args, result)
}

func openaiBody(name, args, content string) string {
	return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"go"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":%q,"arguments":%s}}]},
		{"role":"tool","tool_call_id":"c1","content":%s}]}`, name, quoted(args), content)
}

var shapes = []shape{
	{"anthropic string", anthropic.Codec{}, func(n, a, t string) string { return anthropicBody(n, a, `"content":`+quoted(t)) }},
	{"anthropic blocks", anthropic.Codec{}, func(n, a, t string) string {
		return anthropicBody(n, a, `"content":[{"type":"text","text":`+quoted(t)+`}],"is_error":false`)
	}},
	{"openai string", openai.Codec{}, func(n, a, t string) string { return openaiBody(n, a, quoted(t)) }},
	{"openai parts", openai.Codec{}, func(n, a, t string) string {
		return openaiBody(n, a, `[{"type":"text","text":`+quoted(t)+`}]`)
	}},
	{"responses", responses.Codec{}, func(n, a, t string) string {
		return fmt.Sprintf(`{"model":"m","input":[{"type":"message","role":"user","content":"go"},
			{"type":"function_call","call_id":"c1","name":%q,"arguments":%s},
			{"type":"function_call_output","call_id":"c1","output":%s}]}`, n, quoted(a), quoted(t))
	}},
}

// pair decodes a request and finds its call and result.
func pair(t *testing.T, c codec.Codec, body string) (call, result message.Part) {
	t.Helper()
	req, err := c.Decode([]byte(body))
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			switch p.Kind {
			case message.Call:
				call = p
			case message.Result:
				result = p
			}
		}
	}
	if call.CallID != "c1" || result.CallID != "c1" {
		t.Fatalf("no call and result in %s", body)
	}
	return call, result
}

// Each class of the built-in table, by what tools of real agents answer, in
// every API's shape.
//
// SPEC: L7, L8
func TestResultsOfEveryClass(t *testing.T) {
	for _, c := range []struct {
		name, args, text string
		class            tool.Class
		durability       tool.Durability
		cleared, err     string
	}{
		{"Read", `{"file_path":"/w/a.go"}`, "     1\u2192package a\n     2\u2192// Error: none\n", tool.Read, tool.Replayable, "[Read: success]\nKey data: {\"path\": \"/w/a.go\"}", ""},
		{"Read", `{"file_path":"/w/b.go"}`, "<tool_use_error>File does not exist.</tool_use_error>", tool.Read, tool.Replayable, "[Read: failure]\nKey data: {\"path\": \"/w/b.go\"}", "<tool_use_error>File does not exist.</tool_use_error>"},
		{"LS", `{"path":"/w"}`, "- /w/\n  - a.go\n", tool.List, tool.Ephemeral, "[LS: success]\nKey data: {\"path\": \"/w\"}", ""},
		{"list_dir", `{"dir_path":"src"}`, "Error: no such directory", tool.List, tool.Ephemeral, "[list_dir: failure]\nKey data: {\"path\": \"src\"}", "Error: no such directory"},
		{"Grep", `{"pattern":"func \\w+","path":"src"}`, "Found 2 files\nsrc/a.go\nsrc/b.go", tool.Search, tool.Ephemeral, "[Grep: success]\nKey data: {\"pattern\": \"func \\\\w+\", \"path\": \"src\"}", ""},
		{"Bash", `{"command":"go test ./..."}`, "Exit code 1\n--- FAIL: TestX\n", tool.Shell, tool.Anchoring, "[Bash: failure]\nKey data: {\"command\": \"go test ./...\", \"exit_code\": 1}", "--- FAIL: TestX"},
		{"shell", `{"command":["bash","-lc","make"]}`, `{"output":"ok\n","metadata":{"exit_code":0,"duration_seconds":0.2}}`, tool.Shell, tool.Anchoring, "[shell: success]\nKey data: {\"command\": \"make\", \"exit_code\": 0}", ""},
		{"exec_command", `{"cmd":"make"}`, "Chunk ID: 1f\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nmake: *** [all] Error 1\n", tool.Shell, tool.Anchoring, "[exec_command: failure]\nKey data: {\"command\": \"make\", \"exit_code\": 2}", "make: *** [all] Error 1"},
		{"shell_command", `{"command":"true"}`, "Exit code: 0\nWall time: 0 seconds\nOutput:\n", tool.Shell, tool.Anchoring, "[shell_command: success]\nKey data: {\"command\": \"true\", \"exit_code\": 0}", ""},
		{"bash", `{"command":"ls x"}`, "<returncode>2</returncode>\n<output>\nls: cannot access 'x': No such file or directory\n</output>", tool.Shell, tool.Anchoring, "[bash: failure]\nKey data: {\"command\": \"ls x\", \"exit_code\": 2}", "ls: cannot access 'x': No such file or directory"},
		{"execute_bash", `{"command":"npm run build"}`, "built\n[The command completed with exit code 0.]\n[Current working directory: /w]", tool.Shell, tool.Anchoring, "[execute_bash: success]\nKey data: {\"command\": \"npm run build\", \"exit_code\": 0}", ""},
		{"run_shell_command", `{"command":"make"}`, "Command: make\nDirectory: (root)\nOutput: done\nError: (none)\nExit Code: 0\nSignal: (none)", tool.Shell, tool.Anchoring, "[run_shell_command: success]\nKey data: {\"command\": \"make\", \"exit_code\": 0}", ""},
		{"Write", `{"file_path":"n.go","content":"package n"}`, "File created successfully at: n.go", tool.Write, tool.Anchoring, "[Write: success]\nKey data: {\"path\": \"n.go\", \"success\": true}", ""},
		{"Edit", `{"file_path":"n.go","old_string":"a","new_string":"b"}`, "<tool_use_error>String to replace not found in file.\nString: a</tool_use_error>", tool.Edit, tool.Anchoring, "[Edit: failure]\nKey data: {\"path\": \"n.go\", \"success\": false}", "<tool_use_error>String to replace not found in file."},
		{"shell", `{"command":["apply_patch","*** Begin Patch\n*** Add File: n.go\n+x\n*** End Patch"]}`, `{"output":"Success. Updated the following files:\nA n.go\n","metadata":{"exit_code":0}}`, tool.Edit, tool.Anchoring, "[shell: success]\nKey data: {\"command\": \"apply_patch '*** Begin Patch\\n*** Add File: n.go\\n+x\\n*** End Patch'\"}", ""},
		{"exec_command", `{"cmd":"cd src && apply_patch <<'E'\n*** Begin Patch\n*** Add File: n.go\n+x\n*** End Patch\nE"}`, "Process exited with code 1\nOutput:\nInvalid Context 0", tool.Edit, tool.Anchoring, "[exec_command: failure]\nKey data: {\"command\": \"cd src && apply_patch <<'E'\\n*** Begin Patch\\n*** Add File: n.go\\n+x\\n*** End Patch\\nE\", \"exit_code\": 1}", "Invalid Context 0"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: n.go\n@@\n-a\n+b\n*** End Patch"}`, `{"output":"Success. Updated the following files:\nM n.go\n","metadata":{"exit_code":0,"duration_seconds":0.0}}`, tool.Edit, tool.Anchoring, "[apply_patch: success]\nKey data: {\"path\": \"n.go\", \"success\": true}", ""},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: n.go\n@@\n-a\n+b\n*** End Patch"}`, `{"output":"verification failed: no such lines in n.go","metadata":{"exit_code":1,"duration_seconds":0.0}}`, tool.Edit, tool.Anchoring, "[apply_patch: failure]\nKey data: {\"path\": \"n.go\", \"success\": false}", "verification failed: no such lines in n.go"},
		{"WebSearch", `{"query":"go 1.26"}`, "Web search results for query: \"go 1.26\"\n\nLinks: []", tool.Web, tool.NonReplayable, "[WebSearch: success]\nKey data: {\"query\": \"go 1.26\"}", ""},
		{"WebFetch", `{"url":"https://e.org/a","prompt":"x"}`, "Request failed with status code 404", tool.Web, tool.NonReplayable, "[WebFetch: failure]\nKey data: {\"url\": \"https://e.org/a\"}", "Request failed with status code 404"},
		{"http_request", `{"url":"https://e.org","method":"POST"}`, `{"status_code":503,"body":"busy"}`, tool.HTTP, tool.NonReplayable, "[http_request: failure]\nKey data: {\"status_code\": 503, \"url\": \"https://e.org\", \"method\": \"POST\"}", "HTTP status 503"},
		{"curl", `{"url":"https://e.org"}`, "HTTP/1.1 204 No Content\r\ndate: x\r\n\r\n", tool.HTTP, tool.NonReplayable, "[curl: success]\nKey data: {\"status_code\": 204, \"url\": \"https://e.org\"}", ""},
		{"TodoWrite", `{"todos":[]}`, "Todos have been modified successfully.", tool.Todo, tool.Ephemeral, "[TodoWrite: success]", ""},
		{"mcp__shop__get_order", `{"order_id":"W-1"}`, `{"order_id":"W-1","status":"paid","items":[1]}`, tool.Other, tool.Anchoring, "[mcp__shop__get_order: success]\nKey data: {\"order_id\": \"W-1\", \"status\": \"paid\"}", ""},
	} {
		for _, s := range shapes {
			call, result := pair(t, s.codec, s.body(c.name, c.args, c.text))
			e := tool.Of(call, &result)
			if e.CallID != "c1" || e.Class != c.class || tool.Resolve(e, nil).Durability != c.durability || e.Error != c.err || e.Cleared() != c.cleared {
				t.Errorf("%s as %s:\n got %s %s error %q\n %s\nwant %s %s error %q\n %s", c.name, s.name,
					e.Class, tool.Resolve(e, nil).Durability, e.Error, e.Cleared(), c.class, c.durability, c.err, c.cleared)
			}
		}
	}
}

// What the provider marks as an error is a failure, whatever its text.
//
// SPEC: L7
func TestMarkedErrors(t *testing.T) {
	call, result := pair(t, anthropic.Codec{}, anthropicBody("Read", `{"file_path":"a"}`, `"content":[{"type":"text","text":"2 lines"}],"is_error":true`))
	if e := tool.Of(call, &result); e.Outcome != tool.Failure || e.Error != "2 lines" {
		t.Errorf("%s %q", e.Outcome, e.Error)
	}
	call, result = pair(t, anthropic.Codec{}, anthropicBody("Bash", `{"command":"true"}`, `"content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},{"type":"text","text":"Exit code: 0"}]`))
	if e := tool.Of(call, &result); e.Outcome != tool.Success || e.Exit == nil || *e.Exit != 0 {
		t.Errorf("content with an image: %s %v", e.Outcome, e.Exit)
	}
	call, result = pair(t, anthropic.Codec{}, anthropicBody("Bash", `{"command":"true"}`, `"is_error":false`))
	if e := tool.Of(call, &result); e.Outcome != tool.Success {
		t.Errorf("no content: %s", e.Outcome)
	}
}
