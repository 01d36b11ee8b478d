// Package proxy compacts conversations on their way to a model provider.
//
// Use: New with the providers' addresses, then serve it in their place: a client
// changes one URL. Law: whatever goes wrong in here, the client's own bytes go
// upstream (SPEC V9); with no plan in force they do so anyway (SPEC V11).
// Promise: answers are forwarded as they come, a refused prompt is compacted and
// sent again once and never twice, and credentials are neither kept nor logged.
//
// # What is touched
//
// A POST to one of the paths in Provider.Calls is a call: its conversation is
// logged, and its prompt is what the plan says. Everything else, whatever its
// method and path, passes as it is, upgrades to WebSocket included. So does a
// call that is compressed, too large, stateful at the provider, or not of the
// dialect.
//
// Of a call's headers the proxy takes X-Precis-Thread for itself, and in mode
// Compact it asks the provider for an answer that is not compressed, since it
// reads along: any client takes that. An answer that is compressed all the same
// passes unread. All other headers, either way, are forwarded.
//
// # What the model looks up
//
// With a conversation's first plan the model gets the recall tools (Options.
// Recall), and keeps them. Its calls of them are answered in here, at most four
// times an answer; the client gets one answer without them, whose usage is the
// sum. In the next requests they are put back at their place, so that the prefix
// stays as it was, until a plan takes that answer out. They are kept in memory
// only, and no more than a quarter of the budget of them: after a restart they
// are gone, which breaks the prefix once. An answer that is no stream is held
// until it is whole while the tools are declared.
//
// There are none for Responses, for models that check their thinking against
// its prefix, for budgets of which the tools would take more than a tenth, where
// the client declares tools of the same names, and where a request asks for
// several answers. Room for them is kept from a conversation's first request.
package proxy

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/lesson"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/upstream"
)

// Mode says what a proxy does to prompts.
type Mode string

// The modes.
const (
	Compact Mode = "compact" // what the plan says
	Observe Mode = "observe" // nothing; the log says what would have been (SPEC B15)
	Off     Mode = "off"     // nothing, and nothing is kept
)

// Codec speaks one wire format, both ways.
type Codec interface {
	codec.Codec
	codec.Replier
}

// Provider is one place that requests go to.
type Provider struct {
	// Name is "anthropic" or "openai": the form of errors that are the proxy's own.
	Name string
	// URL is where it is, without the /v1 that the paths begin with.
	URL string
	// Calls are the codecs of the paths whose conversations are compacted. Paths
	// below them are the provider's too.
	Calls map[string]Codec
}

// Validate says what is wrong with the URL.
func (v Provider) Validate() error {
	_, err := base(v.URL)
	return err
}

// Options configure a Proxy. Engine.Store and Providers are required.
type Options struct {
	// Engine is how conversations are compacted. Its Shadow is the mode's to say,
	// its Tenant too where Credentials is set.
	Engine precis.Options
	// Providers in order: a request that belongs to none by its path or headers
	// goes to the first.
	Providers []Provider
	Mode      Mode // "" = Compact
	// Recall says when the model gets the tools that read back what left its
	// prompt; they are answered in here. "" = RecallWithPlan.
	Recall Recall
	// Budget is the hard cap of a request in tokens, 0 = what the policy says of
	// the model. A model's window that is smaller wins.
	Budget int
	// Credentials makes a tenant of each credential, so that callers who do not
	// share a key share nothing. Without it all callers are Engine.Tenant.
	Credentials bool
	// MaxBody is the largest body of a call that is read, in bytes; larger ones
	// pass. 0 = 64 MB.
	MaxBody int64
	// Patience bounds the time that a request waits for its plan; after that it
	// goes as it came. 0 = 1 min.
	Patience time.Duration
	// Hold bounds the time for which the beginning of an answer is held back to
	// see whether it is a refusal. 0 = 2 s.
	Hold time.Duration
	// Upstream are the limits towards providers. A request is sent once, whatever
	// Attempts says: trying again is the client's to decide.
	Upstream upstream.Options
	Log      *slog.Logger // nil: nothing is logged
}

// Validate names the first bad field.
func (o Options) Validate() error {
	switch {
	case o.Mode != "" && o.Mode != Compact && o.Mode != Observe && o.Mode != Off:
		return fmt.Errorf("proxy options: Mode %q", o.Mode)
	case o.Recall != "" && o.Recall != RecallWithPlan && o.Recall != RecallAlways && o.Recall != RecallOff:
		return fmt.Errorf("proxy options: Recall %q", o.Recall)
	case o.Budget < 0:
		return fmt.Errorf("proxy options: Budget %d", o.Budget)
	case o.MaxBody < 0 || o.Patience < 0 || o.Hold < 0:
		return errors.New("proxy options: a limit is negative")
	case len(o.Providers) == 0:
		return errors.New("proxy options: Providers is empty")
	}
	for _, v := range o.Providers {
		if err := v.Validate(); err != nil {
			return fmt.Errorf("proxy options: provider %s: %w", v.Name, err)
		}
	}
	if err := o.Engine.Validate(); err != nil {
		return fmt.Errorf("proxy options: %w", err)
	}
	return o.Upstream.Validate()
}

// ErrURL is wrapped by the error about a provider's URL.
var ErrURL = errors.New("want an http or https URL without query")

// base is a provider's URL without a slash or a /v1 at its end.
func base(s string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSuffix(strings.TrimSuffix(s, "/"), "/v1"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.User != nil {
		return nil, ErrURL // what was given may hold a password
	}
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
	return u, nil
}

// Proxy is an http.Handler. Make it with New.
type Proxy struct {
	opts     Options
	policy   policy.Policy
	sides    []*side
	client   *upstream.Client
	through  *httputil.ReverseProxy
	idle     interface{ CloseIdleConnections() } // its connections; nil for a caller's own
	tenants  tenants
	lessons  lesson.Lessons
	asides   asides
	metrics  *metrics
	log      *slog.Logger
	stopping atomic.Bool
}

// side is a provider with its address parsed.
type side struct {
	Provider
	base *url.URL
}

// New builds a proxy. Close releases what it holds; store and bus are the
// caller's.
func New(o Options) (*Proxy, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	p := &Proxy{opts: o.complete(), policy: o.Engine.Policy, metrics: newMetrics(), log: o.Log}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	if p.policy.Name == "" {
		var err error
		if p.policy, err = policy.Named("balanced"); err != nil {
			return nil, err
		}
	}
	for _, v := range o.Providers {
		u, err := base(v.URL)
		if err != nil {
			return nil, err
		}
		p.sides = append(p.sides, &side{v, u})
	}
	p.tenants.options = p.opts.Engine
	if err := p.connect(); err != nil {
		return nil, err
	}
	return p, nil
}

// complete fills in the limits that are not stated.
func (o Options) complete() Options {
	if o.Mode == "" {
		o.Mode = Compact
	}
	if o.Recall == "" {
		o.Recall = RecallWithPlan
	}
	if o.MaxBody == 0 {
		o.MaxBody = 64 << 20
	}
	if o.Patience == 0 {
		o.Patience = time.Minute
	}
	if o.Hold == 0 {
		o.Hold = 2 * time.Second
	}
	o.Engine.Shadow = o.Mode == Observe
	o.Upstream.Attempts = 1
	return o
}

// ServeHTTP implements http.Handler. Beside the providers' paths there are
// /healthz, /readyz and /metrics.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/healthz":
		say(w, http.StatusOK, "ok")
	case "/readyz":
		p.ready(w, r)
	case "/metrics":
		p.metrics.ServeHTTP(w, r)
	default:
		p.serve(w, r)
	}
}

// Stop says that the server is about to end: it is not ready any more, and goes
// on serving.
func (p *Proxy) Stop() { p.stopping.Store(true) }

// Close ends what the engines do in the background and closes idle connections.
// Call it when no request is being served any more.
func (p *Proxy) Close() {
	p.tenants.close()
	if p.idle != nil {
		p.idle.CloseIdleConnections()
	}
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	p.metrics.flying.Inc()
	defer p.metrics.flying.Dec()
	s := p.side(r)
	c := s.Calls[r.URL.Path]
	if c == nil || r.Method != http.MethodPost || p.opts.Mode == Off {
		p.pass(w, r, s)
		return
	}
	p.call(w, r, s, c)
}

// side finds the provider of a request: by its path, else by the header that
// Anthropic's clients send.
func (p *Proxy) side(r *http.Request) *side {
	for _, s := range p.sides {
		for path := range s.Calls {
			if r.URL.Path == path || strings.HasPrefix(r.URL.Path, path+"/") {
				return s
			}
		}
	}
	if r.Header.Get("Anthropic-Version") != "" {
		for _, s := range p.sides {
			if s.Name == anthropicName {
				return s
			}
		}
	}
	return p.sides[0]
}
