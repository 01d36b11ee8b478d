package strategy

import (
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
)

const (
	// mostDecided is how many paragraphs in which the agent decided something stand before all
	// else, in 1/decidedShare of the room; of one that has more than maxDecided tokens only the
	// lines that decide.
	mostDecided, maxDecided, decidedShare = 12, 100, 4
	// shortLine is up to how many bytes a line is too short to be found in a decision.
	shortLine = 8
)

// decided returns the newest decisions of a summary that its text does not hold as they were
// said, the newest first.
func decided(s *summary.Structured, text string) (out []summary.Decision) {
	for i := len(s.Decisions) - 1; i >= 0 && len(out) < mostDecided; i-- {
		if !strings.Contains(text, s.Decisions[i].Text) {
			out = append(out, s.Decisions[i])
		}
	}
	return out
}

// keepDecided keeps the paragraphs in which the agent decided something, as far as room
// reaches; it returns what they take.
func (bs *blocks) keepDecided(s *selection, room int) (spent int) {
	for i := range bs.decided {
		if b, ok := bs.passage(s.pieces, &bs.decided[i]); ok {
			spent += bs.keepBlock(s, b, room-spent)
		}
	}
	return spent
}

// passage returns the paragraph of a text in which a decision stands, or the lines of it
// that hold the decision where the paragraph is long; false where it is not found.
func (bs *blocks) passage(p *pieces, d *summary.Decision) (block, bool) {
	for _, b := range bs.own {
		if !b.text || int(p.list[b.from].message) != d.From.N-1 {
			continue
		}
		for i := b.from; i < b.to; i++ {
			if p.tells(i, d.Text) {
				return p.paragraph(b, i, d.Text), true
			}
		}
	}
	return block{}, false
}

// tells reports whether a piece and a decision hold one another, marks of lists and headings
// aside.
func (p *pieces) tells(i int, decision string) bool {
	line := oneline.Of(strings.TrimLeft(p.list[i].text, " \t#*-0123456789."))
	return len(line) > shortLine && (strings.Contains(decision, line) || strings.Contains(line, decision))
}

// paragraph returns the paragraph around a piece of a block, which tells a decision, or the
// lines from it on that do where the paragraph is long.
func (p *pieces) paragraph(b block, at int, decision string) block {
	from, to := at, at+1
	for to < b.to && (p.list[to].joins || p.tells(to, decision) || p.blank(to) && to+1 < b.to && p.tells(to+1, decision)) {
		to++
	}
	lines := block{from: from, to: to, text: true}
	for from > b.from && !p.blank(from-1) {
		from--
	}
	for to < b.to && !p.blank(to) {
		to++
	}
	if all := (block{from: from, to: to, text: true}); p.cost(all) <= maxDecided {
		return all
	}
	return lines
}

func (p *pieces) blank(i int) bool { return p.list[i].trimmed() == "" }
