// Package oneline puts texts on one line, and clips and compares them as such.
//
// Use: Of for a text, Kept for a printed line, Clip for its start, Fold to compare. Law: what it returns holds
// no line break. Promise: valid UTF-8, and a text that already is on one line is
// returned as it is.
package oneline

import (
	"strings"
	"unicode/utf8"
)

// Of puts text on one line: runs of white space and control characters become one
// space, what is not UTF-8 becomes U+FFFD. So no content can start a line of a
// summary and look like its structure.
func Of(s string) string {
	if isInline(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	Append(&b, 0, s)
	return b.String()
}

// Kept is Of for a line in which blanks side by side mean something, as in what a program
// printed: they stay.
func Kept(s string) string {
	s = strings.TrimSpace(s)
	if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && isBlank(r) }) {
		return Of(s)
	}
	return s
}

// Append adds a text on one line to the one that starts at from in b, a space
// between them.
func Append(b *strings.Builder, from int, s string) {
	space := b.Len() > from
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && s[j] > ' ' && s[j] < 0x7f { // most of most texts
			j++
		}
		r, n := utf8.RuneError, j-i
		if n == 0 {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case j == i && isBlank(r):
			space = b.Len() > from
		case space:
			b.WriteByte(' ')
			space = false
			fallthrough
		default:
			if j > i {
				b.WriteString(s[i:j])
			} else {
				b.WriteRune(r)
			}
		}
		i += n
	}
}

// isBlank covers white space, controls and the line separators of Unicode.
func isBlank(r rune) bool {
	return r <= ' ' || (r >= 0x7f && r <= 0xa0) || r == 0x2028 || r == 0x2029 || r == 0xfeff
}

func isInline(s string) bool {
	prev := byte(' ')
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x7f || c < ' ' || (c == ' ' && prev == ' ') {
			return false
		}
		prev = c
	}
	return len(s) == 0 || prev != ' '
}

// Fold returns what two texts that say the same have in common: case, spacing and
// end marks aside.
func Fold(t string) string {
	return strings.TrimRight(strings.ToLower(Of(t)), ".!; ")
}

// Ellipsis marks a cut.
const Ellipsis = "…"

// Clip cuts s to at most n bytes at the end of a word where there is one, and
// marks the cut.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if n <= len(Ellipsis) {
		return Ellipsis[:0]
	}
	cut := RuneStart(s, n-len(Ellipsis))
	if i := strings.LastIndexByte(s[:cut], ' '); i > cut*3/4 {
		cut = i
	}
	return s[:cut] + Ellipsis
}

// RuneStart returns the start of the rune that byte n of s belongs to, at most len(s).
func RuneStart(s string, n int) int {
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}
