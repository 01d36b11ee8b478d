package proxy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/store"
)

// quotaError says which quota is used up.
type quotaError struct {
	of        string // threads or bytes
	have, may int64
}

func (e *quotaError) Error() string {
	what := "conversations that this user of the proxy has begun: %d; it may begin %d"
	if e.of == "bytes" {
		what = "bytes that this user of the proxy has in the log: %d; it may have %d"
	}
	return fmt.Sprintf(what+": the operator of the proxy can raise the quota or delete old conversations", e.have, e.may)
}

// errUnmeasured tells that a quota cannot be held.
var errUnmeasured = errors.New("proxy options: tenancy: a quota needs a store that measures (store.Measured)")

// quotas knows how much tenants have in the log.
type quotas struct {
	store   store.Measured              // nil: there are no quotas
	flush   func(context.Context) error // has what was said written to the store
	tallies lru.Cache[string, *tally]
}

// tally holds how much one tenant had when it was last measured.
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

// maxTallies is how many tenants are remembered.
const maxTallies = 4096

func newQuotas(s store.Store, flush func(context.Context) error) *quotas {
	q := &quotas{flush: flush}
	q.store, _ = s.(store.Measured)
	q.tallies.MaxEntries = maxTallies
	return q
}

// exceeded returns which quota of a tenant a request of so many bytes would exceed, nil
// for none. Where the store cannot tell, with an error, none is.
func (q *quotas) exceeded(ctx context.Context, of Tenant, size int, begins bool, now time.Time) (over *quotaError, err error) {
	t, _ := q.tallies.GetOrMake(of.Name, func() (*tally, int, error) { return &tally{}, 0, nil }) // it cannot fail
	t.mu.Lock()
	defer t.mu.Unlock()
	over = t.over(of.Quota, begins)
	if over == nil || now.Sub(t.at) > refusedTime {
		if now.Sub(t.at) > tallyTime || over != nil || of.Quota.Bytes > 0 && t.used.Bytes+t.came >= of.Quota.Bytes {
			err = request.Guard(func() error { return q.measure(ctx, of.Name, t, now) })
		}
		over = t.over(of.Quota, begins)
	}
	if over == nil {
		if t.came += int64(size); begins {
			t.used.Threads++
		}
	}
	return over, err
}

func (q *quotas) measure(ctx context.Context, tenant string, t *tally, now time.Time) error {
	if err := q.flush(ctx); err != nil {
		return err
	}
	used, err := q.store.Usage(ctx, tenant)
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
