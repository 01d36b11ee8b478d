package timeline

// Window is the index of the first block after the latest summary: what may be
// compacted next.
func Window(bs []Block) int {
	for k := len(bs) - 1; k >= 0; k-- {
		if bs[k].Type == RangeSummary {
			return k + 1
		}
	}
	return 0
}

// Cut is the index of the first block that stays when about keep tokens of
// message blocks stay, by the design's rules and nothing else: walk back until
// they are reached, take the first cut point at or after, go back over what is
// no message until the block before is one, or a summary. Where keep is never
// reached, or no cut point follows, it is the window's first cut point. ok is
// false where the window has none.
func Cut(bs []Block, keep int) (at int, ok bool) {
	start := Window(bs)
	at = candidate(bs, start)
	if at == len(bs) {
		return start, false
	}
	if from := reach(bs, start, keep); from >= 0 {
		if k := candidate(bs, from); k < len(bs) {
			at = k
		}
	}
	return boundary(bs, start, at), true
}

// reach is the latest message block from which keep tokens of message blocks
// follow, itself included; -1 where the window from start holds less.
func reach(bs []Block, start, keep int) int {
	sum := 0
	for k := len(bs) - 1; k >= start; k-- {
		if !IsMessage(bs[k]) {
			continue
		}
		if sum += bs[k].Tokens; sum >= keep {
			return k
		}
	}
	return -1
}

// candidate is the first cut point at or after k, len(bs) where there is none.
func candidate(bs []Block, k int) int {
	for k < len(bs) && !IsCutPoint(bs[k]) {
		k++
	}
	return k
}

// boundary goes back over blocks that are no messages: a notice stays with the
// message it stands before.
func boundary(bs []Block, start, k int) int {
	for k > start && !IsMessage(bs[k-1]) {
		k--
	}
	return k
}

// Reason says why nothing is cut; "" where something is.
type Reason string

// The reasons.
const (
	NoCutPoint     Reason = "no_cut_point"     // nothing since the latest summary may be the first to stay
	NoBoundaryRoom Reason = "no_boundary_room" // all since the latest summary is to stay
)

// Choice is a cut. Blocks [Window, Cut) go behind the summary; blocks from Cut
// on stay. With a Reason the rest says nothing.
type Choice struct {
	Window, Cut int
	// Split is the turn that is cut in two, 0 where the cut falls between turns;
	// its prefix is blocks [Head, Cut). Head is Cut when nothing is split.
	Split, Head int
	Reason      Reason
}

// Choose cuts where the design's rules say and no atomic unit is parted. A cut
// that falls inside a unit moves back to the unit's start; the newest unit with
// a message always stays. A cut inside a turn moves back to the turn's start if
// what is before it frees need tokens; else the turn is split (SPEC T3, T10).
func Choose(bs []Block, keep, need int) Choice {
	start := Window(bs)
	c := Choice{Window: start}
	if candidate(bs, start) == len(bs) {
		c.Reason = NoCutPoint
		return c
	}
	at := reach(bs, start, keep)
	if at >= 0 {
		at = boundary(bs, start, unitStart(bs, start, min(candidate(bs, at), newest(bs))))
	}
	if at <= start {
		c.Reason = NoBoundaryRoom
		return c
	}
	c.Cut, c.Head = at, at
	turn, head := splits(bs, start, at)
	switch {
	case turn == 0:
	case head > start && unitStart(bs, start, head) == head && tokens(bs[start:head]) >= need:
		c.Cut, c.Head = head, head
	default:
		c.Split, c.Head = turn, head
	}
	return c
}

// newest is the last message block: its unit stays.
func newest(bs []Block) int {
	k := len(bs) - 1
	for k > 0 && !IsMessage(bs[k]) {
		k--
	}
	return k
}

func unitStart(bs []Block, start, k int) int {
	for k > start && bs[k-1].Unit == bs[k].Unit {
		k--
	}
	return k
}

// splits is the turn that a cut parts and the index of its first block in the
// window; turn 0 where it parts none. Notices before a turn start belong to it.
func splits(bs []Block, start, cut int) (turn, head int) {
	for cut < len(bs) && !IsMessage(bs[cut]) {
		cut++
	}
	if cut == len(bs) || IsTurnStart(bs[cut]) {
		return 0, cut
	}
	turn, head = bs[cut].Turn, cut
	for head > start && bs[head-1].Turn == turn {
		head--
	}
	if head == cut {
		return 0, cut
	}
	return turn, head
}

func tokens(bs []Block) (n int) {
	for k := range bs {
		n += bs[k].Tokens
	}
	return n
}
