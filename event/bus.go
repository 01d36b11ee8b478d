package event

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-3db51b0e/precis/internal/guard"
)

// defaultBuffer is the length of a subscriber's queue, in events, if Options
// give none.
const defaultBuffer = 1024

// maxPanics states how often in a row a subscriber may panic before its
// subscription is cancelled.
const maxPanics = 3

// Bus carries events to subscribers. The zero value is ready, and a nil Bus
// takes events and does nothing. Safe for concurrent use, also from within a
// subscriber.
//
// Emit waits for nobody: each subscriber has a goroutine and a bounded queue of
// its own. All see events in the same order. When a queue is full its oldest
// event is dropped, so that a slow subscriber has the latest news, and the next
// event it gets says in Dropped how many are missing right before it.
//
// A panic in a subscriber is caught and counted. The first one of each
// subscriber is told to the others as SubscriberPanicked; the third in a row
// cancels the subscription.
type Bus struct {
	active atomic.Int32 // len(subs), to be read without the lock

	mu     sync.Mutex
	subs   []*subscriber
	named  int // subscriptions so far
	closed bool
	stats  Stats
}

// Stats are counts since the bus began.
type Stats struct {
	Subscribers int // now
	Dropped     int // events that queues had no room for, of all subscribers
	Panics      int
	Cancelled   int // subscriptions ended by panics
}

// Options configure a subscription. The zero value will do.
type Options struct {
	Name   string // for reports; "": "subscriber N"
	Buffer int    // length of the queue in events; below 1: 1024
}

type subscriber struct {
	name  string
	f     func(Event)
	queue chan queued   // closed when nothing more comes
	done  chan struct{} // closed when its goroutine has ended
	quit  atomic.Bool   // what is queued is not delivered any more
	sent  int           // events meant for it; guarded by Bus.mu

	panics   int // in a row; only its goroutine
	reported bool
}

// queued is an event and its number among those meant for the subscriber.
type queued struct {
	n int
	e *Event
}

// Subscribe calls f with every event from now on, one at a time. Cancel ends
// that: it waits for nothing, what is queued is not delivered, and a call
// already begun may still run. On a nil or closed Bus it does nothing.
func (b *Bus) Subscribe(f func(Event), o Options) (cancel func()) {
	if b == nil || f == nil {
		return func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return func() {}
	}
	if o.Buffer < 1 {
		o.Buffer = defaultBuffer
	}
	if b.named++; o.Name == "" {
		o.Name = fmt.Sprintf("subscriber %d", b.named)
	}
	s := &subscriber{name: o.Name, f: f, queue: make(chan queued, o.Buffer), done: make(chan struct{})}
	b.setLocked(append(b.subs, s))
	go b.serve(s)
	return func() {
		s.quit.Store(true)
		b.remove(s)
	}
}

// Active reports whether anybody listens: if not, an event need not be made.
func (b *Bus) Active() bool { return b != nil && b.active.Load() > 0 }

// Emit hands e to every subscriber and returns. It never waits for one.
func (b *Bus) Emit(e Event) {
	if !b.Active() {
		return
	}
	c := e // what escapes is the copy, so that nobody listening costs nothing
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fanLocked(&c, nil)
}

// Stats are the counts so far; zero on a nil Bus.
func (b *Bus) Stats() Stats {
	if b == nil {
		return Stats{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.stats
	s.Subscribers = len(b.subs)
	return s
}

// Close takes no more events and waits until what is queued is delivered or ctx
// is done. The error says how many subscribers were still busy then; they get
// nothing more. A subscriber that calls Close waits for itself.
func (b *Bus) Close(ctx context.Context) error {
	if b == nil {
		return nil
	}
	subs := b.shut()
	for _, s := range subs {
		select {
		case <-s.done:
		case <-ctx.Done():
			s.quit.Store(true)
		}
	}
	busy, left := 0, 0
	for _, s := range subs {
		select {
		case <-s.done:
		default:
			busy, left = busy+1, left+len(s.queue)
		}
	}
	if busy > 0 {
		return fmt.Errorf("close event bus: busy subscribers: %d, undelivered events: %d: %w", busy, left, ctx.Err())
	}
	return nil
}

// shut ends all subscriptions; each still gets what is in its queue.
func (b *Bus) shut() []*subscriber {
	b.mu.Lock()
	defer b.mu.Unlock()
	subs := b.subs
	b.closed = true
	b.setLocked(nil)
	for _, s := range subs {
		close(s.queue)
	}
	return subs
}

func (b *Bus) setLocked(subs []*subscriber) {
	b.subs = subs
	b.active.Store(int32(len(subs)))
}

// remove ends a subscription; again, or after Close, it does nothing.
func (b *Bus) remove(s *subscriber) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.removeLocked(s)
}

func (b *Bus) removeLocked(s *subscriber) {
	if i := slices.Index(b.subs, s); i >= 0 {
		b.setLocked(slices.Delete(b.subs, i, i+1))
		close(s.queue)
	}
}

// fanLocked queues e for all subscribers but one.
func (b *Bus) fanLocked(e *Event, but *subscriber) {
	for _, s := range b.subs {
		if s != but {
			b.stats.Dropped += s.pushLocked(e)
		}
	}
}

// pushLocked queues e and returns how many events had to go for it. Nobody else
// sends meanwhile, so room once made stays.
func (s *subscriber) pushLocked(e *Event) (dropped int) {
	s.sent++
	for {
		select {
		case s.queue <- queued{s.sent, e}:
			return dropped
		default:
		}
		select {
		case <-s.queue:
			dropped++
		default: // taken by its goroutine just now
		}
	}
}

// serve delivers until the queue is closed and empty. A subscriber that ends
// its goroutine (runtime.Goexit) ends its subscription.
func (b *Bus) serve(s *subscriber) {
	defer close(s.done)
	defer b.remove(s)
	last := 0
	for q := range s.queue {
		if s.quit.Load() {
			return
		}
		e := *q.e
		e.Dropped = q.n - last - 1
		last = q.n
		b.deliver(s, e)
	}
}

func (b *Bus) deliver(s *subscriber, e Event) {
	defer func() {
		if v := recover(); v != nil {
			b.panicked(s, v, e.Time)
		}
	}()
	s.f(e)
	s.panics = 0
}

// panicked counts a panic and tells the others of a subscriber's first. Being
// told once bounds what subscribers that panic at such reports can do.
func (b *Bus) panicked(s *subscriber, v any, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stats.Panics++
	if s.panics++; s.panics == maxPanics {
		b.stats.Cancelled++
		s.quit.Store(true)
		b.removeLocked(s)
	}
	if !s.reported {
		s.reported = true
		b.fanLocked(&Event{Kind: SubscriberPanicked, Time: at, Err: guard.Panicked(v).Error(), Details: Details{Subscriber: s.name}}, s)
	}
}
