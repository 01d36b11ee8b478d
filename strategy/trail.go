package strategy

import (
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
)

// trail writes the lines of a span that are likeliest to be needed again, each
// as it stood, under the number of its message: the part of a summary that keeps
// what no heading foresees. It takes at most limit tokens.
func trail(v *View, span plan.Span, heat *Heat, limit int, said string) string {
	k := newPicker(heat)
	k.shows(said)
	in := map[int]bool{}
	for _, id := range span.IDs {
		i, _ := v.T.Find(id)
		in[i] = true
	}
	for i := range v.T.Len() {
		for n := 1; n <= len(v.T.At(i).Message.Parts) && !in[i]; n++ {
			if p, ok := v.Now(i, n); ok {
				k.shows(p.Body())
			}
		}
	}
	for _, id := range span.IDs {
		i, _ := v.T.Find(id)
		for _, p := range v.T.At(i).Message.Parts {
			if p.Kind != message.Thinking {
				k.add(i, p.Body(), v.Meter.Text)
			}
		}
	}
	take := k.pick(limit-8, 4)
	return writeTrail(k.pieces, take)
}

func writeTrail(pieces []piece, take []bool) string {
	var b strings.Builder
	last, gap := -1, false
	for i := range pieces {
		p := &pieces[i]
		if !take[i] {
			gap = true
			continue
		}
		switch {
		case p.owner != last:
			fmt.Fprintf(&b, "\n#%d ", p.owner+1)
		case gap:
			b.WriteString("\n… ")
		default:
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimSpace(p.text))
		last, gap = p.owner, false
	}
	return strings.TrimPrefix(b.String(), "\n")
}
