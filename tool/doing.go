package tool

import "slices"

// ActsByName reports whether a tool's name says that its calls change something beside files.
func ActsByName(name string) bool { return doing(name) == changes }

// LooksByName reports whether a tool's name says that its calls only look, or compute.
func LooksByName(name string) bool { return doing(name) == looks }

// What a name says that calls do.
const (
	unsaid = iota
	changes
	looks
)

// doing goes by the first word of a name that says it.
func doing(name string) int {
	first := true
	for word := range eachNameWord(name) {
		if does := doingWord(word); does != unsaid {
			return does
		}
		if first && asks(word) {
			return looks
		}
		first = false
	}
	return unsaid
}

func doingWord(word string) int {
	switch word {
	case "update", "book", "cancel", "send", "post", "return", "exchange", "refund", "modify", "add", "create", "delete", "remove", "order", "pay", "transfer", "grant", "set", "install",
		"toggle", "enable", "disable", "reset", "reseat", "reboot", "restart":
		return changes
	case "get", "search", "list", "find", "read", "view", "check", "calculate", "query", "fetch", "show", "describe", "think", "lookup", "look", "count", "browse":
		return looks
	}
	return unsaid
}

// asks reports whether a word begins a question.
func asks(word string) bool { return word == "can" || word == "is" || word == "has" }

// SameObject reports whether two names of tools speak of one thing: the words of one name, without
// what it does and which of a thing it tells, all stand in the other.
func SameObject(a, b string) bool {
	of, in := objectWords(a), objectWords(b)
	if len(of) > len(in) {
		of, in = in, of
	}
	return len(of) > 0 && !slices.ContainsFunc(of, func(w string) bool { return !slices.Contains(in, w) })
}

// objectWords are the words of a name that say of which thing it is.
func objectWords(name string) []string {
	words := nameWords(name)
	for i, w := range words {
		if doingWord(w) != unsaid || i == 0 && asks(w) {
			words = words[i+1:]
			break
		}
	}
	return slices.DeleteFunc(words, isAspect)
}

// isAspect reports whether a word says which of a thing is told.
func isAspect(word string) bool {
	switch word {
	case "status", "state", "settings", "setting", "details", "detail", "info", "information", "by", "of", "id", "the":
		return true
	}
	return false
}
