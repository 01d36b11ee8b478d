// Package keylock lets one caller at a time work on a key.
//
// Use: Lock before the work, the function it returns after it. Law: two holders
// of one key never overlap; holders of different keys never wait for each other.
// Promise: who waits gives up when its context ends, and a key that nobody holds
// or waits for takes no memory. Waiters are not served in their order.
package keylock

import (
	"context"
	"sync"
)

// Locks holds one lock for each key that is in use. The zero value is ready. It
// must not be copied after the first use.
type Locks[K comparable] struct {
	mu    sync.Mutex
	inUse map[K]*lock
}

type lock struct {
	free  chan struct{} // holds one token while nobody holds the lock
	users int           // who hold it or wait for it
}

// Lock waits until nobody else holds k and returns the function that gives it
// back, to be called once. The error is the context's; a context that has ended
// may still get a lock that is free.
func (l *Locks[K]) Lock(ctx context.Context, k K) (unlock func(), err error) {
	x := l.use(k)
	select {
	case <-x.free:
		return func() { x.free <- struct{}{}; l.leave(k, x) }, nil
	case <-ctx.Done():
		l.leave(k, x)
		return nil, ctx.Err()
	}
}

func (l *Locks[K]) use(k K) *lock {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.inUse[k]
	if x == nil {
		if l.inUse == nil {
			l.inUse = map[K]*lock{}
		}
		x = &lock{free: make(chan struct{}, 1)}
		x.free <- struct{}{}
		l.inUse[k] = x
	}
	x.users++
	return x
}

func (l *Locks[K]) leave(k K, x *lock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if x.users--; x.users == 0 {
		delete(l.inUse, k)
	}
}
