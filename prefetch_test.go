package precis_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/token"
	"go.uber.org/goleak"
)

// A compaction is prepared before it is due and applied when it is: the request
// that needs it does not wait for the model.
//
// SPEC: B11
func TestPreparedAhead(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	var bus event.Bus
	told := record(t, &bus)
	ready := make(chan struct{})
	bus.Subscribe(func(v event.Event) {
		if v.Kind == event.ProposalReady {
			close(ready)
		}
	}, event.Options{})
	s := &scribe{asked: make(chan summary.Input, 10)}
	e, err := precis.New(precis.Options{Store: memory.New(), Policy: policyOf(t, "session"), Summarizer: s, Background: true, Events: &bus})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ms := work(60, 10)
	near := 0
	for n := 21; n < len(ms); n += 2 { // until one comes near the trigger
		turn, err := e.Prepare(t.Context(), request("t", ms[:n], 4_000))
		if err != nil {
			t.Fatal(err)
		}
		if turn.Outcome != precis.WithinBudget {
			t.Fatalf("%d messages: %s before anything was prepared", n, turn.Outcome)
		}
		if turn.Compacted > 1_800 {
			near = n
			break
		}
	}
	<-ready
	s.wait = make(chan struct{}) // from now on the model answers nobody
	turn, err := e.Prepare(t.Context(), request("t", ms[:near+16], 4_000))
	if err != nil {
		t.Fatal(err)
	}
	if turn.Outcome != precis.Compacted || len(turn.Plan.Records) != 1 {
		t.Fatalf("%s, %+v", turn.Outcome, turn.Plan)
	}
	if in := <-s.asked; turn.Plan.Records[0].Span.Count() != in.Span.Count() {
		t.Errorf("the plan covers %d messages, the proposal %d", turn.Plan.Records[0].Span.Count(), in.Span.Count())
	}
	_ = told()
}

// A proposal whose plan was undone meanwhile is not applied.
//
// SPEC: B11, V8
func TestProposalFallsWithItsPlan(t *testing.T) {
	ready := make(chan struct{}, 10)
	var bus event.Bus
	bus.Subscribe(func(v event.Event) {
		if v.Kind == event.ProposalReady {
			ready <- struct{}{}
		}
	}, event.Options{})
	s := &scribe{}
	e := newWith(t, precis.Options{Store: memory.New(), Summarizer: s, Background: true, Events: &bus})
	ms := work(60, 10)
	if _, err := e.Prepare(t.Context(), request("t", ms[:71], 4_000)); err != nil {
		t.Fatal(err)
	}
	<-ready
	before := s.calls.Load()
	if _, err := e.Pin(t.Context(), "t", plan.Ref{ID: idOf(ms[:71], 3)}); err != nil {
		t.Fatal(err)
	}
	turn, err := e.Prepare(t.Context(), request("t", ms[:85], 4_000))
	if err != nil {
		t.Fatal(err)
	}
	if s.calls.Load() != before {
		t.Error("the request waited for the model")
	}
	pinned := false
	for _, m := range turn.Messages {
		pinned = pinned || len(m.Parts) > 0 && m.Parts[0].Text == "step 1"
	}
	if !pinned {
		t.Errorf("the proposal covered what was pinned after it was made:\n%s", show(turn))
	}
}

// A proposal prepared ahead is dropped when the history it consumed was edited: the
// branch the client came back with is planned on its own.
//
// SPEC: B11, V2, V10
func TestProposalFallsWithItsHistory(t *testing.T) {
	ready := make(chan struct{}, 10)
	var bus event.Bus
	bus.Subscribe(func(v event.Event) {
		if v.Kind == event.ProposalReady {
			ready <- struct{}{}
		}
	}, event.Options{})
	e := newWith(t, precis.Options{Store: memory.New(), Summarizer: &scribe{}, Background: true, Events: &bus})
	ms := work(60, 10)
	prepared(t, e, request("t", ms[:71], 4_000))
	<-ready
	edited := append([]message.Message{message.TextOf(message.User, "another task")}, ms[1:91]...)
	turn := prepared(t, e, request("t", edited, 4_000))
	if turn.Key.Thread == "t" || turn.Outcome != precis.Compacted {
		t.Fatalf("%s of %s", turn.Outcome, turn.Key.Thread)
	}
	if text := said(turn); strings.Contains(text, "the task\n") || !strings.Contains(text, "another task") {
		t.Errorf("the proposal of the other branch was applied:\n%s", text)
	}
	for _, r := range turn.Plan.Records {
		for _, id := range r.Span.IDs {
			if _, ok := turn.Thread.Find(id); !ok {
				t.Errorf("%s is no message of this branch", id)
			}
		}
	}
}

// A turn that brings content back applies no proposal that moves more out.
//
// SPEC: L14, B11
func TestProposalWaitsForAQuietTurn(t *testing.T) {
	for _, ahead := range []bool{false, true} {
		bus, ready := waiter()
		e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "ladder"), Summarizer: &scribe{}, Background: ahead, Events: bus})
		history := []message.Message{message.TextOf(message.User, "Watch the hosts and report.")}
		name, had, bad := "", 0, 0
		for turn := range 300 {
			said, size := "looking on", 6
			if name != "" {
				said = "I need " + name + " again"
			}
			if turn%4 == 0 {
				size = 90
			}
			history = append(history, round(turn, "fetch_report", fmt.Sprintf(`{"n":%d}`, turn), said, lines(turn, size))...)
			got, err := e.Prepare(t.Context(), precis.Input{Thread: "t", Messages: history, Meter: token.Truncate(), Budget: 32_000})
			if err != nil {
				t.Fatal(err)
			}
			ids := pointers(got.Plan)
			if len(got.Rehydrated) > 0 && len(ids) > had {
				bad++
			}
			had = len(ids)
			if len(ids) > 0 {
				name = ids[turn%len(ids)]
			}
			if ahead && float64(got.Compacted) > .8*24_000 {
				select {
				case <-ready:
				case <-time.After(50 * time.Millisecond):
				}
			}
		}
		t.Logf("ahead %v: %d turns externalize while content comes back", ahead, bad)
		if bad > 0 {
			t.Errorf("ahead %v: %d", ahead, bad)
		}
	}
}

// Proposals nobody takes do not pile up.
//
// SPEC: B11
func TestProposalsAreBounded(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc / 1024
	}
	for _, ahead := range []bool{false, true} {
		bus, ready := waiter()
		st := memory.New()
		e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "session"), Summarizer: &scribe{}, NoCache: true, Background: ahead, Events: bus})
		for k := range 400 {
			ms := work(36, 10)
			in := request(fmt.Sprint("t", k), ms, 4_000)
			turn := prepared(t, e, in)
			if k == 0 {
				t.Logf("%s %d tokens", turn.Outcome, turn.Compacted)
			}
			if ahead {
				<-ready
			}
			if k == 99 {
				_ = st.Close() // the store's own copies out of the picture
				t.Logf("ahead %v: 100 threads %d KB", ahead, heap())
			}
			if k == 399 {
				_ = st.Close()
				t.Logf("ahead %v: 400 threads %d KB", ahead, heap())
			}
		}
		runtime.KeepAlive(e)
	}
}
