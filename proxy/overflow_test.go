package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/model"
)

type refusal struct {
	name, api string
	number    bool // it says what the window is
	write     func(w http.ResponseWriter, n int)
}

// refusals are the ways in which providers refuse a prompt of n tokens as too
// long for a window of 9,000: whole errors in many wordings, and errors inside an
// answer that began well.
var refusals = []refusal{
	{"anthropic tokens", "anthropic", true, plain(400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: %d tokens > 9000 maximum"},"request_id":"r"}`)},
	{"anthropic with output", "anthropic", true, plain(400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: %d + 1000 > 10000, decrease input length or `max_tokens` and try again\"}}")},
	{"anthropic bytes", "anthropic", false, plain(413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"},"n":%d}`)},
	{"gateway page", "anthropic", false, plain(413, `<html>413 Request Entity Too Large %d</html>`)},
	{"openai", "openai", true, plain(400, `{"error":{"message":"This model's maximum context length is 9000 tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`)},
	{"deepseek", "openai", true, plain(400, `{"error":{"message":"This model's maximum context length is 9000 tokens. However, you requested %d tokens (0 in the messages, 0 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error"}}`)},
	{"openrouter", "openai", true, plain(400, `{"error":{"message":"This endpoint's maximum context length is 9000 tokens. However, you requested about %d tokens.","code":400}}`)},
	{"groq", "openai", false, plain(413, `{"error":{"message":"Please reduce the length of the messages or completion. %d","type":"invalid_request_error"}}`)},
	{"llama.cpp", "openai", true, plain(400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":%d,"n_ctx":9000}}`)},
	{"empty", "openai", false, plain(400, "")},
	{"a success that is none", "openai", false, plain(200, `{"error":{"message":"prompt too long; exceeded max context length","code":400},"n":%d}`)},
	{"first chunk", "openai", true, streamed(`data: {"error":{"message":"maximum context length is 9000 tokens","code":400,"n":%d}}`)},
	{"responses", "responses", false, plain(400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded","n":%d}}`)},
	{"event, nested", "responses", false, streamed(begun + `event: error` + "\n" + `data: {"type":"error","sequence_number":2,"error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model.","n":%d}}`)},
	{"event, flat", "responses", false, streamed(begun + `data: {"type":"error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model.","sequence_number":2,"n":%d}`)},
	{"failed", "responses", false, streamed(begun + `event: response.failed` + "\n" + `data: {"type":"response.failed","response":{"id":"r","status":"failed","error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."},"n":%d}}`)},
}

// tried returns all refusals; of a short run, which is one under the race detector, one of
// each way in which they come, whatever their words.
func tried() []refusal {
	ways := []string{"anthropic tokens", "openai", "first chunk", "failed"}
	return slices.DeleteFunc(slices.Clone(refusals), func(r refusal) bool { return testing.Short() && !slices.Contains(ways, r.name) })
}

const begun = "event: response.created\n" + `data: {"type":"response.created","response":{"id":"r","status":"in_progress"}}` + "\n\n" +
	"event: response.in_progress\n" + `data: {"type":"response.in_progress","response":{"id":"r"}}` + "\n\n"

func plain(status int, format string) func(http.ResponseWriter, int) {
	return func(w http.ResponseWriter, n int) {
		if !strings.HasPrefix(format, "<") {
			w.Header().Set("Content-Type", "application/json")
		}
		w.Header().Set("X-Should-Retry", "false")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, filled(format, n))
	}
}

func streamed(format string) func(http.ResponseWriter, int) {
	return func(w http.ResponseWriter, n int) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range strings.SplitAfter(filled(format, n)+"\n\n", "\n") {
			_, _ = io.WriteString(w, piece)
			w.(http.Flusher).Flush()
		}
	}
}

func filled(format string, n int) string {
	if strings.Contains(format, "%d") {
		return fmt.Sprintf(format, n)
	}
	return format
}

// A prompt that is refused as too long, in whatever words, is compacted and sent
// once more; the client sees the answer to that. What was learned holds: the
// next requests are not refused.
//
// SPEC: B6, T8, V3 · WE1, P1
func TestOverflow(t *testing.T) {
	for _, c := range tried() {
		t.Run(c.name, func(t *testing.T) {
			a := apiNamed(t, c.api)
			up := newProvider(t)
			g := grown(t, up, a, 12, true)
			up.window, up.most = 9_000, 0
			up.refuse = func(w http.ResponseWriter, _ api, n int) { c.write(w, n) }
			o := options(up.url)
			o.Models = smaller(a)
			f := serve(t, o)
			g.url = f.url + a.path
			before := len(up.requests())
			g.step()
			got := up.requests()[before:]
			if len(got) != 2 || got[0].body != g.sent || len(got[1].body) >= len(got[0].body) {
				t.Fatalf("%d requests", len(got))
			}
			for range 5 {
				g.step()
			}
			n, most := len(up.requests())-before, 7
			if !c.number {
				most = 8 // what was learned is a guess
			}
			if plans := f.threads(t, "")[0].PlanVersion; n > most || plans > most-5 {
				t.Errorf("%d requests for 6 calls, %d plans", n, plans)
			}
			if up.most > up.window {
				t.Errorf("a request of %d tokens", up.most)
			}
		})
	}
}

// smaller is a table in which the API's model has a window of 100,000 tokens, so that
// a provider may well take some thousands only.
func smaller(a api) *model.Table {
	m, _ := model.Lookup(a.model)
	m.Name, m.Window, m.Input = a.model, 100_000, 0
	return (*model.Table)(nil).With(m)
}

// grown is an agent with a history of n rounds, made without a proxy.
func grown(t testing.TB, up *provider, a api, n int, stream bool) *agent {
	t.Helper()
	g := newAgent(t, a, up.url, stream)
	for range n {
		g.step()
	}
	return g
}

// A provider that refuses whatever it is sent is asked twice, and its own words
// go to the client.
//
// SPEC: B6, V9 · P2
func TestAlwaysRefused(t *testing.T) {
	for _, c := range tried() {
		t.Run(c.name, func(t *testing.T) {
			a := apiNamed(t, c.api)
			up := newProvider(t)
			g := grown(t, up, a, 12, true)
			up.window = 1
			up.refuse = func(w http.ResponseWriter, _ api, n int) { c.write(w, 20_000+len(up.requests())) }
			f := serve(t, options(up.url))
			before := len(up.requests())
			direct, want := post(t, up.url+a.path, g.body())
			resp, got := post(t, f.url+a.path, g.body())
			if n := len(up.requests()) - before; n != 3 {
				t.Errorf("%d requests", n-1)
			}
			want = strings.Replace(want, fmt.Sprint(20_000+before+1), fmt.Sprint(20_000+before+3), 1)
			if got != want || resp.StatusCode != direct.StatusCode || resp.Header.Get("X-Should-Retry") != direct.Header.Get("X-Should-Retry") || resp.Header.Get("Content-Type") != direct.Header.Get("Content-Type") {
				t.Errorf("status %d, %v: got\n%s\nwant\n%s", resp.StatusCode, resp.Header, got, want)
			}
			for range 4 { // it learns less and less, and never loops
				post(t, f.url+a.path, g.body())
			}
			if n := len(up.requests()) - before; n > 3+8 {
				t.Errorf("%d requests for 5 calls", n-1)
			}
		})
	}
}

// Where there is nothing to compact nothing is sent again.
//
// SPEC: B6, V4, V7 · P2
func TestRefusedWithNothingToCompact(t *testing.T) {
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			up := newProvider(t)
			up.window = 1
			f := serve(t, options(up.url))
			resp, got := post(t, f.url+a.path, a.body([]string{a.first}, true))
			if n := len(up.requests()); n != 1 || resp.StatusCode != 400 || !strings.Contains(got, `"message"`) {
				t.Errorf("%d requests, status %d: %s", n, resp.StatusCode, got)
			}
		})
	}
}

// Other errors are none of the proxy's business: one request, and the answer as
// it came, Retry-After and all.
//
// SPEC: B6, V11 · WP3, WE1
func TestErrorsPass(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
	}{
		{429, `{"type":"error","error":{"type":"rate_limit_error","message":"prompt is too long: 9 tokens > 8 maximum per minute"}}`},
		{413, `{"error":{"message":"Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 7000","code":"rate_limit_exceeded"}}`},
		{400, `{"error":{"message":"messages.3: tool_use ids were found without tool_result blocks"}}`},
		{401, ""},
		{500, `{"error":"prompt was fine"}`},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
		{200, `{"choices":[{"message":{"role":"assistant","content":"The error said: prompt is too long: 9 tokens > 8 maximum"}}]}`},
	} {
		for _, a := range apis {
			t.Run(fmt.Sprint(a.name, c.status), func(t *testing.T) {
				up := newProvider(t)
				g := grown(t, up, a, 3, false)
				up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
					w.Header().Set("Content-Type", "application/json")
					w.Header().Set("Retry-After", "17")
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, c.body)
					return true
				}
				f := serve(t, options(up.url))
				before := len(up.requests())
				resp, got := post(t, f.url+a.path, g.body())
				if n := len(up.requests()) - before; n != 1 || got != c.body || resp.StatusCode != c.status || resp.Header.Get("Retry-After") != "17" {
					t.Errorf("%d requests, status %d: %s", n, resp.StatusCode, got)
				}
			})
		}
	}
}
