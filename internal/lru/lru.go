// Package lru is the one bounded cache of this module: what was used least
// recently leaves first.
//
// Use: a Cache with its bounds set, Set after a value was made, Get before it is
// made again. Law: a cache may forget anything at any time; no result depends on
// what it holds. Promise: after each call it is within its bounds, save that the
// entry that was set last stays whatever it weighs. It is safe for concurrent
// use and starts no goroutine.
package lru

import (
	"container/list"
	"iter"
	"sync"
)

// Cache holds values by key. The zero value is ready and has no bounds. Its
// exported fields must not change after the first use, and it must not be copied.
type Cache[K comparable, V any] struct {
	// MaxEntries is the most entries that are kept; 0 sets no bound.
	MaxEntries int
	// MaxBytes is the most bytes that the entries weigh together, as their callers
	// state it; 0 sets no bound.
	MaxBytes int
	// Evicted is called with each entry that leaves to make room, not with one that
	// is replaced or removed. It runs under the lock: it must not call the cache.
	Evicted func(K, V)

	mu      sync.Mutex
	entries map[K]*list.Element // of *entry[K, V]
	order   list.List           // most recently used first
	bytes   int
	hits    uint64
	misses  uint64
}

type entry[K comparable, V any] struct {
	key   K
	value V
	bytes int
	used  bool // since the last Age
}

// Stats counts what a cache holds, and how often it was asked. Removing and
// clearing entries does not reset Hits and Misses.
type Stats struct {
	Entries, Bytes int
	Hits, Misses   uint64
}

// Get returns the value of k and marks it as used.
func (c *Cache[K, V]) Get(k K) (V, bool) {
	return c.GetIf(k, func(V) bool { return true })
}

// GetIf is Get of a value that is of use: where valid is false the call counts as
// a miss, and the entry stays as it is. valid must not call the cache.
func (c *Cache[K, V]) GetIf(k K, valid func(V) bool) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, found := c.entries[k]; found && valid(held[K, V](el).value) {
		c.hits++
		return c.use(el), true
	}
	c.misses++
	return v, false
}

// GetOrMake is Get, or else sets and returns what create makes, and how many
// bytes that weighs. Callers wait while create runs, so one value is made where
// many ask at once; create must not call the cache. Its error is returned as it
// is, and nothing is kept.
func (c *Cache[K, V]) GetOrMake(k K, create func() (V, int, error)) (V, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.entries[k]; ok {
		c.hits++
		return c.use(el), nil
	}
	c.misses++
	v, bytes, err := create()
	if err == nil {
		c.set(k, v, bytes)
	}
	return v, err
}

// Peek returns the value of k. It counts nothing and does not mark it as used.
func (c *Cache[K, V]) Peek(k K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, found := c.entries[k]; found {
		return held[K, V](el).value, true
	}
	return v, false
}

// Set keeps v, which weighs so many bytes, in place of any earlier value of k,
// and marks it as used.
func (c *Cache[K, V]) Set(k K, v V, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(k, v, bytes)
}

// Update sets what change makes of the value of k and of its bytes: the zero
// value and 0 where there is none. It is one step: nobody sees or changes the
// value meanwhile. change must not call the cache.
func (c *Cache[K, V]) Update(k K, change func(V, int) (V, int)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var old entry[K, V]
	if el, ok := c.entries[k]; ok {
		old = *held[K, V](el)
	}
	v, bytes := change(old.value, old.bytes)
	c.set(k, v, bytes)
}

// Edit lets change edit the value of k in place, and reports whether there is
// one. It neither counts nor marks it as used, and the bytes stay. change must
// not call the cache, nor keep the pointer.
func (c *Cache[K, V]) Edit(k K, change func(*V)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.entries[k]
	if ok {
		change(&held[K, V](el).value)
	}
	return ok
}

// Remove removes the entry of k and returns its value.
func (c *Cache[K, V]) Remove(k K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.entries[k]
	if !ok {
		return v, false
	}
	return c.drop(el).value, true
}

// Age removes the entries that were not used since the call of Age before, and returns
// how many stay. Who calls it at intervals forgets what lies still for between one and
// two of them.
func (c *Cache[K, V]) Age() (left int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for el := c.order.Back(); el != nil; {
		e := held[K, V](el)
		el = el.Prev()
		if !e.used {
			c.drop(c.entries[e.key])
		}
		e.used = false
	}
	return len(c.entries)
}

// Clear removes every entry.
func (c *Cache[K, V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries, c.bytes = nil, 0
	c.order.Init()
}

// All returns what is kept when the loop begins, the most recently used first. It
// neither counts nor marks anything as used. The loop may call the cache.
func (c *Cache[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		c.mu.Lock()
		all := make([]entry[K, V], 0, len(c.entries))
		for el := c.order.Front(); el != nil; el = el.Next() {
			all = append(all, *held[K, V](el))
		}
		c.mu.Unlock()
		for _, e := range all {
			if !yield(e.key, e.value) {
				return
			}
		}
	}
}

// Stats returns the counts so far.
func (c *Cache[K, V]) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{Entries: len(c.entries), Bytes: c.bytes, Hits: c.hits, Misses: c.misses}
}

func held[K comparable, V any](el *list.Element) *entry[K, V] { return el.Value.(*entry[K, V]) }

// use marks an entry as used.
func (c *Cache[K, V]) use(el *list.Element) V {
	c.order.MoveToFront(el)
	e := held[K, V](el)
	e.used = true
	return e.value
}

func (c *Cache[K, V]) set(k K, v V, bytes int) {
	if el, ok := c.entries[k]; ok {
		e := held[K, V](el)
		c.bytes += bytes - e.bytes
		e.value, e.bytes = v, bytes
		c.use(el)
	} else {
		if c.entries == nil {
			c.entries = map[K]*list.Element{}
		}
		c.entries[k] = c.order.PushFront(&entry[K, V]{k, v, bytes, true})
		c.bytes += bytes
	}
	for c.over() {
		e := c.drop(c.order.Back())
		if c.Evicted != nil {
			c.Evicted(e.key, e.value)
		}
	}
}

// over reports whether an entry must leave. The one that was set last never does.
func (c *Cache[K, V]) over() bool {
	n := len(c.entries)
	return n > 1 && (c.MaxEntries > 0 && n > c.MaxEntries || c.MaxBytes > 0 && c.bytes > c.MaxBytes)
}

func (c *Cache[K, V]) drop(el *list.Element) *entry[K, V] {
	e := held[K, V](el)
	c.order.Remove(el)
	delete(c.entries, e.key)
	c.bytes -= e.bytes
	return e
}
