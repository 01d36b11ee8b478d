package timeline

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The rules of the design, for every author with every type.
//
// SPEC: T1
func TestPredicates(t *testing.T) {
	authors := []string{"user", "assistant", "system", "tool", "reviewer", ""}
	for _, c := range []struct {
		typ                  blockType
		cut, message, starts string // one mark an author, in the order above
	}{
		{typ: userPrompt, cut: "++++++", message: "++++++", starts: "++++++"},
		{typ: turnHeader, cut: "++++++", message: "++++++", starts: "++++++"},
		{typ: completion, cut: "++++++", message: "++++++", starts: "+....."},
		{typ: toolCall, cut: "++++++", message: "++++++", starts: "+....."},
		{typ: toolResult, cut: "......", message: "++++++", starts: "+....."},
		{typ: rangeSummary, cut: "......", message: "......", starts: "+....."},
		{typ: "stage.gate", cut: "++..+.", message: "++..+.", starts: "+....."},
		{typ: "", cut: "++..+.", message: "++..+.", starts: "+....."},
	} {
		var cut, message, starts strings.Builder
		for _, a := range authors {
			b := Block{Type: c.typ, Author: a}
			cut.WriteString(mark(isCutPoint(b)))
			message.WriteString(mark(isMessage(b)))
			starts.WriteString(mark(isTurnStart(b)))
		}
		if cut.String() != c.cut || message.String() != c.message || starts.String() != c.starts {
			t.Errorf("%q: cut points %s, messages %s, turn starts %s; want %s, %s, %s", c.typ, &cut, &message, &starts, c.cut, c.message, c.starts)
		}
	}
}

func mark(ok bool) string {
	if ok {
		return "+"
	}
	return "."
}

// stream reads a script, a block a word: H turn header, U user prompt, A
// completion, C call, R result, S summary, N notice of the system, P a
// participant's words; a number is its tokens, 10 where there is none. A call
// and the results after it are one unit; H and U start turns, a U after an H
// belongs to its turn.
func stream(script string) []Block {
	kinds := map[byte]Block{
		'H': {Type: turnHeader, Author: bySystem}, 'U': {Type: userPrompt, Author: byUser},
		'A': {Type: completion, Author: byAssistant}, 'C': {Type: toolCall, Author: byAssistant},
		'R': {Type: toolResult, Author: byTool}, 'S': {Type: rangeSummary, Author: bySystem},
		'N': {Type: "react.notice", Author: bySystem}, 'P': {Type: "participant.said", Author: "reviewer"},
	}
	var bs []Block
	turn, unit := 0, 0
	for i, w := range strings.Fields(script) {
		b := kinds[w[0]]
		b.Entry, b.Part, b.Tokens = i, 1, 10
		if n, err := strconv.Atoi(w[1:]); err == nil {
			b.Tokens = n
		}
		if w[0] == 'H' || w[0] == 'U' && (i == 0 || bs[i-1].Type != turnHeader) {
			turn++
		}
		if w[0] != 'R' {
			unit++
		}
		b.Turn, b.Unit = turn, unit
		bs = append(bs, b)
	}
	return bs
}

// draw writes | before the block that stays first, and / before the prefix of a
// split turn.
func draw(script string, c Choice) string {
	if c.Reason != "" {
		return string(c.Reason)
	}
	var out []string
	for i, w := range strings.Fields(script) {
		if c.Split > 0 && i == c.Head {
			out = append(out, fmt.Sprint("/", c.Split))
		}
		if i == c.Cut {
			out = append(out, "|")
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

// cutByRules is the index of the first block that stays when about keep tokens of
// message blocks stay, by the design's rules and nothing else: walk back until
// they are reached, take the first cut point at or after, go back over what is
// no message until the block before is one, or a summary. Where keep is never
// reached, or no cut point follows, it is the window's first cut point. ok is
// false where the window has none.
func cutByRules(bs []Block, keep int) (at int, ok bool) {
	start := window(bs)
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

// The cut of the design alone.
//
// SPEC: T2
func TestCut(t *testing.T) {
	for _, c := range []struct {
		about, script string
		keep          int
		want          string
	}{
		{"walks back until what is kept is reached", "U A U A U A", 20, "U A U A | U A"},
		{"may fall inside a turn", "U A U A U A", 30, "U A U | A U A"},
		{"takes the first cut point at or after", "U C R C R50 C R A", 60, "U C R C R50 | C R A"},
		{"never cuts before a result", "U C R R R A", 30, "U C R R R | A"},
		{"does not count what is no message", "U A N500 U A", 20, "U A | N500 U A"},
		{"goes back to a message", "U A N N U A", 20, "U A | N N U A"},
		{"goes back to just after a summary", "U A S N N U A", 20, "U A S | N N U A"},
		{"looks only after the latest summary", "U A S U A S U A", 500, "U A S U A S | U A"},
		{"keeps everything that fits", "U A U A", 500, "| U A U A"},
		{"is the first cut point where none follows", "U C R500", 100, "| U C R500"},
		{"takes turn headers and participants", "H U A P H U A", 40, "H U A | P H U A"},
		{"wants a cut point", "N N R", 10, "none"},
		{"of nothing is none", "", 10, "none"},
	} {
		at, ok := cutByRules(stream(c.script), c.keep)
		got := "none"
		if ok {
			got = draw(c.script, Choice{Cut: at})
		}
		if got != c.want {
			t.Errorf("%s: %q keeping %d\n got %s\nwant %s", c.about, c.script, c.keep, got, c.want)
		}
	}
}

// oracle reads the rules as they are written, one after the other.
func oracle(bs []Block, keep int) (int, bool) {
	start := 0
	for i, b := range bs {
		if b.Type == rangeSummary {
			start = i + 1
		}
	}
	var points []int
	for i := start; i < len(bs); i++ {
		if isCutPoint(bs[i]) {
			points = append(points, i)
		}
	}
	if len(points) == 0 {
		return start, false
	}
	cut := points[0]
	for i := start; i < len(bs); i++ { // the last block from which enough follows
		sum := 0
		for _, b := range bs[i:] {
			if isMessage(b) {
				sum += b.Tokens
			}
		}
		if !isMessage(bs[i]) || sum < keep {
			continue
		}
		cut = points[0]
		for n := len(points) - 1; n >= 0 && points[n] >= i; n-- {
			cut = points[n]
		}
	}
	for cut > 0 && !isMessage(bs[cut-1]) && bs[cut-1].Type != rangeSummary {
		cut--
	}
	return cut, true
}

func drawScript(rt *rapid.T) string {
	words := []string{"H", "U", "A", "C", "C", "R", "R", "N", "P", "S", "U40", "A0", "R90", "C25", "N70"}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 40).Draw(rt, "script"), " ")
}

// SPEC: T2
func TestCutIsTheRules(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bs := stream(drawScript(rt))
		keep := rapid.IntRange(0, 400).Draw(rt, "keep")
		at, ok := cutByRules(bs, keep)
		if wantAt, want := oracle(bs, keep); at != wantAt || ok != want {
			rt.Fatalf("cut %d %t, want %d %t", at, ok, wantAt, want)
		}
	})
}

// A cut is moved to the start of the atomic unit it falls into, and a split
// turn is one that no whole-turn cut frees enough of.
//
// SPEC: T2, T3, T10
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		about, script string
		keep, need    int
		want          string
	}{
		{"between turns", "U A U A U A", 20, 1, "U A U A | U A"},
		{"preserves the tool call boundary", "U A U C R30 C R A", 35, 1000, "U A /2 U C R30 | C R A"},
		{"moves back to the start of a round", "U A U C C R R A", 40, 1000, "U A /2 U | C C R R A"},
		{"third diagram: a historical turn is split where it must be", "U A U A U C R C R A U A U A", 70, 1000, "U A U A /3 U C R | C R A U A U A"},
		{"and not where a whole-turn cut frees enough", "U A U A U C R C R A U A U A", 70, 40, "U A U A | U C R C R A U A U A"},
		{"which is measured in what it frees", "U A U A U C R C R A U A U A", 70, 41, "U A U A /3 U C R | C R A U A U A"},
		{"the turn in progress is split, too", "U A U C R C R C R", 30, 1000, "U A /2 U C R C R | C R"},
		{"the newest round stays, however large", "U C R C R900", 100, 1000, "/1 U C R | C R900"},
		{"one round alone has no room", "C R900", 100, 1000, "no_boundary_room"},
		{"a turn that the last summary split is split again", "U C R S C R C R C R", 30, 1000, "U C R S /1 C R C R | C R"},
		{"notices before a turn belong to it", "U A N U A", 20, 1, "U A | N U A"},
		{"what fits is not cut", "U A U A", 500, 1000, "no_boundary_room"},
		{"nothing since the summary", "U A S", 10, 1000, "no_cut_point"},
		{"only notices since the summary", "U A S N N", 10, 1000, "no_cut_point"},
		{"before the first turn nothing is split", "A A A U A", 30, 1000, "A A | A U A"},
	} {
		bs := stream(c.script)
		for i := 1; i < len(bs); i++ { // calls in a row are one round
			if bs[i].Type == toolCall && bs[i-1].Type == toolCall {
				for j := i; j < len(bs) && (j == i || bs[j].Type == toolResult); j++ {
					bs[j].Unit = bs[i-1].Unit
				}
			}
		}
		if got := draw(c.script, Choose(bs, c.keep, c.need)); got != c.want {
			t.Errorf("%s: keeping %d, needing %d\n got %s\nwant %s", c.about, c.keep, c.need, got, c.want)
		}
	}
}

// Whatever the stream: a cut starts a unit, leaves the newest one with a message
// whole, lies in the window and no later than the design's rules say.
//
// SPEC: T2, T10
func TestChooseIsAtomic(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bs := stream(drawScript(rt))
		keep := rapid.IntRange(0, 400).Draw(rt, "keep")
		need := rapid.IntRange(0, 400).Draw(rt, "need")
		c := Choose(bs, keep, need)
		if c.Reason != "" {
			return
		}
		if c.Cut <= c.Window || c.Window != window(bs) || c.Head < c.Window || c.Head > c.Cut || (c.Split == 0) != (c.Head == c.Cut) {
			rt.Fatalf("choice %+v", c)
		}
		if bs[c.Cut].Unit == bs[c.Cut-1].Unit {
			rt.Fatalf("cut at %d parts unit %d", c.Cut, bs[c.Cut].Unit)
		}
		newest := len(bs) - 1
		for newest > 0 && !isMessage(bs[newest]) {
			newest--
		}
		if bs[c.Cut].Unit > bs[newest].Unit {
			rt.Fatal("the newest unit does not stay")
		}
		kept := 0
		for _, b := range bs[c.Cut:] {
			if isMessage(b) {
				kept += b.Tokens
			}
		}
		if at, ok := oracle(bs, keep); ok && c.Cut > at && kept < keep && at > c.Window {
			rt.Fatalf("cut at %d, the rules say %d", c.Cut, at)
		}
		for _, b := range bs[c.Head:c.Cut] {
			if b.Turn != c.Split {
				rt.Fatalf("the prefix of turn %d holds a block of turn %d", c.Split, b.Turn)
			}
		}
	})
}
