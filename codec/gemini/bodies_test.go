package gemini_test

import (
	"strings"

	"github.com/seed-3db51b0e/precis/codec/codectest"
)

// body is a request around contents.
func body(contents ...string) string {
	return `{"generationConfig":{"maxOutputTokens":1024},"contents":[` + strings.Join(contents, ",") + `]}`
}

func user(text string) string  { return `{"role":"user","parts":[{"text":"` + text + `"}]}` }
func model(text string) string { return `{"role":"model","parts":[{"text":"` + text + `"}]}` }

// round has two calls, of which the first is signed, and which have no ids.
const round = `{"role":"model","parts":[{"text":"hm","thought":true},{"text":"I look.","thoughtSignature":"c2ln"},` +
	`{"functionCall":{"name":"read","args":{"path":"/a","n":9007199254740993}},"thoughtSignature":"c2lnMg=="},` +
	`{"functionCall":{"name":"read","args":{"path":"/b"}}}]},` +
	`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"one"}}},` +
	`{"functionResponse":{"name":"read","response":{"error":"no such file"}}},{"text":"go on"}]}`

// numbered has calls with ids, answered in another spelling, and media in an answer.
const numbered = `{"role":"model","parts":[{"function_call":{"id":"fc_1","name":"look","args":{}},"thought_signature":"c2ln"}]},` +
	`{"role":"user","parts":[{"function_response":{"id":"fc_1","name":"look","response":{"status":"ok","n":[1,2]},"parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]}}]}`

var bodies = []codectest.Body{
	{Name: "minimal", Shaped: true, JSON: body(user("hi"))},
	{Name: "round", Shaped: true, JSON: body(user("hi"), round)},
	{Name: "numbered", Shaped: true, JSON: body(user("hi"), numbered)},
	{Name: "spaced", Shaped: true, JSON: "\n{ \"contents\" : [\n  {\"parts\" : [ {\"text\" : \"a\\u0000\\ud83d\\ude00\"}\n, {\"text\":\"b\"} ] , \"role\":\"user\"} ,\n  " + model("x") + " ,\n  " + user("y") + "\n ] , \"generation_config\": { \"max_output_tokens\" : 9 },\n \"future\": {\"a\":[1.0,2E+5,-0]} }\n "},
	{Name: "system and tools", Shaped: true, JSON: `{"system_instruction":{"parts":[{"text":"be good"}]},"tools":[{"functionDeclarations":[{"name":"read","description":"reads","parameters":{"type":"OBJECT","properties":{"type":{"type":"STRING"}}}}]},{"googleSearch":{}}],"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}},"contents":[` + user("q") + `],"labels":{"a":"b"}}`},
	{Name: "at the provider", Shaped: true, JSON: body(user("a"), `{"role":"model","parts":[{"executableCode":{"language":"PYTHON","code":"1+1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"2"}},{"toolCall":{"id":"1"}},{"toolResponse":{"id":"1"}},{"text":"so"}]}`, user("thanks"))},
	{Name: "media", Shaped: true, JSON: body(`{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},{"inline_data":{"mime_type":"application/pdf","data":"JVBERg=="}},{"fileData":{"mimeType":"video/mp4","fileUri":"https://example.org/v"},"videoMetadata":{"fps":1}},{"hologram":{"x":1}},{"text":"look"}]}`)},
	{Name: "signature at the end", Shaped: true, JSON: body(user("a"), `{"role":"model","parts":[{"text":"b"},{"text":"","thoughtSignature":"c2ln"}]}`, user("c"))},
	{Name: "whole answers", Shaped: true, JSON: body(user("a"), `{"role":"model","parts":[{"functionCall":{"name":"f"}},{"functionCall":{"name":"g"}},{"functionCall":{"name":"h"}},{"functionCall":{"name":"i"}}]}`, `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}},{"functionResponse":{"name":"g","response":{"result":{"a":1}}}},{"functionResponse":{"name":"h","response":{"a":1,"b":2}}},{"functionResponse":{"name":"i","response":{"output":["x"]}}}]}`)},
	{Name: "answers of another spelling", JSON: body(user("a"), `{"role":"model","parts":[{"functionCall":{"name":"f"}},{"functionCall":{"name":"g"}}]}`, `{"role":"function","parts":[{"functionResponse":{"name":"g","id":"own_1","response":{}}}]}`, `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}`)},
	{Name: "model last", JSON: body(user("a"), model("The answer is"))},
	{Name: "same role", JSON: body(user("a"), user("b"), model("c"), model("d"), user("e"))},
	{Name: "in pieces", JSON: body(user("a"), `{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}`, `{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}`, `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}},{"functionResponse":{"name":"f","response":{}}}]}`)},
	{Name: "invalid utf-8", JSON: body("{\"role\":\"user\",\"parts\":[{\"text\":\"a\xff\xfe\"}]}", `{"role":"model","parts":[{"text":"\ud800 alone"}]}`, user("c"))},
	{Name: "duplicate members", JSON: `{"contents":[],"contents":[{"role":"user","role":"model","parts":[{"text":"a"}],"parts":[{"text":"x","text":"y"}]}]}`},
	{Name: "escaped names", JSON: `{"cont\u0065nts":[{"\u0072ole":"user","p\u0061rts":[{"t\u0065xt":"x"}]}]}`},
	{Name: "odd values", JSON: body(`{"role":7,"parts":{"a":1}}`, `5`, `null`, `"text"`, `[]`, `{}`, `{"role":"user","parts":null}`, `{"role":"user","parts":[1,"s",null,[],{}]}`, `{"role":"model","parts":[{"functionCall":{}},{"functionCall":{"id":5,"name":"x"}},{"functionResponse":{}},{"text":5},{"inlineData":{}},{"thought":true},{"thoughtSignature":"c2ln"}]}`)},
	{Name: "no contents", JSON: body()},
}

// What the CLI, the SDKs and gateways change between two turns.
var echoes = []codectest.Echo{
	{Name: "thoughts left out, arguments respaced", Bodies: []string{
		body(user("a"), `{"role":"model","parts":[{"text":"hm","thought":true},{"functionCall":{"name":"n","args":{"a":1,"b":{"c":[1,2]}}},"thoughtSignature":"c2ln"}]}`),
		body(user("a"), `{"parts": [{"function_call": {"args": {"b": {"c": [1, 2]}, "a": 1}, "name": "n"}}], "role": "model"}`),
	}},
	{Name: "the role may be missing, empty text", Bodies: []string{
		body(user("a")),
		body(`{"parts":[{"text":"\u0061"},{"text":""}]}`),
	}},
	{Name: "members that are null", Bodies: []string{
		body(user("a"), `{"role":"model","parts":[{"text":"b"},{"functionCall":{"name":"n","args":{}}}]}`, `{"role":"user","parts":[{"functionResponse":{"name":"n","response":{"output":"x"},"parts":[{"inlineData":{"mimeType":"image/png","data":"aGk="}}]}}]}`),
		body(user("a"), `{"role":"model","parts":[{"text":"b","inlineData":null,"thought":null,"functionCall":null},{"text":null,"functionCall":{"name":"n","args":{}},"executableCode":null}]}`, `{"role":"user","parts":[{"functionResponse":{"name":"n","response":{"output":"x"},"parts":[{"inlineData":{"mimeType":"image/png","data":"aGk="}}]},"text":null}]}`),
	}},
	{Name: "an id of the client's own", Bodies: []string{
		body(user("a"), `{"role":"model","parts":[{"functionCall":{"name":"n","args":{}}}]}`, `{"role":"user","parts":[{"functionResponse":{"name":"n","response":{"output":"x"}}}]}`),
		body(user("a"), `{"role":"model","parts":[{"functionCall":{"name":"n","args":{}}}]}`, `{"role":"user","parts":[{"functionResponse":{"id":"n-17-3","name":"n","response":{"output":"x"}}}]}`),
	}},
}
