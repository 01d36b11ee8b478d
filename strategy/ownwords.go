package strategy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// ownBlock is a stretch of what the agent said that stays as it stood, or is left to be
// chosen from line by line.
type ownBlock struct {
	from, to int  // positions in lineChooser.pieces
	ago      int  // tokens to the end of the conversation
	text     bool // a text, not a call
	part     int  // of the message, from 1
}

const (
	// blockLines is how many lines stand together: most of a file that is written, or of
	// a script.
	blockLines = 100
	// shortBlock is the tokens up to which a block is short, and longCall those from which
	// a call is long: see reach.
	shortBlock, longCall = 60, 120
	// mostDecided is how many paragraphs in which the agent decided something stand before all
	// else, in 1/decidedShare of the room; of one that has more than maxDecided tokens only the
	// lines that decide.
	mostDecided, maxDecided, decidedShare = 12, 100, 4
	// The calls that changed files as they are now take at most one part in editShare of the
	// room.
	editShare = 3
	// shortLine is how many bytes of a line tell nothing.
	shortLine = 8
	// askedShare is the share of the room for text of the log in which users' newest messages
	// stand, maxAsked how many tokens of one.
	askedShare, maxAsked = .05, 120
	// ownShare is the most of the room for text of the log that blocks take.
	ownShare = .5
	// ownReach is how far back blocks reach, in shares of Limits.OwnTokens. What is farther
	// back stands until all blocks together take more than leastOwn of it.
	ownReach, leastOwn = 2.25, .2
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

// addOwn notes the pieces from a position on as what the agent said in a part of a message, so
// many tokens ago.
func (k *lineChooser) addOwn(from, part, ago int, text bool) {
	for from < len(k.pieces) {
		to := from + blockLines
		if len(k.pieces)-to < blockLines/2 {
			to = len(k.pieces)
		}
		k.own = append(k.own, ownBlock{from, to, ago, text, part})
		from = to
	}
}

// hears notes the lines of a text as standing in the prompt.
func (k *lineChooser) hears(text string) {
	for l := range strings.SplitSeq(text, "\n") {
		k.said[strings.TrimSpace(l)] = true
	}
}

// keepOwn keeps in blocks what the agent said, as far as room and their reach go, and first
// the paragraphs in which it decided something and the edits that stand, which count among
// the least; it reports whether there was any. What stands in the prompt already, or says for
// the most part what something newer says, is passed over.
func (k *lineChooser) keepOwn(room int) (any bool) {
	k.take = append(k.take, make([]bool, len(k.pieces)-len(k.take))...)
	left, edits, least := room/decidedShare, room/editShare, int(leastOwn*float64(k.ownTokens))
	for i := range k.decided {
		b := k.passage(&k.decided[i])
		if spent := k.keepBlock(&b, left); spent > 0 {
			left, room, least, any = left-spent, room-spent, least-spent, true
		}
	}
	for i := len(k.own) - 1; i >= 0; i-- { // the newest first
		if !k.edited(&k.own[i]) {
			continue
		}
		if spent := k.keepBlock(&k.own[i], edits); spent > 0 {
			edits, room, least, any = edits-spent, room-spent, least-spent, true
		}
	}
	for i := range k.own {
		k.own[i].ago = k.reach(&k.own[i])
	}
	slices.SortStableFunc(k.own, func(a, b ownBlock) int { return cmp.Compare(a.ago, b.ago) })
	for i := range k.own {
		if least < 0 && float64(k.own[i].ago) > ownReach*float64(k.ownTokens) {
			break
		}
		if spent := k.keepBlock(&k.own[i], room); spent > 0 {
			room, least, any = room-spent, least-spent, true
		}
	}
	return any
}

// edited reports whether a block is a call that changed a file as the file is now.
func (k *lineChooser) edited(b *ownBlock) bool {
	return !b.text && b.to > b.from && slices.Contains(k.edits, thread.Place{Index: int(k.pieces[b.from].owner), Part: b.part})
}

// reach is how far back a block counts as standing, in tokens. An action repeats, of each
// token, four times as much of a long text or script as of a command of one line, and twice
// as much of a short text; scripts are written again longest.
func (k *lineChooser) reach(b *ownBlock) int {
	cost := 0
	for _, p := range k.pieces[b.from:b.to] {
		cost += p.cost
	}
	switch {
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

// keepAsked keeps the newest of what users said, each message whole or its beginning, as far
// as room reaches; it reports whether there was any.
func (k *lineChooser) keepAsked(room int) (any bool) {
	k.take = append(k.take, make([]bool, len(k.pieces)-len(k.take))...)
	for i := len(k.asked) - 1; i >= 0; i-- {
		b := k.asked[i]
		for at, cost := b.from, 0; at < b.to; at++ {
			if cost += k.pieces[at].cost; cost > maxAsked {
				b.to = at
			}
		}
		if spent := k.keepBlock(&b, room); spent > 0 {
			room, any = room-spent, true
		}
	}
	return any
}

// keepBlock keeps a block that fits into room and says something new; it returns what the
// block takes, 0 where it is left out.
func (k *lineChooser) keepBlock(b *ownBlock, room int) int {
	if b.from == b.to {
		return 0
	}
	owner := k.pieces[b.from].owner
	cost, fresh := k.costOf(b)
	if 2*fresh < cost {
		return 0
	}
	for i := b.from; i < b.to; i++ {
		if k.take[i] { // paid for already
			cost -= k.pieces[i].cost
		}
	}
	if !k.opened[owner] {
		cost += headCost
	}
	if cost > room {
		return 0
	}
	k.spent[owner] += cost
	for i := b.from; i < b.to; i++ {
		if k.said[strings.TrimSpace(k.pieces[i].text)] = true; !k.take[i] {
			k.keep(int32(i))
		}
	}
	return cost
}

// passage returns the paragraph of a text in which a decision stands, or the lines of it
// that hold the decision where the paragraph is long. It is empty where it is not found.
func (k *lineChooser) passage(d *summary.Decision) (found ownBlock) {
	for _, b := range k.own {
		if !b.text || int(k.pieces[b.from].owner) != d.From.N-1 {
			continue
		}
		for i := b.from; i < b.to; i++ {
			if k.tells(i, d.Text) {
				return k.paragraph(b, i, d.Text)
			}
		}
	}
	return found
}

// tells reports whether a piece and a decision hold one another, marks of lists and headings
// aside.
func (k *lineChooser) tells(i int, decision string) bool {
	line := oneline.Of(strings.TrimLeft(k.pieces[i].text, " \t#*-0123456789."))
	return len(line) > shortLine && (strings.Contains(decision, line) || strings.Contains(line, decision))
}

// paragraph returns the paragraph around a piece of a block.
func (k *lineChooser) paragraph(b ownBlock, at int, decision string) ownBlock {
	from, to := at, at+1
	for to < b.to && (k.pieces[to].joins || k.tells(to, decision) || k.blank(to) && to+1 < b.to && k.tells(to+1, decision)) {
		to++
	}
	lines := ownBlock{from: from, to: to, text: true}
	for from > b.from && !k.blank(from-1) {
		from--
	}
	for to < b.to && !k.blank(to) {
		to++
	}
	all := ownBlock{from: from, to: to, text: true}
	if cost, _ := k.costOf(&all); cost <= maxDecided {
		return all
	}
	return lines
}

func (k *lineChooser) blank(i int) bool { return strings.TrimSpace(k.pieces[i].text) == "" }

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
