package thread_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/thread"
)

// A message of a round is not held against each call that the provider runs: four times the calls
// take little more than four times the work, counted in allocations.
func TestUnitsAreLinear(t *testing.T) {
	work := func(calls int) float64 {
		var script strings.Builder
		for i := range calls {
			fmt.Fprintf(&script, "p%d ", 1000+i)
		}
		entries := thread.Extend("", parse(script.String()))
		return testing.AllocsPerRun(1, func() {
			th, err := thread.New(entries)
			if err != nil || len(th.Units()) != 1 {
				t.Fatal(th.Units(), err)
			}
		})
	}
	const n, most = 200, 6
	if one, four := work(n), work(4*n); four > most*one {
		t.Errorf("%d calls took %.0f allocations, %d took %.0f", n, one, 4*n, four)
	}
}
