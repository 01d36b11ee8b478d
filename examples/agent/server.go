package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sort"

	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/token/bpe"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// server speaks OpenAI Chat Completions for the scripted model. It is as strict
// as the real one: a body that breaks a rule is refused, a prompt that does not
// fit the window is refused, an answer that does not fit is cut. Between two
// requests it keeps nothing, and it shares no code with what it judges but the
// public encoding.
type server struct {
	window int // tokens, prompt and answer together
	tokens token.Counter
}

// The wire format, as much of it as the server reads.
type (
	chatRequest struct {
		Model    string        `json:"model"`
		Messages []chatMessage `json:"messages"`
		Tools    []struct {
			Function struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Parameters  json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		MaxOutput int `json:"max_completion_tokens"`
	}
	chatMessage struct {
		Role       string     `json:"role"`
		Name       string     `json:"name,omitempty"`
		Content    chatText   `json:"content"`
		ToolCalls  []chatCall `json:"tool_calls,omitempty"`
		ToolCallID string     `json:"tool_call_id,omitempty"`
	}
	chatCall struct {
		ID       string   `json:"id"`
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	chatText string // a string, null, or text parts
)

// UnmarshalJSON reads every form that content has.
func (t *chatText) UnmarshalJSON(data []byte) error {
	var parts []struct{ Text string }
	if json.Unmarshal(data, &parts) == nil {
		for _, p := range parts {
			*t += chatText(p.Text)
		}
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}

// serve starts a server on a free local port; stop ends it.
func serve(window int) (url string, stop func(), err error) {
	tokens, err := bpe.Counter("o200k")
	if err != nil {
		return "", nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	srv := &http.Server{Handler: server{window, tokens}}
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(l) }()
	return "http://" + l.Addr().String() + "/v1/chat/completions", func() { _ = srv.Close(); <-done }, nil
}

func (s server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	status, answer := s.complete(body)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

// complete answers a request body: a pure function of it and the window.
func (s server) complete(body []byte) (status int, answer any) {
	if faults := wirecheck.OpenAI(body, wirecheck.Options{JSONArgs: true}); len(faults) > 0 {
		return refusal("invalid_value", "Invalid request: %v", faults[0])
	}
	var req chatRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return refusal("invalid_value", "Invalid request: %v", err)
	}
	prompt := s.count(req)
	if total := prompt + req.MaxOutput; total > s.window {
		return refusal("context_length_exceeded", "This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion). Please reduce the length of the messages or completion.",
			s.window, total, prompt, req.MaxOutput)
	}
	m, reason := reply(req, sha256.Sum256(body))
	if s.cut(&m, cmp.Or(req.MaxOutput, s.window-prompt)) {
		reason = "length"
	}
	return http.StatusOK, s.completion(req.Model, m, reason, prompt)
}

// reply puts the model's words into a message. Call ids follow from the request
// too, and differ from those of any other.
func reply(req chatRequest, digest [sha256.Size]byte) (m chatMessage, reason string) {
	text, functions := respond(req)
	m, reason = chatMessage{Role: "assistant", Content: chatText(text)}, "stop"
	for i, f := range functions {
		reason = "tool_calls"
		m.ToolCalls = append(m.ToolCalls, chatCall{ID: fmt.Sprintf("call_%x_%d", digest[:8], i), Type: "function", Function: f})
	}
	return m, reason
}

func (s server) completion(model string, m chatMessage, reason string, prompt int) map[string]any {
	output := s.message(m)
	return map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": model,
		"choices": []any{map[string]any{"index": 0, "message": m, "logprobs": nil, "finish_reason": reason}},
		"usage":   map[string]int{"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output},
	}
}

// refusal is an error body as the provider words it.
func refusal(code, format string, args ...any) (status int, answer any) {
	return http.StatusBadRequest, map[string]any{"error": map[string]any{
		"message": fmt.Sprintf(format, args...), "type": "invalid_request_error", "param": "messages", "code": code,
	}}
}

// count is the size of a prompt: the provider's published framing of 3 tokens a
// message and 3 for the answer, and every string of it.
func (s server) count(req chatRequest) int {
	n := 3
	for _, m := range req.Messages {
		n += 3 + s.message(m)
	}
	for _, t := range req.Tools {
		n += 10 + s.tokens.Count(t.Function.Name+":"+t.Function.Description) + s.tokens.Count(string(t.Function.Parameters))
	}
	return n
}

func (s server) message(m chatMessage) int {
	n := 0
	for _, text := range []string{m.Role, m.Name, string(m.Content), m.ToolCallID} {
		n += s.tokens.Count(text)
	}
	for _, c := range m.ToolCalls {
		n += s.tokens.Count(c.Type) + s.tokens.Count(c.ID) + s.tokens.Count(c.Function.Name) + s.tokens.Count(c.Function.Arguments)
	}
	return n
}

// cut shortens an answer to what there is room for, as generation does: from its
// end, in the middle of a call's arguments or of a word. It reports whether it did.
func (s server) cut(m *chatMessage, room int) bool {
	if s.message(*m) <= room {
		return false
	}
	for len(m.ToolCalls) > 0 {
		last := &m.ToolCalls[len(m.ToolCalls)-1].Function
		args := last.Arguments
		last.Arguments = ""
		if spare := room - s.message(*m); spare > 0 {
			last.Arguments = s.prefix(args, spare)
			return true
		}
		m.ToolCalls = m.ToolCalls[:len(m.ToolCalls)-1]
	}
	text := string(m.Content)
	m.Content = ""
	m.Content = chatText(s.prefix(text, room-s.message(*m)))
	return true
}

// prefix is as much of a text as n tokens hold.
func (s server) prefix(text string, n int) string {
	letters := []rune(text)
	end := sort.Search(len(letters), func(i int) bool { return s.tokens.Count(string(letters[:i+1])) > n })
	return string(letters[:end])
}
