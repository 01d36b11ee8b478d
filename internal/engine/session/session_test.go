package session

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/internal/testthread"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

var key = store.Key{Tenant: "a", Thread: "t"}

// talk is n messages of a user and the model in turn.
func talk(n int) (ms []message.Message) {
	for i := range n {
		role := message.User
		if i%2 == 1 {
			role = message.Assistant
		}
		ms = append(ms, message.TextOf(role, fmt.Sprint("message ", i)))
	}
	return ms
}

// keep remembers a thread as logging does.
func keep(c *Sessions, th *thread.Thread) Session {
	s := c.Peek(key)
	s.Thread = th
	c.Keep(s)
	return s
}

// out checks a session out and gives it back as edit leaves it.
func out(t *testing.T, c *Sessions, edit func(*Session)) Session {
	t.Helper()
	s, back, err := c.Checkout(t.Context(), c.Peek(key))
	if err != nil {
		t.Fatal(err)
	}
	edit(s)
	back()
	return *s
}

// A session counts only while the thread ends as it is remembered, and only who has it
// checked out gets its prompt.
//
// SPEC: V5
func TestWhatIsRemembered(t *testing.T) {
	c, th := New(), testthread.Of(t, talk(4)...)
	if _, ok := c.At(key, th.Tip()); ok {
		t.Error("something is remembered of nothing")
	}
	keep(c, th)
	out(t, c, func(s *Session) { s.Plan, s.Prompt = &plan.Plan{Version: 3}, NewPrompt(Settled{Thread: th}) })
	if s, ok := c.At(key, "another tip"); ok || s.Prompt != nil {
		t.Error("found under another tip")
	}
	s, ok := c.At(key, th.Tip())
	if !ok || s.Thread != th || s.Plan.Version != 3 || s.Prompt != nil || c.Peek(key).Prompt != nil {
		t.Errorf("remembered %v, %+v", ok, s)
	}
	if got := out(t, c, func(s *Session) { s.Plan = &plan.Plan{Version: 4} }); got.Prompt == nil {
		t.Error("the checkout has no prompt")
	}
	c.Keep(s) // logging, which began before, changes nothing of planning
	if got := c.Peek(key); got.Plan.Version != 4 || got.Thread != th {
		t.Errorf("plan %d", got.Plan.Version)
	}
	if n := c.Stats(); n.Hits != 1 || n.Misses != 2 {
		t.Errorf("hits and misses %+v", n)
	}
	c.Forget(key)
	if got := c.Peek(key); got.Thread != nil || got.Key != key {
		t.Errorf("not forgotten: %+v", got)
	}
}

// While a prompt is checked out nobody else gets it, and it is gone where it was not
// given back.
func TestPromptIsHandedOutOnce(t *testing.T) {
	c, th := New(), testthread.Of(t, talk(4)...)
	keep(c, th)
	out(t, c, func(s *Session) { s.Prompt = NewPrompt(Settled{Thread: th}) })
	if got := out(t, c, func(s *Session) { s.Prompt = nil }); got.Prompt != nil {
		t.Error("kept in spite of it")
	}
	if got := out(t, c, func(*Session) {}); got.Prompt != nil {
		t.Error("handed out twice")
	}
}

// What was erased is in no session that began before: neither logging nor planning puts
// it back.
//
// SPEC: V1
func TestErasedIsNotRemembered(t *testing.T) {
	c, th := New(), testthread.Of(t, talk(4)...)
	logging := keep(c, th)
	s, back, err := c.Checkout(t.Context(), logging)
	if err != nil {
		t.Fatal(err)
	}
	c.Erased()
	s.Plan = &plan.Plan{Version: 3}
	back()
	c.Keep(logging)
	if got := c.Peek(key); got.Thread != nil || got.Plan != nil {
		t.Errorf("remembered %+v", got)
	}
	if _, ok := c.At(key, th.Tip()); ok {
		t.Error("found")
	}
	keep(c, th) // what begins after it is remembered
	if _, ok := c.At(key, th.Tip()); !ok {
		t.Error("not found")
	}
}

// One caller at a time plans on a thread, each finds what the one before left, and who
// waits gives up with its context; other threads wait for nobody.
//
// SPEC: L17
func TestCheckoutIsExclusive(t *testing.T) {
	c, th := New(), testthread.Of(t, talk(4)...)
	keep(c, th)
	var all sync.WaitGroup
	var inside atomic.Int32
	for range 20 {
		all.Go(func() {
			s, back, err := c.Checkout(t.Context(), c.Peek(key))
			if err != nil {
				t.Error(err)
				return
			}
			if inside.Add(1) != 1 {
				t.Error("two at a time")
			}
			next := 1
			if s.Plan != nil {
				next = s.Plan.Version + 1
			}
			s.Plan = &plan.Plan{Version: next}
			inside.Add(-1)
			back()
		})
	}
	all.Wait()
	if n := c.Peek(key).Plan.Version; n != 20 {
		t.Errorf("%d of 20 plans followed each other", n)
	}
	_, back, err := c.Checkout(t.Context(), c.Peek(key))
	if err != nil {
		t.Fatal(err)
	}
	defer back()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, _, err := c.Checkout(ctx, c.Peek(key)); err == nil {
		t.Error("checked out twice")
	}
	other := store.Key{Tenant: "b", Thread: "t"}
	if _, back, err := c.Checkout(ctx, c.Peek(other)); err != nil {
		t.Error("another tenant's thread of that name waited")
	} else {
		back()
	}
}

// The weight of a thread that grew is that of all of it, and one that departs from what
// is remembered is weighed anew.
func TestWeight(t *testing.T) {
	c, all := New(), talk(40)
	for _, n := range []int{3, 4, 17, 40, 40, 9} {
		th := testthread.Of(t, all[:n]...)
		keep(c, th)
		if got, want := c.Stats().Bytes, weight(th, nil, 0); got != want {
			t.Errorf("%d messages: %d bytes, want %d", n, got, want)
		}
	}
	all[2] = message.TextOf(message.User, "other words, which are more than those before")
	th := testthread.Of(t, all...)
	keep(c, th)
	if got, want := c.Stats().Bytes, weight(th, nil, 0); got != want {
		t.Errorf("departed: %d bytes, want %d", got, want)
	}
}

// What is remembered is bounded.
func TestSessionsAreBounded(t *testing.T) {
	c, th := New(), testthread.Of(t, talk(2)...)
	for n := range MaxSessions + 10 {
		s := c.Peek(store.Key{Thread: fmt.Sprint(n)})
		s.Thread = th
		c.Keep(s)
	}
	if n := c.Stats().Entries; n != MaxSessions {
		t.Errorf("%d sessions", n)
	}
	if c.Age(); c.Age() != 0 {
		t.Error("what was not used between two calls is still there")
	}
}
