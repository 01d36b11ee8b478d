package wording

import (
	"cmp"
	"slices"

	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/internal/oneline"
)

// tally counts the files that calls name.
type tally struct {
	seen  map[string]int
	order []string // as first seen
}

func newTally() *tally { return &tally{seen: map[string]int{}} }

// read counts the files in the start of a call's arguments; one that the cut
// goes through is not whole.
func (c *tally) read(args string) {
	whole := len(args)
	args = args[:oneline.RuneStart(args, min(whole, topicBytes))]
	identifier.Scan(args, func(k identifier.Kind, a, b int) {
		if k != identifier.Path && k != identifier.File || b == len(args) && b < whole {
			return
		}
		if x := args[a:b]; c.seen[x] == 0 {
			c.order = append(c.order, x)
		}
		c.seen[args[a:b]]++
	})
}

// most returns the n named most, of those named as often the first.
func (c *tally) most(n int) []string {
	slices.SortStableFunc(c.order, func(a, b string) int { return cmp.Compare(c.seen[b], c.seen[a]) })
	return c.order[:min(n, len(c.order))]
}
