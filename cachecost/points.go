package cachecost

import (
	"cmp"
	"slices"

	"github.com/seed-3db51b0e/precis/message"
)

// Place names one of the cache points of a prompt.
type Place string

// The places, most worth having first.
const (
	Tail     Place = "tail"      // the last block
	Excerpts Place = "excerpts"  // the last excerpt of the log, which stands while the summary after it is rewritten
	PrevTurn Place = "prev_turn" // the last block before the current turn
	PreTail  Place = "pre_tail"  // the last block of a round some before the last: see Spacing
)

// Spacing says where the pre-tail point lies: Offset rounds before the last one, where there are
// MinRounds rounds at least. 0 is usualOffset and usualRounds.
type Spacing struct{ Offset, MinRounds int }

const usualOffset, usualRounds = 4, 2

// Breakpoints is how many breakpoints a provider takes in a request, those of the client among them.
const Breakpoints = 4

// Point is a cache point: a block of a rendered prompt, by the index of its
// message and that of the part in it.
type Point struct {
	Place         Place
	Message, Part int
}

// Points returns where a rendered prompt is best cached: tail, excerpts, previous turn and
// pre-tail, as far as they exist and room, the breakpoints the client left, allows; most
// worth having first. Compute them on what is sent, after every rewrite.
//
// turns is the user turn of each message, counted from 1: 0 for one of no turn (a system
// message, a summary), -1 for ephemeral content, which is not cached. A round is a tool
// round or a final completion. Thinking and empty texts carry no point: the block before
// them does.
//
// A provider looks back 20 blocks from a breakpoint for what it has cached, and a round
// of parallel calls may add more. That costs at most Spacing.Offset rounds: the other two
// points stand where an earlier request had one, or a completion after it.
//
// lasting is how many messages at the beginning end with the last excerpt, 0 where there is none.
func Points(ms []message.Message, turns []int, lasting, room int, s Spacing) []Point {
	offset, least := cmp.Or(s.Offset, usualOffset), cmp.Or(s.MinRounds, usualRounds)
	n := len(ms)
	for n > 0 && turns[n-1] < 0 {
		n--
	}
	var ps []Point
	add := func(p Place, from, until int) {
		if at, ok := lastBlock(ms, from, until); ok && !slices.ContainsFunc(ps, at.same) && len(ps) < room {
			at.Place = p
			ps = append(ps, at)
		}
	}
	add(Tail, 0, n)
	add(Excerpts, 0, lasting)
	add(PrevTurn, 0, currentTurn(turns[:n]))
	if rs := rounds(ms, turns, n); len(rs) >= max(least, offset+1) {
		r := rs[len(rs)-1-offset]
		add(PreTail, r.from, r.until)
	}
	return ps
}

func (p Point) same(q Point) bool { return p.Message == q.Message && p.Part == q.Part }

// currentTurn returns the index of the current turn's first message, 0 where there
// is no turn.
func currentTurn(turns []int) int {
	if len(turns) == 0 {
		return 0
	}
	return max(slices.Index(turns, max(slices.Max(turns), 1)), 0)
}

// lastBlock returns the last block of messages [from, until) that may carry a point;
// system messages are the client's to mark.
func lastBlock(ms []message.Message, from, until int) (Point, bool) {
	for i := until - 1; i >= from; i-- {
		if ms[i].Role == message.System {
			continue
		}
		for n := len(ms[i].Parts) - 1; n >= 0; n-- {
			if carries(&ms[i].Parts[n]) {
				return Point{Message: i, Part: n}, true
			}
		}
	}
	return Point{}, false
}

// carries reports whether a part may carry a point. Of an opaque part nothing is
// known, so it carries none.
func carries(p *message.Part) bool {
	switch p.Kind {
	case message.Thinking, message.Opaque, message.Fixed:
		return false
	case message.Text:
		return p.Text != ""
	}
	return true
}

// stretch holds messages [from, until).
type stretch struct{ from, until int }

// rounds returns the tool rounds and final completions among the first n messages:
// assistant messages in a row, and the results after them.
func rounds(ms []message.Message, turns []int, n int) (rs []stretch) {
	for i := 0; i < n; {
		if ms[i].Role != message.Assistant || turns[i] < 1 {
			i++
			continue
		}
		r := stretch{from: i}
		for i < n && ms[i].Role == message.Assistant {
			i++
		}
		for i < n && ms[i].Has(message.Result) {
			i++
		}
		r.until = i
		rs = append(rs, r)
	}
	return rs
}
