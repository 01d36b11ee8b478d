package bpe

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// scraps is text that has borders next to what looks like one.
var scraps = rapid.SampledFrom([]string{
	"a", "B", "ñ", "中", "\u0301", "7", "½", " ", "  ", "\t", "\n", "\r", "\u2028", "'", "'s", "'LL", "ſ", "/", "//",
	".", "!", "…", "\U00016D40", "\U0001F600", "word", " the", "camelCase", " don", "'t", "I", "'m", "\xff", "\xe4\xb8", "\xad",
})

// SPEC: L12. Cut at its borders, a text has the count it has whole.
func TestBorders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(scraps, 0, 30).Draw(t, "text"), "")
		for i := range encodings {
			e := encodings[i].get()
			whole := e.Count(s)
			for at := range len(s) {
				if !border(s, at) {
					continue
				}
				if n := e.Count(s[:at]) + e.Count(s[at:]); n != whole {
					t.Fatalf("%s: %q is %d tokens, cut at %d it is %d", e.name, s, whole, at, n)
				}
			}
		}
	})
}

// SPEC: L12. What nextBorder finds is a border, and none is between.
func TestNextBorder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.ToValidUTF8(strings.Join(rapid.SliceOfN(scraps, 1, 30).Draw(t, "text"), ""), "?")
		from := rapid.IntRange(0, len(s)-1).Draw(t, "from")
		end := nextBorder(s, from)
		if end < len(s) && !border(s, end) {
			t.Fatalf("%q has no border at %d", s, end)
		}
		for at := from + utf8.UTFMax; at < end; at++ { // where it starts may be one
			if border(s, at) {
				t.Fatalf("%q has a border at %d, and %d comes next", s, at, end)
			}
		}
	})
}

// SPEC: L12. A text that grew has the count it has at once.
func TestRunning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		adds := rapid.SliceOfN(scraps, 0, 40).Draw(t, "added")
		for i := range encodings {
			e := encodings[i].get()
			r, err := NewRunning(e.name)
			if err != nil {
				t.Fatal(err)
			}
			for k, s := range adds {
				r.Append(s)
				if whole := strings.Join(adds[:k+1], ""); r.Count() != e.Count(whole) {
					t.Fatalf("%s: %q is %d tokens, grown it is %d", e.name, whole, e.Count(whole), r.Count())
				}
			}
		}
	})
	if _, err := NewRunning("nobody's"); err == nil {
		t.Error("no error about an unknown encoding")
	}
}

// What a Running keeps open of a text is a word, not the text.
func TestRunningSettles(t *testing.T) {
	r, err := NewRunning("o200k")
	if err != nil {
		t.Fatal(err)
	}
	text, most := grow(rand.New(rand.NewPCG(9, 10)), sentences(english)), 0
	for text = text[:20_000]; len(text) > 5; {
		r.Append(text[:5])
		text = text[5:]
		most = max(most, len(r.rest))
	}
	if most > 40 {
		t.Errorf("%d bytes are open", most)
	}
}

// SPEC: L12. Large texts, counted in parts, have the count of one piece after the
// other.
func TestTogether(t *testing.T) {
	for _, c := range append(corpora(t), hostile()...) {
		text := strings.ToValidUTF8(c.text, "?")
		for i := range encodings {
			e := encodings[i].get()
			if got, want := e.Count(text), e.count(text); got != want {
				t.Errorf("%s: %s is %d tokens, in parts %d", e.name, c.name, want, got)
			}
		}
	}
	if n := len(parts(strings.Repeat("two words\n", 1<<20))); n != mostPart {
		t.Errorf("%d parts", n)
	}
}
