package proxy

import (
	"runtime/debug"
	"sync"
	"time"
)

// idle has what lies still forgotten, while anything is remembered.
type idle struct {
	mu     sync.Mutex
	timer  *time.Timer // nil: nothing is remembered
	closed bool
}

// largeMemory is how many bytes must be forgotten at once to be given back to the system
// at once; the runtime gives smaller amounts back with time.
const largeMemory = 64 << 20

// remembered notes that something is: in time it is looked at again.
func (p *Proxy) remembered() {
	p.idle.mu.Lock()
	defer p.idle.mu.Unlock()
	if p.idle.timer == nil && !p.idle.closed {
		p.idle.timer = time.AfterFunc(p.opts.Limits.IdleTimeout, p.age)
	}
}

// age forgets what was not used since it was called before.
func (p *Proxy) age() {
	before := p.memory()
	left := p.engines.age() + p.decoded.Age() + p.recall.views.Age()
	freed := before - p.memory()
	p.idle.mu.Lock()
	p.idle.timer = nil
	p.idle.mu.Unlock()
	if left > 0 {
		p.remembered()
	}
	if freed >= largeMemory {
		debug.FreeOSMemory()
	}
}

// memory is about how many bytes are remembered of conversations.
func (p *Proxy) memory() int { return p.engines.stats().Bytes + p.decoded.Stats().Bytes }

// end forgets nothing more.
func (i *idle) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
	if i.timer != nil {
		i.timer.Stop()
	}
}
