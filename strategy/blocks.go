package strategy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// block is a stretch of what was said or called in a part of a message. It stays as it stood,
// or is left to be chosen from line by line.
type block struct {
	from, to int  // numbers of its pieces: the first, and the one behind the last
	part     int  // of the message, from 1
	text     bool // a text, not a call
	ago      int  // tokens to the end of the conversation
}

// blocks holds what the agent and users said, where it stands in blocks.
type blocks struct {
	tokens  int                // Limits.OwnTokens
	extra   int                // tokens that count as room for blocks beside the limit of lines
	own     []block            // what the agent said and called, oldest first
	asked   []block            // what users said, oldest first
	edits   []thread.Place     // calls that changed files as they are now
	decided []summary.Decision // what the agent decided, the newest first
	shown   map[string]bool    // lines that stand in the prompt, without indentation
}

const (
	// blockLines is how many lines stand together: most of a file that is written, or of
	// a script.
	blockLines = 100
	// shortBlock is the tokens up to which a block is short, and longCall those from which
	// a call is long: see reach.
	shortBlock, longCall = 60, 120
	// The calls that changed files as they are now take at most one part in editShare of the
	// room.
	editShare = 3
	// askedShare is the share of the room for text of the log in which users' newest messages
	// stand, maxAsked how many tokens of one.
	askedShare, maxAsked = .05, 120
	// ownShare is the most of the room for text of the log that the agent's blocks take.
	ownShare = .4
	// ownReach is how far back blocks reach, in shares of Limits.OwnTokens. What is farther
	// back stands until all blocks together take more than leastOwn of it.
	ownReach, leastOwn = 2.25, .2
)

// addOwn notes what the agent said or called in a part of a message, in blocks of blockLines.
func (bs *blocks) addOwn(b block) {
	for end := b.to; b.from < end; b.from = b.to {
		if b.to = b.from + blockLines; end-b.to < blockLines/2 {
			b.to = end
		}
		bs.own = append(bs.own, b)
	}
}

// show notes the lines of a text as standing in the prompt.
func (bs *blocks) show(text string) {
	for l := range strings.SplitSeq(text, "\n") {
		bs.shown[strings.TrimSpace(l)] = true
	}
}

// keep keeps blocks in their shares of limit tokens, of which room are left, and returns what they take.
// What was looked up takes no room from them.
func (bs *blocks) keep(s *selection, limit, room int) (spent int) {
	share := func(of float64) int { return min(int(float64(limit+bs.extra)*of), room-spent) }
	spent = bs.keepAsked(s, share(askedShare))
	return spent + bs.keepOwn(s, share(ownShare))
}

// keepAsked keeps the newest of what users said, each message whole or its beginning, as far
// as room reaches; it returns what they take.
func (bs *blocks) keepAsked(s *selection, room int) (spent int) {
	for _, b := range slices.Backward(bs.asked) {
		for at, cost := b.from, 0; at < b.to; at++ {
			if cost += s.pieces.list[at].cost; cost > maxAsked {
				b.to = at
			}
		}
		spent += bs.keepBlock(s, b, room-spent)
	}
	return spent
}

// keepOwn keeps what the agent said, as far as room and the blocks' reach go, and first the
// paragraphs in which it decided something and the edits that stand, which count among the
// least; it returns what they take. What stands in the prompt already, or says for the most
// part what something newer says, is passed over.
func (bs *blocks) keepOwn(s *selection, room int) (spent int) {
	spent = bs.keepDecided(s, room/decidedShare)
	spent += bs.keepEdits(s, room/editShare)
	return spent + bs.keepNewest(s, room-spent, int(leastOwn*float64(bs.tokens))-spent)
}

// keepEdits keeps the calls that changed files as they are now, the newest first, as far as
// room reaches; it returns what they take.
func (bs *blocks) keepEdits(s *selection, room int) (spent int) {
	for _, b := range slices.Backward(bs.own) {
		if bs.edited(s.pieces, b) {
			spent += bs.keepBlock(s, b, room-spent)
		}
	}
	return spent
}

// edited reports whether a block is a call that changed a file as the file is now.
func (bs *blocks) edited(p *pieces, b block) bool {
	return !b.text && slices.Contains(bs.edits, thread.Place{Index: int(p.list[b.from].message), Part: b.part})
}

// keepNewest keeps what the agent said and called within reach, and what is farther back until
// least tokens are spent, as far as room reaches; it returns what they take.
func (bs *blocks) keepNewest(s *selection, room, least int) (spent int) {
	newest := slices.Clone(bs.own)
	for i := range newest {
		newest[i].ago = reach(newest[i], s.pieces.cost(newest[i]))
	}
	slices.SortFunc(newest, func(a, b block) int { return cmp.Or(cmp.Compare(a.ago, b.ago), cmp.Compare(a.from, b.from)) })
	for _, b := range newest {
		if spent > least && float64(b.ago) > ownReach*float64(bs.tokens) {
			break
		}
		spent += bs.keepBlock(s, b, room-spent)
	}
	return spent
}

// reach is how far back a block that costs so much counts as standing, in tokens. An action
// repeats, of each token, four times as much of a long text or script as of a command of one
// line, and twice as much of a short text; scripts are written again longest.
func reach(b block, cost int) int {
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

// keepBlock keeps a block that fits into room and says something new; it returns what the
// block takes, 0 where it is left out.
func (bs *blocks) keepBlock(s *selection, b block, room int) int {
	if b.from == b.to || 2*bs.fresh(s.pieces, b) < s.pieces.cost(b) {
		return 0
	}
	cost, ok := s.keepAll(b, room)
	if !ok {
		return 0
	}
	for _, p := range s.pieces.list[b.from:b.to] {
		bs.shown[p.trimmed()] = true
	}
	return cost
}

// fresh returns the tokens of the lines of a block that do not stand in the prompt yet.
func (bs *blocks) fresh(p *pieces, b block) (cost int) {
	for _, l := range p.list[b.from:b.to] {
		if !bs.shown[l.trimmed()] {
			cost += l.cost
		}
	}
	return cost
}
