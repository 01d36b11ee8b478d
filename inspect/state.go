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

// stand is what stands in the prompt for one message.
type stand struct {
	state  State
	tokens int          // in the prompt, at this message: a summary counts at its first
	record *plan.Record // that did most, nil for none
}

// stands tells of the first n messages of a thread under a plan; before is the plan
// that p took the place of.
func stands(t *thread.Thread, p, before *plan.Plan, n int) []stand {
	all := make([]stand, n)
	for i := range all {
		all[i] = stand{state: Whole, tokens: t.At(i).Tokens}
	}
	if p == nil {
		return all
	}
	held := map[thread.ID]bool{}
	for _, h := range p.Holds {
		held[h.ID] = true
	}
	over := p.Over(t)
	for i := range all {
		id := t.ID(i)
		switch r := over[i]; {
		case r != nil:
			all[i] = stand{state: stateOf(r), record: r}
			if r.Span.Start() == id {
				all[i].tokens = r.Tokens
			}
		case held[id], before != nil && before.Whole(id) != nil:
			all[i].state = Returned
		}
	}
	for r := range p.Records {
		x := &p.Records[r]
		if x.Span.Part == 0 {
			continue
		}
		i, ok := t.Find(x.Span.Start())
		if !ok || i >= n || over[i] != nil {
			continue
		}
		all[i].tokens = max(all[i].tokens-x.Saves, 0)
		if x.Kind == plan.Repaired && x.Action == plan.Replace {
			continue
		}
		all[i].record = x
		if all[i].state = stateOf(x); all[i].state != Externalized && all[i].state != Cleared {
			all[i].state = Thinned
		}
	}
	return all
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
