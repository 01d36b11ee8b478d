package openai_test

import (
	"strings"

	"github.com/seed-3db51b0e/precis/codec/codectest"
)

// body is a request around messages.
func body(messages ...string) string {
	return `{"model":"gpt-5","messages":[` + strings.Join(messages, ",") + `],"temperature":0.20}`
}

func user(text string) string      { return `{"role":"user","content":"` + text + `"}` }
func assistant(text string) string { return `{"role":"assistant","content":"` + text + `"}` }

const round = `{"role":"assistant","content":"I look.","refusal":null,"reasoning_content":"hm","tool_calls":[` +
	`{"id":"call_1","type":"function","function":{"name":"read","arguments":"{\"path\": \"/a\", \"n\": 9007199254740993}"}},` +
	`{"id":"call_2","type":"custom","custom":{"name":"patch","input":"*** free text"},"index":1}]},` +
	`{"role":"tool","tool_call_id":"call_2","content":[{"type":"text","text":"two"}]},` +
	`{"content":"one","tool_call_id":"call_1","name":"read","role":"tool","x":null}`

var bodies = []codectest.Body{
	{Name: "minimal", Shaped: true, JSON: body(user("hi"))},
	{Name: "round", Shaped: true, JSON: body(user("hi"), round, assistant("done"))},
	{Name: "spaced", Shaped: true, JSON: "\n{ \"model\" : \"gpt-5\",\n  \"messages\" : [\n    {\"content\" : [ {\"text\" : \"a\\u0000\\ud83d\\ude00\" , \"type\":\"text\"}\n, {\"type\":\"text\",\"text\":\"b\"} ] , \"role\":\"user\"} ,\n    " + assistant("x") + " ,\n    " + user("y") + "\n  ] ,\n \"future\": {\"a\":[1.0,2E+5,-0]} }\n "},
	{Name: "system and tools", Shaped: true, JSON: `{"model":"o3","stream":true,"max_completion_tokens":7,"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"},"strict":true}},{"type":"custom","custom":{"name":"g"}}],"messages":[{"role":"developer","content":"be good","name":"ops"},{"role":"system","content":[{"type":"text","text":"very"}]},` + user("q") + `],"user":"u"}`},
	{Name: "media", Shaped: true, JSON: body(`{"role":"user","name":"ann","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo=","detail":"low"}},{"type":"image_url","image_url":{"url":"https://example.org/a.png"}},{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}},{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERg=="}},{"type":"file","file":{"file_id":"file_1"}},{"type":"from_the_future"},{"type":"text","text":"look"}]}`)},
	{Name: "assistant members", Shaped: true, JSON: body(user("a"), `{"role":"assistant","content":null,"refusal":"no"}`, `{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`, `{"role":"assistant","content":null,"audio":{"id":"audio_1"}}`, `{"role":"assistant","content":"x","annotations":[],"reasoning":"r","reasoning_details":[{"a":1}]}`)},
	{Name: "legacy functions", Shaped: true, JSON: body(user("a"), `{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}`, `{"role":"function","name":"f","content":"r"}`)},
	{Name: "broken arguments", Shaped: true, JSON: body(user("a"), `{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\": tru"}}]}`, `{"role":"tool","tool_call_id":"c","content":""}`)},
	{Name: "long id", Shaped: true, JSON: body(user("a"), `{"role":"assistant","content":null,"tool_calls":[{"id":"call_0123456789012345678901234567890123456789|fc_1","type":"function","function":{"name":"a.b","arguments":""}}]}`, `{"role":"tool","tool_call_id":"call_0123456789012345678901234567890123456789|fc_1","content":"r"}`)},
	{Name: "invalid utf-8", JSON: body("{\"role\":\"user\",\"content\":\"a\xff\xfe\"}", `{"role":"assistant","content":"\ud800 alone"}`)},
	{Name: "duplicate members", JSON: `{"messages":[],"model":"a","model":"b","messages":[{"role":"user","role":"assistant","content":"a","content":[{"type":"text","type":"text","text":"x","text":"y"}]}]}`},
	{Name: "escaped names", JSON: `{"mess\u0061ges":[{"\u0072ole":"user","c\u006fntent":"x"}],"model":"m"}`},
	{Name: "odd values", JSON: body(`{"role":7,"content":{"a":1}}`, `5`, `null`, `"text"`, `[]`, `{}`, `{"role":"user","content":null}`, `{"role":"user","content":[1,"s",null,[],{}]}`, `{"role":"assistant","content":"","tool_calls":[{"id":5},null,{"id":"x","function":7}],"reasoning_content":5,"refusal":{}}`, `{"role":"tool"}`, `{"role":"assistant","tool_calls":{}}`)},
	{Name: "no messages", JSON: body()},
}

// What the SDKs, agents and gateways change between two turns.
var echoes = []codectest.Echo{
	{Name: "string or part", Bodies: []string{
		body(user("a")),
		body(`{"content":[{"text":"\u0061","type":"text"}],"role":"user"}`),
		body(`{"content":[{"text":"a","type":"text","cache_control":{"type":"ephemeral"}}],"role":"user"}`),
	}},
	{Name: "sdk object sent back", Bodies: []string{
		body(assistant("a")),
		body(`{"role":"assistant","content":"a","refusal":null,"annotations":[],"audio":null,"function_call":null,"tool_calls":null}`),
		body(`{"role":"assistant","content":"a","reasoning_content":"hm","reasoning":"hm"}`),
	}},
	{Name: "call respaced", Bodies: []string{
		body(`{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\": 1, \"b\": [1, 2]}"}}]}`),
		body(`{"tool_calls":[{"function":{"arguments":"{\"b\":[1,2],\"a\":1}","name":"f"},"type":"function","id":"c"}],"role":"assistant"}`),
		body(`{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1,\"b\":[1,2]}"}}]}`),
	}},
	{Name: "members of a call that are null", Bodies: []string{
		body(`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"f","input":"x"}},{"id":"d","type":"function","function":{"name":"g","arguments":"{}"}}]}`),
		body(`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"custom","function":null,"custom":{"name":"f","input":"x"}},{"id":"d","type":"function","function":{"name":"g","arguments":"{}"},"custom":null}]}`),
	}},
	{Name: "tool name added", Bodies: []string{
		body(`{"role":"tool","tool_call_id":"c","content":"r"}`),
		body(`{"role":"tool","tool_call_id":"c","name":"f","content":[{"type":"text","text":"r"}]}`),
	}},
	{Name: "developer or system", Bodies: []string{
		body(`{"role":"system","content":"s"}`),
		body(`{"role":"developer","content":"s"}`),
	}},
}
