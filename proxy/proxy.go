// Package proxy compacts conversations on their way to a model provider.
//
// Use: New with the providers' addresses, then serve it in their place: a client
// changes one URL. Law: whatever goes wrong in here, the client's own bytes go
// upstream; with no plan in force they do so anyway.
// Promise: answers are forwarded as they come; a prompt refused for its size is
// compacted and sent again once, one refused for its thinking once without it;
// credentials are neither kept nor logged.
//
// # What is touched
//
// A POST to one of the paths in Provider.Calls is a call: its conversation is
// logged, and the plan decides its prompt. Everything else, whatever its
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
// Recall), and keeps them. Its calls of them are answered in here, for at most
// four rounds of an answer (further pages of a message are not counted, up to 16
// in all); the client gets one answer without them, whose usage is that of its
// last round. In the next requests they are put back at their place, so that the prefix
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
// Where all of them would take more than a tenth of the budget, there are those that
// read and search alone, and where these would, none. Nor are there any where the client
// declares tools of the same names, where a request asks for several answers, and for
// Responses whose answers are kept to be continued by their ids (store is not false).
// Room for them is kept from a conversation's first request.
package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/seed-3db51b0e/precis/internal/limits"
	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/proxy/decodecache"
	"github.com/seed-3db51b0e/precis/proxy/intake"
	"github.com/seed-3db51b0e/precis/proxy/upstreamview"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/staged"
	"github.com/seed-3db51b0e/precis/store/writebehind"
)

// Proxy is an http.Handler. Make it with New.
type Proxy struct {
	opts     Options
	network  network
	engines  *engines
	behind   *writebehind.Store
	callers  *callers
	limits   limits.LearnedLimits
	decoded  *decodecache.Cache
	recall   recallTools
	intake   *intake.Intake
	stopping atomic.Bool
	idle     idle
	telemetry
}

// recallTools are the tools that the proxy answers.
type recallTools struct {
	notes bool // the model may declare some
	views *upstreamview.Views
	costs lru.Cache[toolPrice, int] // of tools, in tokens
}

// maxToolPrices are kept: what is learned changes with the answers.
const maxToolPrices = 256

// toolPrice holds all that a meter's count of tools follows from.
type toolPrice struct {
	counter, read           string
	tools                   int // how many
	factor, margin, learned float64
	tool                    int
}

// New builds a proxy. Close releases what it holds; store and bus are the caller's.
func New(o Options) (*Proxy, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	p := &Proxy{opts: o.complete(), decoded: decodecache.New(0)}
	if p.log = o.Log; p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	if p.opts.Engine.Policy.IsZero() {
		var err error
		if p.opts.Engine.Policy, err = policy.Named("balanced"); err != nil {
			return nil, err
		}
	}
	p.behind = writebehind.Over(o.Engine.Store, p.lost)
	p.callers = newCallers(newQuotas(o.Engine.Store, p.behind.FlushAll))
	if p.callers.quotas.store == nil && o.Tenancy.hasQuota() {
		return nil, errUnmeasured
	}
	engine := p.opts.Engine
	engine.Store = staged.Over(p.behind)
	var err error
	if p.engines, err = newEngines(engine, o.Tenancy.Named, p.unsummarized); err != nil {
		return nil, err
	}
	p.idle = idle{
		after:  p.opts.Limits.IdleTimeout,
		forget: func() int { return p.engines.age() + p.decoded.Age() + p.recall.views.Age() },
		memory: func() int { return p.engines.stats().Bytes + p.decoded.Stats().Bytes },
	}
	p.intake = intake.New(intake.Limits{Timeout: p.opts.Limits.BodyTimeout, Most: p.opts.Limits.MaxHeld, Wait: p.opts.Limits.HeldTimeout})
	p.metrics, p.tracing = newMetrics(p.engines.stats, p.decoded.Stats), newTracing(o.Tracer)
	p.recall.notes, p.recall.costs.MaxEntries = p.opts.Prompt.Notes, maxToolPrices
	p.recall.views = upstreamview.New(staged.Over(o.Engine.Store), p.now, p.opts.Limits.PrepareTimeout)
	if p.network, err = connect(p.opts, p.telemetry); err != nil {
		return nil, err
	}
	if place := limitsPlace(o); place != nil {
		if err := p.limits.Keep(place); err != nil {
			p.log.Warn("could not read the limits learned before", "error", err)
		}
	}
	return p, nil
}

// limitsPlace is where options have kept what answers teach; nil for nowhere.
func limitsPlace(o Options) limits.Place {
	switch {
	case o.Limits.Shared:
		return SharedLimits(o.Engine.Store)
	case o.Limits.File != "":
		return limits.File(o.Limits.File)
	}
	return nil
}

func (p *Proxy) now() time.Time {
	if p.opts.Engine.Now != nil {
		return p.opts.Engine.Now()
	}
	return time.Now()
}

// Tenant returns whose conversations a request may continue: the name that its credential
// has in Tenancy.Named, else its Credential.
func (p *Proxy) Tenant(h http.Header) string { return p.opts.owner(&http.Request{Header: h}).Name }

// lost reports messages that could not be logged: a gap, until the client sends its
// history again. Where answers wait for the log, record reports an answer that is lost,
// and logs again what another process was faster with.
func (p *Proxy) lost(k store.Key, err error) {
	if p.opts.Durability == DurabilityFull && (k.IsAnswers() || errors.Is(err, store.ErrStale)) {
		return
	}
	p.metrics.failed("", request.Log)
	p.log.Warn("messages are not logged; the conversation goes on", "thread", k.Thread, "error", err)
}

// unsummarized reports a model that made no summary ahead of need.
func (p *Proxy) unsummarized(text string) {
	p.metrics.failed("", request.Summary)
	p.log.Warn(request.Summary.Text(), "error", text)
}

// Flush waits until what was said is in the store: a call is answered while its
// messages are written.
func (p *Proxy) Flush(ctx context.Context) error { return p.behind.FlushAll(ctx) }

// Stop tells that the server is about to end: it is not ready any more, and goes on
// serving.
func (p *Proxy) Stop() { p.stopping.Store(true) }

// maxClosing bounds the time that Close waits for the store.
const maxClosing = 10 * time.Second

// Close ends what the engines do in the background and closes idle connections. Call
// it when no request is being served any more.
func (p *Proxy) Close() {
	p.idle.end()
	p.engines.close()
	ctx, cancel := context.WithTimeout(context.Background(), maxClosing)
	defer cancel()
	if err := p.Flush(ctx); err != nil {
		p.log.Warn("messages are not logged", "error", err)
	}
	if err := p.limits.Flush(); err != nil {
		p.log.Warn("could not write the limits learned", "error", err)
	}
	if p.network.idle != nil {
		p.network.idle.CloseIdleConnections()
	}
}
