package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Kind is why a provider refuses a request that is sound.
type Kind string

// The kinds.
const (
	RateLimit  Kind = "429"        // with Retry-After: 1
	Overloaded Kind = "529 or 503" // Anthropic's, and the others'
	Window     Kind = "window"     // 400: more tokens than the model takes
	Size       Kind = "413"        // more bytes than the provider takes
)

// Refusal is one answer of a script that is an error.
type Refusal struct {
	At   int // notes that are read
	Kind Kind
}

// windowShare is the share of a request's tokens that a window error says to be the most.
const windowShare = 0.9

const invalid = "invalid_request_error"

// refusal is an error as a provider gives it.
type refusal struct {
	status int
	kind   string // error type
	code   string // OpenAI's error code
	text   string
	after  string // Retry-After
}

// due is the refusal that the script has for this request, nil if none.
func (p *Provider) due(q *request, size int) *refusal {
	if len(p.left) == 0 || p.done < p.left[0].At || q.summarizes() {
		return nil
	}
	kind := p.left[0].Kind
	p.left = p.left[1:]
	p.report.Given = append(p.report.Given, kind)
	ours := q.api == "anthropic"
	switch {
	case kind == Window:
		return tooLong(q.api, size, int(windowShare*float64(size)))
	case kind == RateLimit && ours:
		return &refusal{status: http.StatusTooManyRequests, kind: "rate_limit_error", text: "This request would exceed your organization's rate limit of 400,000 input tokens per minute.", after: "1"}
	case kind == RateLimit:
		return &refusal{status: http.StatusTooManyRequests, kind: "tokens", code: "rate_limit_exceeded", text: "Rate limit reached for the model on tokens per min. Please try again in 1s.", after: "1"}
	case kind == Overloaded && ours:
		return &refusal{status: 529, kind: "overloaded_error", text: "Overloaded"}
	case kind == Overloaded:
		return &refusal{status: http.StatusServiceUnavailable, kind: "server_error", code: "server_is_overloaded", text: "The server is currently overloaded. Please try again later."}
	case ours:
		return &refusal{status: http.StatusRequestEntityTooLarge, kind: "request_too_large", text: "Request exceeds the maximum size"}
	}
	return &refusal{status: http.StatusRequestEntityTooLarge, kind: invalid, text: "Request body too large"}
}

// tooLong is what the provider of an API says of a request over its window.
func tooLong(api string, size, window int) *refusal {
	r := &refusal{status: http.StatusBadRequest, kind: invalid, code: "context_length_exceeded"}
	switch api {
	case "anthropic":
		r.text = fmt.Sprintf("prompt is too long: %d tokens > %d maximum", size, window)
	case "responses":
		r.text = "Your input exceeds the context window of this model. Please adjust your input and try again."
	default:
		r.text = fmt.Sprintf("Input tokens exceed the configured limit of %d tokens. Your messages resulted in %d tokens. Please reduce the length of the messages.", window, size)
	}
	return r
}

// write answers a request of an API with the refusal.
func (r *refusal) write(w http.ResponseWriter, api string) {
	fields := map[string]any{"message": r.text, "type": r.kind}
	v := map[string]any{"error": fields}
	if api == "anthropic" {
		v["type"] = "error"
	} else {
		fields["param"], fields["code"] = nil, nil
		if r.code != "" {
			fields["code"] = r.code
		}
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	if r.after != "" {
		w.Header().Set("Retry-After", r.after)
	}
	w.WriteHeader(r.status)
	_, _ = w.Write(b) // the client left
}
