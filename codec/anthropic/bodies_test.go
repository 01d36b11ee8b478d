package anthropic_test

import (
	"strings"

	"github.com/seed-3db51b0e/precis/codec/codectest"
)

// body is a request around messages.
func body(messages ...string) string {
	return `{"model":"claude-opus-4-6","max_tokens":1024,"messages":[` + strings.Join(messages, ",") + `]}`
}

func user(text string) string      { return `{"role":"user","content":"` + text + `"}` }
func assistant(text string) string { return `{"role":"assistant","content":"` + text + `"}` }

const round = `{"role":"assistant","content":[` +
	`{"type":"thinking","thinking":"","signature":"c2ln"},{"type":"redacted_thinking","data":"ZGF0YQ=="},` +
	`{"type":"text","text":"I look.","citations":null},` +
	`{"type":"tool_use","id":"toolu_1","name":"read","input":{"path":"/a","n":9007199254740993,"n":1}},` +
	`{"type":"tool_use","id":"toolu_2","name":"read","input":{},"caller":{"type":"direct"}}]},` +
	`{"role":"user","content":[` +
	`{"type":"tool_result","tool_use_id":"toolu_2","content":[{"type":"text","text":"two"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}],"is_error":true},` +
	`{"tool_use_id":"toolu_1","type":"tool_result","content":"one","cache_control":{"type":"ephemeral"}},` +
	`{"type":"text","text":"go on"}]}`

var bodies = []codectest.Body{
	{Name: "minimal", Shaped: true, JSON: body(user("hi"))},
	{Name: "round", Shaped: true, JSON: body(user("hi"), round)},
	{Name: "spaced", Shaped: true, JSON: "\n{ \"model\" : \"claude-opus-4-6\",\n  \"messages\" : [\n    {\"content\" : [ {\"text\" : \"a\\u0000\\ud83d\\ude00\" , \"type\":\"text\"}\n, {\"type\":\"text\",\"text\":\"b\"} ] , \"role\":\"user\"} ,\n    " + assistant("x") + " ,\n    " + user("y") + "\n  ] , \"max_tokens\": 1e3,\n \"future\": {\"a\":[1.0,2E+5,-0]} }\n "},
	{Name: "system blocks and tools", Shaped: true, JSON: `{"model":"claude-sonnet-5","max_tokens":10,"stream":true,"system":[{"type":"text","text":"be good","cache_control":{"type":"ephemeral","ttl":"1h"}}],"tools":[{"name":"read","description":"reads","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search"}],"thinking":{"type":"adaptive"},"messages":[` + user("q") + `],"metadata":{"user_id":"u"}}`},
	{Name: "system in the middle", Shaped: true, JSON: body(user("a"), `{"role":"system","content":"mode: terse","clear_at":"next_user_message"}`, assistant("b"), user("c"))},
	{Name: "compaction first", Shaped: true, JSON: body(`{"role":"assistant","content":[{"type":"compaction","content":"sum","signature":"s"}]}`, user("c"))},
	{Name: "server tools", Shaped: true, JSON: body(user("a"), `{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://example.org","title":"t","encrypted_content":"e"}]},{"type":"text","text":"so","citations":[{"type":"web_search_result_location","cited_text":"c"}]}]}`, user("thanks"))},
	{Name: "paused server tool", Shaped: true, JSON: body(user("a"), `{"role":"assistant","content":[{"type":"text","text":"searching"},{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}]}`)},
	{Name: "media", Shaped: true, JSON: body(`{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://example.org/a.png"}},{"type":"image","source":{"type":"file","file_id":"file_1"}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERg=="},"title":"t"},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"plain"}},{"type":"document","source":{"type":"content","content":[{"type":"text","text":"x"}]}},{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"r"}]},{"type":"container_upload","file_id":"f"},{"type":"from_the_future","x":1},{"type":"text","text":"look"}]}`)},
	{Name: "empty result", Shaped: true, JSON: body(user("a"), `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{}}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}`)},
	{Name: "prefill", JSON: body(user("a"), assistant("The answer is"))},
	{Name: "same role", JSON: body(user("a"), user("b"), assistant("c"), assistant("d"), user("e"))},
	{Name: "text before result", JSON: body(user("a"), `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{}}]}`, `{"role":"user","content":[{"type":"text","text":"late"},{"type":"tool_result","tool_use_id":"t","content":""}]}`)},
	{Name: "invalid utf-8", JSON: body("{\"role\":\"user\",\"content\":\"a\xff\xfe\"}", `{"role":"assistant","content":"\ud800 alone"}`, user("c"))},
	{Name: "duplicate members", JSON: `{"messages":[],"model":"a","model":"b","messages":[{"role":"user","role":"assistant","content":"a","content":[{"type":"text","type":"text","text":"x","text":"y"}]}]}`},
	{Name: "escaped names", JSON: `{"mess\u0061ges":[{"\u0072ole":"user","c\u006fntent":"x"}],"model":"m"}`},
	{Name: "odd values", JSON: body(`{"role":7,"content":{"a":1}}`, `5`, `null`, `"text"`, `[]`, `{}`, `{"role":"user","content":null}`, `{"role":"user","content":[1,"s",null,[],{}]}`, `{"role":"assistant","content":[{"type":"tool_use"},{"type":"tool_use","id":5,"name":"x"},{"type":"tool_result"},{"type":"text","text":5},{"type":"image"},{"type":9}]}`)},
	{Name: "no messages", JSON: body()},
	{Name: "too many marks", JSON: body(`{"role":"user","content":[` + strings.Repeat(`{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},`, 5) + `{"type":"text","text":"end"}]}`)},
}

const opener = `{"model":"m","max_tokens":1,"messages":[`

// What Claude Code, the SDKs and gateways change between two turns.
var echoes = []codectest.Echo{
	{Name: "cache marker moved", Bodies: []string{
		body(`{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"image","source":{"type":"url","url":"https://e.org/a"}}]}`),
		body(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"url","url":"https://e.org/a"},"cache_control":{"type":"ephemeral","ttl":"1h"}}]}`),
	}},
	{Name: "string or block", Bodies: []string{
		body(`{"role":"user","content":"a"}`),
		body(`{"role":"user","content":[{"type":"text","text":"a"}]}`),
		body(`{"content":[{"text":"\u0061","type":"text"},{"type":"text","text":""}],"role":"user"}`),
	}},
	{Name: "result string or block", Bodies: []string{
		body(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"r"}]}`),
		body(`{"role":"user","content":[{"is_error":false,"content":[{"type":"text","text":"r","cache_control":null}],"tool_use_id":"t","type":"tool_result"}]}`),
	}},
	{Name: "thinking dropped, input respaced", Bodies: []string{
		body(`{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"},{"type":"tool_use","id":"t","name":"n","input":{"a":1,"b":{"c":[1,2]}}}]}`),
		opener + `{"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "n", "input": {"b": {"c": [1, 2]}, "a": 1}, "cache_control": {"type": "ephemeral"}}]}]}`,
	}},
}
