package timeline

// window returns the index of the first block after the latest summary: what may be
// compacted next.
func window(bs []Block) int {
	for k := len(bs) - 1; k >= 0; k-- {
		if bs[k].Type == rangeSummary {
			return k + 1
		}
	}
	return 0
}

// reach returns the latest message block from which keep tokens of message blocks
// follow, itself included; -1 where the window from start holds less.
func reach(bs []Block, start, keep int) int {
	sum := 0
	for k := len(bs) - 1; k >= start; k-- {
		if !isMessage(bs[k]) {
			continue
		}
		if sum += bs[k].Tokens; sum >= keep {
			return k
		}
	}
	return -1
}

// candidate returns the first cut point at or after k, len(bs) where there is none.
func candidate(bs []Block, k int) int {
	for k < len(bs) && !isCutPoint(bs[k]) {
		k++
	}
	return k
}

// boundary goes back over blocks that are no messages: a notice stays with the
// message it stands before.
func boundary(bs []Block, start, k int) int {
	for k > start && !isMessage(bs[k-1]) {
		k--
	}
	return k
}

// Reason tells why nothing is cut; "" where something is.
type Reason string

// The reasons.
const (
	NoCutPoint     Reason = "no_cut_point"     // nothing since the latest summary may be the first to stay
	NoBoundaryRoom Reason = "no_boundary_room" // all since the latest summary is to stay
)

// Choice holds a cut. Blocks [Window, Cut) go behind the summary; blocks from Cut
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
// what is before it frees need tokens; else the turn is split.
func Choose(bs []Block, keep, need int) Choice {
	start := window(bs)
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

// newest returns the last message block: its unit stays.
func newest(bs []Block) int {
	k := len(bs) - 1
	for k > 0 && !isMessage(bs[k]) {
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

// splits returns the turn that a cut parts and the index of its first block in the
// window; turn 0 where it parts none. Notices before a turn start belong to it.
func splits(bs []Block, start, cut int) (turn, head int) {
	for cut < len(bs) && !isMessage(bs[cut]) {
		cut++
	}
	if cut == len(bs) || isTurnStart(bs[cut]) {
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
