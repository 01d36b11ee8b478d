package precis_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
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
