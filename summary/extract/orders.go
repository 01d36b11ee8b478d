package extract

import (
	"slices"
	"strings"
)

// orders reports whether a statement says what is left as it is, or left out, or what the user does
// without the agent: that stands until the user says otherwise.
func orders(text string) bool {
	if words(text) > maxRuleWords {
		return false
	}
	low := lowered(strings.ToLower(text))
	if strings.HasSuffix(text, "?") {
		return asksToLeave(low)
	}
	return leavesOut(low) || leavesAsIs(text) || exceptsSome(text) || doesItself(low) || slices.ContainsFunc(clausesOf(text), forbidsAtEnd)
}

// leavesOut reports whether a lowered statement says what is left as it is, or not done.
func leavesOut(low string) bool {
	low = withoutLeadIns(low)
	if startsAny(low, leaveOpenings) {
		return true
	}
	what, ok := strings.CutPrefix(low, " skip ")
	return ok && strings.ContainsAny(strings.Fields(what + " .")[0], "0123456789")
}

// withoutLeadIns returns a lowered statement from the first word on that is no orderLeadIn.
func withoutLeadIns(low string) string {
	for first, rest, _ := strings.Cut(low[1:], " "); orderLeadIns[first] && rest != ""; first, rest, _ = strings.Cut(rest, " ") {
		low = " " + rest
	}
	return low
}

// asksToLeave reports whether a lowered question is a polite order to leave something as it is.
func asksToLeave(low string) bool {
	low = withoutLeadIns(low)
	for _, p := range politeOrders {
		if rest, ok := strings.CutPrefix(low, p); ok {
			low = withoutLeadIns(" " + rest)
			for _, so := range makingSo {
				if rest, ok := strings.CutPrefix(low, so); ok {
					low = " " + rest
				}
			}
			return startsAny(low, leaveOpenings) || startsAny(low, keepOpenings)
		}
	}
	return false
}

// takenOn returns the part of a statement with which the user takes something on, where what stands
// before it asks for work that is done once: that part alone is a rule. It returns "" for any other.
func takenOn(text, low string, in triggers) string {
	if in&binding != 0 || bans(text) || !orders(text) || !isOneTime(low, text) {
		return ""
	}
	for i := range text {
		for _, mark := range clauseMarks {
			if rest, ok := strings.CutPrefix(text[i:], mark); ok && orders(rest) && !orders(text[:i]) {
				return strings.TrimSpace(rest)
			}
		}
	}
	return ""
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
