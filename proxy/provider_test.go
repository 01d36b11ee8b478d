package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/token/bpe"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// api is one of the wire formats: how its clients write and how its provider answers.
// Whether that streams, the body says, also to Gemini's, whose clients say it in the path.
type api struct {
	name, path, model string
	codec             proxy.Codec
	head              string // a request up to the messages
	first             string // the first message
	result            string // answers the call of an id with a text
	errors            func(string) string
	thinks            bool // answers begin with thinking
}

var apis = []api{
	{
		name: "anthropic", path: "/v1/messages", model: "claude-opus-4-5", codec: anthropic.Codec{},
		head:   `"max_tokens":1000,"system":[{"type":"text","text":"You are an agent.","cache_control":{"type":"ephemeral"}}],"tools":[{"name":"read_file","description":"Read a file.","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}}],"metadata":{"user_id":"u"},"messages":`,
		first:  `{"role":"user","content":"Find out why the nightly build fails. Never touch db/migrations."}`,
		result: `{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%s}]}`,
		errors: func(text string) string {
			return `{"type":"error","error":{"type":"invalid_request_error","message":` + quoted(text) + `},"request_id":"req_1"}`
		},
	},
	{
		name: "openai", path: "/v1/chat/completions", model: "gpt-4.1", codec: openai.Codec{},
		head:   `"tools":[{"type":"function","function":{"name":"read_file","description":"Read a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}],"stream_options":{"include_usage":true},"messages":`,
		first:  `{"role":"system","content":"You are an agent."},{"role":"user","content":"Find out why the nightly build fails. Never touch db/migrations."}`,
		result: `{"role":"tool","tool_call_id":%q,"content":%s}`,
		errors: func(text string) string {
			return `{"error":{"message":` + quoted(text) + `,"type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`
		},
	},
	{
		name: "responses", path: "/v1/responses", model: "gpt-5", codec: responses.Codec{},
		head:   `"store":false,"instructions":"You are an agent.","tools":[{"type":"function","name":"read_file","description":"Read a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}],"prompt_cache_key":"k","input":`,
		first:  `{"type":"message","role":"user","content":[{"type":"input_text","text":"Find out why the nightly build fails. Never touch db/migrations."}]}`,
		result: `{"type":"function_call_output","call_id":%q,"output":%s}`,
		errors: func(text string) string {
			return `{"error":{"message":` + quoted(text) + `,"type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`
		},
	},
	{
		name: "gemini", path: "/v1beta/models/gemini-2.5-flash:streamGenerateContent", model: "gemini-2.5-flash", codec: gemini.Codec{},
		head:   `"systemInstruction":{"parts":[{"text":"You are an agent."}]},"tools":[{"functionDeclarations":[{"name":"read_file","description":"Read a file.","parametersJsonSchema":{"type":"object","properties":{"path":{"type":"string"}}}}]}],"contents":`,
		first:  `{"role":"user","parts":[{"text":"Find out why the nightly build fails. Never touch db/migrations."}]}`,
		result: `{"role":"user","parts":[{"functionResponse":{"id":%q,"name":"read_file","response":{"output":%s}}}]}`,
		errors: func(text string) string {
			return `{"error":{"code":400,"message":` + quoted(text) + `,"status":"INVALID_ARGUMENT"}}`
		},
	},
}

func apiNamed(t testing.TB, name string) api {
	t.Helper()
	for _, a := range apis {
		if a.name == name {
			return a
		}
	}
	t.Fatalf("no api %q", name)
	return api{}
}

// body is a request as a client of the API writes it.
func (a api) body(messages []string, stream bool) string {
	return fmt.Sprintf(`{"model":%q,"stream":%t,"x_future":{"n":1.50},%s[%s]}`, a.model, stream, a.head, strings.Join(messages, ","))
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// received is a request as it came upstream.
type received struct {
	method, uri string
	header      http.Header
	body        string
}

// provider is a strict fake: over real HTTP it judges every call by the rules of
// its API, enforces a window by exact count, and answers with text and a call.
type provider struct {
	t   testing.TB
	url string
	// window is the most tokens of a request, by its meter; 0 = no limit.
	window int
	// refuse writes the answer to a request that is over the window, n tokens;
	// nil: an error of status 400.
	refuse func(w http.ResponseWriter, a api, n int)
	// answer takes a request over; it says whether it did.
	answer func(w http.ResponseWriter, r *http.Request, body string) bool
	pieces int  // length of the pieces that an answer is sent in; 0 = whole
	thinks bool // answers begin with thinking
	lax    bool // bodies are not judged

	mu   sync.Mutex
	got  []received
	most int // tokens of the largest request that was taken
}

func newProvider(t testing.TB) *provider {
	t.Helper()
	p := &provider{t: t}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.url = s.URL
	return p
}

func (p *provider) requests() []received {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]received(nil), p.got...)
}

// ServeHTTP implements http.Handler.
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left
	}
	p.mu.Lock()
	p.got = append(p.got, received{r.Method, r.RequestURI, r.Header.Clone(), string(b)})
	n := len(p.got)
	p.mu.Unlock()
	if p.answer != nil && p.answer(w, r, string(b)) {
		return
	}
	for _, a := range apis {
		if r.URL.Path == a.path {
			p.call(w, a, string(b), n)
			return
		}
	}
	w.WriteHeader(http.StatusNotFound)
}

// call judges a request and answers it.
func (p *provider) call(w http.ResponseWriter, a api, body string, n int) {
	if !p.lax {
		for _, f := range wirecheck.Check(a.name, []byte(body), wirecheck.Options{AllowUnknown: true}) {
			p.t.Errorf("%s request %d: %s", a.name, n, f)
		}
	}
	size := tokens(p.t, a, body)
	if p.window > 0 && size > p.window {
		if p.refuse != nil {
			p.refuse(w, a, size)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, a.errors(wordings[a.name](size, p.window)))
		return
	}
	p.mu.Lock()
	p.most = max(p.most, size)
	p.mu.Unlock()
	a.thinks = p.thinks
	if strings.Contains(body, `"stream":true`) {
		p.send(w, "text/event-stream", stream(a, n, size))
		return
	}
	p.send(w, "application/json", whole(a, n, size))
}

// send writes an answer in pieces.
func (p *provider) send(w http.ResponseWriter, kind, text string) {
	w.Header().Set("Content-Type", kind)
	for len(text) > 0 {
		n := len(text)
		if p.pieces > 0 {
			n = min(p.pieces, n)
		}
		_, _ = io.WriteString(w, text[:n]) // the client may have left
		w.(http.Flusher).Flush()
		text = text[n:]
	}
}

// wordings are what providers say of a prompt of n tokens that is too long.
var wordings = map[string]func(n, window int) string{
	"anthropic": func(n, window int) string {
		return fmt.Sprintf("prompt is too long: %d tokens > %d maximum", n, window)
	},
	"openai": func(n, window int) string {
		return fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", window, n)
	},
	"gemini": func(n, window int) string {
		return fmt.Sprintf("The input token count (%d) exceeds the maximum number of tokens allowed (%d).", n, window)
	},
	"responses": func(int, int) string {
		return "Your input exceeds the context window of this model. Please adjust your input and try again."
	},
}

// tokens counts a whole request, as its provider does: without a margin.
func tokens(t testing.TB, a api, body string) int {
	req, err := a.codec.Decode([]byte(body))
	if err != nil {
		return 0
	}
	m, _ := model.Lookup(a.model)
	meter, err := bpe.Meter(m)
	if err != nil {
		t.Error(err)
		return 0
	}
	meter.Margin = 0
	return meter.Request(token.Request{System: req.System, Tools: tooled(req.Tools), Messages: req.Messages})
}

func tooled(ts []codec.Tool) []token.Tool {
	out := make([]token.Tool, len(ts))
	for i, t := range ts {
		out[i] = token.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema}
	}
	return out
}

// text and arguments of answer n.
func said(n int) (text, id, args string) {
	return fmt.Sprintf("Step %d: größer 😀, I read part %d.", n, n), fmt.Sprintf("call_%04d", n), fmt.Sprintf(`{"path":"/srv/part%d.go"}`, n)
}

// whole is answer n of a provider, not streamed.
func whole(a api, n, size int) string {
	text, id, args := said(n)
	switch a.name {
	case "anthropic":
		return fmt.Sprintf(`{"id":"msg_%d","type":"message","role":"assistant","model":%q,"content":[{"type":"text","text":%s},{"type":"tool_use","id":%q,"name":"read_file","input":%s}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":20}}`, n, a.model, quoted(text), id, args, size)
	case "openai":
		return fmt.Sprintf(`{"id":"chatcmpl_%d","object":"chat.completion","model":%q,"choices":[{"index":0,"message":{"role":"assistant","content":%s,"tool_calls":[{"id":%q,"type":"function","function":{"name":"read_file","arguments":%s}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":%d,"completion_tokens":20,"total_tokens":%d}}`, n, a.model, quoted(text), id, quoted(args), size, size+20)
	case "gemini":
		return fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":%s},{"functionCall":{"id":%q,"name":"read_file","args":%s},"thoughtSignature":"c2ln"}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":%d,"candidatesTokenCount":20,"totalTokenCount":%d},"modelVersion":%q,"responseId":"r%d"}`, quoted(text), id, args, size, size+20, a.model, n)
	}
	return fmt.Sprintf(`{"id":"resp_%d","object":"response","status":"completed","model":%q,"error":null,"output":[%s],"usage":{"input_tokens":%d,"output_tokens":20,"total_tokens":%d}}`, n, a.model, strings.Join(items(a, n), ","), size, size+20)
}

// items are those of answer n.
func items(a api, n int) []string {
	text, id, args := said(n)
	out := []string{messageItem(n, text), callItem(n, id, args)}
	if a.thinks {
		out = append([]string{fmt.Sprintf(`{"type":"reasoning","id":"rs_%d","summary":[],"encrypted_content":"Z%dA="}`, n, n)}, out...)
	}
	return out
}

func messageItem(n int, text string) string {
	return fmt.Sprintf(`{"type":"message","id":"msg_%d","status":"completed","role":"assistant","content":[{"type":"output_text","text":%s,"annotations":[]}]}`, n, quoted(text))
}

func callItem(n int, id, args string) string {
	return fmt.Sprintf(`{"type":"function_call","id":"fc_%d","status":"completed","call_id":%q,"name":"read_file","arguments":%s}`, n, id, quoted(args))
}

// stream is answer n as events, with what else streams hold: comments, pings,
// events that nobody knows.
func stream(a api, n, size int) string {
	text, id, args := said(n)
	half := len(text) / 2
	var b strings.Builder
	put := func(kind, data string) {
		if kind != "" {
			fmt.Fprintf(&b, "event: %s\n", kind)
		}
		fmt.Fprintf(&b, "data: %s\n\n", data)
	}
	switch a.name {
	case "anthropic":
		typed := func(kind, rest string) { put(kind, fmt.Sprintf(`{"type":%q%s}`, kind, rest)) }
		typed("message_start", fmt.Sprintf(`,"message":{"id":"msg_%d","type":"message","role":"assistant","model":%q,"content":[],"stop_reason":null,"usage":{"input_tokens":%d,"output_tokens":1}}`, n, a.model, size))
		if a.thinks {
			typed("content_block_start", `,"index":7,"content_block":{"type":"thinking","thinking":"","signature":""}`)
			typed("content_block_delta", fmt.Sprintf(`,"index":7,"delta":{"type":"thinking_delta","thinking":"part %d, then"}`, n))
			typed("content_block_delta", fmt.Sprintf(`,"index":7,"delta":{"type":"signature_delta","signature":"c2ln%d"}`, n))
			typed("content_block_stop", `,"index":7`)
		}
		typed("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`)
		typed("ping", "")
		typed("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":`+quoted(text[:half])+`}`)
		typed("from_the_future", `,"x":[1]`)
		typed("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":`+quoted(text[half:])+`}`)
		typed("content_block_stop", `,"index":0`)
		typed("content_block_start", `,"index":1,"content_block":{"type":"tool_use","id":"`+id+`","name":"read_file","input":{}}`)
		typed("content_block_delta", `,"index":1,"delta":{"type":"input_json_delta","partial_json":`+quoted(args)+`}`)
		typed("content_block_stop", `,"index":1`)
		typed("message_delta", `,"delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}`)
		typed("message_stop", "")
	case "openai":
		chunk := func(choice string) {
			put("", fmt.Sprintf(`{"id":"chatcmpl_%d","object":"chat.completion.chunk","model":%q,"choices":[%s],"usage":null}`, n, a.model, choice))
		}
		b.WriteString(": keep-alive\n\n")
		chunk(`{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}`)
		chunk(`{"index":0,"delta":{"content":` + quoted(text[:half]) + `},"finish_reason":null}`)
		chunk(`{"index":0,"delta":{"content":` + quoted(text[half:]) + `},"finish_reason":null}`)
		chunk(`{"index":0,"delta":{"tool_calls":[{"index":0,"id":"` + id + `","type":"function","function":{"name":"read_file","arguments":""}}]},"finish_reason":null}`)
		chunk(`{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":` + quoted(args) + `}}]},"finish_reason":null}`)
		chunk(`{"index":0,"delta":{},"finish_reason":"tool_calls"}`)
		put("", fmt.Sprintf(`{"id":"chatcmpl_%d","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":20,"total_tokens":%d}}`, n, size, size+20))
		put("", "[DONE]")
	case "gemini":
		chunk := func(parts, rest string) {
			put("", fmt.Sprintf(`{"candidates":[{"content":{"parts":[%s],"role":"model"},"index":0%s,"modelVersion":%q,"responseId":"r%d"}`, parts, rest, a.model, n))
		}
		b.WriteString(": keep-alive\n\n")
		chunk(`{"text":`+quoted(text[:half])+`}`, `}]`)
		chunk(`{"text":`+quoted(text[half:])+`}`, `}],"from_the_future":1`)
		chunk(`{"functionCall":{"id":"`+id+`","name":"read_file","args":`+args+`},"thoughtSignature":"c2ln"}`, `}]`)
		chunk(`{"text":""}`, fmt.Sprintf(`,"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":%d,"candidatesTokenCount":20,"totalTokenCount":%d}`, size, size+20))
	default:
		sequence := 0
		typed := func(kind, rest string) {
			put(kind, fmt.Sprintf(`{"type":%q,"sequence_number":%d%s}`, kind, sequence, rest))
			sequence++
		}
		typed("response.created", `,"response":{"id":"r","status":"in_progress","output":[]}`)
		typed("response.in_progress", `,"response":{"id":"r","status":"in_progress","output":[]}`)
		typed("response.output_item.added", `,"output_index":0,"item":{"type":"message","id":"m","role":"assistant","content":[]}`)
		typed("response.output_text.delta", `,"output_index":0,"content_index":0,"delta":`+quoted(text))
		for i, item := range items(a, n) {
			typed("response.output_item.done", fmt.Sprintf(`,"output_index":%d,"item":%s`, i, item))
		}
		typed("response.completed", `,"response":`+whole(a, n, size))
	}
	return b.String()
}
