package contradict

import (
	"slices"
	"strings"
)

// altering is what a statement says of changing one thing, by the path or identifier of it. The name is
// "" where it says nothing of that, or speaks of a condition, a part, or more than the one thing.
type altering struct {
	name    string
	allowed bool
}

var (
	alterWords = lookup("touch change edit modify")
	// permitEnds stand before "to" in what allows something, forbidEnds end what forbids it.
	permitEnds = lookup("fine ok okay allowed free")
	forbidEnds = lookup("never don't not mustn't cannot can't shouldn't")
	// conditions limit what is said.
	conditions = lookup("if when whenever unless only until till while once before except but without")
	// thingNames may stand between a verb and the name of what is changed.
	thingNames = lookup("the file folder directory function class")
	// goOn may follow the name of what is changed or left: "any more", "as it is", "after all".
	goOn = lookup("now again anymore any alone untouched as after please too")
	// leftAsIs follow the name of what is left: "alone", "as it is".
	leftAsIs = lookup("alone untouched as")
	// polite stand before "leave".
	polite = lookup("please now just")
)

// alteringIn reads what a statement says of changing something.
func alteringIn(ts []token) (a altering) {
	at := slices.IndexFunc(ts, func(t token) bool { return isName(&t) })
	if at <= 0 || slices.ContainsFunc(ts[at+1:], func(t token) bool { return isName(&t) }) ||
		slices.ContainsFunc(ts, func(t token) bool { return conditions[t.low] }) {
		return a
	}
	ends := ts[at].end || at == len(ts)-1 || ts[at+1].low == "" // a mark behind a quote
	if !ends && !goOn[ts[at+1].low] {
		return a
	}
	verb := at - 1
	for verb > 0 && thingNames[ts[verb].low] {
		verb--
	}
	switch before := ts[:verb]; {
	case ts[verb].low == "leave":
		if !ends && (verb == 0 || polite[ts[verb-1].low]) && leftAsIs[ts[at+1].low] {
			a.name = ts[at].low
		}
	case alterWords[ts[verb].low]:
		if allows, said := permission(before); said {
			a = altering{ts[at].low, allows}
		}
	}
	return a
}

// isName reports whether a token is a path or an identifier.
func isName(t *token) bool { return t.val && !t.num && strings.ContainsAny(t.low, "/._") }

// permission reports whether the words before a verb allow what it says, and whether they say anything
// of that.
func permission(before []token) (allows, said bool) {
	last := func() string {
		if len(before) == 0 {
			return ""
		}
		return before[len(before)-1].low
	}
	for last() == "now" || last() == "again" || last() == "also" {
		before = before[:len(before)-1]
	}
	switch w := last(); {
	case forbidEnds[w]:
		return false, true
	case w == "may" || w == "can":
		before = before[:len(before)-1]
		return true, last() == "you"
	case w == "to":
		before = before[:len(before)-1]
		if !permitEnds[last()] {
			return false, false
		}
		before = before[:len(before)-1]
		return !forbidEnds[last()], true
	}
	return false, false
}

// permitted reports whether one of the two allows to change what the other forbids to change.
func (p *pair) permitted() bool {
	now, old := &p.now.altering, &p.old.altering
	return now.name != "" && now.name == old.name && now.allowed != old.allowed
}
