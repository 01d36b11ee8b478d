package extract

import (
	"slices"
	"strings"
)

// prohibits reports whether a statement begins a clause as its language words what is not to be done.
func prohibits(text string) bool {
	return slices.ContainsFunc(clausesOf(text), func(said []string) bool {
		for len(said) > 0 && softening[said[0]] {
			said = said[1:]
		}
		return len(said) > 1 && slices.ContainsFunc(prohibitions, func(p prohibition) bool { return p.in(said) })
	})
}

// prohibition is how a language words it: a first word, and a verb behind it in a form that orders; or
// a verb that orders, and a word anywhere behind it.
type prohibition struct {
	first map[string]bool
	next  map[string]bool // one of these stands behind it, where there are any
	ends  []string        // or a word that ends so
	not   map[string]bool // and one of these, where there are any, farther behind
}

func (p *prohibition) in(clause []string) bool {
	first, next := clause[0], clause[1]
	if !p.first[first] || p.not != nil && !slices.ContainsFunc(clause[1:], func(w string) bool { return p.not[w] }) {
		return false
	}
	return p.next == nil && p.ends == nil || p.next[next] || slices.ContainsFunc(p.ends, func(end string) bool { return len(next) > len(end)+2 && strings.HasSuffix(next, end) })
}
