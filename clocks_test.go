//go:build unix

package precis_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/postgres"
)

// Three nodes whose clocks are days apart, and jump, serve one conversation in turn: what
// each logs stays, the plan goes forward by one version at a time, and once all have seen a
// request they make the same prompt of it. A clock says only whether a provider's cache is
// cold: what the node that thinks so leaves out, the others leave out too.
//
// SPEC: V1, V3, V9, B14
func TestClocksDisagree(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a server")
	}
	url := migrated(t)
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	off := []time.Duration{0, 50 * time.Hour, -50 * time.Hour}
	var nodes []*precis.Engine
	var at int
	r := rand.New(rand.NewPCG(1, 2))
	var s *postgres.Store
	for i := range off {
		var err error
		if s, err = postgres.Open(t.Context(), url, postgres.Options{}); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }() // what they wrote was committed
		e, err := precis.New(precis.Options{Store: s, Policy: policyOf(t, "balanced"), Now: func() time.Time {
			return begin.Add(off[i] + time.Duration(at)*time.Second)
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		nodes = append(nodes, e)
	}
	ms := work(50, 20)
	version := 0
	for at = 3; at <= len(ms); at += 4 {
		off[r.IntN(len(off))] += time.Duration(r.IntN(100)-50) * time.Hour
		ask := func(i int) string {
			turn, err := nodes[i].Prepare(t.Context(), request("t", ms[:at], 3_000))
			if err != nil {
				t.Fatalf("%d messages, node %d: %v", at, i, err)
			}
			if turn.Thread.Len() != at {
				t.Fatalf("the log has %d messages of %d", turn.Thread.Len(), at)
			}
			return table(turn)
		}
		for _, i := range r.Perm(len(nodes)) {
			ask(i)
		}
		want := ask(0)
		for i := range nodes {
			if diff := cmp.Diff(want, ask(i)); diff != "" {
				t.Fatalf("%d messages: node %d makes another prompt (-first +node):\n%s", at, i, diff)
			}
		}
		h, err := s.Head(t.Context(), store.Key{Thread: "t"})
		if err != nil || h.Len != at || h.PlanVersion < version {
			t.Fatalf("%+v after version %d: %v", h, version, err)
		}
		version = h.PlanVersion
	}
	if version == 0 {
		t.Error("nothing was compacted: this test proves nothing")
	}
}
