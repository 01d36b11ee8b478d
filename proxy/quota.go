package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/store"
)

// Quota bounds what a tenant may have in the log. The zero value bounds nothing.
type Quota struct {
	// Threads is how many conversations it may have begun; 0 = any. Those that were
	// begun go on.
	Threads int
	// Bytes is how much it may have stored, as the store keeps it; 0 = any. The request
	// that passes it is the last.
	Bytes int64
}

// or is q, with the bounds of other where q has none.
func (q Quota) or(other Quota) Quota {
	if q.Threads == 0 {
		q.Threads = other.Threads
	}
	if q.Bytes == 0 {
		q.Bytes = other.Bytes
	}
	return q
}

// quotaError says which quota is used up.
type quotaError struct {
	of        string // threads or bytes
	have, may int64
}

func (e *quotaError) Error() string {
	what := "this key has begun %d conversations, and may begin %d"
	if e.of == "bytes" {
		what = "this key has %d bytes in the log, and may have %d"
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
