package precis_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
)

// waiter returns a bus and a func that waits for a proposal.
func waiter() (*event.Bus, chan struct{}) {
	bus, ready := &event.Bus{}, make(chan struct{}, 100)
	bus.Subscribe(func(v event.Event) {
		if v.Kind == event.ProposalReady {
			ready <- struct{}{}
		}
	}, event.Options{})
	return bus, ready
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

// A compaction prepared before an erasure is not applied after it.
//
// SPEC: V1, V10, B11
func TestErasedTextDoesNotComeBack(t *testing.T) {
	for _, ahead := range []bool{false, true} {
		bus, ready := waiter()
		st := memory.New()
		e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "session"), Summarizer: &scribe{}, Background: ahead, Events: bus})
		ms := work(60, 10)
		ms[2].Parts = ms[2].Parts[:len(ms[2].Parts):len(ms[2].Parts)]
		ms = append([]message.Message{ms[0], message.TextOf(message.Assistant, "Yes?"), message.TextOf(message.User, "Never use the token hunter2-4711 in tests/auth.go.")}, ms[1:]...)
		in := precis.Input{Thread: "t", Continue: true, Meter: token.Truncate(), Budget: 4_000}
		in.Messages = ms[:21]
		var turn *precis.Turn
		erased := false
		for n := 21; n < len(ms); n += 2 {
			var err error
			turn, err = e.Prepare(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if turn.Outcome == precis.Compacted {
				break
			}
			if !erased && turn.Compacted > 2_000 {
				if ahead {
					<-ready
				}
				if err := e.Erase(t.Context(), "t", idOf(ms, 2), artifact.Tombstone{At: time.Now(), Reason: "asked"}); err != nil {
					t.Fatal(err)
				}
				erased = true
			}
			in.Messages = ms[n : n+2]
		}
		if !erased || turn.Outcome != precis.Compacted {
			t.Fatal(erased, turn.Outcome)
		}
		for _, m := range turn.Messages {
			for _, p := range m.Parts {
				if strings.Contains(p.Body(), "hunter2") {
					t.Errorf("ahead %v: a plan made after the erasure shows it:\n%s", ahead, p.Body())
				}
			}
		}
	}
	_ = store.Key{}
	_ = plan.Ref{}
}
