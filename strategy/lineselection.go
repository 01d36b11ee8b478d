package strategy

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/internal/ranking"
)

// selection is which of the pieces on offer stay, chosen one after another within a number of
// tokens.
type selection struct {
	pieces *pieces
	heads  heads
	// minWorth is the worth of a token, in the steps of Relevance.Of, below which no piece is
	// picked; 0 takes any.
	minWorth float64
	stays    []bool         // by piece
	alike    map[uint64]int // pieces that stay, by form; empty for ladderLines
	spent    map[int32]int  // by position of a message: tokens of what stays of it, 0 where nothing does
	most     int            // tokens that pick lets one message take
}

func newSelection(p *pieces, h heads, minWorth float64) *selection {
	return &selection{pieces: p, heads: h, minWorth: minWorth, stays: make([]bool, len(p.list)), alike: map[uint64]int{}, spent: map[int32]int{}}
}

// messageShare is the part of the room that the lines of one message may take, unless
// there are few messages: one over messageShare.
const messageShare = 4

// pick keeps pieces worth up to limit tokens, beside those that stay already,
// and reports whether there was any. Densities only fall as values come to stand, so a stale
// top is measured again and put back: each piece is measured a few times, not
// once for every choice.
func (s *selection) pick(limit int) (any bool) {
	s.most = max(s.most, limit/messageShare, 2*limit/max(s.heads.read, 1))
	r := s.rank()
	for len(r) > 0 && r[0].Score >= s.minWorth {
		i := r[0].Index
		p := &s.pieces.list[i]
		if d := s.density(p); d < r[0].Score {
			r.Rescore(d)
			continue
		}
		r.Pop()
		cost := p.cost + s.marks(int(i))
		first := s.spent[p.message] == 0
		if first {
			cost += s.heads.cost(p.message)
		}
		if cost > limit || s.spent[p.message]+cost > s.most {
			continue
		}
		if first && p.result {
			s.pieces.values.show(s.heads.origins.at(p.message).of, bare)
		}
		limit -= cost
		s.keep(i, cost)
		any = true
	}
	return any
}

// keep keeps a piece for a cost in tokens.
func (s *selection) keep(i int32, cost int) {
	p := &s.pieces.list[i]
	s.stays[i] = true
	s.spent[p.message] += cost
	if s.pieces.mode != ladderLines {
		s.alike[p.form]++
	}
	s.pieces.values.keep(p.lineFacts)
}

// keepAll keeps all pieces of a block if those that do not stay yet take no more than room; it
// returns what they take.
func (s *selection) keepAll(b block, room int) (cost int, ok bool) {
	at, head := s.pieces.list[b.from].message, 0
	if s.spent[at] == 0 {
		head = headCost // what is said shows no file
	}
	cost = head
	for i := b.from; i < b.to; i++ {
		if !s.stays[i] {
			cost += s.pieces.list[i].cost
		}
	}
	if cost > room {
		return 0, false
	}
	s.spent[at] += head
	for i := b.from; i < b.to; i++ {
		if !s.stays[i] {
			s.keep(int32(i), s.pieces.list[i].cost)
		}
	}
	return cost, true
}

const (
	// gapCost is how many tokens the gap before a line takes, about.
	gapCost = 2
	// alikeLoss divides what a line says beside its values, for each line alike that stays.
	alikeLoss = 10
)

// density is the worth of a piece for its tokens. One of many alike is worth
// less than one of its kind: of a hundred lines of a log that differ in their
// numbers, few are ever asked for again; and what a line says beside its values
// is worth hardly anything where one alike stays already.
func (s *selection) density(p *piece) float64 {
	worth := s.pieces.values.addWorth(float64(p.base)/float64(1+alikeLoss*s.alike[p.form]), p.lineFacts)
	many := bits.Len(uint(s.pieces.forms[p.form])) // 1 for one, 2 for two or three, …
	return 2 * worth / float64((p.cost+gapCost)*(1+many))
}

// rank orders what may still be kept by density.
func (s *selection) rank() ranking.Ranking {
	entries := make([]ranking.Entry, 0, len(s.pieces.list))
	for i := range s.pieces.list {
		if s.stays[i] {
			continue
		}
		if d := s.density(&s.pieces.list[i]); d > 0 {
			entries = append(entries, ranking.Entry{Score: d, Index: int32(i)})
		}
	}
	return ranking.New(entries)
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// whole returns the text of a piece, with a mark where a sentence that it is cut from goes on beside
// it and the rest does not stay.
func (s *selection) whole(i int) string {
	text := s.pieces.list[i].text
	if s.cutBefore(i) && !s.stays[i-1] {
		text = oneline.Ellipsis + text
	}
	if i+1 < len(s.stays) && s.cutBefore(i+1) && !s.stays[i+1] {
		text = strings.TrimRight(text, " ") + oneline.Ellipsis
	}
	return text
}

// marks returns the tokens of the marks that a piece may have.
func (s *selection) marks(i int) (n int) {
	if s.cutBefore(i) {
		n++
	}
	if i+1 < len(s.stays) && s.cutBefore(i+1) {
		n++
	}
	return n
}

// cutBefore reports whether a piece goes on with a sentence that the one before it begins, or with a
// value: JSON is cut behind a comma.
func (s *selection) cutBefore(i int) bool {
	p := &s.pieces.list[i]
	if !p.joins {
		return false
	}
	before, ends := s.pieces.list[i-1].trimmed(), ".!?:。！？"
	if p.result {
		ends += ","
	}
	return before != "" && !strings.ContainsRune(ends, lastRune(before))
}

// text writes the pieces that stay under the heads of their messages, with a gap where
// something is left out.
func (s *selection) text() string {
	var b strings.Builder
	last, left := &piece{message: -1}, false // that was written last; the piece before was left out
	heads, from := headWriter{heads: s.heads, paths: map[string]bool{}}, 0
	for i := range s.pieces.list {
		p := &s.pieces.list[i]
		if !s.stays[i] {
			left = true
			continue
		}
		switch {
		case p.message != last.message || p.result != last.result:
			above := b.String()[from:]
			if from = b.Len(); last.result {
				above = ""
			}
			b.WriteByte('\n')
			b.WriteString(heads.head(p, above))
		case left:
			b.WriteString(s.pieces.mode.gap())
		case p.joins:
		default:
			b.WriteByte('\n')
		}
		b.WriteString(s.whole(i))
		last, left = p, false
	}
	return strings.TrimPrefix(b.String(), "\n")
}
