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

// Reuse adds up, by source, what an action copies of its history and what a
// prompt has of that. budget is in tokens of four characters.
func Reuse(into map[Source]Copied, history []Said, action Said, prompt []Said, budget int) {
	var starts []int
	var all []rune
	for _, m := range history {
		starts = append(starts, len(all))
		all = append(all, []rune(m.Text)...)
	}
	text, shown := []rune(action.Text), []rune(Join(prompt))
	found, shownText := indexOf(shown), string(shown)
	for _, c := range copies(text, indexOf(all)) {
		said := sort.SearchInts(starts, c.from+1) - 1
		source := Source{history[said].Role, agoOf(len(all)-c.from, budget)}
		if said < 2 {
			source.Role = First
		}
		n := into[source]
		n.All += c.n
		if run := text[c.at : c.at+c.n]; strings.Contains(shownText, string(run)) {
			n.Whole, n.Any = n.Whole+c.n, n.Any+c.n
		} else {
			n.Any += found.covers(run)
		}
		into[source] = n
	}
}

func agoOf(characters, budget int) Ago {
	switch unit := 4 * budget; {
	case 4*characters <= unit:
		return UpToQuarter
	case 2*characters <= unit:
		return UpToHalf
	case characters <= unit:
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
