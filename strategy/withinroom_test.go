package strategy

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The lines that are chosen take no more than their limit, whatever blocks there are and however many
// tokens count as room for them beside it.
//
// SPEC: L10
func TestLinesKeepWithinTheirLimit(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 1))
		k := newLineChooser(nil, nil, Limits{
			LinesClosely: true, OwnTokens: 50 + r.IntN(1500), MinWorth: []float64{0, 1, 30, 1e6}[r.IntN(4)],
		}, wordsOf)
		k.blocks.extra = []int{0, 5, 100, 1000}[r.IntN(4)]
		for i := range 1 + r.IntN(30) {
			k.offerAny(r, i)
		}
		limit := 1 + r.IntN(400)
		if got := k.choose(limit); wordsOf(got) > limit {
			t.Fatalf("seed %d: %d of %d tokens, %d beside it\n%s", seed, wordsOf(got), limit, k.blocks.extra, got)
		}
	}
}

// offerAny offers a text of some lines as that of a result, of the user or of the agent.
func (k *lineChooser) offerAny(r *rand.Rand, at int) {
	var b strings.Builder
	for range 1 + r.IntN(12) {
		for range 1 + r.IntN(12) {
			fmt.Fprintf(&b, "w%c%d ", 'a'+rune(r.IntN(26)), r.IntN(9))
		}
		b.WriteString("\n")
	}
	from, own := len(k.pieces.list), block{part: 1, ago: (30 - at) * 50, text: r.IntN(2) == 0}
	switch r.IntN(4) {
	case 0:
		k.pieces.add(at, b.String(), output)
		k.results.add(k.pieces, from)
	case 1:
		k.pieces.add(at, b.String(), prose)
		own.from, own.to, own.text = from, len(k.pieces.list), true
		k.blocks.asked = append(k.blocks.asked, own)
	default:
		k.addPart(at, b.String(), own)
	}
}
