// Package handover writes what an agent goes on with in place of a conversation.
//
// Use: Text of a turn that was prepared for the conversation, and Before for what stood in
// a session of Claude Code before a compaction. Law: only what the user said stands as it
// is; what anybody else said is quoted and says who it was. Promise: a text tells how much
// of what the user said it holds, and is "" where nothing had to leave, so that the agent
// compacts by itself or not at all.
package handover

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// Heading begins every text.
const Heading = "[precis] "

// Newest tells Text which of the newest messages to write, those behind the last that left,
// and how much.
type Newest struct {
	// Whole writes them, too: the agent keeps nothing else.
	Whole bool
	// Kept is the position in the log of the first message that the agent keeps itself:
	// what stands before it is written. 0 writes of the newest what the user said.
	Kept int
	// Most bounds the text in bytes, 0 not at all: what is longer than the others is cut.
	Most int
	// Budget bounds in tokens, as Count counts them, what the user said beside the rest; 0
	// not at all.
	Budget int
	Count  func(text string) int
}

// Text returns the prompt of a turn as one text, "" if nothing left the prompt.
func Text(turn *precis.Turn, n Newest) string {
	if turn.Plan == nil || !slices.ContainsFunc(turn.Plan.Records, leavesOut) {
		return ""
	}
	all := pieces(turn, n)
	if len(all) == 0 {
		return ""
	}
	end := fmt.Sprintf("Every message of this session is kept as it was said: precis_grep, precis_read and precis_describe read it, in thread %q.", turn.Key.Thread)
	if n.Whole {
		end += " Go on where this ends."
	}
	told := choose(all, rules(turn), n)
	head := Heading + "This conversation was compacted. " + told.claim() + " behind > stand what you said, what tools returned and lines of the log."
	if n.Most > 0 {
		fit(all, n.Most-len(head)-len(end)-len("\n\n\n"))
	}
	var b strings.Builder
	b.WriteString(head + "\n\n")
	for _, p := range all {
		if p.text != "" {
			b.WriteString(p.text + "\n\n")
		}
	}
	return b.String() + end + "\n"
}

// leavesOut reports whether a record takes anything out of the prompt: a repair adds what a
// provider asks for, and nothing is compacted where there is nothing else.
func leavesOut(r plan.Record) bool { return r.Kind != plan.Repaired }

// piece is a part of the text; number is that of the message where the user said it, else 0.
type piece struct {
	text   string
	number int
}

// pieces lists the whole text of a turn. What the user said stands where it was said, and
// behind a summary that stands for it.
func pieces(turn *precis.Turn, n Newest) (all []piece) {
	last := -1 // of the places in the prompt at which messages were left out
	for i, o := range turn.Origins {
		if o.Record != nil {
			last = i
		}
	}
	at, until := 0, turn.Thread.Len()
	if n.Kept > 0 {
		until = min(n.Kept, until)
	}
	user := func(to int) {
		for ; at < min(to, until); at++ {
			if text := words(turn.Thread.At(at).Message); text != "" {
				all = append(all, piece{"The user said, word for word" + number(at) + ":\n" + text, at + 1})
			}
		}
	}
	for i, m := range turn.Messages {
		o := turn.Origins[i]
		var said []string
		switch {
		case o.Record != nil:
			user(o.First)
			said = summaries(m)
		case i < last || n.Whole || o.First < n.Kept:
			user(o.First + 1)
			said = quoted(m, number(o.First), o.First >= 0 && words(turn.Thread.At(o.First).Message) != "")
		}
		for _, text := range said {
			all = append(all, piece{text: text})
		}
	}
	user(until)
	return all
}

// fit cuts the longest texts to one length, so that all of them together take no more. What
// the user said is left alone.
func fit(all []piece, most int) {
	total, sizes := 0, []int{}
	for _, p := range all {
		if p.text == "" {
			continue
		}
		most -= len("\n\n")
		if p.number > 0 {
			most -= len(p.text)
			continue
		}
		total += len(p.text)
		sizes = append(sizes, len(p.text))
	}
	if total <= most {
		return
	}
	each := level(sizes, most)
	for i, p := range all {
		if p.number == 0 && len(p.text) > each {
			all[i].text = beginning(p.text, each)
		}
	}
}

// level is the length to which the longest are cut so that all of them take no more room.
func level(sizes []int, room int) (each int) {
	slices.Sort(sizes)
	for i, size := range sizes {
		if each = room / (len(sizes) - i); size > each {
			break
		}
		room -= size
	}
	return each
}

// cut ends what was cut.
const cut = "\n[…]"

// beginning is a text cut to so many bytes.
func beginning(text string, most int) string {
	return strings.ToValidUTF8(text[:max(most-len(cut), 0)], "") + cut
}

// number names a message of the log, and nothing where it is none.
func number(first int) string {
	if first < 0 {
		return ""
	}
	return fmt.Sprintf(" (#%d)", first+1)
}

// summaries are the texts of a message that stands for others, the lines of the log in them
// quoted: whoever said one, the user's words stand elsewhere.
func summaries(m message.Message) (all []string) {
	for _, p := range m.Parts {
		if p.Kind != message.Text {
			continue
		}
		text := strings.TrimPrefix(strings.TrimSpace(p.Text), render.ExcerptHead)
		if at := strings.Index("\n"+text, "\n"+strategy.LinesHeading); at >= 0 {
			heading, lines, _ := strings.Cut(text[at:], "\n")
			text = text[:at] + heading + "\n" + wording.Quote(lines)
		}
		all = append(all, text)
	}
	return all
}

// quoted is a message with who said it, without what the user said in it, if it is the
// user's. Thinking, and what only a provider reads, is left out.
func quoted(m message.Message, number string, users bool) (all []string) {
	for _, p := range m.Parts {
		switch {
		case p.Kind == message.Text && m.Role == message.User && !users:
			all = append(all, "Beside what the user said there stood"+number+":\n"+wording.Quote(p.Text))
		case p.Kind == message.Text && m.Role == message.Assistant:
			all = append(all, "You said"+number+":\n"+wording.Quote(p.Text))
		case p.Kind == message.Call:
			all = append(all, "You called "+oneline.Of(p.Name)+number+":\n"+wording.Quote(p.Args))
		case p.Kind == message.Result:
			all = append(all, result(p)+number+":\n"+wording.Quote(p.Body()))
		case p.Kind == message.Media:
			all = append(all, "There was a picture or a file"+number+".")
		}
	}
	return all
}

func result(p message.Part) string {
	if p.Name == "" {
		return "The tool returned"
	}
	return oneline.Of(p.Name) + " returned"
}
