package strategy

import (
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/tool"
)

// View shows a strategy what it may look at. It is a window on a Draft; strategies do
// not change it.
type View struct {
	*Draft
	Limits Limits
	Zones  []Zone // by entry position
	Target int    // tokens of the whole request to come down to
	// Tools say how results of tools are treated, by tool name, before the
	// built-in table.
	Tools map[string]tool.Policy
	// Source returns what is known now of what a result was read from, nil for
	// nothing. Without a Source nothing can be checked. What it says
	// is not recorded: the plan holds the decision that followed from it, and
	// stays in force whatever becomes of the source.
	Source func(tool.Envelope) *tool.Determinism
	// Instructions are added to what a model is asked: a hook's.
	Instructions string
	// Refused says that the provider refused the prompt.
	Refused bool

	standing *plan.Record // whose excerpts stay: see LeaveExcerpts
}

// Over returns how many tokens are still to be freed.
func (v *View) Over() int { return v.Total() - v.Target }

// exceeds reports whether a text takes more than so many tokens, and how many it takes then. A text
// of no more bytes is not counted: a token has at least one byte. What a margin adds to the count of
// so short a text makes it no large one.
func (v *View) exceeds(text string, tokens int) (size int, ok bool) {
	if len(text) <= tokens {
		return 0, false
	}
	size = v.Meter.Text(text)
	return size, size > tokens
}

// free is the cost of entries [from, to) if all of them lie in the zone or
// freer ones and none is held, else 0.
func (v *View) free(from, to int, zone Zone) int {
	cost := 0
	for i := from; i < to; i++ {
		if v.Zones[i] < zone || v.Zones[i] == Held {
			return 0
		}
		cost += v.Cost(i)
	}
	return cost
}

// part is the part a span addresses, as it was logged, and its entry's position.
func (v *View) part(s plan.Span) (message.Part, int) {
	i, _ := v.T.Find(s.IDs[0])
	return v.T.At(i).Message.Parts[s.Part-1], i
}

// eachPart collects proposals on parts of entries in zones from zone on, oldest
// first. propose sees each part as the prompt shows it now.
func eachPart(v *View, zone Zone, propose func(i, n int, p message.Part) (Proposal, bool)) []Proposal {
	var out []Proposal
	for i := range v.T.Len() {
		if v.Zones[i] < zone || v.Zones[i] == Held || v.Whole(i) != nil || v.T.At(i).Message.Meta {
			continue
		}
		for n := 1; n <= len(v.T.At(i).Message.Parts); n++ {
			now, ok := v.Now(i, n)
			if !ok {
				continue
			}
			if p, ok := propose(i, n, now); ok {
				p.Span = v.partSpan(i, n)
				out = append(out, p)
			}
		}
	}
	return out
}
