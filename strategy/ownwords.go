package strategy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
)

// ownBlock is a stretch of what the agent said that stays as it stood, or is left to be
// chosen from line by line.
type ownBlock struct {
	from, to int  // positions in lineChooser.pieces
	ago      int  // tokens to the end of the conversation
	text     bool // a text, not a call
}

const (
	// blockLines is how many lines stand together: most of a file that is written, or of
	// a script.
	blockLines = 100
	// shortBlock is the tokens up to which a block is short, and longCall those from which
	// a call is long: see reach.
	shortBlock, longCall = 60, 120
	// mostDecided is how many texts in which the agent decided something stand before all
	// others, maxDecided how many tokens such a text has at most.
	mostDecided, maxDecided = 8, 300
	// ownShare is the most of the room for text of the log that blocks take.
	ownShare = .35
)

// decisions returns the positions of the newest messages in which the agent decided
// something.
func decisions(s *summary.Structured) (at []int) {
	for i := len(s.Decisions) - 1; i >= 0 && len(at) < mostDecided; i-- {
		if n := s.Decisions[i].From.N - 1; !slices.Contains(at, n) {
			at = append(at, n)
		}
	}
	return at
}

// addOwn notes the pieces from a position on as what the agent said, so many tokens ago.
func (k *lineChooser) addOwn(from, ago int, text bool) {
	for from < len(k.pieces) {
		to := from + blockLines
		if len(k.pieces)-to < blockLines/2 {
			to = len(k.pieces)
		}
		k.own = append(k.own, ownBlock{from, to, ago, text})
		from = to
	}
}

// hears notes the lines of a text as standing in the prompt.
func (k *lineChooser) hears(text string) {
	for l := range strings.SplitSeq(text, "\n") {
		k.said[strings.TrimSpace(l)] = true
	}
}

// keepOwn keeps the newest of what the agent said, in blocks, as far as room reaches, and
// first the texts in which it decided something; it reports whether there was any. What
// stands in the prompt already, or says for the most part what something newer says, is
// passed over.
func (k *lineChooser) keepOwn(room int) (any bool) {
	k.take = append(k.take, make([]bool, len(k.pieces)-len(k.take))...)
	for i := range k.own {
		k.own[i].ago = k.reach(&k.own[i])
	}
	slices.SortStableFunc(k.own, func(a, b ownBlock) int { return cmp.Compare(a.ago, b.ago) })
	for i := range k.own {
		b := &k.own[i]
		owner := k.pieces[b.from].owner
		cost, fresh := k.costOf(b)
		if !k.opened[owner] {
			cost += headCost
		}
		if 2*fresh < cost || cost > room {
			continue
		}
		room -= cost
		k.spent[owner] += cost
		for i := b.from; i < b.to; i++ {
			if k.said[strings.TrimSpace(k.pieces[i].text)] = true; !k.take[i] {
				k.keep(int32(i))
			}
		}
		any = true
	}
	return any
}

// reach is how far back a block counts as standing, in tokens. An action repeats, of each
// token, four times as much of a long text or script as of a command of one line, and twice
// as much of a short text; scripts are written again longest.
func (k *lineChooser) reach(b *ownBlock) int {
	cost := 0
	for _, p := range k.pieces[b.from:b.to] {
		cost += p.cost
	}
	switch owner := int(k.pieces[b.from].owner); {
	case b.text && cost <= maxDecided && slices.Contains(k.decided, owner):
		return 0
	case b.text && cost < shortBlock:
		return 2 * b.ago
	case b.text:
		return b.ago
	case cost < shortBlock:
		return 4 * b.ago
	case cost > longCall:
		return b.ago * 2 / 3
	}
	return b.ago
}

// costOf returns the tokens of a block, and those of its lines that do not stand yet.
func (k *lineChooser) costOf(b *ownBlock) (all, fresh int) {
	for i := b.from; i < b.to; i++ {
		p := &k.pieces[i]
		all += p.cost
		if !k.said[strings.TrimSpace(p.text)] {
			fresh += p.cost
		}
	}
	return all, fresh
}
