// Package transport compacts the prompts of a Go program on their way to a model
// provider, inside the program.
//
// Use: client.Transport = transport.New(options), for the http.Client of any SDK.
// Law: whatever goes wrong in here, the caller's own bytes are sent; with
// no plan in force they are anyway. Promise: the rules of http.RoundTripper are kept,
// answers are the caller's as they come, and a prompt that is refused for its size is
// compacted and sent again once and never twice; so is one whose thinking is refused,
// without thinking.
//
// A POST to a path that ends as one of Options.Codecs is a call: its conversation
// is logged, and the plan decides its prompt. Everything else passes as it
// is. So does a call that is compressed, too large, signed, stateful at the
// provider, or not of the dialect.
package transport

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/limits"
)

// Codec speaks one wire format, both ways.
type Codec interface {
	codec.Codec
	codec.Replier
}

// Options configure a Transport. Engine and Codecs are required.
type Options struct {
	// Engine makes the prompts. The caller closes it.
	Engine *precis.Engine
	// Codecs by the end of a path, such as "/chat/completions": with it come
	// gateways and deployments that have a path of their own before it.
	Codecs map[string]Codec
	// Base sends the requests; nil: http.DefaultTransport.
	Base http.RoundTripper
	// Budget is the hard cap of a request in tokens, 0 = what the policy says of
	// the model. A model's window that is smaller wins.
	Budget int
	// Key names the conversation of a request within the engine's tenant. nil, or
	// "": what the header X-Precis-Thread says, else what the content says.
	// Requests of one key that are not one conversation become forks.
	Key func(*http.Request) string
	// MaxBody is the largest body of a call that is looked at, in bytes; larger
	// ones pass. 0 = 64 MB.
	MaxBody int64
	// PrepareTimeout bounds the time that a request waits for its plan; after that it
	// goes as it came. 0 = 1 min.
	PrepareTimeout time.Duration
	// SniffTimeout bounds the time for which the beginning of an answer is held back to
	// see whether it is a refusal. 0 = 2 s.
	SniffTimeout time.Duration
	// Log takes the failures that a call survives, and why a call passes as it came;
	// nil: nothing is logged.
	Log *slog.Logger
}

// Validate names the first bad field.
func (o Options) Validate() error {
	switch {
	case o.Engine == nil:
		return errors.New("transport options: Engine is nil")
	case len(o.Codecs) == 0:
		return errors.New("transport options: Codecs is empty")
	case o.Budget < 0:
		return fmt.Errorf("transport options: Budget must not be negative, got %d", o.Budget)
	case o.MaxBody < 0:
		return fmt.Errorf("transport options: MaxBody must not be negative, got %d", o.MaxBody)
	case o.PrepareTimeout < 0:
		return fmt.Errorf("transport options: PrepareTimeout must not be negative, got %v", o.PrepareTimeout)
	case o.SniffTimeout < 0:
		return fmt.Errorf("transport options: SniffTimeout must not be negative, got %v", o.SniffTimeout)
	}
	return nil
}

// Transport is an http.RoundTripper. Make it with New; it is safe for concurrent
// use.
type Transport struct {
	opts   Options
	bad    error // of the options
	limits limits.LearnedLimits
}

// New builds a transport. With options that Validate refuses, every request fails
// and says why.
func New(o Options) *Transport {
	t := &Transport{opts: o, bad: o.Validate()}
	if o.Base == nil {
		t.opts.Base = http.DefaultTransport
	}
	if o.MaxBody == 0 {
		t.opts.MaxBody = 64 << 20
	}
	if o.PrepareTimeout == 0 {
		t.opts.PrepareTimeout = time.Minute
	}
	if o.SniffTimeout == 0 {
		t.opts.SniffTimeout = 2 * time.Second
	}
	if o.Log == nil {
		t.opts.Log = slog.New(slog.DiscardHandler)
	}
	return t
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.bad != nil {
		return nil, errors.Join(t.bad, closed(r))
	}
	c := t.codec(r)
	if c == nil {
		return t.opts.Base.RoundTrip(unmarked(r))
	}
	return t.call(r, c)
}

// CloseIdleConnections closes those of Base: http.Client asks for it.
func (t *Transport) CloseIdleConnections() {
	if b, ok := t.opts.Base.(interface{ CloseIdleConnections() }); ok {
		b.CloseIdleConnections()
	}
}

// signatures are headers over the body: whoever sends one has signed its bytes.
var signatures = []string{"Content-Digest", "Content-Md5", "Digest", "Signature", "X-Amz-Content-Sha256", "X-Amz-Date"}

// codec is the one of a request's path, nil where the request is no call of a model.
func (t *Transport) codec(r *http.Request) (found Codec) {
	if r.Method != http.MethodPost || r.URL == nil || r.Body == nil || r.Body == http.NoBody || len(r.Trailer) > 0 {
		return nil
	}
	for _, name := range signatures {
		if len(r.Header.Values(name)) > 0 {
			return nil
		}
	}
	longest := 0
	for end, c := range t.opts.Codecs {
		if strings.HasSuffix(r.URL.Path, end) && len(end) > longest {
			found, longest = c, len(end)
		}
	}
	return found
}

// closed closes a request's body, as a RoundTripper must on its way out.
func closed(r *http.Request) error {
	if r.Body == nil {
		return nil
	}
	return r.Body.Close()
}

// unmarked is a request without the header that is not for the provider.
func unmarked(r *http.Request) *http.Request {
	if len(r.Header.Values(ThreadHeader)) == 0 {
		return r
	}
	r = r.Clone(r.Context())
	r.Header.Del(ThreadHeader)
	return r
}
