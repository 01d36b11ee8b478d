package extract

import (
	"slices"
	"strings"
)

// statements are the sentences of a text, with what stands next to each.
type statements []sentence

// statementsOf returns the sentences of a text.
func statementsOf(text string) (all statements) {
	eachSentence(text, func(s sentence) {
		s.low = lowered(s.text)
		s.in = triggersIn(s.low)
		all = append(all, s)
	})
	return all
}

// maxQuote is how many bytes of sentences that need each other are quoted together.
const maxQuote = 220

// quote returns a sentence with those of its paragraph that decide how it is meant: the one before it
// that it speaks of, and the one after it that holds against it. Where they are too long to stand
// together, it returns what holds against it alone; "" is what tells nothing without the other.
func (all statements) quote(i int) string {
	text := all[i].text
	if all.joins(i) && startsAny(all[i].low, backward) && words(all[i-1].text) > 2 {
		if startsAny(all[i-1].low, announcements) || len(all[i-1].text)+len(text) >= maxQuote {
			return ""
		}
		text = all[i-1].text + " " + text
	}
	if !all.joins(i+1) || !turns(text, &all[i+1]) {
		return text
	}
	against := all[i+1].text
	if len(text)+len(against) < maxQuote {
		return text + " " + against
	}
	return against
}

// joins reports whether a sentence stands in the paragraph of the one before it.
func (all statements) joins(i int) bool {
	return i > 0 && i < len(all) && all[i].line == all[i-1].line
}

// turns reports whether a sentence takes something of the one before it back, or says that something
// fails, is missing or is not as wanted where that one does not.
func turns(before string, s *sentence) bool {
	low := s.low
	if !strings.HasSuffix(s.text, ".") || words(s.text) < 4 || startsAny(low, announcements) || saysAny(low, lookPhrases) || saysAny(low, nextLooks) {
		return false
	}
	return startsAny(low, turning) || saysAny(low, failing) && !saysAny(low, musing) && !strings.Contains(low, " should ") && !saysAny(lowered(before), failing)
}

// overpraises reports whether the i-th sentence, lowered, says that all is well where a later one holds
// against it, or finds that something fails still.
func (all statements) overpraises(i int, low string) bool {
	return i+1 < len(all) && (claims(low) || saysAny(low, praising)) && slices.ContainsFunc(all[i+1:], func(s sentence) bool {
		return startsAny(s.low, turning) || saysAny(s.low, failingStill)
	})
}

// reading returns the lowered i-th sentence as it is judged: at the head of a text, one that tells a
// finding goes on from what was just seen, whatever it begins with.
func (all statements) reading(i int) string {
	low := all[i].low
	if i > 0 || !startsAny(low, seeing) || !saysAny(low, finding) || saysAny(low, musing) {
		return low
	}
	return low[1+strings.IndexByte(low[1:], ' '):]
}

// turnsAway reports whether the sentence before one only says what the agent does next, so that it
// speaks of that and not of what was just seen.
func (all statements) turnsAway(i int) bool {
	return i > 0 && startsAny(all[i-1].low, leaving)
}
