package bpe

import (
	"math/rand/v2"
	"testing"
)

// SPEC: L12. A stretch merges as the definition does, whatever threatens its pairs.
func TestStretch(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	alphabets := []string{"abcdefghijklmnopqrstuvwxyz", "aeinrst", "ab", "-=*#_~ \n", "\x00\xe4\xe5\xb8\xad\xef\xbf\xbd"}
	for i := range encodings {
		var m stretch
		e := encodings[i].get()
		text := bytesOf(&e.vocab)
		ranks := make(map[string]int, len(text))
		for id, s := range text {
			ranks[s] = id
		}
		for k := range 3000 {
			a := alphabets[k%len(alphabets)]
			piece := make([]byte, 1+rnd.IntN(reach))
			for i := range piece {
				piece[i] = a[rnd.IntN(len(a))]
			}
			if _, ok := ranks[string(piece)]; ok {
				continue
			}
			if got, want := m.count(&e.vocab, string(piece)), merged(ranks, string(piece)); got != want {
				t.Fatalf("%s: %q is %d tokens, want %d", e.name, piece, got, want)
			}
		}
	}
}
