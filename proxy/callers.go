package proxy

import (
	"context"
	"errors"
	"net/http"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/staged"
)

// callers holds which callers their providers have accepted, what they have in the log,
// and whose turn it is. What the requests of others write is held back until the provider
// answers.
type callers struct {
	accepted lru.Cache[string, bool]    // credentials at their provider
	begun    lru.Cache[store.Key, bool] // threads that are in the log
	quotas   *quotas
	heavy    heavy
}

// maxAccepted is how many credentials, and threads, are remembered.
const maxAccepted = 4096

func newCallers(q *quotas) *callers {
	c := &callers{quotas: q}
	c.accepted.MaxEntries, c.begun.MaxEntries = maxAccepted, maxAccepted
	return c
}

// caller is a request's credential at its provider.
func (p *Proxy) caller(c conversation) string {
	return c.endpoint.Name + " " + p.opts.Tenancy.credential(c.http)
}

// onTrial returns a stage for a request whose credential no provider has accepted since
// the proxy began, or that begins a thread, and the context that writes to it; nil for
// another. Of an accepted credential a plan is written before its prompt is sent.
func (p *Proxy) onTrial(ctx context.Context, c conversation) (context.Context, *staged.Stage) {
	accepted, _ := p.callers.accepted.Get(p.caller(c))
	if accepted && p.hasBegun(ctx, c) {
		return ctx, nil
	}
	return staged.Begin(ctx, !accepted)
}

// hasBegun reports whether the thread of a request is in the log. A log that cannot be
// read is for the engine to report.
func (p *Proxy) hasBegun(ctx context.Context, c conversation) bool {
	k := store.Key{Tenant: c.owner.Name, Thread: c.thread}
	if ok, _ := p.callers.begun.Get(k); ok {
		return true
	}
	ctx, cancel := p.patient(ctx, c)
	defer cancel()
	err := request.Guard(func() error {
		_, err := p.behind.Head(ctx, k)
		return err
	})
	if err == nil {
		p.callers.begun.Set(k, true, 0)
	}
	return !errors.Is(err, store.ErrNotFound)
}

// settle ends the trial of a request, whose provider answered with a status; 0 for none.
// What was refused because of who asked leaves nothing in the log, and neither does a
// stranger's request that was not answered.
func (p *Proxy) settle(ctx context.Context, j job, r result) result {
	who, refused := p.caller(j.conversation), r.status == http.StatusUnauthorized || r.status == http.StatusForbidden
	switch accepted, _ := p.callers.accepted.Get(who); {
	case r.status/100 == 2 && !accepted:
		p.callers.accepted.Set(who, true, 0)
	case refused:
		p.callers.accepted.Remove(who)
	case r.status == 0 && !accepted:
		refused = true
	}
	if refused && j.trial != nil {
		p.forget(j, r)
		return r
	}
	return p.keep(ctx, j, r)
}

// keep writes what a request on trial held back.
func (p *Proxy) keep(ctx context.Context, j job, r result) result {
	if j.trial == nil {
		return r
	}
	timed, cancel := request.Recording(ctx, p.opts.Limits.PrepareTimeout)
	defer cancel()
	err := request.Guard(func() error { return j.trial.Write(timed) })
	if err == nil || r.prompt.Turn == nil || j.engine == nil {
		p.failed(ctx, j.conversation, request.Log, err)
		return r
	}
	in := r.prompt.Input // the history is logged anew: after a stale write, as a branch of what another process wrote
	in.Mode.NoCompact = true
	turn := j.engine.SafeCompact(timed, in)
	logged := turn.Thread != nil && turn.Outcome != precis.Failed
	if logged {
		r.prompt.Turn = turn
	}
	if stale := errors.Is(err, store.ErrStale); !stale || !logged {
		p.failed(ctx, j.conversation, request.Log, errors.Join(append([]error{err}, turn.Failures...)...))
	}
	return r
}

// forget drops what a request on trial wrote.
func (p *Proxy) forget(j job, r result) {
	j.trial.Drop()
	if turn := r.prompt.Turn; turn != nil {
		j.engine.Forget(turn.Key.Thread)
	}
	if j.recall.view != nil {
		j.recall.view.Forget()
	}
	p.log.Info("nothing of a refused request is kept", "api", j.codec.Name(), "thread", j.thread)
}

// overQuota refuses a request that exceeds a quota of its caller, and reports whether it
// did. Trying again is of no use.
func (p *Proxy) overQuota(ctx context.Context, w http.ResponseWriter, c conversation) bool {
	if c.owner.Quota == (Quota{}) {
		return false
	}
	ctx, cancel := p.patient(ctx, c)
	defer cancel()
	over, err := p.callers.quotas.exceeded(ctx, c.owner, len(c.request.Body), !p.hasBegun(ctx, c), p.now())
	p.failed(ctx, c, request.Quota, err)
	if over == nil {
		return false
	}
	p.metrics.refused(c.codec.Name(), over.of)
	p.log.Warn("refused a request over its quota", "api", c.codec.Name(), "thread", c.thread, "quota", over.of, "have", over.have, "may", over.may)
	kind := "insufficient_quota"
	if c.endpoint.Name == anthropicName {
		kind = "rate_limit_error"
	}
	w.Header().Set("X-Should-Retry", "false") // the providers' SDKs read it
	fail(w, c.endpoint.Name, http.StatusTooManyRequests, kind, "precis: "+over.Error())
	return true
}
