package precis

import (
	"github.com/seed-3db51b0e/precis/cachecost"
	"github.com/seed-3db51b0e/precis/internal/timeline"
	"github.com/seed-3db51b0e/precis/plan"
)

// CachePoints returns the places of the prompt where a provider's cache is best told
// to keep what comes before: the end of the turn before the current
// one, a place some rounds before the end, and the end. room is how many markers
// may be set: cachecost.Breakpoints less the client's own. They are computed for
// the prompt as it is; setting the markers is up to who sends it.
func (t *Turn) CachePoints(room int) []cachecost.Point {
	if t.Thread == nil || len(t.Origins) != len(t.Messages) {
		return nil
	}
	of, turns := timeline.Turns(t.Thread), make([]int, len(t.Origins))
	for i, o := range t.Origins {
		switch {
		case o.First < 0:
			turns[i] = -1
		case o.Record != nil && o.Record.Action == plan.Summarize:
			turns[i] = 0
		default:
			turns[i] = of[o.First]
		}
	}
	return cachecost.Points(t.Messages, turns, room)
}
