package overflow_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/overflow"
)

const none = overflow.Unit("")

func is(limit, requested, output int) overflow.Overflow {
	return overflow.Overflow{Limit: limit, Requested: requested, Output: output, Unit: overflow.Tokens}
}

func bytesOf(limit, requested int) overflow.Overflow {
	return overflow.Overflow{Limit: limit, Requested: requested, Unit: overflow.Bytes}
}

// wordings are what providers and gateways say when a prompt is too long, at
// least one for each pattern.
var wordings = []struct {
	text string
	want overflow.Overflow
}{
	{"prompt is too long: 214315 tokens > 204798 maximum", is(204798, 214315, 0)},
	{"prompt is too long: 1,214,315 tokens > 1,000,000 maximum", is(1000000, 1214315, 0)},
	{"input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again", is(200000, 199759, 8192)},
	{"request_too_large: Request exceeds the maximum size", bytesOf(0, 0)},
	{"Input is too long for requested model.", is(0, 0, 0)},
	{"Your input exceeds the context window of this model. Please adjust your input and try again.", is(0, 0, 0)},
	{"This model's maximum context length is 128000 tokens. However, your messages resulted in 139512 tokens. Please reduce the length of the messages.", is(128000, 139512, 0)},
	{"This model\u2019s maximum context length is 8192 tokens, however you requested 9000 tokens (8000 in your prompt; 1000 for the completion). Please reduce your prompt.", is(8192, 9000, 0)},
	{"This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.", is(131072, 122942, 8192)},
	{"This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens (35000 of text input, 1000 of tool input, 4000 in the output). Please reduce the length of either one.", is(32768, 36000, 4000)},
	{"The prompt exceeds the model's maximum context length of 32768 tokens", is(32768, 0, 0)},
	{"The request is exceeding this model's maximum context length", is(0, 0, 0)},
	{"Input length (40960) exceeds model's maximum context length (32768).", is(32768, 40960, 0)},
	{"This request would exceed the limit: maximum context length of 131072 tokens. You requested ~140000 tokens (130000 input + 10000 output). Reduce your prompt length or max_tokens.", is(131072, 130000, 10000)},
	{"litellm.ContextWindowExceededError: the model refused", is(0, 0, 0)},
	{"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).", is(1048576, 1200293, 0)},
	{"The input token count exceeds the maximum number of tokens allowed 1048576.", is(1048576, 0, 0)},
	{"This model's maximum prompt length is 131072 but the request contains 140001 tokens.", is(131072, 140001, 0)},
	{"Please reduce the length of the messages or completion.", is(0, 0, 0)},
	{"The input exceeds the maximum allowed input length of 65536 tokens.", is(65536, 0, 0)},
	{"The input (5000 tokens) is longer than the model's context length (4096 tokens).", is(4096, 5000, 0)},
	{"This model's maximum context length is 4096 tokens. However, you requested 1000 output tokens and your prompt contains at least 3500 input tokens, for a total of at least 4500 tokens.", is(4096, 3500, 1000)},
	{"'max_tokens' is too large: 8192. This model's maximum context length is 8192 tokens and your request has 2000 input tokens.", is(8192, 2000, 8192)},
	{"The model's context length is only 4096 tokens", is(4096, 0, 0)},
	{"input length 5000 tokens exceeds the configured context length", is(0, 0, 0)},
	{"the request exceeds the available context size. try increasing the context size or enable context shift", is(0, 0, 0)},
	{"request (8265 tokens) exceeds the available context size (4096 tokens), try increasing it", is(4096, 8265, 0)},
	{"The number of tokens to keep from the initial prompt is greater than the context length.", is(0, 0, 0)},
	{"prompt too long; exceeded max context length by 512 tokens", is(0, 0, 0)},
	{"prompt token count of 131500 exceeds the limit of 128000", is(128000, 131500, 0)},
	{"model_max_prompt_tokens_exceeded", is(0, 0, 0)},
	{"invalid params, context window exceeds limit (2013)", is(0, 0, 0)},
	{"Invalid request: Your request exceeded model token limit: 262144 (requested: 300100)", is(262144, 300100, 0)},
	{"total message size 4200000 exceeds limit 4194304", bytesOf(4194304, 4200000)},
	{"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", is(32768, 40000, 0)},
	{"400 status code (no body)", is(0, 0, 0)},
	{"413 (no body)", is(0, 0, 0)},
	{"Error: 400 status code (no body)", is(0, 0, 0)},
	{"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]", is(30720, 0, 0)},
	{"Input too long: 9000 input tokens, limit is 8000", is(8000, 9000, 0)},
	{"input tokens [9000] exceed context window [8192]", is(8192, 9000, 0)},
	{"context window is full", is(0, 0, 0)},
	{"prompt has 5000 tokens, but the configured context size is 4096 tokens", is(4096, 5000, 0)},
	{"context length exceeded", is(0, 0, 0)},
	{"context_window_exceeded", is(0, 0, 0)},
	{"stopped: model_context_window_exceeded", is(0, 0, 0)},
	{"exceed_context_size_error", is(0, 0, 0)},
	{"<html><head><title>413 Request Entity Too Large</title></head><body><center>nginx</center></body></html>", bytesOf(0, 0)},
	{"The request body is too large: the maximum size is 33554432 bytes", bytesOf(33554432, 0)},
	{"Request payload too large", bytesOf(0, 0)},
	{"PROMPT IS TOO LONG", is(0, 0, 0)},
}

// SPEC: T8 · WE1, WG37. Every wording, as text and inside each provider's JSON.
func TestOverflows(t *testing.T) {
	for _, c := range wordings {
		bodies := map[string]string{"text": c.text}
		quoted, err := json.Marshal(c.text)
		if err != nil {
			t.Fatal(err)
		}
		nested, err := json.Marshal(fmt.Sprintf(`{"error":{"message":%s}}`, quoted))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(c.text, "(no body)") {
			for name, form := range map[string]string{
				"anthropic": `{"type":"error","error":{"type":"invalid_request_error","message":%s},"request_id":"req_1"}`,
				"openai":    "{\n  \"error\": {\n    \"message\": %s,\n    \"type\": \"invalid_request_error\", \"param\": \"messages\", \"code\": null}}",
				"gemini":    `[{"error":{"code":400,"message":%s,"status":"INVALID_ARGUMENT"}}]`,
				"fastapi":   `{"detail":%s}`,
				"an SDK":    `POST "https://api.example.com/v1/messages": 400 Bad Request {"error":{"message":%s}}`,
			} {
				bodies[name] = fmt.Sprintf(form, quoted)
			}
			bodies["a gateway"] = fmt.Sprintf(`{"error":{"code":400,"message":"Provider returned error","metadata":{"provider_name":"x","raw":%s}}}`, nested)
		}
		for name, body := range bodies {
			for _, status := range []int{0, 400, 500} {
				if got, ok := overflow.Classify(status, body); !ok || got != c.want {
					t.Errorf("%s, status %d: got %+v %t, want %+v\n%s", name, status, got, ok, c.want, body)
				}
			}
		}
	}
}

// SPEC: T8. WE1: what a code says that no message does; errors inside a success.
func TestBodies(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   overflow.Overflow
	}{
		{"empty 400", 400, "", is(0, 0, 0)},
		{"blank 400", 400, " \r\n", is(0, 0, 0)},
		{"empty 413", 413, "", bytesOf(0, 0)},
		{"413 of any wording", 413, `{"error":{"message":"too much"}}`, bytesOf(0, 0)},
		{"413 with a number", 413, `{"error":{"message":"Maximum size is 33,554,432 bytes"}}`, bytesOf(33554432, 0)},
		{"413 of tokens", 413, `{"error":{"type":"request_too_large","message":"prompt is too long: 9 tokens > 8 maximum"}}`, is(8, 9, 0)},
		{"code", 400, `{"error":{"message":"no","code":"context_length_exceeded"}}`, is(0, 0, 0)},
		{"details", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"no","details":{"error_code":"model_context_window_exceeded"}}}`, is(0, 0, 0)},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"no","type":"exceed_context_size_error","n_prompt_tokens":8265,"n_ctx":4096}}`, is(4096, 8265, 0)},
		{"bedrock", 400, `{"__type":"ValidationException","message":"Input is too long for requested model."}`, is(0, 0, 0)},
		{"nested error in a stream", 200, "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"error\":null}}\n\n" +
			"event: error\ndata: {\"type\":\"error\",\"sequence_number\":2,\"error\":{\"type\":\"invalid_request_error\",\"code\":\"context_length_exceeded\",\"message\":\"Your input exceeds the context window of this model.\"}}\n\n", is(0, 0, 0)},
		{"flat error event", 200, `{"type":"error","code":"context_length_exceeded","message":"maximum context length is 8192 tokens","sequence_number":1}`, is(8192, 0, 0)},
		{"response.failed", 200, "data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"\"}}}\r\n\r\n", is(0, 0, 0)},
		{"failed response", 200, `{"id":"r","status":"failed","error":{"code":"context_length_exceeded","message":"x"},"output":[]}`, is(0, 0, 0)},
		{"error chunk", 200, "data: {\"id\":\"c\",\"choices\":[]}\n\ndata: {\"error\":{\"message\":\"prompt too long\",\"code\":400}}\n\ndata: [DONE]\n", is(0, 0, 0)},
		{"large body, said at its end", 400, strings.Repeat("x ", 1<<19) + "prompt is too long: 10 tokens > 5 maximum", is(5, 10, 0)},
		{"large body, said at its start", 400, "prompt is too long: 10 tokens > 5 maximum" + strings.Repeat(" x", 1<<19), is(5, 10, 0)},
		{"numbers far away are not taken", 400, "maximum context length 8192. " + strings.Repeat("- ", 600) + "context length exceeded", is(0, 0, 0)},
		{"numbers are not cut", 400, "199759 + 8192 > 200000 " + strings.Repeat("y", 979) + " context length exceeded", is(0, 0, 0)},
		{"thousands", 400, "maximum context length is 1_000_000 tokens", is(1_000_000, 0, 0)},
		{"rounded numbers are not taken", 400, "maximum context length is 128k tokens", is(0, 0, 0)},
		{"too large for an int", 400, "prompt is too long: 99999999999999999999 tokens > 200000 maximum", is(200000, 0, 0)},
		{"other numbers are not taken", 400, "[17] context_length_exceeded at 12:30, request 99, see rule 400", is(0, 0, 0)},
	} {
		got, ok := overflow.Classify(c.status, c.body)
		if !ok || got != c.want {
			t.Errorf("%s: got %+v %t, want %+v", c.name, got, ok, c.want)
		}
	}
}

// SPEC: T8, V10 · WG38. What is none: vetoes, neighbours, other errors, and what an
// answer quotes or says without being an error.
func TestNoOverflow(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
	}{
		// vetoes, one a pattern, beside a pattern
		{400, "rate limit: prompt is too long"},
		{400, `{"error":{"code":"rate_limit_exceeded","message":"prompt is too long"}}`},
		{400, "Too many requests; context length exceeded"},
		{400, "ThrottlingException: Too many tokens, context length exceeded"},
		{400, "exceeds the context window: 4000 tokens per minute"},
		{413, `{"error":{"message":"Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 7000"}}`},
		{400, "request body too large for TPM"},
		{400, "You exceeded your current quota; the input exceeds the context window"},
		{429, `{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"quotaMetric":"generativelanguage.googleapis.com/generate_content_free_tier_input_token_count"}]}}`},
		{503, `{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`},
		{400, "maxOutputTokens value of 70000 exceeds the maximum context length"},
		{400, "The valid range of max_tokens is [1, 8192]; range of input length should be [1, 9]"},
		{429, "prompt is too long"},
		{400, `{"error":{"code":429,"message":"context length exceeded"}}`},
		// neighbours
		{400, "your prompt is too long-winded"},
		{400, "the prompt is too longing"},
		{400, "the prompt is too short"},
		{400, "input is too longitudinal"},
		{400, "max_tokens: 70000 > 64000, which is the maximum allowed number of output tokens"},
		{400, "Invalid 'messages[0].content': string too long. Expected a string with maximum length 1048576"},
		{400, "string exceeds the limit of 1000000 characters"},
		{400, "max_tokens is too large: 200000. This model supports at most 16384 completion tokens"},
		{400, "context length is 4096"},
		{400, "the context window is ready"},
		{400, "reduce the length of your tool names"},
		{400, "messages: too many images"},
		{400, "request too large to display"},
		{404, "404 status code (no body)"},
		{400, "see 400 (no body)"},
		{400, "`tool_use` ids were found without `tool_result` blocks immediately after"},
		{401, ""},
		{500, ""},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
		{400, `{}`},
		{400, `{"error":null}`},
		// quoted, not said
		{422, `{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required","input":{"messages":[{"role":"user","content":"prompt is too long"}]}}]}`},
		{400, `{"error":{"message":"bad role","type":"invalid_request_error"},"request":{"messages":[{"content":"context_length_exceeded"}]}}`},
		{200, `{"choices":[{"message":{"role":"assistant","content":"The error said: prompt is too long: 9 tokens > 8 maximum"},"finish_reason":"stop"}]}`},
		{200, "data: {\"type\":\"response.output_text.delta\",\"delta\":\"\\\"error\\\": context_length_exceeded\"}\n\n"},
		{200, `{"id":"r","status":"completed","error":null,"output":[{"type":"message","content":[{"type":"output_text","text":"prompt is too long"}]}]}`},
		{200, "prompt is too long"},
		{200, ""},
		{302, "prompt is too long"},
	} {
		if got, ok := overflow.Classify(c.status, c.body); ok || got.Unit != none {
			t.Errorf("status %d: got %+v %t: %s", c.status, got, ok, c.body)
		}
	}
}

// Only 4xx and 5xx bodies with a deep error are followed, and not for ever.
//
// SPEC: V10
func TestDepthIsBounded(t *testing.T) {
	wrap := func(n int) string {
		return strings.Repeat(`{"error":`, n) + `"prompt is too long"` + strings.Repeat("}", n)
	}
	if _, ok := overflow.Classify(400, wrap(6)); !ok {
		t.Error("six errors deep is an overflow")
	}
	if _, ok := overflow.Classify(400, wrap(50)); ok {
		t.Error("fifty errors deep is noise")
	}
}

// SPEC: V5, V10. No panic, the same answer each time, numbers only of an overflow.
func FuzzClassify(f *testing.F) {
	for _, w := range wordings {
		f.Add(400, w.text)
		f.Add(200, fmt.Sprintf(`{"error":{"message":%q}}`, w.text))
	}
	f.Add(413, "")
	f.Add(200, "data: {\"type\":\"response.failed\",\"response\":{\"error\":[[{}]]}}\n")
	f.Add(400, `{"error":"{\"error\":\"[{\\\"n_ctx\\\":1e9}]\"}"} tail`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		got, ok := overflow.Classify(status, body)
		again, ok2 := overflow.Classify(status, body)
		if got != again || ok != ok2 {
			t.Errorf("%+v %t, then %+v %t", got, ok, again, ok2)
		}
		if !ok && got != (overflow.Overflow{}) {
			t.Errorf("no overflow, yet %+v", got)
		}
		if ok && got.Unit != overflow.Tokens && got.Unit != overflow.Bytes {
			t.Errorf("unit %q", got.Unit)
		}
		if got.Limit < 0 || got.Requested < 0 || got.Output < 0 {
			t.Errorf("negative: %+v", got)
		}
	})
}

func BenchmarkClassify(b *testing.B) {
	source, err := os.ReadFile("overflow_test.go")
	if err != nil {
		b.Fatal(err)
	}
	prose := strings.Repeat(string(source[len(source)-2000:]), 1<<20/2000)
	for name, body := range map[string]string{
		"error":       `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 214315 tokens > 204798 maximum"}}`,
		"other error": `{"type":"error","error":{"type":"invalid_request_error","message":"messages.3: tool_use ids were found without tool_result blocks"}}`,
		"1 MB base64": strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", 1<<20/24),
		"1 MB prose":  prose,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				overflow.Classify(400, body)
			}
		})
	}
}
