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
	delete(t.engines, oldest)
}

func (t *tenants) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.engines {
		s.engine.Close()
	}
	t.engines = nil
}
