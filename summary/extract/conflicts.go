package extract

import (
	"slices"

	"github.com/seed-3db51b0e/precis/tool/program"
)

// mostStopped is how many errors of a git command that stopped halfway are known.
const mostStopped = 8

// stops notes an error of a git command that may have stopped at a conflict.
func (f *failures) stops(i int) {
	if program.Stops(f.all[i].Command) != "" {
		f.stopped = append(lastOf(f.stopped, mostStopped-1), i)
	}
}

// ended resolves the errors of a git command that stopped halfway where a run carries it on to its
// end, or gives it up.
func (f *failures) ended(c *run) {
	if c.failed || len(f.stopped) == 0 {
		return
	}
	command := program.Ends(c.Line)
	if command == "" {
		return
	}
	f.stopped = slices.DeleteFunc(f.stopped, func(i int) bool {
		x := &f.all[i]
		if x.Ran != c.In || program.Stops(x.Command) != command {
			return x.Fixed.N > 0
		}
		if x.Fixed.N == 0 {
			x.Settle(inFix(c.Line), c.From, false)
		}
		return true
	})
}
