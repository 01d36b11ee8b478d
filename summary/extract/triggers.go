package extract

import (
	"slices"
	"strings"
)

// triggers is a set of the kinds of phrases that stand in a sentence.
type triggers uint32

const (
	binding triggers = 1 << iota
	preference
	change
	request
	decision
	intent
	rationale
	unsettled
	later
	planned
	weakly // binds where it names something particular
	wished // is a preference where it does
	choice // takes one thing in place of another
	stays  // says what is left as it is: see orders
	undone // may take back what was decided: see overturns
	claimed
	proposed
	notDone
)

// trigger is a phrase and its kinds.
type trigger struct {
	phrase string
	kinds  triggers
}

// byStart holds the phrases by how their first word starts.
var byStart = func() (t [1 << 10][]trigger) {
	for kind, list := range map[triggers][]string{
		binding: bindingTriggers, preference: preferenceTriggers, change: changeTriggers, request: requestTriggers, decision: decisionTriggers,
		intent: intents, rationale: rationaleTriggers, unsettled: openTriggers, later: laterTriggers, planned: planTriggers,
		weakly: weakTriggers, wished: wishTriggers, choice: choiceTriggers, undone: slices.Concat(rethinking, undoingActs, denyingNeed, correcting, outgrowing, bettering),
		claimed: successes, proposed: proposals, notDone: notDonePhrases,
	} {
		for _, p := range list {
			t[startOf(p)] = append(t[startOf(p)], trigger{p, kind})
		}
	}
	return t
}()

// startOf returns a number for the two bytes after the first.
func startOf(s string) int { return int(s[1]&31)<<5 | int(s[2]&31) }

// triggersIn finds the triggers of a lowered sentence in one pass over its words.
func triggersIn(low string) (found triggers) {
	for i := 0; i+2 < len(low); {
		for _, c := range byStart[startOf(low[i:])] {
			if strings.HasPrefix(low[i:], c.phrase) {
				found |= c.kinds
			}
		}
		n := strings.IndexByte(low[i+1:], ' ')
		if n < 0 {
			return found
		}
		i += 1 + n
	}
	return found
}
