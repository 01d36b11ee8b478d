package responses_test

import (
	"strings"

	"github.com/seed-3db51b0e/precis/codec/codectest"
)

// body is a request around items.
func body(items ...string) string {
	return `{"model":"gpt-5.5","input":[` + strings.Join(items, ",") + `],"store":false}`
}

func user(text string) string      { return `{"role":"user","content":"` + text + `"}` }
func assistant(text string) string { return `{"role":"assistant","content":"` + text + `"}` }

const (
	reasoning = `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"ZW5j"}`
	callItem  = `{"type":"function_call","id":"fc_1","call_id":"call_1","name":"read","arguments":"{\"path\": \"/a\", \"n\": 9007199254740993}","status":"completed"}`
	outItem   = `{"type":"function_call_output","call_id":"call_1","output":"one"}`
	round     = reasoning + "," + callItem + "," + outItem
)

var bodies = []codectest.Body{
	{Name: "string input", Shaped: true, JSON: `{"model":"gpt-5.5", "input" : "hi \u00e9" ,"stream":true}`},
	{Name: "no input", JSON: `{"model":"gpt-5.5","previous_response_id":"resp_1"}`},
	{Name: "null input", JSON: `{"input":null,"prompt":{"id":"p"}}`},
	{Name: "round", Shaped: true, JSON: body(user("hi"), round, `{"type":"message","id":"msg_1","role":"assistant","status":"completed","phase":"final_answer","content":[{"type":"output_text","text":"done","annotations":[],"logprobs":[]}]}`)},
	{Name: "spaced", Shaped: true, JSON: "\n{ \"model\" : \"gpt-5\",\n  \"input\" : [\n    {\"content\" : [ {\"text\" : \"a\\u0000\\ud83d\\ude00\" , \"type\":\"input_text\"}\n, {\"type\":\"input_text\",\"text\":\"b\"} ] , \"role\":\"user\"} ,\n    " + assistant("x") + " ,\n    " + user("y") + "\n  ] ,\n \"future\": {\"a\":[1.0,2E+5,-0]} }\n "},
	{Name: "instructions and tools", Shaped: true, JSON: `{"instructions":"be good","max_output_tokens":9,"tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object"},"strict":true},{"type":"custom","name":"g"},{"type":"web_search"}],"input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"very"}]},` + user("q") + `],"model":"gpt-5.5"}`},
	{Name: "custom and built-in calls", Shaped: true, JSON: body(user("a"),
		`{"type":"custom_tool_call","call_id":"c1","name":"apply_patch","input":"*** free"}`, `{"type":"custom_tool_call_output","call_id":"c1","output":"ok"}`,
		`{"type":"local_shell_call","id":"ls_1","call_id":"c2","action":{"type":"exec","command":["ls"]},"status":"completed"}`, `{"type":"local_shell_call_output","id":"c2","output":"{}"}`,
		`{"type":"apply_patch_call","call_id":"c4","operation":{"type":"delete_file","path":"/a"},"status":"completed"}`, `{"type":"apply_patch_call_output","call_id":"c4","status":"completed"}`,
		`{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"x"}}`,
		`{"type":"compaction","encrypted_content":"x"}`, `{"type":"item_reference","id":"msg_0"}`, `{"type":"from_the_future","x":1}`)},
	{Name: "parallel calls, outputs late", Shaped: true, JSON: body(user("a"), callItem, `{"type":"function_call","call_id":"call_2","name":"read","arguments":""}`, user("wait"), `{"type":"function_call_output","call_id":"call_2","output":[{"type":"input_text","text":"t"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo=","detail":"low"}]}`, outItem)},
	{Name: "media", Shaped: true, JSON: body(`{"type":"message","role":"user","content":[{"type":"input_image","image_url":"https://example.org/a.png","detail":"auto"},{"type":"input_image","file_id":"file_1"},{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERg=="},{"type":"input_file","file_url":"https://example.org/a.pdf"},{"type":"input_text","text":"look"}]}`)},
	{Name: "refusal", Shaped: true, JSON: body(user("a"), `{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`)},
	{Name: "shell and computer", JSON: body(`{"type":"shell_call","call_id":"c3","action":{"commands":["ls"]}}`, `{"type":"shell_call_output","call_id":"c3","output":[{"stdout":"a","stderr":"","outcome":{"type":"exit","exit_code":0}}]}`, `{"type":"computer_call","id":"cu","call_id":"c5","action":{"type":"click","x":1,"y":2}}`, `{"type":"computer_call_output","call_id":"c5","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,iVBORw0KGgo="}}`)},
	{Name: "invalid utf-8", JSON: body("{\"role\":\"user\",\"content\":\"a\xff\xfe\"}", `{"role":"assistant","content":"\ud800 alone"}`)},
	{Name: "duplicate members", JSON: `{"input":[],"model":"a","model":"b","input":[{"role":"user","role":"assistant","content":"a","content":[{"type":"input_text","type":"text","text":"x","text":"y"}]}]}`},
	{Name: "escaped names", JSON: `{"inp\u0075t":[{"\u0072ole":"user","c\u006fntent":"x"}],"model":"m"}`},
	{Name: "odd values", JSON: body(`{"role":7,"content":{"a":1}}`, `5`, `null`, `"text"`, `[]`, `{}`, `{"role":"user","content":null}`, `{"type":"message"}`, `{"role":"user","content":[1,"s",null,[],{}]}`, `{"type":"function_call"}`, `{"type":"function_call","call_id":5}`, `{"type":"function_call_output","call_id":"x"}`, `{"type":"reasoning","summary":5,"content":[1]}`)},
	{Name: "empty input", JSON: body()},
}

// What the SDKs and Codex change between two turns.
var echoes = []codectest.Echo{
	{Name: "string, short form, full form", Bodies: []string{
		`{"input":"a"}`,
		body(user("a")),
		body(`{"content":[{"text":"\u0061","type":"input_text"}],"role":"user","type":"message"}`),
	}},
	{Name: "reply sent back without its id", Bodies: []string{
		body(`{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"done","annotations":[],"logprobs":[]}]}`),
		body(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}`),
		body(assistant("done")),
	}},
	{Name: "call respaced", Bodies: []string{
		body(callItem, outItem),
		body(`{"arguments":"{\"n\":9007199254740993,\"path\":\"/a\"}","name":"read","call_id":"call_1","type":"function_call"}`, `{"output":[{"type":"input_text","text":"one"}],"call_id":"call_1","type":"function_call_output","id":null}`),
	}},
	{Name: "members of a call that are null", Bodies: []string{
		body(`{"type":"computer_call","id":"cu","call_id":"c","action":{"type":"wait"},"pending_safety_checks":[],"status":"completed"}`),
		body(`{"type":"computer_call","id":"cu","call_id":"c","pending_safety_checks":[],"status":"completed","action":{"type":"wait"},"actions":null}`),
	}},
	{Name: "reasoning without its content", Bodies: []string{
		body(reasoning), body(`{"type":"reasoning","id":"rs_2","summary":[]}`),
	}},
}
