package extract

import (
	"slices"
	"strings"
)

// orders reports whether a statement says what is left as it is, or left out, or what the user does
// without the agent: that stands until the user says otherwise.
func orders(text string) bool {
	if strings.HasSuffix(text, "?") || words(text) > maxRuleWords {
		return false
	}
	low := lowered(strings.ToLower(text))
	return leavesOut(low) || doesItself(low) || slices.ContainsFunc(clausesOf(text), forbidsAtEnd)
}

// leavesOut reports whether a lowered statement says what is left as it is, or not done.
func leavesOut(low string) bool {
	for first, rest, _ := strings.Cut(low[1:], " "); orderLeadIns[first] && rest != ""; first, rest, _ = strings.Cut(rest, " ") {
		low = " " + rest
	}
	if startsAny(low, leaveOpenings) {
		return true
	}
	what, ok := strings.CutPrefix(low, " skip ")
	return ok && strings.ContainsAny(strings.Fields(what + " .")[0], "0123456789")
}

// doesItself reports whether a lowered statement says that the user does something.
func doesItself(low string) bool {
	if saysAny(low, usersWork) {
		return true
	}
	said, _, ok := strings.Cut(low, " myself ")
	if !ok || slices.ContainsFunc(myselfMeans, func(p string) bool { return strings.HasSuffix(said, p) }) {
		return false
	}
	said += " "
	return saysAny(said, undertaking) && !strings.Contains(said, " have to ") && !supposes(low)
}

// forbidsAtEnd reports whether a clause in German ends with what is not to be done, and tells of
// nobody: "test_login nicht anfassen".
func forbidsAtEnd(clause []string) bool {
	n := len(clause)
	return n > 2 && clause[n-2] == "nicht" && forbiddenLast[clause[n-1]] && !slices.ContainsFunc(clause, func(w string) bool { return tellingLast[w] })
}
