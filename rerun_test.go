package precis_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
)

// stepper sends a recorded conversation step by step, as an agent does, and counts the
// prompts that do not begin with the one before them.
type stepper struct {
	*testing.T
	engine *precis.Engine
	steps  [][]message.Message
	budget int
	last   []message.Message
	breaks int
}

// recorded is a conversation of so many steps.
func recorded(steps int, other string) (all [][]message.Message) {
	ms := []message.Message{message.TextOf(message.System, "You port services."), message.TextOf(message.User, "Port all services, one by one.")}
	for n := range steps {
		all = append(all, slices.Clip(ms))
		out := fmt.Sprintf("service %d%s\n", n, other) + strings.Repeat(fmt.Sprintf("file_%d.go of service %d ported, %d lines\n", n%17, n, n*31), 12)
		ms = append(ms, round(n, "bash", fmt.Sprintf(`{"command":"port %d"}`, n), fmt.Sprintf("Service %d next.", n), out)...)
	}
	return all
}

func (c *stepper) step(n int) {
	c.Helper()
	turn, err := c.engine.Prepare(c.Context(), precis.Input{Thread: "t", Messages: c.steps[n], Meter: token.Truncate(), Budget: c.budget})
	if err != nil {
		c.Fatalf("step %d: %v", n, err)
	}
	if turn.Compacted > c.budget {
		c.Fatalf("step %d: %d of %d tokens", n, turn.Compacted, c.budget)
	}
	if turn.Uncommitted {
		c.Errorf("step %d: the plan is not kept", n)
	}
	if k := len(c.last); k > len(turn.Messages) || !slices.EqualFunc(c.last, turn.Messages[:k], func(a, b message.Message) bool { return a.Digest() == b.Digest() }) {
		c.breaks++
	}
	c.last = turn.Messages
}

// A client that starts again has as stable a prompt as the first time: with the same
// budget or a smaller one, from the first step or from a checkpoint, alone or with
// another client beside it that is further on; also where the engine is a new one at each
// step.
//
// SPEC: B22, V3
func TestRerunIsAsStable(t *testing.T) {
	const steps, budget = 178, 9_000
	for _, name := range policy.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fresh := func(e *precis.Engine, budget int, all [][]message.Message) *stepper {
				return &stepper{T: t, engine: e, steps: all, budget: budget}
			}
			run := func(c *stepper, from, to int) int {
				for n := from; n < to; n++ {
					c.step(n)
				}
				return c.breaks
			}
			engine := func() *precis.Engine {
				return newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, name)})
			}
			all := recorded(steps, "")
			e := engine()
			first := run(fresh(e, budget, all), 0, steps)
			if got := run(fresh(e, budget, all), 0, steps); got > first {
				t.Errorf("rerun: %d breaks, %d the first time", got, first)
			}
			alone := run(fresh(engine(), budget*2/3, all), 0, steps)
			if got := run(fresh(e, budget*2/3, all), 0, steps); got > alone {
				t.Errorf("rerun with less room: %d breaks, %d alone", got, alone)
			}
			if got := run(fresh(e, budget, all), 0, steps); got > first {
				t.Errorf("third run: %d breaks, %d the first time", got, first)
			}
			again := fresh(e, budget, append(slices.Clip(all[:100]), recorded(steps, " again")[100:]...))
			if got := run(again, 60, steps); got > first {
				t.Errorf("retry from a checkpoint: %d breaks, %d the first time", got, first)
			}
			e = engine()
			ahead, beside := fresh(e, budget, all), fresh(e, budget, all)
			run(ahead, 0, 90)
			for n := 90; n < steps; n++ {
				ahead.step(n)
				beside.step(n - 90)
			}
			run(beside, steps-90, steps)
			if ahead.breaks > first || beside.breaks > first {
				t.Errorf("two at once: %d and %d breaks, %d alone", ahead.breaks, beside.breaks, first)
			}
			st := memory.New()
			run(fresh(newWith(t, precis.Options{Store: st, Policy: policyOf(t, name)}), budget, all), 0, steps)
			restarts := fresh(nil, budget*2/3, all)
			for n := range steps {
				restarts.engine = newWith(t, precis.Options{Store: st, Policy: policyOf(t, name)})
				restarts.step(n)
			}
			if restarts.breaks > alone {
				t.Errorf("rerun with less room and a restart before each step: %d breaks, %d alone", restarts.breaks, alone)
			}
			t.Logf("%d breaks the first time, %d with less room", first, alone)
		})
	}
}
