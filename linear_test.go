package precis_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// meterTally counts what a meter is asked for.
type meterTally struct {
	token.Counter
	calls, bytes *atomic.Int64
}

func (c meterTally) Count(text string) int {
	c.calls.Add(1)
	c.bytes.Add(int64(len(text)))
	return c.Counter.Count(text)
}

// effort is what one compaction does, in operations: they do not depend on the
// machine as time does.
type effort struct{ calls, bytes, allocations float64 }

func effortOf(t *testing.T, name string, n int) effort {
	t.Helper()
	m, meter := exact(t)
	counted := meterTally{meter.Counter, new(atomic.Int64), new(atomic.Int64)}
	meter.Counter = counted
	in := precis.Input{Thread: "t", Messages: rounds(n + 1), Model: m, Meter: meter, Budget: 16_000}
	e := newEngine(t, memory.New(), policyOf(t, name))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	turn, err := e.Prepare(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if turn.Compacted >= turn.Original {
		t.Fatalf("%s: nothing was compacted: %d tokens of %d", name, turn.Compacted, turn.Original)
	}
	return effort{float64(counted.calls.Load()), float64(counted.bytes.Load()), float64(after.Mallocs - before.Mallocs)}
}

// No strategy of any preset is quadratic in the messages: twice the messages are
// at most little more than twice the work.
func TestCompactionIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("what is counted is the same under the race detector")
	}
	const n, most = 1_000, 2.6
	for _, name := range policy.Names() {
		t.Run(name, func(t *testing.T) {
			one, two := effortOf(t, name, n), effortOf(t, name, 2*n)
			for what, r := range map[string]float64{
				"calls of the meter": two.calls / one.calls, "bytes counted": two.bytes / one.bytes, "allocations": two.allocations / one.allocations,
			} {
				if r > most {
					t.Errorf("%d messages took %.1f times the %s of %d", 2*n, r, what, n)
				}
				t.Logf("%s: %.2f", what, r)
			}
		})
	}
}

// again is what the compaction after the first one does on a conversation that
// goes on from n messages.
func again(t *testing.T, name string, n int) effort {
	t.Helper()
	m, meter := exact(t)
	counted := meterTally{meter.Counter, new(atomic.Int64), new(atomic.Int64)}
	meter.Counter = counted
	all := rounds(n + 2_001)
	in := precis.Input{Thread: "t", Messages: all[:n+1], Model: m, Meter: meter, Budget: 8_000, Continue: true}
	e := newEngine(t, memory.New(), policyOf(t, name))
	for i := n + 1; ; i += 2 {
		var before, after runtime.MemStats
		counted.calls.Store(0)
		counted.bytes.Store(0)
		runtime.ReadMemStats(&before)
		turn, err := e.Prepare(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if i > n+1 && turn.Outcome == precis.Compacted {
			return effort{float64(counted.calls.Load()), float64(counted.bytes.Load()), float64(after.Mallocs - before.Mallocs)}
		}
		in.Messages = all[i : i+2]
	}
}

// A conversation that goes on is compacted at the cost of what is new and of some
// budgets before that, however long it has become.
func TestCompactingAgainCostsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("conversations of 10,000 messages")
	}
	for _, name := range policy.Names() {
		t.Run(name, func(t *testing.T) {
			one, five := again(t, name, 2_000), again(t, name, 10_000)
			for what, r := range map[string]float64{
				"calls of the meter": five.calls / one.calls, "bytes counted": five.bytes / one.bytes, "allocations": five.allocations / one.allocations,
			} {
				if r > 1.5 {
					t.Errorf("five times the messages took %.1f times the %s", r, what)
				}
				t.Logf("%s: %.2f", what, r)
			}
		})
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// What a person changes in a plan is not quadratic in the messages or the records.
func TestEditsAreLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("what is counted is the same under the race detector")
	}
	const n, most = 1_000, 2.6
	edit := func(n int) map[string]float64 {
		st := memory.New()
		e := newEngine(t, st, policyOf(t, "balanced"))
		history := prepared(t, e, precis.Input{Thread: "t", Messages: rounds(n), Meter: token.Truncate(), Budget: 1_000 * n}).Thread
		next := plan.Plan{Thread: "t", Version: 1, Base: history.Tip(), ThreadVersion: n}
		var all []plan.Ref
		for i := range n {
			all = append(all, plan.Ref{ID: history.ID(i)})
			next.Records = append(next.Records, plan.Record{Action: plan.Replace, Kind: plan.Preview, Text: "…", Span: plan.Span{IDs: []thread.ID{history.ID(i)}, Part: 1}})
		}
		p, err := plan.Build(next, history)
		if err != nil {
			t.Fatal(err)
		}
		if err := st.Commit(t.Context(), store.Key{Thread: "t"}, p, nil); err != nil {
			t.Fatal(err)
		}
		edits := map[string]func() error{
			"restore": func() error { _, err := e.Restore(t.Context(), "t", 0); return err },
			"pin":     func() error { _, err := e.Pin(t.Context(), "t", all...); return err },
			"unpin":   func() error { _, err := e.Unpin(t.Context(), "t", all...); return err },
		}
		bytes := map[string]float64{}
		for _, name := range []string{"restore", "pin", "unpin"} {
			bytes[name] = allocated(func() {
				if err := edits[name](); err != nil {
					t.Fatal(name, err)
				}
			})
		}
		return bytes
	}
	one, two := edit(n), edit(2*n)
	for name := range one {
		if r := two[name] / one[name]; r > most {
			t.Errorf("%s: twice the messages took %.1f times the memory", name, r)
		}
		t.Logf("%s: %.2f", name, two[name]/one[name])
	}
}
