package handover

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// words is what the user said in a message, "" where a message is none of the user's.
func words(m message.Message) string {
	if !thread.Speaks(m) {
		return ""
	}
	var all []string
	w := thread.WordsOf(&m)
	for i := range m.Parts {
		if said := w.Said(i); said != "" {
			all = append(all, strings.TrimSpace(said))
		}
	}
	return strings.TrimSpace(strings.Join(all, "\n\n"))
}

// Reserve is how much of a budget to plan a prompt without, so that the text has room for
// what the user said: at most a quarter of what the newest message of the user's leaves.
func Reserve(ms []message.Message, budget int, count func(text string) int) int {
	before, newest := 0, 0
	for _, m := range ms {
		if text := words(m); text != "" {
			before += newest
			newest = count(text) + framed
		}
	}
	return max(min(before, (budget-newest)/4), 0)
}

// framed is what names a message of the user's, in tokens.
const framed = 12

// rules are the numbers of the messages that the plan's summaries took constraints and
// preferences from.
func rules(turn *precis.Turn) map[int]bool {
	numbers := map[int]bool{}
	for _, o := range turn.Origins {
		var s summary.Structured
		if o.Record == nil || json.Unmarshal(o.Record.Summary, &s) != nil {
			continue // it has no state, or one of another kind
		}
		for _, f := range s.Facts {
			if f.Kind == summary.Constraint || f.Kind == summary.Preference {
				numbers[f.From.N] = true
			}
		}
	}
	return numbers
}

// told says how much a text holds of what the user said.
type told struct {
	messages  int
	cut, left []int // numbers of messages, ascending
}

// choose leaves out and cuts of what the user said what there is no room for: the newest
// message goes first, then those with rules and the first one, then the others from the
// newest on. What is longer than a quarter of the room, of those first ones a half, may
// be cut to its head.
func choose(all []piece, rules map[int]bool, n Newest) told {
	var users, sizes []int // places in all, and what they take
	left, size := n.room(all)
	total := 0
	for i, p := range all {
		if p.number > 0 {
			users = append(users, i)
			sizes = append(sizes, size(p.text))
			total += sizes[len(sizes)-1]
		}
	}
	out := told{messages: len(users)}
	if left < 0 || total <= left {
		return out
	}
	whole, most := left, level(sizes, left)
	for _, w := range byWorth(all, users, rules) {
		p := &all[w.place]
		takes := size(p.text)
		got := min(takes, max(most, whole/w.share), left)
		switch {
		case got == takes:
		case got < max(whole/32, 2*size(p.text[:strings.IndexByte(p.text, '\n')])): // hardly more than who said it
			p.text, got, out.left = "", 0, append(out.left, p.number)
		default:
			p.text, out.cut = beginning(p.text, len(p.text)*got/takes), append(out.cut, p.number)
		}
		left -= got
	}
	slices.Sort(out.left)
	slices.Sort(out.cut)
	return out
}

// worth is a place among the pieces with the share of the room that it may take.
type worth struct{ place, share int }

// byWorth is the order in which the user's messages are given room.
func byWorth(all []piece, users []int, rules map[int]bool) []worth {
	var first, then []worth
	for k, i := range slices.Backward(users) {
		if k == len(users)-1 || k == 0 || rules[all[i].number] {
			first = append(first, worth{i, 2})
			continue
		}
		then = append(then, worth{i, 4})
	}
	return append(first, then...)
}

// room is how much what the user said may take, in the measure of size, -1 for all of it: it
// is what the rest leaves, and of bytes, by which the rest may be cut, at least about a half.
func (n Newest) room(all []piece) (room int, size func(text string) int) {
	room, size, least := n.Most-around, func(text string) int { return len(text) + len("\n\n") }, (n.Most-around)/2
	if n.Most == 0 {
		room, size, least = n.Budget-around/4, n.Count, n.Budget/8
	}
	if n.Most == 0 && n.Budget == 0 {
		return -1, func(string) int { return 0 }
	}
	for _, p := range all {
		if p.number == 0 {
			room -= size(p.text)
		}
	}
	return max(room, least), size
}

// around is at most what stands before and behind the pieces, in bytes.
const around = 800

// claim says how much of what the user said stands, in a clause that another follows.
func (t told) claim() string {
	if len(t.cut)+len(t.left) == 0 {
		return "What the user said stands word for word;"
	}
	text := fmt.Sprintf("Of the user's %s %s stand word for word", term.Count(t.messages, "message"), term.Comma(t.messages-len(t.cut)-len(t.left)))
	if len(t.cut) > 0 {
		text += ", " + named(t.cut) + map[bool]string{true: " is", false: " are"}[len(t.cut) == 1] + " cut at […]"
	}
	if len(t.left) > 0 {
		text += ", " + named(t.left) + map[bool]string{true: " is", false: " are"}[len(t.left) == 1] + " left out"
	}
	return text + ": precis_read reads them;"
}

// named lists numbers of messages, the first of many.
func named(numbers []int) string {
	const most = 12
	var all []string
	for _, n := range numbers[:min(len(numbers), most)] {
		all = append(all, ref.Message(n).String())
	}
	if more := len(numbers) - most; more > 0 {
		all = append(all, term.Comma(more)+" more")
	}
	if len(all) == 1 {
		return all[0]
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}
