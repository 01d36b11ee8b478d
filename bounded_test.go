package precis_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
)

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

// Thinking that is left out does not count against the budget, on an engine that starts anew either.
//
// SPEC: V4, V5, B9
func TestStrippedThinkingIsNotCounted(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline")})
	m := model.Unknown
	m.Thinking = model.Bound
	ms := thinkingWork(120)
	for n := 3; n <= len(ms); n += 2 {
		in := precis.Input{Thread: "t", Messages: ms[:n], Model: m, Meter: token.Truncate(), Budget: 12_000}
		turn, err := e.Prepare(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if turn.Outcome == precis.Compacted {
			in.Budget = 7_000
			again, err := e.Prepare(t.Context(), in)
			t.Logf("at %d: %d tokens are sent; Before of the next is %d", n, turn.Compacted, again.Before)
			if err != nil || again.Before != turn.Compacted {
				t.Errorf("%v", err)
			}
			return
		}
	}
}
