// Package handover writes what an agent goes on with in place of a conversation.
//
// Use: Text of a turn that was prepared for the conversation, and Before for what stood in
// a session of Claude Code before a compaction. Law: only what the user said stands as it
// is; what anybody else said is quoted and says who it was. Promise: a text is "" where
// nothing had to leave, so that the agent compacts by itself or not at all.
package handover

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
)

// Heading begins every text.
const Heading = "[precis] "

// Newest tells Text which of the newest messages to write, those behind the last that left.
type Newest struct {
	// Whole writes them, too: the agent keeps nothing else.
	Whole bool
	// Kept is the position in the log of the first message that the agent keeps itself:
	// what stands before it is written. 0 writes none of the newest.
	Kept int
	// Most bounds the text in bytes, 0 not at all: what is longer than the others is cut.
	Most int
}

// Text returns the prompt of a turn as one text, "" if nothing left the prompt.
func Text(turn *precis.Turn, n Newest) string {
	if turn.Plan == nil || len(turn.Plan.Records) == 0 {
		return ""
	}
	last := -1 // of the places in the prompt at which messages were left out
	for i, o := range turn.Origins {
		if o.Record != nil {
			last = i
		}
	}
	var said []string
	for i, m := range turn.Messages {
		o := turn.Origins[i]
		switch {
		case o.Record != nil:
			said = append(said, texts(m)...)
		case i < last || n.Whole || o.First < n.Kept:
			said = append(said, quoted(m, number(o.First))...)
		}
	}
	if len(said) == 0 {
		return ""
	}
	head := Heading + "This conversation was compacted. What the user said stands word for word; behind > stands what you said and what tools returned."
	end := fmt.Sprintf("Every message of this session is kept as it was said: precis_grep, precis_read and precis_describe read it, in thread %q.", turn.Key.Thread)
	if n.Whole {
		end += " Go on where this ends."
	}
	if n.Most > 0 {
		said = fit(said, n.Most-len(head)-len(end)-2*len(said)-len("\n\n\n"))
	}
	return head + "\n\n" + strings.Join(said, "\n\n") + "\n\n" + end + "\n"
}

// fit cuts the longest texts to one length, so that all of them together take no more.
func fit(texts []string, most int) []string {
	total, sizes := 0, []int{}
	for _, t := range texts {
		total += len(t)
		sizes = append(sizes, len(t))
	}
	if total <= most {
		return texts
	}
	slices.Sort(sizes)
	each, left := 0, most
	for i, size := range sizes {
		if each = left / (len(sizes) - i); size > each {
			break
		}
		left -= size
	}
	var out []string
	for _, t := range texts {
		const cut = "\n[…]"
		if len(t) > each {
			t = strings.ToValidUTF8(t[:max(each-len(cut), 0)], "") + cut
		}
		out = append(out, t)
	}
	return out
}

// number names a message of the log, and nothing where it is none.
func number(first int) string {
	if first < 0 {
		return ""
	}
	return fmt.Sprintf(" (#%d)", first+1)
}

func texts(m message.Message) (all []string) {
	for _, p := range m.Parts {
		if p.Kind == message.Text {
			all = append(all, strings.TrimSpace(p.Text))
		}
	}
	return all
}

// quoted is a message with who said it. Thinking, and what only a provider reads, is
// left out.
func quoted(m message.Message, number string) (all []string) {
	for _, p := range m.Parts {
		switch {
		case p.Kind == message.Text && m.Role == message.User:
			all = append(all, "The user said, word for word"+number+":\n"+strings.TrimSpace(p.Text))
		case p.Kind == message.Text && m.Role == message.Assistant:
			all = append(all, "You said"+number+":\n"+quote(p.Text))
		case p.Kind == message.Call:
			all = append(all, "You called "+p.Name+number+":\n"+quote(p.Args))
		case p.Kind == message.Result:
			all = append(all, result(p)+number+":\n"+quote(p.Body()))
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
	return p.Name + " returned"
}

// quote sets every line of a text apart from what the user said.
func quote(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")
}
