package bpe

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
)

// SPEC: L12. What a window says starts a piece is what the scanner says, up to the
// last start, and a window over plain text says more than its own start.
func TestWindow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	alphabets := []string{
		"aB", "abcXYZ019 ", "aA'stdmreve L", "don't we'LL x'", " \n\t", " \t\n\ra;", "\n/;a ", "0123456789a.",
		"/\r\n-", "a \t'\"(){}[]\x00\x7f\x1f\v\f", "aZ3 \n/'-é中ſ\u00a0\u0301",
	}
	for range 10_000 {
		letters := []rune(alphabets[rnd.IntN(len(alphabets))])
		var b strings.Builder
		for range 8 + rnd.IntN(120) {
			b.WriteRune(letters[rnd.IntN(len(letters))])
		}
		for i := range encodings {
			sameStarts(t, encodings[i].get(), b.String())
		}
	}
	var w window
	code := "func main() { return 17 }\n\tx := y"
	w.read(code, 0)
	if got := bits.OnesCount64(w.starts(code, 0, false)); got != 11 {
		t.Errorf("%d starts in a window on code", got)
	}
}

// sameStarts compares the window at every start of a piece with the scanner.
func sameStarts(t *testing.T, e *encoding, s string) {
	t.Helper()
	for i := 0; i < len(s); i = e.next(s, i) {
		var w window
		w.read(s, i)
		if w.n == 0 {
			continue
		}
		starts := w.starts(s, i, e.caseless)
		want := uint64(0)
		for k := i; k-i < bits.Len64(starts); k = e.next(s, k) {
			want |= 1 << (k - i)
			if k == len(s) { // its end is one as well
				break
			}
		}
		if starts != want {
			t.Fatalf("%s: from %q on pieces start at %b, want %b", e.name, s[i:], starts, want)
		}
	}
}
