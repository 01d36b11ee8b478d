package strategy

import (
	"slices"

	"github.com/seed-3db51b0e/precis/tool"
)

const (
	// mostEnds is how many of the newest results keep their last line: it tells what came of
	// the call, or what is to be done next.
	mostEnds = 4
	// endWorth is the worth of such a line, in the steps of Relevance.Of: what is alike above
	// it takes nothing from it.
	endWorth = 1000
)

// lastLines holds the pieces that tell how calls went, by their numbers.
type lastLines struct {
	ends    []int32 // the last line of each result, oldest first
	failure []int32 // the line that told of the last failure, or none
}

// add notes the last line that says something, of the pieces of a result, which are those
// from a number on. Of JSON no line is the last: what its end holds tells nothing of how the
// call went.
func (l *lastLines) add(p *pieces, from int) {
	list := p.list[from:]
	if isJSON(list[0].text) {
		return
	}
	if n := slices.IndexFunc(list, func(p piece) bool { return p.fails }); n >= 0 {
		l.failure = []int32{int32(from + n)}
	}
	for i := range slices.Backward(list) {
		if text := list[i].trimmed(); text != "" && (text[0] != '<' || text[len(text)-1] != '>') && !tool.IsAside(text) {
			l.ends = append(l.ends, int32(from+i))
			return
		}
	}
}

// keep keeps the line of the last failure and the last lines of the newest results that are
// worth their tokens, one of those that are alike, in at most limit tokens, and returns what
// they take.
func (l *lastLines) keep(s *selection, limit int) (spent int) {
	newest := slices.Concat(l.ends[max(0, len(l.ends)-mostEnds):], l.failure)
	for _, i := range slices.Backward(newest) {
		p := &s.pieces.list[i]
		cost := p.cost + s.heads.cost(p.message)
		if spent+cost <= limit && s.alike[p.form] == 0 && endWorth/float64(p.cost+gapCost) >= s.minWorth {
			spent += cost
			s.keep(i, cost)
		}
	}
	return spent
}
