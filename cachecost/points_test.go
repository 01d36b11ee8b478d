package cachecost

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
)

// prompt reads a script, a message a word: u user, a completion, c a call, r its
// result, S a summary, Z one in the assistant's words, e ephemeral content, t thinking and a call, 0 an empty
// completion, m a completion that ends in thinking, y the system's words.
func prompt(script string) (ms []message.Message, turns []int) {
	turn := 0
	for _, w := range strings.Fields(script) {
		text := message.Part{Kind: message.Text, Text: w}
		think := message.Part{Kind: message.Thinking, Text: "hm"}
		m, at := of(message.Assistant, text), turn
		switch w[0] {
		case 'u':
			turn++
			m, at = of(message.User, text), turn
		case 'c':
			m = of(message.Assistant, call("c", "bash", "{}"))
		case 't':
			m = of(message.Assistant, think, call("c", "bash", "{}"))
		case 'r':
			m = of(message.Tool, result("c", ""))
		case 'm':
			m = of(message.Assistant, text, think)
		case '0':
			m = of(message.Assistant, message.Part{Kind: message.Text})
		case 'Z':
			at = 0
		case 'S', 'X':
			m, at = of(message.User, text), 0
		case 'y':
			m, at = of(message.System, text), 0
		case 'e':
			m, at = of(message.User, text), -1
		}
		ms, turns = append(ms, m), append(turns, at)
	}
	return ms, turns
}

// lasting returns how many messages end with the last excerpt, X.
func lasting(script string) int {
	return 1 + slices.Index(strings.Fields(script), "X")
}

func drawPoints(script string, ps []Point) string {
	words := strings.Fields(script)
	var out []string
	for i, w := range words {
		out = append(out, w)
		for _, p := range ps {
			if p.Message == i {
				out = append(out, "^"+string(p.Place))
			}
		}
	}
	return strings.Join(out, " ")
}

// SPEC: T7
func TestCachePoints(t *testing.T) {
	for _, c := range []struct {
		about, script string
		room          int
		want          string
	}{
		{"rounds are tool rounds and completions", "u c r c r c r c r c r a", 3, "u c r c r ^pre_tail c r c r c r a ^tail"},
		{"of one turn the fifth makes a pre-tail", "u c r c r c r c r", 3, "u c r c r c r c r ^tail"},
		{"rounds of earlier turns count", "u a u a u c r c r c r", 3, "u a ^pre_tail u a ^prev_turn u c r c r c r ^tail"},
		{"a new turn that has only begun", "u a u a u", 3, "u a u a ^prev_turn u ^tail"},
		{"the first turn has none before it", "y u a", 3, "y u a ^tail"},
		{"a summary is what stands before the current turn", "S c r u c r", 3, "S c r ^prev_turn u c r ^tail"},
		{"a turn that a summary split", "S u", 3, "S ^prev_turn u ^tail"},
		{"excerpts stand while the summary after them is rewritten", "u X S c r c r", 3, "u X ^excerpts S c r c r ^tail"},
		{"before the rounds of one turn", "u X S c r c r c r c r c r", 3, "u X ^excerpts S c r ^pre_tail c r c r c r c r ^tail"},
		{"of two the excerpts and the tail", "X S u a u a", 2, "X ^excerpts S u a u a ^tail"},
		{"of three all but the pre-tail", "X S u a u a u c r c r c r", 3, "X ^excerpts S u a u a ^prev_turn u c r c r c r ^tail"},
		{"a summary is no round", "S u a u a u a u a", 3, "S u a u a u a ^prev_turn u a ^tail"},
		{"nor in the assistant's words", "Z u a u a u a u a", 3, "Z u a u a u a ^prev_turn u a ^tail"},
		{"ephemeral content is never cached", "u a u e e", 3, "u a ^prev_turn u ^tail e e"},
		{"not on thinking, not on empty text", "u m u 0", 3, "u m ^prev_turn u ^tail 0"},
		{"a round of thinking and a call", "u t r", 3, "u t r ^tail"},
		{"one point where two fall together", "u a u c r c r c r c r", 3, "u a ^prev_turn u c r c r c r c r ^tail"},
		{"the client left two", "u a u a u c r c r c r", 2, "u a u a ^prev_turn u c r c r c r ^tail"},
		{"the client left one", "u a u a", 1, "u a u a ^tail"},
		{"the client left none", "u a u a", 0, "u a u a"},
		{"the client set more than there are", "u a u a", -1, "u a u a"},
		{"nothing", "", 3, ""},
	} {
		ms, turns := prompt(c.script)
		if got := drawPoints(c.script, Points(ms, turns, lasting(c.script), c.room, Spacing{})); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.about, got, c.want)
		}
	}
}

func TestPointNamesThePart(t *testing.T) {
	ms, turns := prompt("u m u t")
	want := []Point{{Place: Tail, Message: 3, Part: 1}, {Place: PrevTurn, Message: 1, Part: 0}}
	if got := Points(ms, turns, 0, Breakpoints, Spacing{}); !slices.Equal(got, want) {
		t.Errorf("points %v", got)
	}
}

// The design's own diagram: each turn is a round, the points stand on the last
// block of a turn.
//
// SPEC: T7
func TestCachePointsDiagram(t *testing.T) {
	for _, c := range []struct{ labels, script, want string }{
		{"[TURN A] [TURN B] [TURN C] [TURN D] [TURN E]", "uA aA uB aB uC aC uD aD uE aE", `
  [TURN A] [TURN B] [TURN C] [TURN D] [TURN E]
         ^ pre-tail cache (end of TURN A, N-4)
                                    ^ prev-turn cache (end of TURN D)
                                             ^ tail cache (end of TURN E)
`},
		{"[SUMMARY(A..C)] [TURN D] [TURN E]", "S uD aD uE aE", `
  [SUMMARY(A..C)] [TURN D] [TURN E]
                         ^ prev-turn cache (end of TURN D)
                                  ^ tail cache (end of TURN E)
`},
	} {
		ms, turns := prompt(c.script)
		label := -1
		in := make([]int, len(ms)) // label of each message
		for i, w := range strings.Fields(c.script) {
			if w[0] == 'u' || w[0] == 'S' {
				label++
			}
			in[i] = label
		}
		if got := diagram(c.labels, in, Points(ms, turns, 0, 3, Spacing{})); got != c.want {
			t.Errorf("got:%s\nwant:%s", got, c.want)
		}
	}
}

// diagram draws points under the labels of the messages they stand on.
func diagram(labels string, in []int, ps []Point) string {
	var b strings.Builder
	b.WriteString("\n  " + labels + "\n")
	names := strings.Split(strings.Trim(labels, "[]"), "] [")
	slices.SortFunc(ps, func(a, b Point) int { return a.Message - b.Message })
	for _, p := range ps {
		end := 0
		for _, n := range names[:in[p.Message]+1] {
			end += len(n) + 3
		}
		says := map[Place]string{PreTail: "pre-tail cache (end of %s, N-4)", PrevTurn: "prev-turn cache (end of %s)", Tail: "tail cache (end of %s)"}[p.Place]
		fmt.Fprintf(&b, "%s^ "+says+"\n", strings.Repeat(" ", end), names[in[p.Message]])
	}
	return b.String()
}

// Whatever is sent: at most so many points as there is room for, each on a block
// that may carry one. As a prompt grows by requests, a point that is not the tail
// lies where a point was before, or within a completion of it: a provider finds
// it without looking far back.
//
// SPEC: T7, V3
func TestCachePointsStand(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		room := rapid.IntRange(0, 4).Draw(rt, "room")
		steps := rapid.SliceOfN(rapid.SampledFrom([]string{"u", "c r", "t r", "a u", "m u", "0 u"}), 0, 14).Draw(rt, "steps")
		script, before := "u", map[int]bool{}
		for n := 0; ; n++ {
			ms, turns := prompt(script)
			ps := Points(ms, turns, 0, room, Spacing{})
			if len(ps) != min(room, len(ps), 3) || room > 0 && len(ps) == 0 {
				rt.Fatalf("%d points, room for %d", len(ps), room)
			}
			for k, p := range ps {
				part := ms[p.Message].Parts[p.Part]
				if part.Kind == message.Thinking || part.Kind == message.Text && part.Text == "" {
					rt.Fatalf("a point on %s", part.Kind)
				}
				if k > 0 && ps[0].Message <= p.Message {
					rt.Fatal("the tail is not the first, or stands before another")
				}
				if p.Place != Tail && !before[p.Message] && !before[p.Message-1] {
					rt.Fatalf("%s: %s is far from what was cached", drawPoints(script, ps), p.Place)
				}
				before[p.Message] = true
			}
			if n == len(steps) {
				return
			}
			script += " " + steps[n]
		}
	})
}

func BenchmarkPoints(b *testing.B) {
	ms, turns := prompt(strings.Repeat("u c r c r a ", 2000))
	b.ReportAllocs()
	for b.Loop() {
		if ps := Points(ms, turns, 0, 3, Spacing{}); len(ps) != 3 {
			b.Fatal(ps)
		}
	}
}

func call(id, name, args string) message.Part {
	return message.Part{Kind: message.Call, CallID: id, Name: name, Args: args}
}

func result(id, text string) message.Part {
	return message.Part{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: text}}}
}

func of(r message.Role, ps ...message.Part) message.Message {
	return message.Message{Role: r, Parts: ps}
}
