package memory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// Reading one artifact takes as much of a thread that has many as of one that has few.
//
// SPEC: L16
func TestArtifactIsReadAlone(t *testing.T) {
	allocations := func(n int) float64 {
		s, k, now := memory.New(), store.Key{Thread: "t"}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		ms := make([]message.Message, n)
		for i := range ms {
			ms[i] = message.TextOf(message.User, fmt.Sprintf("output %d", i))
		}
		es := thread.Extend("", ms)
		th, err := thread.New(es)
		if err != nil {
			t.Fatal(err)
		}
		arts := make([]artifact.Artifact, n)
		for i := range arts {
			arts[i] = artifact.Of(es[i].ID, 1, []byte(ms[i].Parts[0].Text))
		}
		if _, err := s.Append(t.Context(), k, store.Batch{Entries: es, Now: now}); err != nil {
			t.Fatal(err)
		}
		p, err := plan.Build(plan.Plan{Thread: k.Thread, Base: th.Tip(), Version: 1, ThreadVersion: n}, th)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(t.Context(), k, p, arts); err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(20, func() {
			a, err := s.Artifact(t.Context(), k, arts[n/2].ID)
			if want := fmt.Sprintf("output %d", n/2); err != nil || string(a.Content) != want {
				t.Errorf("read %q, %v, want %q", a.Content, err, want)
			}
		})
	}
	if few, many := allocations(4), allocations(2_000); many > few+1 {
		t.Errorf("%v allocations with 4 artifacts, %v with 2,000", few, many)
	}
}
