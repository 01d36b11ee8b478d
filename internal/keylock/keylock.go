// Package keylock lets one caller at a time work on a key.
//
// Use: Lock before the work, the function it returns after it; Shared where those
// who waited want what the first one found. Law: two holders of one key never
// overlap; holders of different keys never wait for each other. Promise: who
// waits gives up when its context ends, and a key that nobody holds or waits for
// takes no memory. Waiters are not served in their order.
package keylock

import (
	"context"
	"sync"
)

// Locks holds one lock for each key that is in use. The zero value is ready. It
// must not be copied after the first use.
type Locks[K comparable] struct{ all Shared[K, struct{}] }

// Lock waits until nobody else holds k and returns the function that gives it
// back, to be called once. The error is the context's; a lock that is free is
// given even when the context has ended.
func (l *Locks[K]) Lock(ctx context.Context, k K) (unlock func(), err error) {
	_, unlock, err = l.all.Lock(ctx, k)
	return unlock, err
}

// Shared is Locks with a value for each key: the zero value for who comes first,
// and gone with the last who holds or waits for the key. So callers that come
// together can share one result. The zero Shared is ready.
type Shared[K comparable, V any] struct {
	mu    sync.Mutex
	inUse map[K]*lock[V]
}

type lock[V any] struct {
	free  chan struct{} // holds one token while nobody holds the lock
	users int           // who hold it or wait for it
	value V
}

// Lock is Locks.Lock with the key's value, which only the holder may use.
func (l *Shared[K, V]) Lock(ctx context.Context, k K) (value *V, unlock func(), err error) {
	x := l.use(k)
	select {
	case <-x.free:
	default:
		select {
		case <-x.free:
		case <-ctx.Done():
			l.leave(k, x)
			return nil, nil, ctx.Err()
		}
	}
	return &x.value, func() { x.free <- struct{}{}; l.leave(k, x) }, nil
}

func (l *Shared[K, V]) use(k K) *lock[V] {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.inUse[k]
	if x == nil {
		if l.inUse == nil {
			l.inUse = map[K]*lock[V]{}
		}
		x = &lock[V]{free: make(chan struct{}, 1)}
		x.free <- struct{}{}
		l.inUse[k] = x
	}
	x.users++
	return x
}

func (l *Shared[K, V]) leave(k K, x *lock[V]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if x.users--; x.users == 0 {
		delete(l.inUse, k)
	}
}
