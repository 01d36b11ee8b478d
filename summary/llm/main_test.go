package llm_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/llm"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-very-secret-0042"

// step is one answer of the scripted model.
type step func(m *model, w http.ResponseWriter, body []byte)

// model is a scripted model behind a real server, which speaks the dialect of
// the request's path. The last step is repeated.
type model struct {
	t     *testing.T
	name  string
	url   string
	mu    sync.Mutex
	steps []step
	sent  [][]byte // request bodies
	heads []http.Header
}

func serve(t *testing.T, dialect string, steps ...step) *model {
	t.Helper()
	m := &model{t: t, name: dialect, steps: steps}
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	m.url = s.URL + "/v1"
	return m
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		m.t.Error(err)
	}
	m.mu.Lock()
	n := min(len(m.sent), len(m.steps)-1)
	m.sent = append(m.sent, body)
	m.heads = append(m.heads, r.Header)
	m.mu.Unlock()
	m.steps[n](m, w, body)
}

func (m *model) calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.sent)
}

// prompt is the text of the n-th request's last message.
func (m *model) prompt(n int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var req struct {
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(m.sent[n], &req); err != nil {
		m.t.Fatal(err)
	}
	last := req.Messages[len(req.Messages)-1].Content
	var text string
	if json.Unmarshal(last, &text) == nil {
		return text
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(last, &blocks); err != nil {
		m.t.Fatal(err)
	}
	return blocks[len(blocks)-1].Text
}

// whole is a complete answer; stop is "end", "length", "calls" or "refusal".
func (m *model) whole(text, stop string) []byte {
	if m.name == anthropic.Name {
		blocks := []any{map[string]any{"type": "text", "text": text}}
		if stop == "calls" {
			blocks = append(blocks, map[string]any{"type": "tool_use", "id": "t1", "name": "bash", "input": map[string]any{"command": "rm -rf /"}})
		}
		reason := map[string]string{"end": "end_turn", "length": "max_tokens", "calls": "tool_use", "refusal": "refusal"}[stop]
		return encode(m.t, map[string]any{
			"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-4-5", "content": blocks, "stop_reason": reason,
			"usage": map[string]int{"input_tokens": 700, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 100, "output_tokens": 50},
		})
	}
	msg := map[string]any{"role": "assistant", "content": text}
	switch stop {
	case "calls":
		msg["tool_calls"] = []any{map[string]any{"id": "t1", "type": "function", "function": map[string]any{"name": "bash", "arguments": "{}"}}}
	case "refusal":
		msg["content"], msg["refusal"] = nil, "I can't help with "+key
	}
	reason := map[string]string{"end": "stop", "length": "length", "calls": "tool_calls", "refusal": "stop"}[stop]
	return encode(m.t, map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-5-mini",
		"choices": []any{map[string]any{"index": 0, "message": msg, "finish_reason": reason}},
		"usage":   map[string]any{"prompt_tokens": 1000, "completion_tokens": 50, "prompt_tokens_details": map[string]int{"cached_tokens": 200}},
	})
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// says answers with a text that ended for a reason.
func says(text, stop string) step {
	return func(m *model, w http.ResponseWriter, _ []byte) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(m.whole(text, stop))
	}
}

func fails(status int, body string, header ...string) step {
	return func(_ *model, w http.ResponseWriter, _ []byte) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// cutBody promises more than it sends.
func cutBody(m *model, w http.ResponseWriter, _ []byte) {
	b := m.whole("never read", "end")
	w.Header().Set("Content-Length", fmt.Sprint(len(b)))
	_, _ = w.Write(b[:len(b)/2])
}

// streams answers in events, up to so many from the end.
func streams(text string, missing int) step {
	return func(m *model, w http.ResponseWriter, _ []byte) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		es := m.events(text)
		for _, e := range es[:len(es)-missing] {
			_, _ = io.WriteString(w, e+"\n\n")
			_ = http.NewResponseController(w).Flush()
		}
	}
}

func (m *model) events(text string) []string {
	half := len(text) / 2
	quoted := func(s string) string { return string(encode(m.t, s)) }
	if m.name == anthropic.Name {
		return []string{
			"event: message_start\n" + `data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-haiku-4-5","content":[],"usage":{"input_tokens":1000,"output_tokens":1}}}`,
			"event: content_block_start\n" + `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			"event: content_block_delta\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":` + quoted(text[:half]) + `}}`,
			"event: ping\n" + `data: {"type":"ping"}`,
			"event: content_block_delta\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":` + quoted(text[half:]) + `}}`,
			"event: content_block_stop\n" + `data: {"type":"content_block_stop","index":0}`,
			"event: message_delta\n" + `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":50}}`,
			"event: message_stop\n" + `data: {"type":"message_stop"}`,
		}
	}
	chunk := func(delta, reason string) string {
		return `data: {"id":"c1","object":"chat.completion.chunk","model":"gpt-5-mini","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + reason + `}]}`
	}
	return []string{
		chunk(`{"role":"assistant","content":""}`, "null"),
		chunk(`{"content":`+quoted(text[:half])+`}`, "null"),
		chunk(`{"content":`+quoted(text[half:])+`}`, "null"),
		chunk(`{}`, `"stop"`),
		`data: {"id":"c1","object":"chat.completion.chunk","model":"gpt-5-mini","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":50}}`,
		`data: [DONE]`,
	}
}

var dialects = []string{anthropic.Name, openai.Name}

// config asks the scripted model, with retries that take no time.
func (m *model) config() llm.Config {
	m.t.Helper()
	c, err := upstream.New(upstream.Options{Backoff: time.Microsecond, MaxWait: time.Millisecond})
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(c.Close)
	cfg := llm.Config{URL: m.url, Model: "claude-haiku-4-5", Dialect: anthropic.Codec{}, APIKey: key, Client: c}
	if m.name == openai.Name {
		cfg.Model, cfg.Dialect = "gpt-5-mini", openai.Codec{}
	}
	return cfg
}

func summarizer(t *testing.T, c llm.Config) *llm.Summarizer {
	t.Helper()
	s, err := llm.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// both runs a test with each dialect.
func both(t *testing.T, run func(t *testing.T, dialect string)) {
	for _, d := range dialects {
		t.Run(d, func(t *testing.T) { run(t, d) })
	}
}

// script builds messages from paragraphs separated by lines of three dashes:
// "user: …", "assistant: …", "call NAME ARGS" and "result: …".
func script(t testing.TB, text string) *thread.Thread {
	t.Helper()
	var ms []message.Message
	calls := 0
	for part := range strings.SplitSeq(strings.TrimSpace(text), "\n---\n") {
		kind, body, _ := strings.Cut(part, " ")
		switch kind {
		case "user:":
			ms = append(ms, message.TextOf(message.User, body))
		case "assistant:":
			ms = append(ms, message.TextOf(message.Assistant, body))
		case "call":
			calls++
			name, args, _ := strings.Cut(body, " ")
			ms = append(ms, message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: fmt.Sprint(calls), Name: name, Args: args}}})
		case "result:":
			ms = append(ms, message.Message{Role: message.Tool, Parts: []message.Part{result(fmt.Sprint(calls), body)}})
		default:
			t.Fatalf("script: %q", part)
		}
	}
	return chain(t, ms...)
}

func result(id, text string) message.Part {
	return message.Part{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: text}}}
}

func chain(t testing.TB, ms ...message.Message) *thread.Thread {
	t.Helper()
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	return th
}

// input covers messages from to to, counted from 1; to 0 is the last.
func input(th *thread.Thread, part summary.Part, from, to int) summary.Input {
	if to == 0 {
		to = th.Len()
	}
	var ids []thread.ID
	for i := from - 1; i < to; i++ {
		ids = append(ids, th.At(i).ID)
	}
	return summary.Input{Thread: th, Part: part, Span: plan.Span{IDs: ids}, Count: func(s string) int { return (len(s) + 3) / 4 }}
}

const coding = `user: Make the importer in pkg/load/load.go accept gzip files. The memory limit is 64 MB. Never change the public API of pkg/load.
---
assistant: I'll read the loader first.
---
call read {"path":"pkg/load/load.go"}
---
result: package load

func Load(path string) error { return nil }
---
assistant: I'll wrap the reader with gzip.NewReader, since compress/gzip streams.
---
call edit {"path":"pkg/load/load.go","text":"gzip.NewReader(f)"}
---
result: edited pkg/load/load.go
---
call bash {"command":"go test ./..."}
---
result: --- FAIL: TestLoad (0.01s)
    load_test.go:42: gzip: invalid header
---
assistant: The test file is not compressed. I'll sniff the magic bytes.
---
call bash {"command":"go test ./..."}
---
result: ok  	example.org/load	0.31s
---
assistant: All tests pass. Next I'll document the flag --gzip in README.md.`

// answers to coding, of every part.
const (
	structure = `{"facts":[{"kind":"constraint","text":"Never change the public API of pkg/load","message":1},{"kind":"finding","text":"the test file is not compressed","message":10}],
"decisions":[{"text":"wrap the reader with gzip.NewReader","why":"compress/gzip streams","message":5}],
"open_items":[{"text":"document the flag --gzip in README.md","context":"","priority":"medium","status":"pending","message":13}],
"tool_outcomes":[{"tool":"bash","outcome":"success","fields":[{"name":"command","value":"go test ./..."}],"error":"","message":12}],
"task":{"text":"document --gzip in README.md","message":13},
"plan":[{"text":"sniff the magic bytes","status":"done","message":10}]}`
	session = `{"files":[{"path":"pkg/load/load.go","action":"edited","about":"reads gzip files through gzip.NewReader","message":6}],
"decisions":[{"text":"sniff the magic bytes","why":"the test file is not compressed","message":10}],
"facts":[{"kind":"constraint","text":"The memory limit is 64 MB.","message":1}],
"task":{"text":"documenting --gzip","message":13},"last_completed":{"text":"all tests pass","message":13},
"open_items":[{"text":"README.md","context":"","priority":"low","status":"pending","message":13}],
"errors":[{"text":"gzip: invalid header","command":"go test ./...","message":9,"fix":"sniff the magic bytes","fixed_in":10}]}`
	account = `{"narrative":"The user asked for gzip support in pkg/load/load.go. The agent wrapped the reader with gzip.NewReader. TestLoad failed with an invalid header, so it sniffed the magic bytes.","facts":[{"kind":"constraint","text":"The memory limit is 64 MB","message":1}],"open_items":[]}`
)

func contains(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, w := range wants {
		if !strings.Contains(text, w) {
			t.Errorf("lacks %q:\n%s", w, text)
		}
	}
}

func lacks(t *testing.T, text string, dont ...string) {
	t.Helper()
	for _, w := range dont {
		if strings.Contains(text, w) {
			t.Errorf("holds %q:\n%s", w, text)
		}
	}
}

func texts(fs []summary.Fact) []string {
	var out []string
	for _, f := range fs {
		out = append(out, fmt.Sprintf("%s #%d: %s", f.Kind, f.From.N, f.Text))
	}
	slices.Sort(out)
	return out
}
