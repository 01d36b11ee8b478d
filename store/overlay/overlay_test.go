package overlay_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/overlay"
	"github.com/seed-3db51b0e/precis/thread"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// begin logs a thread of one message, and returns a plan of it.
func begin(t *testing.T, s store.Store, name string) *plan.Plan {
	t.Helper()
	es := thread.Extend("", []message.Message{message.TextOf(message.User, "the task")})
	if _, err := s.Append(t.Context(), store.Key{Thread: name}, store.Batch{Entries: es, Now: now}); err != nil {
		t.Fatal(err)
	}
	th, err := thread.New(es)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(plan.Plan{Thread: name, Base: th.Tip(), Version: 1, ThreadVersion: 1, CreatedAt: now, Policy: name}, th)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// No plan of the store below is seen, by whatever call, and none reaches it.
//
// SPEC: B15
func TestPlansAreApart(t *testing.T) {
	below, k := memory.New(), store.Key{Thread: "t"}
	real := begin(t, below, "t")
	if err := below.Commit(t.Context(), k, real, nil); err != nil {
		t.Fatal(err)
	}
	s := overlay.New(below)
	seen := func(want *plan.Plan) {
		t.Helper()
		h, err := s.Head(t.Context(), k)
		all, err2 := s.PlanVersions(t.Context(), k)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		p, err := s.Plan(t.Context(), k)
		at, err2 := s.PlanAt(t.Context(), k, 1)
		if want == nil {
			if h.PlanVersion != 0 || len(all) != 0 || !errors.Is(err, store.ErrNotFound) || !errors.Is(err2, store.ErrNotFound) {
				t.Fatalf("version %d, plans %v, %v, %v", h.PlanVersion, all, err, err2)
			}
			return
		}
		if h.PlanVersion != 1 || len(all) != 1 || all[0].Policy != want.Policy || all[0].Base != want.Base || p != want || at != want {
			t.Fatalf("version %d, plans %+v, %v, %v", h.PlanVersion, all, err, err2)
		}
	}
	seen(nil)
	own := *real
	own.Policy = "shadow"
	if err := s.Commit(t.Context(), k, &own, nil); err != nil {
		t.Fatal(err)
	}
	seen(&own)
	if p, err := below.Plan(t.Context(), k); err != nil || p.Policy != "t" {
		t.Errorf("the store below has %+v, %v", p, err)
	}
}

// What is kept in memory is bounded: of threads that were not used for long, plans and
// artifacts are forgotten, and planning begins anew.
//
// SPEC: B15
func TestPlansAreBounded(t *testing.T) {
	s, first := overlay.New(memory.New()), store.Key{Thread: "0"}
	for n := range overlay.MaxThreads + 1 {
		name := fmt.Sprint(n)
		p := begin(t, s, name)
		a := artifact.Of(p.Base, 1, []byte("content"))
		if err := s.Commit(t.Context(), store.Key{Thread: name}, p, []artifact.Artifact{a}); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Artifact(t.Context(), store.Key{Thread: name}, a.ID); err != nil || string(got.Content) != "content" {
			t.Fatalf("artifact %q, %v", got.Content, err)
		}
	}
	if _, err := s.Plan(t.Context(), first); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the plan of the first of %d threads: %v", overlay.MaxThreads+1, err)
	}
	if err := s.Commit(t.Context(), first, begin(t, memory.New(), "0"), nil); err != nil {
		t.Errorf("planning does not begin anew: %v", err)
	}
}
