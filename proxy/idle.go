package proxy

import (
	"runtime/debug"
	"sync"
	"time"
)

// idle forgets what was not used for a time, while anything is remembered.
type idle struct {
	after  time.Duration
	forget func() (left int) // what was not used since the call before
	memory func() int        // about how many bytes are remembered

	mu     sync.Mutex
	timer  *time.Timer // nil: nothing is remembered
	closed bool
}

// largeMemory is how many bytes must be forgotten at once to be given back to the system
// at once; the runtime gives smaller amounts back with time.
const largeMemory = 64 << 20

// remembered notes that something is: in time it is looked at again.
func (i *idle) remembered() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer == nil && !i.closed {
		i.timer = time.AfterFunc(i.after, i.age)
	}
}

// age forgets what was not used since it was called before.
func (i *idle) age() {
	i.stop() // first: what is remembered from here on may be missed below
	before := i.memory()
	left := i.forget()
	freed := before - i.memory()
	if left > 0 {
		i.remembered()
	}
	if freed >= largeMemory {
		debug.FreeOSMemory()
	}
}

// stop takes the timer off.
func (i *idle) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer != nil {
		i.timer.Stop()
		i.timer = nil
	}
}

// end forgets nothing more.
func (i *idle) end() {
	i.mu.Lock()
	i.closed = true
	i.mu.Unlock()
	i.stop()
}
