package proxy

import (
	"sync"

	"github.com/seed-3db51b0e/precis"
)

// mostTenants is how many tenants have an engine at a time. An engine is only a
// cache over the store, so forgetting one costs time and nothing else.
const mostTenants = 64

// tenants are the engines, one a tenant.
type tenants struct {
	options precis.Options
	mu      sync.Mutex
	engines map[string]*seat
	clock   int
	gone    precis.CacheStats // by engines that were forgotten
}

// seat is a tenant's engine and when it was used last.
type seat struct {
	engine *precis.Engine
	used   int
}

// engine is the tenant's.
func (t *tenants) engine(tenant string) (*precis.Engine, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clock++
	if s := t.engines[tenant]; s != nil {
		s.used = t.clock
		return s.engine, nil
	}
	o := t.options
	o.Tenant = tenant
	e, err := precis.New(o)
	if err != nil {
		return nil, err
	}
	if t.engines == nil {
		t.engines = map[string]*seat{}
	}
	if len(t.engines) == mostTenants {
		t.forget()
	}
	t.engines[tenant] = &seat{e, t.clock}
	return e, nil
}

// forget drops the engine that was not used for longest. Requests that have it
// finish with it, so it is not closed: what it does in the background ends by
// itself.
func (t *tenants) forget() {
	oldest, at := "", t.clock
	for name, s := range t.engines {
		if s.used < at {
			oldest, at = name, s.used
		}
	}
	was := t.engines[oldest].engine.CacheStats()
	t.gone.Hits, t.gone.Misses = t.gone.Hits+was.Hits, t.gone.Misses+was.Misses
	delete(t.engines, oldest)
}

// remembered is what all engines keep in memory, and how often that served.
func (t *tenants) remembered() precis.CacheStats {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.gone
	for _, s := range t.engines {
		r := s.engine.CacheStats()
		all.Threads, all.Bytes = all.Threads+r.Threads, all.Bytes+r.Bytes
		all.Hits, all.Misses = all.Hits+r.Hits, all.Misses+r.Misses
	}
	return all
}

func (t *tenants) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.engines {
		s.engine.Close()
	}
	t.engines = nil
}
