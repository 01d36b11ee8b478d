package recall

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// framed is an answerText between two lines that share a key which neither its
// content nor its head holds. The head states what the content is, and of a text
// which bytes of it: exactly those stand between the lines, and a line feed
// where they do not end in one.
func framed(s answerText) string {
	key := keyOf(s.head + "\n" + s.body)
	var b strings.Builder
	fmt.Fprintf(&b, "[begin %s %s]\n%s", key, s.head, s.body)
	if s.body != "" && !strings.HasSuffix(s.body, "\n") {
		b.WriteByte('\n')
	}
	if s.tail != "" {
		s.tail = "; " + s.tail
	}
	fmt.Fprintf(&b, "[end %s%s]", key, s.tail)
	return b.String()
}

// keyOf is a word that follows from a text and does not occur in it, even if
// who wrote the text foresaw the first choice.
func keyOf(text string) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d;%s", n, text))
		if key := hex.EncodeToString(sum[:4]); !strings.Contains(text, key) {
			return key
		}
	}
}

// label is a name from a conversation, fit for a head: its letters, digits and
// a few signs, at most 48 bytes.
func label(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./:", r) {
			return r
		}
		return '?'
	}, s)
	return window(s, 0, 0, 48)
}

// oneLine is a text on one line: what ends a line or controls a terminal is a
// space.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (unicode.IsControl(r) || r == '\u2028' || r == '\u2029') {
			return ' '
		}
		return r
	}, s)
}

// legible is text as JSON can carry it: each run of bytes that are no text is
// one "?". It never gets longer. lost counts those bytes.
func legible(s string) (text string, lost int) {
	if utf8.ValidString(s) {
		return s, 0
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			lost++
		}
		i += n
	}
	return strings.ToValidUTF8(s, "?"), lost
}

// joinLines are the first lines that have room, at least one, cut if it must
// be, and how many those are.
func joinLines(lines []string, room int) (text string, n int) {
	var b strings.Builder
	for n < len(lines) && (n == 0 || b.Len()+len(lines[n])+1 <= room) {
		l := lines[n]
		if len(l)+1 > room {
			l = window(l, 0, 0, max(room-2*len("…"), 0))
		}
		b.WriteString(l)
		b.WriteByte('\n')
		n++
	}
	return b.String(), n
}
