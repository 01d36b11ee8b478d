package precis_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// Two clients that start one logged conversation again at the same moment, with less room
// and each on a node of its own, are as stable as one alone.
//
// SPEC: B22, L17, V3
func TestTwoRerunsAtOnce(t *testing.T) {
	for _, name := range policy.Names() {
		if testing.Short() && name != "balanced" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := memory.New()
			rerunsAtOnce(t, name, [2]store.Store{st, st})
		})
	}
}

// rerunsAtOnce sends a conversation once, and then twice at once, over two nodes that take
// turns.
func rerunsAtOnce(t *testing.T, name string, nodes [2]store.Store) {
	t.Helper()
	const steps, budget = 90, 9_000
	all := recorded(steps, "")
	engineOn := func(s store.Store) *precis.Engine {
		return newWith(t, precis.Options{Store: s, Policy: policyOf(t, name)})
	}
	first := &stepper{T: t, engine: engineOn(nodes[0]), steps: all, budget: budget}
	alone := &stepper{T: t, engine: engineOn(memory.New()), steps: all, budget: budget * 2 / 3}
	for n := range steps {
		first.step(n)
		alone.step(n)
	}
	engines := [2]*precis.Engine{engineOn(nodes[0]), engineOn(nodes[1])}
	var clients [2]stepper
	for i := range clients {
		clients[i] = stepper{T: t, steps: all, budget: budget * 2 / 3}
	}
	for n := range steps {
		var wg sync.WaitGroup
		for i := range clients {
			clients[i].engine = engines[(n+i)%2]
			wg.Go(func() { clients[i].step(n) })
		}
		wg.Wait()
	}
	if a, b := clients[0].breaks, clients[1].breaks; a > alone.breaks || b > alone.breaks {
		t.Errorf("%d and %d breaks, %d alone", a, b, alone.breaks)
	}
}

// What is erased of a conversation is erased of the branch in which it was sent again, and
// is not logged there once more.
//
// SPEC: V1, B11
func TestErasureReachesReruns(t *testing.T) {
	t.Run("which has it", func(t *testing.T) { erasedOfReruns(t, 60, 2) })
	t.Run("which comes to it later", func(t *testing.T) { erasedOfReruns(t, 40, 1) })
}

// erasedOfReruns erases a message of step 50 when the conversation was sent again as far
// as step until, and is had by so many threads.
func erasedOfReruns(t *testing.T, until, threads int) {
	t.Helper()
	const steps, budget, secret = 90, 9_000, "the key is under the stone"
	st := memory.New()
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
	all := recorded(steps, "")
	for i := 50; i < steps; i++ {
		all[i] = slices.Clone(all[i])
		all[i][100] = message.TextOf(message.Assistant, secret)
	}
	first := &stepper{T: t, engine: e, steps: all, budget: budget}
	again := &stepper{T: t, engine: e, steps: all, budget: budget * 2 / 3}
	for n := range steps {
		first.step(n)
	}
	for n := range until {
		again.step(n)
	}
	holders := func() (have []string) {
		heads, err := st.Heads(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range heads {
			es, err := st.Load(t.Context(), h.Key)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range es {
				if strings.Contains(x.Message.Parts[0].Text, secret) {
					have = append(have, h.Key.Thread)
				}
			}
		}
		return have
	}
	if have := holders(); len(have) != threads {
		t.Fatalf("%v have it", have)
	}
	var id thread.ID
	es, err := st.Load(t.Context(), store.Key{Thread: "t"})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range es {
		if strings.Contains(x.Message.Parts[0].Text, secret) {
			id = x.ID
		}
	}
	if err := e.Erase(t.Context(), "t", id, artifact.Tombstone{Reason: "asked to"}); err != nil {
		t.Fatal(err)
	}
	for n := until; n < steps; n++ {
		if have := holders(); len(have) > 0 {
			t.Fatalf("step %d: %v have it", n, have)
		}
		again.step(n)
	}
	third := &stepper{T: t, engine: e, steps: all, budget: budget * 2 / 3}
	for n := range 60 {
		third.step(n)
	}
	if have := holders(); len(have) > 0 {
		t.Errorf("a third run: %v have it", have)
	}
}
