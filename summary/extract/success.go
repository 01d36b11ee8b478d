package extract

import (
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
)

// saysSuccess reports whether the first sentence of a user's message says that all works, and holds nothing
// against that.
func saysSuccess(text string) bool {
	said := oneline.Of(text)
	first := said[:sentenceEnd(said)]
	low := lowered(strings.ToLower(first))
	return words(first) <= maxSuccessWords && !strings.HasSuffix(first, "?") && saysAny(low, succeeding) && !saysAny(low, butFails)
}

// maxSuccessWords is how many words a sentence has that says so.
const maxSuccessWords = 14

// isTriedByHand reports whether a step is one that somebody does by hand, and one alone.
func isTriedByHand(text string) bool {
	low := lowered(text)
	return saysAny(low, byHand) && !saysAny(low, severalOf)
}

// tried marks the steps to be tried by hand that were written before a message in which the user says that
// all works.
func (c *checklists) tried(at summary.Source) {
	for _, l := range c.byFile {
		for i := range l.steps {
			if s := &l.steps[i]; !s.done && s.from.N < at.N && isTriedByHand(s.text) {
				s.tried = true
			}
		}
	}
}
