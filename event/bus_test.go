package event_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/event"
)

func turn(n int) event.Event { return event.Event{Kind: event.Completed, Time: noon, Turn: n} }

// collect gathers what a subscriber gets. Read it once the bus is closed.
func collect(to *[]event.Event) func(event.Event) {
	return func(e event.Event) { *to = append(*to, e) }
}

func shut(t testing.TB, b *event.Bus) {
	t.Helper()
	if err := b.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestNobodyListens: a nil bus, a new one and a closed one take events and
// do nothing. SPEC: L19
func TestNobodyListens(t *testing.T) {
	var none *event.Bus
	none.Emit(turn(1))
	none.Subscribe(func(event.Event) { t.Error("called") }, event.Options{})()
	if none.Active() || none.Stats() != (event.Stats{}) || none.Close(context.Background()) != nil {
		t.Error("a nil bus is not empty")
	}
	b := &event.Bus{}
	b.Emit(turn(1))
	b.Subscribe(nil, event.Options{})()
	if b.Active() {
		t.Error("active without a subscriber")
	}
	shut(t, b)
	b.Subscribe(func(event.Event) { t.Error("called") }, event.Options{})
	b.Emit(turn(2))
	if b.Active() {
		t.Error("active after Close")
	}
	shut(t, b)
}

// TestOrder: every subscriber gets every event, in the same order, and each
// emitter's events in its own.
func TestOrder(t *testing.T) {
	const emitters, each = 8, 200
	b := &event.Bus{}
	got := make([][]event.Event, 3)
	for i := range got {
		b.Subscribe(collect(&got[i]), event.Options{Buffer: emitters * each})
	}
	var all sync.WaitGroup
	for i := range emitters {
		all.Go(func() {
			for n := range each {
				b.Emit(event.Event{Kind: event.Completed, Version: i, Turn: n})
			}
		})
	}
	all.Wait()
	shut(t, b)
	for i := range got {
		if len(got[i]) != emitters*each || !slices.Equal(got[i], got[0]) {
			t.Errorf("subscriber %d got %d events, or in another order", i, len(got[i]))
		}
	}
	next := make([]int, emitters)
	for _, e := range got[0] {
		if e.Turn != next[e.Version] || e.Dropped != 0 {
			t.Fatalf("emitter %d: event %d, want %d", e.Version, e.Turn, next[e.Version])
		}
		next[e.Version]++
	}
}

// TestFullQueue: the oldest go, and the next event says how many, exactly where
// they are missing. SPEC: L19
func TestFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &event.Bus{}
		gate := make(chan struct{})
		var slow, quick []event.Event
		b.Subscribe(func(e event.Event) { <-gate; slow = append(slow, e) }, event.Options{Buffer: 3})
		b.Subscribe(collect(&quick), event.Options{Buffer: 20})
		b.Emit(turn(1))
		synctest.Wait() // 1 is with the slow one
		for n := 2; n <= 10; n++ {
			b.Emit(turn(n))
		}
		if s := b.Stats(); s.Dropped != 6 || s.Subscribers != 2 {
			t.Errorf("stats %+v, want 6 dropped", s)
		}
		close(gate)
		shut(t, b)
		want := [][2]int{{1, 0}, {8, 6}, {9, 0}, {10, 0}}
		var have [][2]int
		for _, e := range slow {
			have = append(have, [2]int{e.Turn, e.Dropped})
		}
		if !slices.Equal(have, want) {
			t.Errorf("turns and drops %v, want %v", have, want)
		}
		if len(quick) != 10 {
			t.Errorf("the quick one got %d of 10", len(quick))
		}
	})
}

// TestDropsAddUp: whatever the sizes, what was delivered and what is said to be
// missing make the whole, gap by gap.
func TestDropsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &event.Bus{}
		gate := make(chan struct{}, 1000)
		var got []event.Event
		b.Subscribe(func(e event.Event) { <-gate; got = append(got, e) }, event.Options{Buffer: rapid.IntRange(1, 5).Draw(t, "buffer")})
		n := rapid.IntRange(0, 40).Draw(t, "events")
		for i := range n {
			b.Emit(turn(i + 1))
			if rapid.Bool().Draw(t, "let one through") {
				gate <- struct{}{}
			}
		}
		close(gate)
		if err := b.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		at, lost := 0, 0
		for _, e := range got {
			if at += e.Dropped + 1; at != e.Turn {
				t.Fatalf("event %d says %d are missing, but %d is due", e.Turn, e.Dropped, at)
			}
			lost += e.Dropped
		}
		if at != n || lost != b.Stats().Dropped {
			t.Fatalf("%d of %d accounted for, %d lost, %d counted", at, n, lost, b.Stats().Dropped)
		}
	})
}

// TestBlockedSubscriber: one that never returns delays neither the emitter nor
// the others, and Close says so when its time is over. SPEC: L19, V9
func TestBlockedSubscriber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &event.Bus{}
		forever := make(chan struct{})
		calls := 0
		b.Subscribe(func(event.Event) { calls++; <-forever }, event.Options{Buffer: 2})
		var got []event.Event
		b.Subscribe(collect(&got), event.Options{Buffer: 200})
		b.Emit(turn(0))
		synctest.Wait() // the blocked one has it
		for n := range 99 {
			b.Emit(turn(n + 1))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := b.Close(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "busy subscribers: 1, undelivered events: 2") {
			t.Errorf("Close = %v, want one busy subscriber with 2 events", err)
		}
		if len(got) != 100 {
			t.Errorf("the other got %d of 100", len(got))
		}
		close(forever) // else the test would leak it
		synctest.Wait()
		if calls != 1 {
			t.Errorf("%d calls, want none after Close gave up", calls)
		}
	})
}

// TestPanics: a panic is caught, counted and told to the others once; the third
// in a row ends the subscription. SPEC: L19, V9
func TestPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &event.Bus{}
		var got, after []event.Event
		b.Subscribe(func(e event.Event) {
			if e.Turn != 3 {
				panic("text of a message")
			}
			after = append(after, e)
		}, event.Options{Name: "shaky"})
		b.Subscribe(collect(&got), event.Options{})
		for n := 1; n <= 8; n++ {
			b.Emit(turn(n))
			synctest.Wait()
		}
		if s := b.Stats(); s.Panics != 5 || s.Cancelled != 1 || s.Subscribers != 1 { // 1 2, 4 5 6
			t.Errorf("stats %+v, want 5 panics and 1 cancelled", s)
		}
		shut(t, b)
		if len(after) != 1 {
			t.Errorf("it got %d events it could take, want 1", len(after))
		}
		reports := slices.DeleteFunc(got, func(e event.Event) bool { return e.Kind == event.Completed })
		want := event.Event{Kind: event.SubscriberPanicked, Time: noon, Err: "panic: string", Details: event.Details{Subscriber: "shaky"}}
		if len(reports) != 1 || reports[0] != want {
			t.Errorf("reports %+v, want %+v", reports, want)
		}
	})
}

// TestPanicsAtPanics: subscribers that all panic, also at reports, end.
func TestPanicsAtPanics(t *testing.T) {
	b := &event.Bus{}
	var none []int
	for range 5 {
		b.Subscribe(func(e event.Event) { _ = none[e.Turn] }, event.Options{})
	}
	for n := range 20 {
		b.Emit(turn(n))
	}
	shut(t, b)
	if s := b.Stats(); s.Panics < 5 || s.Panics > 15 || s.Subscribers != 0 {
		t.Errorf("stats %+v, want at most 3 panics each", s)
	}
}

// TestGoexit: a subscriber that ends its goroutine ends its subscription.
func TestGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &event.Bus{}
		b.Subscribe(func(event.Event) { runtime.Goexit() }, event.Options{})
		b.Emit(turn(1))
		synctest.Wait()
		if b.Active() {
			t.Error("still subscribed")
		}
		shut(t, b)
	})
}

// TestCancel: from inside and outside, twice, after Close; what is queued is
// not delivered.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &event.Bus{}
		var cancel func()
		var inside, outside []event.Event
		cancel = b.Subscribe(func(e event.Event) { inside = append(inside, e); cancel(); cancel() }, event.Options{})
		gate := make(chan struct{})
		stop := b.Subscribe(func(e event.Event) { <-gate; outside = append(outside, e) }, event.Options{})
		for n := range 5 {
			b.Emit(turn(n))
		}
		synctest.Wait()
		stop()
		if b.Active() {
			t.Error("active after both have cancelled")
		}
		close(gate)
		shut(t, b)
		stop()
		synctest.Wait()
		if len(inside) != 1 || len(outside) != 1 {
			t.Errorf("got %d and %d events, want the one under way each", len(inside), len(outside))
		}
	})
}

// TestReentry: a subscriber may emit, subscribe and ask.
func TestReentry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &event.Bus{}
		var got []event.Event
		b.Subscribe(func(e event.Event) {
			got = append(got, e)
			if e.Turn < 3 {
				b.Emit(turn(e.Turn + 1))
				b.Subscribe(func(event.Event) {}, event.Options{})
				b.Stats()
			}
		}, event.Options{})
		b.Emit(turn(1))
		synctest.Wait()
		if s := b.Stats(); len(got) != 3 || s.Subscribers != 3 {
			t.Errorf("%d events, stats %+v", len(got), s)
		}
		shut(t, b)
	})
}

// TestCrowd: everything at once, for the race detector.
func TestCrowd(t *testing.T) {
	b := &event.Bus{}
	forever := make(chan struct{})
	b.Subscribe(func(event.Event) { <-forever }, event.Options{Buffer: 1})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 100 {
				var cancel func()
				ready := make(chan struct{})
				cancel = b.Subscribe(func(e event.Event) {
					<-ready
					switch e.Turn % 3 {
					case 0:
						panic(e.Turn)
					case 1:
						cancel()
					}
				}, event.Options{Name: fmt.Sprint(i, n), Buffer: 1 + n%4})
				close(ready)
				b.Emit(turn(n))
				if n%2 == 0 {
					cancel()
				}
				b.Stats()
			}
		})
	}
	all.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Close = %v, want it given up", err)
	}
	close(forever)
}

// TestEmitCostsNothing: nobody listens, nothing is allocated.
func TestEmitCostsNothing(t *testing.T) {
	var none *event.Bus
	for name, b := range map[string]*event.Bus{"nil": none, "empty": {}} {
		e := turn(1)
		if n := testing.AllocsPerRun(100, func() { b.Emit(e) }); n != 0 {
			t.Errorf("%s bus: %v allocations", name, n)
		}
	}
}

func BenchmarkEmit(b *testing.B) {
	for _, n := range []int{0, 1, 10} {
		b.Run(fmt.Sprintf("subscribers=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			bus := &event.Bus{}
			for range n {
				bus.Subscribe(func(event.Event) {}, event.Options{})
			}
			e := turn(1)
			for b.Loop() {
				bus.Emit(e)
			}
			shut(b, bus)
		})
	}
}
