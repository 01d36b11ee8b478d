// Package fakeprovider writes the answers of model providers in their wire formats,
// for fakes in tests and examples.
//
// Use: fill in a Reply, then Whole or Stream for an API: "anthropic" (Messages),
// "openai" (Chat Completions), "responses" or "gemini". Law: both forms hold the same.
// Promise: every member and event that the providers' SDKs need is there, and
// nothing of the project's own is used to write it.
package fakeprovider

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Reply is the model's answer.
type Reply struct {
	ID, Model string
	// Thinking comes first, with its Signature; Chat Completions has none.
	Thinking, Signature string
	Text                string
	Calls               []Call
	// Cut: the output cap was reached.
	Cut bool
	// Input is the prompt's size and Cached the part of it that was read from a
	// cache, in tokens.
	Input, Cached, Output int
}

// Call is a tool call; Args are a JSON object, without spaces.
type Call struct{ ID, Name, Args string }

// Whole is the body of an answer that is no stream.
func (a Reply) Whole(api string) string {
	switch api {
	case "anthropic":
		return quote(a.message(a.blocks(), a.reason("end_turn", "tool_use", "max_tokens"), a.Output))
	case "openai":
		return quote(a.completion("chat.completion", object{"index": 0, "message": a.chatMessage(), "logprobs": nil, "finish_reason": a.reason("stop", "tool_calls", "length")}, a.chatUsage()))
	case "gemini":
		return quote(a.candidate(a.contentParts(), a.finish()))
	}
	return quote(a.response(a.status(), a.items()))
}

// Stream is the body of an answer that is a stream.
func (a Reply) Stream(api string) string {
	switch api {
	case "anthropic":
		return a.anthropicStream()
	case "openai":
		return a.chatStream()
	case "gemini":
		return a.geminiStream()
	}
	return a.responsesStream()
}

// object is a JSON object.
type object = map[string]any

func quote(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("answer: %v", err)) // Args are no JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (a Reply) reason(end, calls, cut string) string {
	switch {
	case a.Cut:
		return cut
	case len(a.Calls) > 0:
		return calls
	}
	return end
}

// pieces cuts a text as models say it, within no character.
func pieces(s string) (out []string) {
	const most = 24
	rs := []rune(s)
	for len(rs) > 0 {
		n := min(most, len(rs))
		out, rs = append(out, string(rs[:n])), rs[n:]
	}
	return out
}

// lines are the events of a stream as they are written.
type lines struct{ strings.Builder }

func (l *lines) put(name string, v any) {
	if name != "" {
		fmt.Fprintf(l, "event: %s\n", name)
	}
	fmt.Fprintf(l, "data: %s\n\n", quote(v))
}
