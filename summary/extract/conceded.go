package extract

import (
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// mostConceded is how many sentences at the head of a message say what it concedes.
const mostConceded = 4

// concedes revokes the decisions to which the user objects in the message before, where the agent agrees
// and names the same: but to take it.
func (r *reader) concedes(all statements, at summary.Source) {
	if len(all) == 0 || !startsAny(all[0].low, conceding) || !r.objected(at) {
		return
	}
	said := ""
	for i := range min(len(all), mostConceded) {
		said += all[i].text + " "
	}
	named := weighed(said)
	for w := range objectOf(lowered(said), taking) {
		delete(named, w)
	}
	r.decisions.settled.revokeTaken(named, at.N)
	r.decisions.settled.revokeNamed(named, at.N, func(d *settledOne) bool {
		for w, weight := range d.stems {
			if weight == nameWeight && named[w] == nameWeight {
				return true
			}
		}
		return false
	})
}

// revokeTaken revokes the decisions before message n to take what has one of some names.
func (l *settled) revokeTaken(named map[string]int, n int) {
	for w, weight := range named {
		for _, at := range lastOf(l.byStem[w], mostNamed) {
			if one := &l.all[at]; weight == nameWeight && one.takes[w] && one.From.N < n {
				l.revoke(one)
			}
		}
	}
}

// objected reports whether the message before one is the user's, and says that something is not right.
func (r *reader) objected(at summary.Source) bool {
	if at.N < 2 {
		return false
	}
	m := &r.t.At(at.N - 2).Message
	if m.Role != message.User || !thread.Speaks(*m) {
		return false
	}
	for _, p := range m.Parts {
		if p.Kind == message.Text && saysAny(lowered(strings.ToLower(p.Text)), objecting) {
			return true
		}
	}
	return false
}
