package codectest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/codec"
)

// failures are answers that say what is wrong, of the providers and of what
// stands between. Every codec reads them all.
var failures = []struct {
	name   string
	status int
	body   string
	want   codec.Failure
	text   string
}{
	{
		"anthropic, input too long", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 214315 tokens > 204798 maximum"},"request_id":"req_1"}`,
		codec.Failure{Type: "invalid_request_error", Message: "prompt is too long: 214315 tokens > 204798 maximum"},
		"invalid_request_error: prompt is too long: 214315 tokens > 204798 maximum",
	},
	{
		"anthropic, with a code", 529, `{"type":"error","error":{"details":{"error_code":"compaction_unavailable"},"type":"overloaded_error","message":"Overloaded"}}`,
		codec.Failure{Type: "overloaded_error", Code: "compaction_unavailable", Message: "Overloaded"},
		"compaction_unavailable: Overloaded",
	},
	{
		"anthropic, in a success", 200, `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`,
		codec.Failure{Type: "api_error", Message: "Internal server error"},
		"api_error: Internal server error",
	},
	{
		"openai, input too long", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
		codec.Failure{Type: "invalid_request_error", Code: "context_length_exceeded", Message: "This model's maximum context length is 128000 tokens."},
		"context_length_exceeded: This model's maximum context length is 128000 tokens.",
	},
	{
		"responses, no code", 400, `{"error":{"message":"No tool output found for function call call_1.","type":"invalid_request_error","param":"input","code":null}}`,
		codec.Failure{Type: "invalid_request_error", Message: "No tool output found for function call call_1."},
		"invalid_request_error: No tool output found for function call call_1.",
	},
	{
		"responses, failed", 200, `{"id":"resp_1","object":"response","status":"failed","error":{"code":"server_error","message":"The server had an error."},"output":[]}`,
		codec.Failure{Code: "server_error", Message: "The server had an error."},
		"server_error: The server had an error.",
	},
	{
		"a gateway, in a success", 200, `{"error":{"message":"Provider returned error","code":429,"metadata":{}},"user_id":"u"}`,
		codec.Failure{Code: "429", Message: "Provider returned error"},
		"429: Provider returned error",
	},
	{"an error without a message", 500, `{"error":{}}`, codec.Failure{Message: `{"error":{}}`}, `status 500: {"error":{}}`},
	{
		"google's, in an array", 400, `[{"error":{"code":400,"message":"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`,
		codec.Failure{Type: "INVALID_ARGUMENT", Code: "400", Message: "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)."},
		"400: The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
	},
	{
		"flat", 400, `{"object":"error","message":"too long","type":"BadRequestError","param":null,"code":40303}`,
		codec.Failure{Type: "BadRequestError", Code: "40303", Message: "too long"},
		"40303: too long",
	},
	{"text for an error", 401, `{"error":"invalid key"}`, codec.Failure{Message: "invalid key"}, "status 401: invalid key"},
	{"detail", 422, `{"detail":"no such model"}`, codec.Failure{Message: "no such model"}, "status 422: no such model"},
	{
		"too large, for the network's edge", 413, "<html>\r\n<head><title>413 Request Entity Too Large</title></head></html>\r\n",
		codec.Failure{Message: "<html>\r\n<head><title>413 Request Entity Too Large</title></head></html>"},
		"status 413: <html>\r\n<head><title>413 Request Entity Too Large</title></head></html>",
	},
	{"nothing", 400, "", codec.Failure{Message: "400 status code (no body)"}, "status 400: 400 status code (no body)"},
	{"cut", 400, `{"error":{"message":"prompt is`, codec.Failure{Message: `{"error":{"message":"prompt is`}, `status 400: {"error":{"message":"prompt is`},
	{"huge", 500, strings.Repeat("é", 1<<20), codec.Failure{Message: strings.Repeat("é", 2048)}, "status 500: " + strings.Repeat("é", 2048)},
	{"huge message", 500, `{"error":{"type":"t","message":"` + strings.Repeat("x", 1<<20) + `"}}`, codec.Failure{Type: "t", Message: strings.Repeat("x", 4096)}, "t: " + strings.Repeat("x", 4096)},
	{"no utf-8", 500, "\xff bad\xfe", codec.Failure{Message: "bad"}, "status 500: bad"},
	{"moved", 301, "", codec.Failure{Message: "301 status code (no body)"}, "status 301: 301 status code (no body)"},
}

// SPEC: B6, V9 · WE1, WP3
func TestFailure(t *testing.T) {
	for _, c := range repliers {
		for _, tt := range failures {
			_, err := c.Reply(tt.status, []byte(tt.body))
			var got *codec.Failure
			if !errors.As(err, &got) {
				t.Errorf("%s: %v is no Failure", tt.name, err)
				continue
			}
			tt.want.Status = tt.status
			if d := cmp.Diff(tt.want, *got); d != "" || err.Error() != tt.text {
				t.Errorf("%s: %.200q %.2000s", tt.name, err, d)
			}
		}
	}
}

// SPEC: B6 · WE1
func TestNoFailure(t *testing.T) {
	for _, body := range []string{"", "{}", `{"error":null,"status":"completed"}`, `{"type":"message","error":""}`, `{"message":"m","code":"c"}`, "[]", "[1]", "<html>"} {
		if f := codec.ReadFailure(200, []byte(body)); f != nil {
			t.Errorf("ReadFailure(200, %s) = %+v", body, f)
		}
		if f := codec.ReadFailure(0, []byte(body)); f != nil {
			t.Errorf("ReadFailure(0, %s) = %+v", body, f)
		}
	}
}
