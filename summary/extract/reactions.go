package extract

import (
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
)

// mostReaction is how many sentences at the head of a text speak of what the agent just saw;
// a later one does where it names a word of it.
const mostReaction = 2

// reactions notes what the sentences of a text say of what the agent just saw.
func (w *work) reactions(all statements, at summary.Source) {
	if len(w.errors.fresh) == 0 && len(w.runs.fresh) == 0 && w.runs.newest == nil {
		return
	}
	for i := range all {
		w.reacts(all, i, at)
	}
}

// reacts notes what a sentence of a text says of what the agent just saw.
func (w *work) reacts(all statements, i int, at summary.Source) {
	s, low, failed, head := all[i], all.reading(i), &w.errors, i < mostReaction
	if len(failed.fresh) > 0 && i == 0 && startsAny(low, approving) && claims(lowered(s.line)) {
		failed.approved(spoken{s.line, at}.note())
	}
	if len(failed.fresh) > 0 && head && expects(low) {
		failed.expected(low, spoken{s.text, at}.note())
	}
	if head && belies(&s, low) {
		w.runs.belied(spoken{s.text, at}.note())
	}
	head = head && !all.turnsAway(i)
	if len(failed.fresh) == 0 && (len(w.runs.fresh) == 0 || !head) || !explains(s.text, low) {
		return
	}
	quoted := all.quote(i)
	if quoted == "" || startsAny(low, citing) && !accounts(low) {
		return
	}
	note := spoken{quoted, at}.note
	failed.explained(low, head, note)
	if head && len(w.runs.fresh) > 0 && (quoted != s.text || !all.overpraises(i, low)) {
		w.runs.spokenOf(note())
	}
}

// explains reports whether a sentence behind an error may say what the agent made of it.
func explains(s, low string) bool {
	n := words(s)
	return n >= minReactionWords && n <= maxReactionWords && strings.HasSuffix(s, ".") && !tellsNothing(low) && !looksLikeCode(s)
}

// A sentence that says what the agent made of something has so many words.
const (
	minReactionWords = 4
	maxReactionWords = 50
)

// tellsNothing reports whether a sentence only announces something, or needs the one before it.
func tellsNothing(low string) bool {
	return startsAny(low, announcements) || startsAny(low, insights) || startsAny(low, pointingBack) || goesOn(low)
}

// accounts reports whether a lowered sentence says why something went wrong, or that it had to.
func accounts(low string) bool {
	return saysAny(low, accounting)
}
