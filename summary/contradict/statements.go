// Package contradict finds which earlier statements in English a newer one takes the
// place of.
//
// Use: Parse each statement, Statements.Add it, Statements.Supersede what it
// replaces. Law: it judges by the words of two statements alone, and none is
// replaced by one that is not newer. Promise: the same answer on any machine; what one
// statement supersedes is found at a cost that does not grow with the number of statements.
package contradict

import (
	"slices"
	"strings"
)

// Statements holds the statements that stand, and finds what a newer one supersedes
// without looking at all of them. The zero value is empty.
type Statements struct {
	list    []Statement
	dead    []bool
	byWord  map[string]int32 // stem or value → its last posting
	posted  []posting
	retired []retired
	seen    []int32 // the search in which a statement was looked at last
	search  int32
}

// posting says that a word stands in the statement at a position; before is the
// word's posting before it, counted from 1, 0 for none.
type posting struct{ at, before int32 }

// retired holds what a newer statement took back: lines older than it that speak of
// the subject with the old value do not stand either.
type retired struct {
	before int
	values []string
	words  []string
}

// maxPostings bounds how many earlier statements of one word are looked at: a word
// in more of them says little.
const maxPostings = 64

// Len returns how many statements were added.
func (l *Statements) Len() int { return len(l.list) }

// Stands reports whether nothing superseded the statement at a position.
func (l *Statements) Stands(at int) bool { return !l.dead[at] }

// At returns the statement at a position.
func (l *Statements) At(at int) *Statement { return &l.list[at] }

// Grow makes room for n more statements.
func (l *Statements) Grow(n int) { l.list = slices.Grow(l.list, n) }

// Add appends a statement, which supersedes nothing by that, and returns its position.
func (l *Statements) Add(s Statement) int {
	if l.byWord == nil {
		l.byWord = map[string]int32{}
	}
	at := len(l.list)
	l.list, l.dead, l.seen = append(l.list, s), append(l.dead, false), append(l.seen, 0)
	for _, words := range [...][]string{s.words.of, s.values.of} {
		for _, w := range words {
			l.posted = append(l.posted, posting{int32(at), l.byWord[w]})
			l.byWord[w] = int32(len(l.posted))
		}
	}
	return at
}

// Supersede marks what s replaces as no longer standing: every statement that it
// surely replaces, or else the likeliest one. may reports which positions s is
// allowed to replace.
func (l *Statements) Supersede(s Statement, may func(at int) bool) {
	best, bestScore, done := -1, 0.0, false
	l.near(&s, func(at int) {
		old := &l.list[at]
		if l.dead[at] || old.n >= s.n || !may(at) {
			return
		}
		sure, score := replaces(&s, old)
		switch {
		case sure:
			l.retire(at, &s)
			done = true
		case score > bestScore || score == bestScore && at > best:
			best, bestScore = at, score
		}
	})
	if !done && bestScore > 0 {
		l.retire(best, &s)
	}
}

// near calls f once with each of the statements that share a word or value with s.
func (l *Statements) near(s *Statement, f func(at int)) {
	l.search++
	for _, words := range [...][]string{s.words.of, s.values.of, s.retracted.of} {
		for _, w := range words {
			p := l.byWord[w]
			for n := 0; n < maxPostings && p > 0; n++ {
				at := l.posted[p-1].at
				if p = l.posted[p-1].before; l.seen[at] != l.search {
					l.seen[at] = l.search
					f(int(at))
				}
			}
		}
	}
}

func (l *Statements) retire(at int, by *Statement) {
	l.dead[at] = true
	old := &l.list[at]
	r := retired{before: by.n}
	for _, v := range old.values.of {
		if !by.values.has(v) {
			r.values = append(r.values, v)
		}
	}
	for _, w := range by.retracted.of {
		if old.words.has(w) && len(w) > 2 {
			r.values = append(r.values, w)
		}
	}
	for _, w := range old.words.of {
		if by.words.has(w) {
			r.words = append(r.words, w)
		}
	}
	if len(r.values) > 0 {
		l.retired = append(l.retired, r)
	}
}

// Outdated reports whether a text of message n speaks of a value that a newer
// statement took back. It looks at all that were taken back: ask it of few texts.
func (l *Statements) Outdated(text string, n int) bool {
	low := ""
	for i := range l.retired {
		r := &l.retired[i]
		if n >= r.before {
			continue
		}
		if low == "" {
			low = strings.ToLower(text)
		}
		if anyIn(low, r.values) && (anyIn(low, r.words) || len(r.words) == 0 && longest(r.values) > 4) {
			return true
		}
	}
	return false
}

func longest(words []string) int {
	n := 0
	for _, w := range words {
		n = max(n, len(w))
	}
	return n
}

func anyIn(low string, words []string) bool {
	for _, w := range words {
		if containsWord(low, w) {
			return true
		}
	}
	return false
}

// containsWord finds w in s where a word starts and, for values, ends.
func containsWord(s, w string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], w)
		if i < 0 {
			return false
		}
		i += at
		j := i + len(w)
		if (i == 0 || !alphanumeric(s[i-1])) && (j == len(s) || !alphanumeric(s[j]) || isLower(w)) {
			return true
		}
		at = i + 1
	}
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

func isLower(w string) bool {
	for i := 0; i < len(w); i++ {
		if w[i] < 'a' || w[i] > 'z' {
			return false
		}
	}
	return true
}
