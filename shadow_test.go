package precis_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// Shadow mode says what would have happened and changes nothing: the prompt is
// the history, no plan is committed.
//
// SPEC: B15
func TestShadow(t *testing.T) {
	st := memory.New()
	e := newWith(t, precis.Options{Store: st, Shadow: true})
	real := newWith(t, precis.Options{Store: memory.New()})
	ms := work(60, 10)
	for n := 1; n <= len(ms); n += 2 {
		turn, err := e.Prepare(t.Context(), request("t", ms[:n], 4_000))
		if err != nil {
			t.Fatal(err)
		}
		want, err := real.Prepare(t.Context(), request("t", ms[:n], 4_000))
		if err != nil {
			t.Fatal(err)
		}
		if turn.Outcome != precis.Shadowed || turn.Plan != nil || !reflect.DeepEqual(turn.Messages, ms[:n]) {
			t.Fatalf("shadow mode changed the prompt: %s", turn.Outcome)
		}
		if turn.Shadow.Outcome != want.Outcome || turn.Shadow.Compacted != want.Compacted || !reflect.DeepEqual(turn.Shadow.Messages, want.Messages) {
			t.Fatalf("%d messages: shadow %s %d, real %s %d", n, turn.Shadow.Outcome, turn.Shadow.Compacted, want.Outcome, want.Compacted)
		}
	}
	if _, err := st.Plan(t.Context(), store.Key{Thread: "t"}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a plan was committed: %v", err)
	}
}

// Shadow mode under every preset: what goes out is what came in, nothing is
// committed, and what would have happened is told.
//
// SPEC: B15, V11
func TestShadowOfEveryPreset(t *testing.T) {
	for _, name := range policy.Names() {
		var bus event.Bus
		told := record(t, &bus)
		st := memory.New()
		e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, name), Shadow: true, Events: &bus})
		ms := hosts(60)
		turn := prepared(t, e, request("t", ms, 4_000))
		if !reflect.DeepEqual(turn.Messages, ms) || turn.Outcome != precis.Shadowed || turn.Shadow == nil || turn.Shadow.Outcome != precis.Compacted || turn.Shadow.Compacted > 4_000 {
			t.Errorf("%s: %s, %+v", name, turn.Outcome, turn.Shadow)
		}
		k := store.Key{Thread: "t"}
		if infos, err := st.PlanVersions(t.Context(), k); err != nil || len(infos) > 0 {
			t.Errorf("%s: %d plans, %v", name, len(infos), err)
		}
		if as, err := st.ArtifactList(t.Context(), k); err != nil || len(as) > 0 {
			t.Errorf("%s: %d artifacts, %v", name, len(as), err)
		}
		if n := count(told(), event.ShadowResult); n != 1 {
			t.Errorf("%s: told %d times", name, n)
		}
	}
}
