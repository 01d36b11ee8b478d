package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/seed-3db51b0e/precis/store"
)

// ServeHTTP implements http.Handler. Beside the providers' paths there are /healthz,
// /readyz and /metrics.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r, end := p.intake.Clocked(w, r)
	defer end()
	err := p.opts.Access.admits(r)
	switch {
	case r.URL.Path == "/healthz":
		say(w, http.StatusOK, "ok")
	case r.URL.Path == "/readyz":
		p.ready(w, r)
	case err != nil:
		e := p.network.endpoint(r)
		p.metrics.untouched(e.Name, "refused")
		p.log.Warn("refused a request", "provider", e.Name, "reason", err)
		fail(w, e.Name, http.StatusForbidden, "permission_error", "precis: "+err.Error())
	case r.URL.Path == "/metrics":
		p.metrics.ServeHTTP(w, r)
	default:
		p.route(w, r)
	}
}

// route serves what belongs to a provider.
func (p *Proxy) route(w http.ResponseWriter, r *http.Request) {
	p.metrics.inFlight.Inc()
	defer p.metrics.inFlight.Dec()
	r, span := p.tracing.request(r)
	defer span.End()
	e := p.network.endpoint(r)
	post := r.Method == http.MethodPost
	if c := e.counted(r.URL.Path); c != nil && post && p.opts.Mode == Compact {
		p.count(w, r, e, c)
	} else if c := e.codec(r.URL.Path); c != nil && post && p.opts.Mode != Off {
		p.call(w, r, e, c)
	} else {
		p.network.pass(w, r, e)
	}
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // who asked may have left
}

// readyTimeout bounds the time that /readyz waits for the store: who asks, a balancer or an
// orchestrator, waits a few seconds at most.
const readyTimeout = 3 * time.Second

// ready reports whether requests are welcome: the store answers in time, and nobody is
// about to stop the server. A proxy that is not ready forwards all the same.
func (p *Proxy) ready(w http.ResponseWriter, r *http.Request) {
	if p.stopping.Load() {
		say(w, http.StatusServiceUnavailable, "stopping")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), min(readyTimeout, p.opts.Limits.PrepareTimeout))
	defer cancel()
	err := p.storeReady(ctx)
	switch {
	case err == nil:
		say(w, http.StatusOK, "ready")
	case errors.Is(err, store.ErrFull):
		p.log.Warn("store is full", "error", err)
		say(w, http.StatusServiceUnavailable, "disk is full")
	default:
		p.log.Warn("store does not answer", "error", err)
		say(w, http.StatusServiceUnavailable, "store does not answer")
	}
}

// storeReady asks the store, which may know whether it has room.
func (p *Proxy) storeReady(ctx context.Context) error {
	s := p.opts.Engine.Store
	if s, ok := s.(interface {
		Ready(ctx context.Context) error
	}); ok {
		return s.Ready(ctx)
	}
	if _, err := s.Head(ctx, store.Key{Tenant: p.opts.Engine.Tenant, Thread: "ready"}); !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return nil
}
