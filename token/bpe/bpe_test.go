package bpe

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"

	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/token"
)

var encodings = []struct {
	get    func() *encoding
	hash   string // SHA-256 of the file OpenAI publishes
	tokens int
	peer   tokenizer.Encoding
}{
	{o200k, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d", 199_998, tokenizer.O200kBase},
	{cl100k, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", 100_256, tokenizer.Cl100kBase},
}

// bytesOf is the text of every token of a vocabulary.
func bytesOf(v *vocab) []string {
	text := make([]string, len(v.tokens)/8)
	for c := range 256 {
		id, _ := v.longest(string([]byte{byte(c)}))
		text[id] = string([]byte{byte(c)})
	}
	for id := range text {
		if r := v.record(uint32(id)); r.left() != uint32(id) {
			text[id] = text[r.left()] + text[r.right()]
		}
	}
	return text
}

// SPEC: L12. The vocabularies are the published ones, byte for byte.
func TestVocabularyHash(t *testing.T) {
	for i := range encodings {
		want, e := encodings[i], encodings[i].get()
		text := bytesOf(&e.vocab)
		if len(text) != want.tokens {
			t.Errorf("%s has %d tokens, want %d", e.name, len(text), want.tokens)
		}
		h := sha256.New()
		for id, s := range text {
			fmt.Fprintf(h, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(s)), id)
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != want.hash {
			t.Errorf("%s: hash is %s, want %s", e.name, got, want.hash)
		}
	}
}

// Every token is found whole, is one token, and knows its length.
func TestTokensEncodeToThemselves(t *testing.T) {
	for i := range encodings {
		var w worker
		e := encodings[i].get()
		for id, s := range bytesOf(&e.vocab) {
			if got, n := e.longest(s); got != uint32(id) || n != len(s) {
				t.Fatalf("%s: longest(%q) is %d of %d bytes, want %d", e.name, s, got, n, id)
			}
			if n := w.encode(&e.vocab, s); n != 1 {
				t.Fatalf("%s: %q is %d tokens", e.name, s, n)
			}
			if n := e.record(uint32(id)).length(); n != len(s) {
				t.Fatalf("%s: %q has length %d", e.name, s, n)
			}
		}
	}
}

// merged counts a piece by the definition: merge the pair of lowest rank, the
// leftmost first, until none is left.
func merged(ranks map[string]int, piece string) int {
	if _, ok := ranks[piece]; ok {
		return 1
	}
	parts := make([]string, 0, len(piece))
	for i := range len(piece) {
		parts = append(parts, piece[i:i+1])
	}
	for {
		best, at := len(ranks), -1
		for i := range len(parts) - 1 {
			if r, ok := ranks[parts[i]+parts[i+1]]; ok && r < best {
				best, at = r, i
			}
		}
		if at < 0 {
			return len(parts)
		}
		parts[at] += parts[at+1]
		parts = append(parts[:at+1], parts[at+2:]...)
	}
}

// SPEC: L12. Backtracking counts what merging by rank counts, on any bytes.
func TestEncodeIsMerging(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	alphabets := []string{"ab", "abcdefghijklmnopqrstuvwxyz", "aeiounrst'", " \n\t", "=-_*#/", "\x00\x7f\xe4\xb8\xad\xef\xbf\xbd"}
	for i := range encodings {
		var w worker
		e := encodings[i].get()
		text := bytesOf(&e.vocab)
		ranks := make(map[string]int, len(text))
		for id, s := range text {
			ranks[s] = id
		}
		for range 3000 {
			var b strings.Builder
			for b.Len() < 1+rnd.IntN(40) {
				if rnd.IntN(3) == 0 {
					b.WriteString(text[rnd.IntN(len(text))])
				} else {
					a := alphabets[rnd.IntN(len(alphabets))]
					b.WriteByte(a[rnd.IntN(len(a))])
				}
			}
			want := merged(ranks, b.String())
			if got := w.encode(&e.vocab, b.String()); got != want {
				t.Fatalf("%s: %q is %d tokens, want %d", e.name, b.String(), got, want)
			}
			if b.Len() > reach {
				continue
			}
			if got := w.short(&e.vocab, b.String()); got != want {
				t.Fatalf("%s: short: %q is %d tokens, want %d", e.name, b.String(), got, want)
			}
		}
	}
}

// SPEC: L12. So it does on long pieces without order, where it goes back most.
func TestEncodeIsMergingAtLength(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	alphabets := []string{"abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "aetoin", "-=*#_~", "\xe4\xe5\xb8\xad\xef\xbf\xbd"}
	for i := range encodings {
		var w worker
		e := encodings[i].get()
		ranks := map[string]int{}
		for id, s := range bytesOf(&e.vocab) {
			ranks[s] = id
		}
		for k := range 100 {
			piece := make([]byte, 200+rnd.IntN(400))
			for i := range piece {
				a := alphabets[k%len(alphabets)]
				piece[i] = a[rnd.IntN(len(a))]
			}
			if got, want := w.encode(&e.vocab, string(piece)), merged(ranks, string(piece)); got != want {
				t.Fatalf("%s: %q is %d tokens, want %d", e.name, piece, got, want)
			}
			if got, want := w.merge(&e.vocab, string(piece)), w.backtrack(&e.vocab, string(piece), len(piece)); got != want {
				t.Fatalf("%s: merge: %q is %d tokens, want %d", e.name, piece, got, want)
			}
		}
	}
}

// peerIsRight reports whether the library counts s as the reference does: it loses
// 0x7F, cuts white space that ends in a line break, and has Go's Unicode tables.
func peerIsRight(s string) bool {
	run, line := 0, false
	for _, r := range s {
		switch {
		case r == 0x7F || goClass(r) != classify(r):
			return false
		case !unicode.IsSpace(r):
			run, line = 0, false
			continue
		}
		run++
		line = line || r == '\n' || r == '\r'
		if line && run > 1 {
			return false
		}
	}
	return true
}

var peers = sync.OnceValue(func() []tokenizer.Codec {
	var cs []tokenizer.Codec
	for _, e := range encodings {
		c, err := tokenizer.Get(e.peer)
		if err != nil {
			panic(err)
		}
		cs = append(cs, c)
	}
	return cs
})

// SPEC: L12. Any text counts as the library counts it where the library is
// right, and never panics or leaves its bounds elsewhere.
func FuzzCount(f *testing.F) {
	for _, v := range vectors(f) {
		if len(v.Text) < 400 {
			f.Add(v.Text, "b")
		}
	}
	f.Add("a\xff\xfe\xe4\xb8", "\x80'\xc5")
	f.Fuzz(func(t *testing.T, a, b string) {
		for i := range encodings {
			e := encodings[i].get()
			n, m := e.Count(a), e.Count(b)
			if valid := string([]rune(a)); e.Count(valid) != n {
				t.Errorf("%s: %q is %d tokens, with replacement characters %d", e.name, a, n, e.Count(valid))
			}
			if n > 3*len(a) || n < (len(a)+127)/128 {
				t.Errorf("%s: %q is %d tokens", e.name, a, n)
			}
			if joined := e.Count(a + "\n" + b); joined > n+m+8 {
				t.Errorf("%s: %q and %q are %d and %d tokens, but %d as lines", e.name, a, b, n, m, joined)
			}
			if !utf8.ValidString(a) || !peerIsRight(a) {
				continue
			}
			if want, err := peers()[i].Count(a); err != nil || n != want {
				t.Errorf("%s: %q is %d tokens, want %d (%v)", e.name, a, n, want, err)
			}
		}
	})
}

// The corpora count as the library counts them.
func TestCorpora(t *testing.T) {
	for _, c := range corpora(t) {
		if !peerIsRight(c.text) { // leave it no blank to get wrong
			c.text = strings.Join(strings.Fields(c.text), " ")
		}
		if testing.Short() {
			c.text = strings.ToValidUTF8(c.text[:corpusSize/8], "")
		}
		for i := range encodings {
			want, err := peers()[i].Count(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := encodings[i].get().Count(c.text); got != want {
				t.Errorf("%s: %s is %d tokens, want %d", encodings[i].get().name, c.name, got, want)
			}
		}
	}
}

// Text made to be slow is counted, and its count grows with its length. A
// quadratic counter would not end.
func TestHostile(t *testing.T) {
	const part = 32760 // whole characters of one to four bytes
	for _, c := range hostile() {
		for i := range encodings {
			e := encodings[i].get()
			want := float64(e.Count(c.text[:part])) * float64(len(c.text)) / part
			if got := float64(e.Count(c.text)); got < 0.95*want-16 || got > 1.05*want+16 {
				t.Errorf("%s: %s is %v tokens, by its first part %v", e.name, c.name, got, want)
			}
		}
	}
}

// Special tokens in content are text.
func TestSpecialTokensAreText(t *testing.T) {
	if n := o200k().Count("<|endoftext|>"); n != 7 {
		t.Errorf("counts %d, want 7", n)
	}
}

// Counting allocates nothing once its worker is there; for the parts of a large
// text a few times, whatever its length.
func TestCountAllocates(t *testing.T) {
	large := grow(rand.New(rand.NewPCG(7, 8)), jsonLine)
	e := o200k()
	for text, most := range map[string]float64{large[:share]: 2, large: 40, strings.Repeat(large, 4): 40} { // a collection may empty the pool
		e.Count(text)
		if n := testing.AllocsPerRun(5, func() { e.Count(text) }); n > most {
			t.Errorf("%v allocations for %d bytes", n, len(text))
		}
	}
}

func TestConcurrent(t *testing.T) {
	cs := corpora(t)
	var want []int
	for _, c := range cs {
		want = append(want, o200k().Count(c.text))
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i, c := range cs {
				if got := o200k().Count(c.text); got != want[i] {
					t.Errorf("%s is %d tokens, want %d", c.name, got, want[i])
				}
			}
		})
	}
	wg.Wait()
}

func TestCounter(t *testing.T) {
	for _, name := range []string{"o200k", "o200k_base", "cl100k", "cl100k_base"} {
		c, err := Counter(name)
		if err != nil || !c.Exact() || c.Name() != strings.TrimSuffix(name, "_base") {
			t.Errorf("Counter(%q) is %v, %v", name, c, err)
		}
	}
	if _, err := Counter("p50k"); !errors.Is(err, ErrUnknown) {
		t.Errorf("error is %v", err)
	}
}

// SPEC: L12. A public encoding is exact and has no margin; others have one.
func TestMeter(t *testing.T) {
	for name, exact := range map[string]bool{"gpt-4o": true, "gpt-4": true, "claude-sonnet-4-5": false, "nobody-knows": false} {
		m, _ := model.Lookup(name)
		meter, err := Meter(m)
		if err != nil {
			t.Fatal(err)
		}
		if meter.Exact() != exact || (meter.Margin == 0) != exact {
			t.Errorf("%s: exact %v, margin %v", name, meter.Exact(), meter.Margin)
		}
		text := strings.Repeat("some words to count. ", 50)
		if n := o200k().Count(text); !exact && float64(meter.Text(text)) < 1.2*float64(n) {
			t.Errorf("%s: %d tokens for %d of o200k", name, meter.Text(text), n)
		}
	}
}

// The scanners leave nothing out.
func TestScannersAdvance(t *testing.T) {
	var all bytes.Buffer
	for _, v := range vectors(t) {
		all.WriteString(strings.ToValidUTF8(v.Text, "\uFFFD"))
	}
	s := all.String()
	for i := range encodings {
		e := encodings[i].get()
		for at := 0; at < len(s); {
			end := e.next(s, at)
			if end <= at || end > len(s) || end < len(s) && !utf8.RuneStart(s[end]) {
				t.Fatalf("%s: piece at %d ends at %d", e.name, at, end)
			}
			at = end
		}
	}
}

// goClass is the class by Go's tables.
func goClass(r rune) uint8 {
	switch {
	case r == '\n' || r == '\r':
		return breaks
	case unicode.IsSpace(r):
		return space
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return upper
	case unicode.Is(unicode.Ll, r):
		return lower
	case unicode.IsLetter(r):
		return letter
	case unicode.IsMark(r):
		return mark
	case unicode.IsNumber(r):
		return number
	}
	return other
}

// Every character that Go's older tables know has the class its Unicode category
// gives it. That all have the reference's is in the vectors.
func TestClasses(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf) {
			continue
		}
		s := string(r)
		if got, n := at(s, 0); got != goClass(r) || n != len(s) {
			t.Fatalf("%U has class %b of %d bytes, want %b", r, got, n, goClass(r))
		}
	}
}

var _ token.Counter = (*encoding)(nil)
