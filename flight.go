package precis

import (
	"context"
	"sync"

	"github.com/seed-3db51b0e/precis/store"
)

// flights lets one Prepare of a thread work at a time, so that requests which
// come together do not plan, or pay a model, for the same thing (SPEC L17): who
// waited finds the winner's plan. The zero value is ready.
type flights struct {
	mu   sync.Mutex
	busy map[store.Key]*flight
}

// flight is a thread's turnstile: a token in the channel lets one in.
type flight struct {
	free    chan struct{}
	waiting int
}

// enter waits for the thread and returns what leaves it again; the error is ctx's.
func (f *flights) enter(ctx context.Context, k store.Key) (leave func(), err error) {
	f.mu.Lock()
	if f.busy == nil {
		f.busy = map[store.Key]*flight{}
	}
	x := f.busy[k]
	if x == nil {
		x = &flight{free: make(chan struct{}, 1)}
		x.free <- struct{}{}
		f.busy[k] = x
	}
	x.waiting++
	f.mu.Unlock()
	select {
	case <-x.free:
		return func() { x.free <- struct{}{}; f.left(k, x) }, nil
	case <-ctx.Done():
		f.left(k, x)
		return nil, ctx.Err()
	}
}

// left forgets a turnstile nobody waits at.
func (f *flights) left(k store.Key, x *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if x.waiting--; x.waiting == 0 {
		delete(f.busy, k)
	}
}
