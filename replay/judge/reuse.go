package judge

import (
	"slices"
	"sort"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// least is the shortest run that counts as copied, in characters.
const least = 16

// Ago is how long before an action something was said, in budgets.
type Ago string

// The distances.
const (
	UpToQuarter Ago = "<1/4"
	UpToHalf    Ago = "<1/2"
	UpToBudget  Ago = "<1"
	Longer      Ago = ">1"
)

// Agos are the distances, the shortest first.
var Agos = []Ago{UpToQuarter, UpToHalf, UpToBudget, Longer}

// First is the speaker of the first two messages: system prompt and task.
const First message.Role = "first"

// Source says who said last what an action copies, and how long ago.
type Source struct {
	Role message.Role
	Ago  Ago
}

// Copied counts characters of actions that stand in the history, and of those
// the ones a prompt still has: Whole in runs that stand in it from end to end,
// Any in pieces of 16 and more.
type Copied struct{ All, Whole, Any int }

// String names a source as rows do: "assistant <1/4".
func (s Source) String() string { return string(s.Role) + " " + string(s.Ago) }

// Copies are the runs of an action that stand in its history.
type Copies struct {
	action []rune
	runs   []run
	roles  []message.Role // of runs: who said them last
	length int            // of the history, in characters
}

// CopiesOf parses an action into what it copies of its history.
func CopiesOf(history []Said, action Said) Copies {
	var starts []int
	var all []rune
	for _, m := range history {
		starts = append(starts, len(all))
		all = append(all, []rune(m.Text)...)
	}
	c := Copies{action: []rune(action.Text), length: len(all)}
	c.runs = copies(c.action, indexOf(all))
	for _, r := range c.runs {
		said := sort.SearchInts(starts, r.from+1) - 1
		role := history[said].Role
		if said < 2 {
			role = First
		}
		c.roles = append(c.roles, role)
	}
	return c
}

// Held adds up, by source, what an action copies of its history and what a prompt has
// of that. budget is in tokens of four characters.
func (c Copies) Held(into map[Source]Copied, prompt []Said, budget int) {
	shown := Join(prompt)
	var found index // made when a run is not there whole
	for i, r := range c.runs {
		source := Source{c.roles[i], AgoOf(c.length-r.from, 4*budget)}
		n := into[source]
		n.All += r.n
		if text := c.action[r.at : r.at+r.n]; strings.Contains(shown, string(text)) {
			n.Whole, n.Any = n.Whole+r.n, n.Any+r.n
		} else {
			if found.at == nil {
				found = indexOf([]rune(shown))
			}
			n.Any += found.covers(text)
		}
		into[source] = n
	}
}

// AgoOf is a distance in budgets; both are in the same unit.
func AgoOf(distance, budget int) Ago {
	switch {
	case 4*distance <= budget:
		return UpToQuarter
	case 2*distance <= budget:
		return UpToHalf
	case distance <= budget:
		return UpToBudget
	}
	return Longer
}

// run is a stretch of an action at position at that stands in the history at
// position from.
type run struct{ at, n, from int }

// copies parses an action, greedily, into the longest runs that stand in a text,
// each where the text has its beginning last.
func copies(action []rune, in index) (out []run) {
	hashes := hashesOf(action)
	for i := 0; i+least <= len(action); {
		from := in.last(hashes[i], action[i:i+least])
		if from < 0 {
			i++
			continue
		}
		n := least
		for i+n < len(action) && from+n < len(in.text) && action[i+n] == in.text[from+n] {
			n++
		}
		out = append(out, run{i, n, from})
		i += n
	}
	return out
}

// index finds where 16 characters stand last in a text.
type index struct {
	text []rune
	at   map[uint64]int
}

func indexOf(text []rune) index {
	x := index{text, make(map[uint64]int, len(text))}
	for i, h := range hashesOf(text) {
		x.at[h] = i
	}
	return x
}

// last is the last position of a piece, -1 if there is none.
func (x index) last(hash uint64, piece []rune) int {
	if i, ok := x.at[hash]; ok && slices.Equal(x.text[i:i+least], piece) {
		return i
	}
	return -1
}

// covers counts the characters of a run that lie in pieces the text has.
func (x index) covers(run []rune) (n int) {
	end := 0 // of what is covered
	for i, h := range hashesOf(run) {
		if x.last(h, run[i:i+least]) >= 0 {
			n += i + least - max(end, i)
			end = i + least
		}
	}
	return n
}

// hashesOf hashes every 16 characters of a text, by rolling.
func hashesOf(text []rune) []uint64 {
	const base = 0x9E3779B97F4A7C15
	var h, first uint64 = 0, 1
	for range least {
		first *= base
	}
	var out []uint64
	for i, r := range text {
		h = h*base + uint64(r) + 1
		if i >= least {
			h -= first * (uint64(text[i-least]) + 1)
		}
		if i >= least-1 {
			out = append(out, h)
		}
	}
	return out
}
