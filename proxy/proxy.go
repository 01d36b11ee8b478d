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
// dialect. A request to count a call's tokens is about the prompt that would be
// sent; it logs and plans nothing.
//
// Of a call's headers the proxy takes X-Precis-Thread for itself, and in mode
// Compact it asks the provider for an answer that is not compressed, since it
// reads along: any client takes that. An answer that is compressed all the same
// passes unread. All other headers, either way, are forwarded.
//
// # What the model looks up
//
// With a conversation's first plan the model gets the recall tools (PromptOptions.
// Recall), and keeps them. Its calls of them are answered in here, at most four
// times an answer; the client gets one answer without them, whose usage is the
// sum. In the next requests they are put back at their place, so that the prefix
// stays as it was, until a plan takes that answer out. They are logged before the
// client has the end of the answer, under store.Key.Upstream: beside the
// conversation, in no list of threads, erased with any of its messages (Engine.
// Erase). So every process over the store puts them back. A new plan leaves no
// more than a quarter of the budget of them. An answer that is no stream is held
// until it is whole while the tools are declared; in a stream of Responses,
// reasoning waits for the item that it led to.
//
// Where a model checks its thinking against its prefix, what was thought before
// the tools were declared is left out with the first plan.
//
// There are none for budgets of which the tools would take more than a tenth,
// where the client declares tools of the same names, where a request asks for
// several answers, and for Responses whose answers are kept to be continued by
// their ids (store is not false). Room for them is kept from a conversation's
// first request.
package proxy

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/limits"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store/writebehind"
	"github.com/seed-3db51b0e/precis/upstream"
)

// Proxy is an http.Handler. Make it with New.
type Proxy struct {
	opts    Options
	policy  policy.Policy
	sides   []*side
	client  *upstream.Client
	through *httputil.ReverseProxy
	idle    interface{ CloseIdleConnections() } // its connections; nil for a caller's own
	tenants tenants
	behind  *writebehind.Store
	lessons limits.LearnedLimits
	views   views
	// histories of the requests that came last
	histories histories
	recalls   []codec.Tool // the recall tools
	prices    prices       // of them
	metrics   *metrics
	tracing   tracing
	log       *slog.Logger
	stopping  atomic.Bool
}

// side is a provider with its address parsed.
type side struct {
	Provider
	base *url.URL
	// unaided: it knows no compaction, so that it is made here.
	unaided atomic.Bool
}

// New builds a proxy. Close releases what it holds; store and bus are the
// caller's.
func New(o Options) (*Proxy, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	p := &Proxy{opts: o.complete(), policy: o.Engine.Policy, tracing: newTracing(o.Tracer), log: o.Log}
	p.metrics = newMetrics(p.tenants.remembered, p.histories.remembered)
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
		p.sides = append(p.sides, &side{Provider: v, base: u})
	}
	p.recalls = recall.Definitions(p.policy.Recall)
	p.histories.room = mostHistory
	p.behind = writebehind.Over(o.Engine.Store, p.lost)
	p.tenants.options, p.views.store = p.opts.Engine, p.opts.Engine.Store
	p.tenants.options.Store = p.behind
	if with := o.Engine.Summarizer; with != nil && o.Engine.Background {
		p.tenants.options.Summarizer = &aloud{Summarizer: with, tell: p.unsummarized}
	}
	if o.Limits.File != "" {
		if err := p.lessons.Keep(o.Limits.File); err != nil {
			p.log.Warn("lessons are not read", "error", err)
		}
	}
	if err := p.connect(); err != nil {
		return nil, err
	}
	return p, nil
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

// lastWrite bounds the time that Close waits for the store.
const lastWrite = 10 * time.Second

// Close ends what the engines do in the background and closes idle connections.
// Call it when no request is being served any more.
func (p *Proxy) Close() {
	p.tenants.close()
	ctx, cancel := context.WithTimeout(context.Background(), lastWrite)
	defer cancel()
	if err := p.Flush(ctx); err != nil {
		p.log.Warn("messages are not logged", "error", err)
	}
	if err := p.lessons.Flush(); err != nil {
		p.log.Warn("lessons are not kept", "error", err)
	}
	if p.idle != nil {
		p.idle.CloseIdleConnections()
	}
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	p.metrics.flying.Inc()
	defer p.metrics.flying.Dec()
	r, span := p.tracing.request(r)
	defer span.End()
	s := p.side(r)
	c := s.codec(r.URL.Path)
	if count := s.counts(r.URL.Path); count != nil && r.Method == http.MethodPost && p.opts.Mode == Compact {
		p.count(w, r, s, count)
		return
	}
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
