package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/staged"
)

// callers holds which callers their providers have accepted, and what tenants have in
// the log. What the requests of others write is held back until the provider answers.
type callers struct {
	accepted lru.Cache[string, bool]    // credentials at their provider
	begun    lru.Cache[store.Key, bool] // threads that are in the log
	store    store.Measured             // nil: there are no quotas
	tallies  lru.Cache[string, *tally]
	heavy    heavy
}

// maxAccepted is how many credentials, and threads, are remembered.
const maxAccepted = 4096

func newCallers(s store.Store) *callers {
	c := &callers{}
	c.store, _ = s.(store.Measured)
	c.tallies.MaxEntries = maxAccepted
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
	ctx, cancel := context.WithTimeout(ctx, p.opts.Limits.PrepareTimeout)
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
		p.failed(ctx, j.conversation, "log", err)
		return r
	}
	if !errors.Is(err, store.ErrStale) {
		p.failed(ctx, j.conversation, "log", err)
	}
	in := r.prompt.Input // the history is logged anew: after a stale write, as a branch of what another process wrote
	in.Mode.NoCompact = true
	if turn := j.engine.SafeCompact(timed, in); turn.Thread != nil && turn.Outcome != precis.Failed {
		r.prompt.Turn = turn
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

// quotaError says which quota is used up.
type quotaError struct {
	of        string // threads or bytes
	have, may int64
}

func (e *quotaError) Error() string {
	what := "conversations that this key has begun: %d; it may begin %d"
	if e.of == "bytes" {
		what = "bytes that this key has in the log: %d; it may have %d"
	}
	return fmt.Sprintf(what+": the operator of the proxy can raise the quota or delete old conversations", e.have, e.may)
}

// tally is what one tenant had when that was measured.
type tally struct {
	mu   sync.Mutex
	used store.Usage
	at   time.Time
	came int64 // bytes of requests since
}

const (
	// A measurement holds for tallyTime at most; one that says that the quota is used up
	// holds for refusedTime.
	tallyTime, refusedTime = time.Minute, time.Second
)

// errUnmeasured tells that a quota cannot be held.
var errUnmeasured = errors.New("proxy options: tenancy: a quota needs a store that measures (store.Measured)")

// overQuota returns which quota a request would exceed, nil for none. Where the store
// cannot tell, none is.
func (p *Proxy) overQuota(ctx context.Context, c conversation) *quotaError {
	q := c.owner.Quota
	if q == (Quota{}) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.opts.Limits.PrepareTimeout)
	defer cancel()
	begins := !p.hasBegun(ctx, c)
	t, _ := p.callers.tallies.GetOrMake(c.owner.Name, func() (*tally, int, error) { return &tally{}, 0, nil }) // it cannot fail
	t.mu.Lock()
	defer t.mu.Unlock()
	over, now := t.over(q, begins), p.now()
	if over == nil || now.Sub(t.at) > refusedTime {
		if now.Sub(t.at) > tallyTime || over != nil || q.Bytes > 0 && t.used.Bytes+t.came >= q.Bytes {
			p.failed(ctx, c, "quota", request.Guard(func() error { return p.measure(ctx, c.owner.Name, t, now) }))
		}
		over = t.over(q, begins)
	}
	if over == nil {
		if t.came += int64(len(c.request.Body)); begins {
			t.used.Threads++
		}
	}
	return over
}

func (p *Proxy) measure(ctx context.Context, tenant string, t *tally, now time.Time) error {
	if err := p.behind.FlushAll(ctx); err != nil {
		return err
	}
	used, err := p.callers.store.Usage(ctx, tenant)
	if err != nil {
		return fmt.Errorf("measure what is stored: %w", err)
	}
	t.used, t.at, t.came = used, now, 0
	return nil
}

func (t *tally) over(q Quota, begins bool) *quotaError {
	switch {
	case q.Bytes > 0 && t.used.Bytes >= q.Bytes:
		return &quotaError{"bytes", t.used.Bytes, q.Bytes}
	case begins && q.Threads > 0 && t.used.Threads >= q.Threads:
		return &quotaError{"threads", int64(t.used.Threads), int64(q.Threads)}
	}
	return nil
}

// refuse answers a request that exceeds a quota. Trying again is of no use.
func (p *Proxy) refuse(w http.ResponseWriter, c conversation, over *quotaError) {
	p.metrics.refused(c.codec.Name(), over.of)
	p.log.Warn("refused a request over its quota", "api", c.codec.Name(), "thread", c.thread, "quota", over.of, "have", over.have, "may", over.may)
	kind := "insufficient_quota"
	if c.endpoint.Name == anthropicName {
		kind = "rate_limit_error"
	}
	w.Header().Set("X-Should-Retry", "false") // the providers' SDKs read it
	fail(w, c.endpoint.Name, http.StatusTooManyRequests, kind, "precis: "+over.Error())
}
