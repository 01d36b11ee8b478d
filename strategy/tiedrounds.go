package strategy

import (
	"slices"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// markTiedRounds frees the results of the newest unit that lie before its last round: where
// the provider ties rounds together nothing cuts the unit, but they may be shortened in their
// place. What was said last, in so many tokens, is recent.
func markTiedRounds(d *Draft, z []Zone, u thread.Unit, recent int) {
	last := u.End - 1
	for last > u.Start && d.T.At(last).Message.Role != message.Assistant {
		last--
	}
	spent := 0
	for i := u.End - 1; i >= u.Start; i-- {
		spent += d.Original(i)
		switch m := &d.T.At(i).Message; {
		case i > last || z[i] == Held || m.Role == message.Assistant || !m.Has(message.Result):
		case spent > recent:
			z[i] = Old
		default:
			z[i] = Recent
		}
	}
}

// TiedRounds returns the rungs for a newest unit of several rounds that the ladder left over
// the budget: they shorten the results before its last round, down to the target in one go,
// or the next round would force more of them. fill is that of LastResort.
func TiedRounds(fill int, relevance *Relevance) Ladder {
	return Ladder{tiedResults{cutParts{Recent, 120, fill, relevance}}, tiedResults{cutParts{Recent, 40, fill, relevance}}}
}

type tiedResults struct{ cutParts }

func (s tiedResults) Analyze(v *View) []Proposal {
	us := v.T.Units()
	if len(us) == 0 {
		return nil
	}
	newest := us[len(us)-1]
	return slices.DeleteFunc(s.cutParts.Analyze(v), func(p Proposal) bool {
		part, i := v.part(p.Span)
		return !newest.Holds(i) || v.Zones[i] == Held || part.Kind != message.Result
	})
}
