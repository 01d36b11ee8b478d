package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
)

// withdraws reports whether a message takes back what was asked before it: its first clause
// says so, and no more.
func withdraws(text string) bool {
	if len(text) > maxWithdrawal || hasValue(text) {
		return false
	}
	said := strings.Fields(strings.ReplaceAll(strings.ToLower(text), "’", "'"))
	for len(said) > 0 && politeness[bareWord(said[0])] {
		said = said[1:]
	}
	after := func(p string) (rest []string, end, ok bool) {
		words := strings.Fields(p)
		n := len(words)
		ok = len(said) >= n && slices.EqualFunc(words, said[:n], func(w, x string) bool { return w == bareWord(x) })
		return said[min(n, len(said)):], ok && bareWord(said[n-1]) != said[n-1], ok
	}
	return slices.ContainsFunc(withdrawals, func(p string) bool {
		rest, end, ok := after(p)
		return ok && (end || len(rest) == 0 || !objects[bareWord(rest[0])])
	}) || slices.ContainsFunc(retractions, func(p string) bool {
		rest, end, ok := after(p)
		return ok && (end || endsClause(rest))
	})
}

// maxWithdrawal is how many bytes such a message has.
const maxWithdrawal = 159

// replaces reports whether a message asks to have something else done in the place of a request for which the
// agent changed nothing yet: another thing that is done to orders, with the same order, or where the agent
// had asked back.
func (q *requests) replaces(x *summary.Request, text string) bool {
	low := lowered(text)
	if len(text) > maxReplacing || !saysAny(low, inPlace) || saysAny(low, alsoSaid) || q.calls.acted.N > x.From.N {
		return false
	}
	if first := text[:sentenceEnd(text)]; first != text && isAck(first) {
		return false // both are wanted
	}
	was, now := handling(lowered(x.Text)), handling(low)
	if len(was) != 1 || len(now) != 1 || was[0] == now[0] {
		return false
	}
	return sharesNumber(x.Text, text) || q.waits() && !strings.Contains(text, "#")
}

// maxReplacing is how many bytes such a message has.
const maxReplacing = 239

// handling returns what a lowered text asks to be done to orders, each once.
func handling(low string) (kinds []int) {
	for i, list := range orderHandling {
		if saysAny(low, list) {
			kinds = append(kinds, i)
		}
	}
	return kinds
}

// sharesNumber reports whether two texts hold the same word with digits that names something.
func sharesNumber(a, b string) bool {
	for w := range strings.FieldsSeq(a) {
		if w = bareWord(w); len(w) >= leastNumber && strings.ContainsAny(w, "0123456789") && slices.ContainsFunc(strings.Fields(b), func(x string) bool { return bareWord(x) == w }) {
			return true
		}
	}
	return false
}

// leastNumber is how many bytes such a word has.
const leastNumber = 4

// takesBack reports whether a statement takes back the one before it, which it says, or speaks of what that
// speaks of: "no wait, use B".
func takesBack(text, before string) bool {
	low := lowered(strings.ToLower(text))
	if saysAny(low, alsoSaid) || strings.HasSuffix(text, "?") {
		return false
	}
	head, _, _ := strings.Cut(text, ": ")
	head, _, ok := strings.Cut(head, ", ")
	if !startsAny(low, takingBack) && (!ok || !startsAny(lowered(head), takingBackApart) || words(head) > maxApart) {
		return false
	}
	return dropsAll(text) || speaksOfSame(text, before)
}

// dropsAll reports whether a clause of a statement ends by dropping what was said: "scratch that".
func dropsAll(text string) bool {
	return slices.ContainsFunc(clausesOf(text), func(clause []string) bool { return endsAny(phrase(clause), droppingAll) })
}

// endsAny reports whether a lowered text ends with one of the phrases.
func endsAny(low string, with []string) bool {
	return slices.ContainsFunc(with, func(p string) bool { return strings.HasSuffix(low, p) })
}

// speaksOfSame reports whether a statement says to do what another does, or is about what that is about.
func speaksOfSame(text, other string) bool {
	said, of := strings.Fields(strings.ToLower(text)), strings.Fields(strings.ToLower(other))
	for len(of) > 0 && adverbs[bareWord(of[0])] {
		of = of[1:]
	}
	if len(of) > 0 && slices.ContainsFunc(said, func(w string) bool { return bareWord(w) == bareWord(of[0]) }) {
		return true
	}
	about := weighed(other)
	for w := range weighed(text) {
		if about[w] > 0 {
			return true
		}
	}
	return false
}

// maxApart is how many words stand before the comma behind which such a statement goes on.
const maxApart = 3

// endsClause reports whether a clause goes on with nothing but what was spoken of before.
func endsClause(rest []string) bool {
	for _, w := range rest {
		switch {
		case strings.Trim(w, "-–—") == "":
			return true
		case !backRefs[bareWord(w)]:
			return false
		case bareWord(w) != w:
			return true
		}
	}
	return true
}
