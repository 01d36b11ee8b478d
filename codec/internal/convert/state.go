package convert

import (
	"strings"
	"unicode"

	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// stateWords occur in the names of members by which a client goes on with what a
// server holds.
var stateWords = map[string]bool{
	"thread": true, "conversation": true, "previous": true, "parent": true, "continue": true,
	"continuation": true, "resume": true, "history": true, "checkpoint": true, "state": true,
}

// stateful names the types of objects that begin or go on with what a server holds.
var stateful = map[string]bool{"create": true, "continue": true, "resume": true, "fork": true}

// HoldsState reports whether a member of a request says that a part of the
// conversation lies on a server. It is the rule for members that no codec knows, and
// errs on the side of leaving a request alone: a member counts if its name has such a
// word and its value names something, or if its value is an object that goes on.
func HoldsState(name string, v []byte) bool {
	if len(v) == 0 {
		return false
	}
	switch v[0] {
	case '{':
		if len(jsonedit.Members(v)) == 0 {
			return false
		}
		return stateful[jsonedit.TextOf(jsonedit.Get(v, "type"))] || hasStateWord(name)
	case '[':
		return len(jsonedit.Elements(v)) > 0 && hasStateWord(name)
	case '"':
		return jsonedit.TextOf(v) != "" && hasStateWord(name)
	}
	return false
}

// hasStateWord reads a name in snake case or camel case word by word.
func hasStateWord(name string) bool {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	for _, w := range words {
		from := 0
		for i, r := range w {
			if i > from && unicode.IsUpper(r) {
				if stateWords[strings.ToLower(w[from:i])] {
					return true
				}
				from = i
			}
		}
		if stateWords[strings.ToLower(w[from:])] {
			return true
		}
	}
	return false
}
