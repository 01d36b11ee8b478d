// Package oneline puts texts on one line, and clips and compares them as such.
//
// Use: Of for a text, Kept for a printed line, Clip for its start, Fold to compare; Start for the
// start of any text, unmarked. Law: what Of and Kept return holds no line break. Promise: they return
// valid UTF-8, and a text that already is on one line as it is; no cut parts a character.
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

// ClipMiddle cuts s to at most n bytes in its middle, so that about a quarter of them is its end, from the
// beginning of a sentence or else of a word where there is one near, and marks the cut.
func ClipMiddle(s string, n int) string {
	if len(s) <= n {
		return s
	}
	from := RuneStart(s, len(s)-n/4)
	if i := sentenceNear(s, from, n/8); i > 0 {
		from = i
	} else if i := strings.IndexByte(s[from:], ' '); i >= 0 && i < n/8 {
		from += i + 1
	}
	tail := s[from:]
	if head := Clip(s[:from], n-len(tail)-1); head != "" {
		return head + " " + tail
	}
	return Clip(s, n)
}

// sentenceNear returns where the sentence begins whose beginning is nearest to a position, and not farther from it than some
// bytes; 0 for none.
func sentenceNear(s string, at, far int) (nearest int) {
	for i := max(at-far, 2); i < len(s) && i <= at+far; i++ {
		begins := s[i-1] == ' ' && strings.IndexByte(".!?", s[i-2]) >= 0 || strings.HasSuffix(s[:i], "。")
		if begins && (nearest == 0 || max(i-at, at-i) < max(nearest-at, at-nearest)) {
			nearest = i
		}
	}
	return nearest
}

// Start returns the first n bytes of s or a few less, so that it parts no character, without a mark.
func Start(s string, n int) string { return s[:RuneStart(s, n)] }

// RuneStart returns the start of the rune that byte n of s belongs to, at most len(s). Where s is not
// UTF-8, each byte is a rune.
func RuneStart(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for k := n; k >= 0 && k > n-utf8.UTFMax; k-- {
		if utf8.RuneStart(s[k]) {
			return k
		}
	}
	return n
}
