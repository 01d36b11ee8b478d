package extract

import (
	"slices"
	"strings"
	"unicode"
)

// How phrases are written down, and found in a text: in lowered text, so each begins and ends at a word.
// The lists of them stand by what they tell: phrases_request.go what a user asks for or agrees to,
// phrases_rule.go what a user demands, prefers or only tells, phrases_agent.go what the agent decides,
// finds and leaves open, phrases_other.go the same in other languages. What marks other people's text
// stands with the code that reads it.

// lowered returns a text in lower case between single spaces, with punctuation turned
// into spaces, so that phrases can be found by word.
func lowered(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte(' ')
	blank := true
	for i := 0; i < len(s); i++ {
		c := lower[s[i]]
		switch {
		case c == '.' && (i+1 == len(s) || s[i+1] == ' '):
			c = ' '
		case c == 0xe2 && i+2 < len(s) && s[i+1] == 0x80 && s[i+2] == 0x99: // ’
			c, i = '\'', i+2
		case c == 0xe2 && i+2 < len(s) && s[i+1] == 0x80 && (s[i+2] == 0x93 || s[i+2] == 0x94): // – and —
			c, i = ' ', i+2
		}
		if c != ' ' || !blank {
			b.WriteByte(c)
		}
		blank = c == ' '
	}
	b.WriteByte(' ')
	return b.String()
}

// lower is each byte in lower case, and a space for punctuation.
var lower = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
	}
	for c := 'A'; c <= 'Z'; c++ {
		t[c] = byte(c) | 0x20
	}
	for _, c := range ",:!()*\"\t" {
		t[c] = ' '
	}
	return t
}()

// starts are phrases that a text may start with, by their first word.
type starts map[string][]string

// startsAny reports whether a lowered text starts with one of the phrases.
func startsAny(low string, with starts) bool {
	first, _, _ := strings.Cut(low[1:], " ")
	for _, p := range with[first] {
		if strings.HasPrefix(low, p) {
			return true
		}
	}
	return false
}

// saysAny reports whether a lowered text holds one of the phrases.
func saysAny(low string, of []string) bool {
	return slices.ContainsFunc(of, func(p string) bool { return strings.Contains(low, p) })
}

// phrases reads a list parted by bars, each phrase as it is found in a lowered text.
func phrases(s string) []string {
	var out []string
	for p := range strings.SplitSeq(s, "|") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, " "+p+" ")
		}
	}
	return out
}

// openings reads such a list of phrases that a text may start with.
func openings(s string) starts {
	by := starts{}
	for _, p := range phrases(s) {
		first, _, _ := strings.Cut(p[1:], " ")
		by[first] = append(by[first], p)
	}
	return by
}

// wordSet reads a list of words.
func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// parts reads a list parted by bars of what is found inside of words too, for languages that part none.
func parts(s string) []string {
	list := strings.Split(s, "|")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// saysOf reports whether a statement has one of the words, or holds one of the parts.
func saysOf(statement string, words map[string]bool, parts []string) bool {
	for _, w := range parts {
		if strings.Contains(statement, w) {
			return true
		}
	}
	for w := range strings.FieldsFuncSeq(statement, func(c rune) bool { return !unicode.IsLetter(c) }) {
		if words[strings.ToLower(w)] {
			return true
		}
	}
	return false
}

// bareWord returns a word without the marks behind it.
func bareWord(w string) string { return strings.TrimRight(w, ",.!?;:") }
