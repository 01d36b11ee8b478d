package precis_test

import (
	"context"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// An erasure reads the thread once for what the message was, and once for the plan that is
// left of it.
//
// SPEC: V1
func TestErasureReadsTheThreadTwice(t *testing.T) {
	st := &threadsRead{Store: memory.New(), of: map[string]int{}}
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
	turn := prepared(t, e, request("t", work(120, 10), 4_000))
	if turn.Plan == nil {
		t.Fatal(turn.Outcome)
	}
	clear(st.of)
	if err := e.Erase(t.Context(), "t", turn.Thread.At(3).ID, artifact.Tombstone{At: time.Now(), Reason: "asked"}); err != nil {
		t.Fatal(err)
	}
	if st.of["t"] != 2 {
		t.Errorf("the thread was read %d times", st.of["t"])
	}
}

// threadsRead counts how often threads are read.
type threadsRead struct {
	*memory.Store
	of map[string]int
}

func (s *threadsRead) Load(ctx context.Context, k store.Key) ([]thread.Entry, error) {
	if k.Tenant == "" {
		s.of[k.Thread]++
	}
	return s.Store.Load(ctx, k)
}
