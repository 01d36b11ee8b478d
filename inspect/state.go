package inspect

import (
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/thread"
)

// State tells what stands in a prompt for a message.
type State string

// The states.
const (
	Whole        State = "whole"
	Thinned      State = "thinned" // parts of it are shorter: previews, re-encoded results, cleared arguments
	Summarized   State = "summarized"
	Cleared      State = "cleared" // a placeholder with its fields
	Externalized State = "externalized"
	Dropped      State = "dropped"
	Returned     State = "came_back" // whole again after a plan had left it out
)

// left says which states leave a message out of the prompt.
func (s State) left() bool {
	return s == Summarized || s == Cleared || s == Externalized || s == Dropped
}

// stand holds what the prompt has in place of one message.
type stand struct {
	state  State
	tokens int          // in the prompt, at this message: a summary counts at its first
	record *plan.Record // that did most, nil for none
}

// stands tells of the first n messages of a thread under a plan; before is the plan
// that p took the place of.
func stands(t *thread.Thread, p, before *sketch, n int) []stand {
	all := make([]stand, n)
	for i := range all {
		all[i] = stand{state: Whole, tokens: t.At(i).Tokens}
	}
	if p == nil {
		return all
	}
	if before != nil { // what it left out whole, and this one does not
		each(before, n, func(c *cover, i int) {
			if c.Span.Part == 0 {
				all[i].state = Returned
			}
		})
	}
	for _, i := range p.back {
		if i < n {
			all[i].state = Returned
		}
	}
	whole := make([]bool, n)
	each(p, n, func(c *cover, i int) {
		if c.Span.Part > 0 {
			return
		}
		whole[i] = true
		all[i] = stand{state: stateOf(&c.Record), record: &c.Record}
		if i == c.first() {
			all[i].tokens = c.Tokens
		}
	})
	each(p, n, func(c *cover, i int) {
		if c.Span.Part == 0 || whole[i] {
			return
		}
		all[i].tokens = max(all[i].tokens-c.Saves, 0)
		if stateOf(&c.Record) == Whole { // a repair
			return
		}
		all[i].record = &c.Record
		if all[i].state = stateOf(&c.Record); all[i].state != Externalized && all[i].state != Cleared {
			all[i].state = Thinned
		}
	})
	return all
}

// each calls f for every record and each of the first n messages that it covers.
func each(p *sketch, n int, f func(c *cover, at int)) {
	for r := range p.covers {
		c := &p.covers[r]
		for _, x := range c.spans {
			for i := x[0]; i < min(x[1], n); i++ {
				f(c, i)
			}
		}
	}
}

// stateOf is the state of what a record covers.
func stateOf(r *plan.Record) State {
	switch r.Action {
	case plan.Summarize:
		return Summarized
	case plan.Externalize:
		return Externalized
	case plan.Clear:
		return Cleared
	case plan.Drop:
		return Dropped
	}
	if r.Kind == plan.Repaired {
		return Whole
	}
	return Thinned
}

// role is who speaks in a message, as people see it.
func role(m message.Message) message.Role { return recall.RoleOf(m) }
