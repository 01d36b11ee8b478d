package summary

import (
	"strings"
	"unicode/utf8"
)

// SingleLine puts text on one line: runs of white space and control characters
// become one space, what is not UTF-8 becomes U+FFFD. So no content can start a
// line of a summary and look like its structure (SPEC V10).
func SingleLine(s string) string {
	if isInline(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	inlineInto(&b, 0, s)
	return b.String()
}

// inlineInto adds a text on one line to the one that starts at from in b, a space
// between them.
func inlineInto(b *strings.Builder, from int, s string) {
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

// ellipsis marks a cut.
const ellipsis = "…"

// Clip cuts s to at most n bytes at the end of a word where there is one, and
// marks the cut.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if n <= len(ellipsis) {
		return ellipsis[:0]
	}
	cut := runeStart(s, n-len(ellipsis))
	if i := strings.LastIndexByte(s[:cut], ' '); i > cut*3/4 {
		cut = i
	}
	return s[:cut] + ellipsis
}

func runeStart(s string, n int) int {
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}
