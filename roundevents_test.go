package precis_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
)

// Each round is one event with what the design logs: its number, the sizes, and how many
// messages are summarized now.
//
// SPEC: S6, L19
func TestSessionRoundIsAnEvent(t *testing.T) {
	var bus event.Bus
	var rounds []event.Event
	bus.Subscribe(func(v event.Event) {
		if v.Kind == event.Completed {
			rounds = append(rounds, v)
		}
	}, event.Options{})
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "session"), Events: &bus})
	ms := flashcards()
	var turns []*precis.Turn
	for n := range 2 {
		if n > 0 {
			ms = grownBy(ms, 9, "Add an export to CSV")
		}
		turn, err := e.Prepare(t.Context(), precis.Input{Thread: "t", Messages: ms, Meter: token.Session(), Budget: 128_000, Mode: precis.Mode{Force: true}})
		if err != nil {
			t.Fatal(err)
		}
		turns = append(turns, turn)
	}
	if err := bus.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(rounds) != 2 {
		t.Fatalf("%d events", len(rounds))
	}
	for n, messages := range []int{39, 20} {
		v, turn := rounds[n], turns[n]
		if v.Details.Round != n+1 || v.Details.Summarized != messages || v.TokensBefore != turn.Before || v.TokensAfter != turn.Compacted {
			t.Errorf("round %d: %+v", n+1, v)
		}
	}
}
