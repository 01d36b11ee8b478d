// Package session keeps what an engine remembers of its threads, so that a
// conversation that goes on is not read from the store for each request.
//
// Use: At and Keep while a request is logged, then Checkout for its planning.
// Law: it is a cache: what it holds counts only while the store's tip and plan
// version still agree. Promise: it is bounded, and safe for concurrent use; one
// caller at a time has a thread's session checked out.
package session

import (
	"context"
	"crypto/sha256"
	"sync/atomic"
	"time"

	"github.com/seed-3db51b0e/precis/internal/engine/variant"
	"github.com/seed-3db51b0e/precis/internal/keylock"
	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/rehydrate"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Session holds what is remembered of one thread between two requests. It is a
// value: Keep and the end of a checkout put it back.
type Session struct {
	Key store.Key

	// What logging changes.

	Thread   *thread.Thread    // as the log had it last; nil: not known
	Envelope [sha256.Size]byte // digest of the envelope that was logged last, zero: not known
	Variants *variant.Known    // beside the ones first logged; nil: not known
	LastUsed time.Time         // by anyone, as far as is known; zero: not known
	Earlier  []store.Origin    // threads that this one goes on from, the nearest first
	Traced   bool              // Earlier is known

	// What planning changes.

	Plan        *plan.Plan      // that was read or committed last; nil: none, or not known
	Prompt      *Prompt         // of the last request, while it can be continued; nil: it cannot
	Rehydration rehydrate.State // what came back when

	// PlanVersion is the store's when the session was loaded; 0: it had no plan.
	PlanVersion int

	erasures int64 // how many this engine had seen when the session began
}

// The bounds of what is remembered. The session that was used last is kept
// whatever it weighs.
const (
	MaxSessions = 1024
	MaxBytes    = 256 << 20 // of their messages, about
)

// Sessions remembers the threads that were used last. Make one with New.
type Sessions struct {
	kept     lru.Cache[store.Key, Session]
	busy     keylock.Locks[store.Key]
	erasures atomic.Int64
}

// New returns Sessions that hold nothing.
func New() *Sessions {
	s := new(Sessions)
	s.kept.MaxEntries, s.kept.MaxBytes = MaxSessions, MaxBytes
	return s
}

// Peek returns what is remembered of a thread but for its Prompt, which only a
// checkout hands out; a Session with no more than its Key if that is nothing.
func (c *Sessions) Peek(k store.Key) Session {
	erasures := c.erasures.Load()
	s, _ := c.kept.Peek(k)
	s.Key, s.Prompt, s.erasures = k, nil, erasures
	return s
}

// At is Peek of a thread that is remembered as it ends in tip, else false. It
// counts as a use.
func (c *Sessions) At(k store.Key, tip thread.ID) (Session, bool) {
	erasures := c.erasures.Load()
	s, ok := c.kept.GetIf(k, func(s Session) bool { return s.Thread != nil && s.Thread.Tip() == tip })
	s.Key, s.Prompt, s.erasures = k, nil, erasures
	return s, ok
}

// Keep remembers what logging changed, unless something was erased since the
// session began.
func (c *Sessions) Keep(s Session) {
	c.kept.Update(s.Key, func(kept Session, bytes int) (Session, int) {
		if c.erasures.Load() != s.erasures {
			return kept, bytes
		}
		bytes = weight(s.Thread, kept.Thread, bytes)
		kept.Key, kept.Thread, kept.Envelope, kept.Variants, kept.LastUsed = s.Key, s.Thread, s.Envelope, s.Variants, s.LastUsed
		kept.Earlier, kept.Traced = s.Earlier, s.Traced
		return kept, bytes
	})
	if c.erasures.Load() != s.erasures {
		c.kept.Remove(s.Key)
	}
}

// Checkout waits until nobody else plans on the thread of s and returns its
// session as it is now: requests that come together do not plan, or pay a model,
// for the same thing, and who waited finds the winner's plan. back gives it back
// with what planning changed. The error is the context's.
func (c *Sessions) Checkout(ctx context.Context, s Session) (out *Session, back func(), err error) {
	unlock, err := c.busy.Lock(ctx, s.Key)
	if err != nil {
		return nil, nil, err
	}
	out = &Session{Key: s.Key}
	c.kept.Edit(s.Key, func(kept *Session) {
		*out = *kept
		kept.Prompt = nil
	})
	out.erasures = s.erasures
	return out, func() {
		c.planned(*out)
		unlock()
	}, nil
}

// planned remembers what planning changed of a thread that is still remembered.
func (c *Sessions) planned(s Session) {
	c.kept.Edit(s.Key, func(kept *Session) {
		if c.erasures.Load() == s.erasures {
			kept.Plan, kept.Prompt, kept.Rehydration = s.Plan, s.Prompt, s.Rehydration
		}
	})
}

// Forget forgets one thread.
func (c *Sessions) Forget(k store.Key) { c.kept.Remove(k) }

// Age forgets the threads that were not used since the call before, and returns how
// many are left.
func (c *Sessions) Age() (left int) { return c.kept.Age() }

// Erased forgets everything: what sessions hold, those that are checked out
// too, may have been erased.
func (c *Sessions) Erased() {
	c.erasures.Add(1)
	c.kept.Clear()
}

// Stats counts the threads that are remembered, the bytes of their messages, and
// the calls of At that found one and that did not.
func (c *Sessions) Stats() lru.Stats { return c.kept.Stats() }

// entryBytes is about what an entry takes beside what it says, and what is kept of
// it to render it again.
const entryBytes = 1024

// weight is about how many bytes a thread takes in memory. Where it goes on from
// before, whose weight is known, only what is new is looked at.
func weight(t, before *thread.Thread, known int) (size int) {
	from := 0
	if before != nil && before.Len() > 0 && before.Len() <= t.Len() && t.At(before.Len()-1).ID == before.Tip() {
		from, size = before.Len(), known
	}
	for i := from; i < t.Len(); i++ {
		size += entryBytes + t.At(i).Message.Weight()
	}
	return size
}
