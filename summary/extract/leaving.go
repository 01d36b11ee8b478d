package extract

import (
	"slices"
	"strings"
)

// leavesAsIs reports whether a clause of a statement says to leave something as it is: "but leave src/api.go alone".
func leavesAsIs(text string) bool {
	return slices.ContainsFunc(clausesOf(text), func(clause []string) bool {
		for i, w := range clause {
			if begins := i == 0 || softening[clause[i-1]]; (leaveVerbs[w] && begins || leaveAnywhere[w]) && endsAsIs(clause[i+1:], leaveSo[w]) {
				return true
			}
		}
		return false
	})
}

// endsAsIs reports whether what is said of a thing, which is nobody, ends by saying that it stays; so says whether
// "so" does.
func endsAsIs(rest []string, so bool) bool {
	for len(rest) > 0 && softening[rest[len(rest)-1]] {
		rest = rest[:len(rest)-1]
	}
	return len(rest) > 0 && !oneself[rest[0]] && (endsAny(phrase(rest), asItIs) || so && rest[len(rest)-1] == "so")
}

// exceptsSome reports whether a statement allows or asks to change all but something.
func exceptsSome(text string) bool {
	low := withoutLeadIns(lowered(strings.ToLower(text)))
	first, _, _ := strings.Cut(low[1:], " ")
	return saysAny(low, allBut) && (alterOrders[first] || saysAny(low, mayAlter))
}

// allowsOnly reports whether a clause of a statement in another language says that one thing alone is to be
// changed: "Nur src/b.go anfassen".
func allowsOnly(text string) bool {
	return slices.ContainsFunc(clausesOf(text), func(clause []string) bool {
		n := len(clause)
		if n < 3 || !onlyWords[clause[0]] {
			return false
		}
		return alterOrders[clause[1]] || forbiddenLast[clause[n-1]] && !slices.ContainsFunc(clause, func(w string) bool { return tellingLast[w] })
	})
}
