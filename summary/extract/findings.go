package extract

import (
	"strings"

	"github.com/seed-3db51b0e/precis/summary/contradict"
)

// isFinding reports whether a statement of the agent names a value.
func isFinding(x *sentence) bool {
	s, low := x.text, x.low
	return isStatement(s) && hasValue(s) && !isPasted(s) && standsAlone(low) && !isWork(low) &&
		(!isTalk(x) || contradict.Substance(s) == 2)
}

// isStatement reports whether a text is one whole sentence of usual length, without markup.
func isStatement(s string) bool {
	n := words(s)
	return n >= minFindingWords && n <= maxFindingWords && strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "..") &&
		!strings.Contains(s, "**") && !strings.Contains(s, "Warning:")
}

// A finding has so many words.
const (
	minFindingWords = 4
	maxFindingWords = 40
)

// standsAlone reports whether a sentence can be read without the one before it.
func standsAlone(low string) bool { return !startsAny(low, pointing) && !goesOn(low) }

// isWork reports whether a sentence tells what is to be done, or what the agent is at.
func isWork(low string) bool {
	verb, _, _ := strings.Cut(low[1:], " ")
	return oneTimeVerbs[verb] || lookUpVerbs[verb] || startsAny(low, workOpenings) ||
		strings.Contains(low, " should ") || strings.Contains(low, " would be ")
}

// isTalk reports whether a sentence tells of the agent's work, or what ought to be, rather
// than of what is.
func isTalk(x *sentence) bool {
	return x.in&(claimed|proposed) != 0 || startsAny(x.low, ownWorkOpenings)
}

func goesOn(low string) bool { return startsAny(low, unfinished) && !strings.Contains(low, " it is ") }
