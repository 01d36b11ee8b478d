package session

import (
	"slices"

	"github.com/seed-3db51b0e/precis/internal/engine/variant"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// Prompt is the last prompt of a thread with what it takes to continue it at the
// cost of what is new: as long as the plan stands, the history only grew, and
// what is new needs no repair.
type Prompt struct {
	Settled
	given map[string]bool // call ids of the prompt that the log does not have: repairs gave them
	load  token.Load      // of the prompt's messages
	// otherBytes: some messages came in other bytes than Thread has, this time.
	otherBytes bool
}

// Settled is a finished turn.
type Settled struct {
	Thread   *thread.Thread
	Plan     *plan.Plan // nil: none
	Messages []message.Message
	Origins  []render.Origin
	Meter    string // name
	Fixed    int    // tokens of request, system and tools
	// Compacted and Original are the tokens of the request, as sent and without a plan.
	Compacted, Original int
	// Beside is what is written beside summaries, for no message of the prompt; in tokens.
	Beside int
	// FromLog: the messages are in the forms of the log, for a client that leaves
	// the history to it.
	FromLog bool
}

// NewPrompt returns the prompt of a settled turn, nil when a call is still open:
// its result will change what is already there.
func NewPrompt(turn Settled) *Prompt {
	us := turn.Thread.Units()
	if len(us) == 0 || us[len(us)-1].Open {
		return nil
	}
	p := &Prompt{Settled: turn, given: map[string]bool{}}
	p.Messages, p.Origins = variant.Clone(turn.Messages), slices.Clone(turn.Origins)
	for i := range p.Messages {
		p.noteRepairs(p.Messages[i])
		p.load = p.load.Plus(token.LoadOf(p.Messages[i]))
	}
	return p
}

// noteRepairs notes the call ids that a message has from a repair.
func (p *Prompt) noteRepairs(m message.Message) {
	for _, n := range m.Calls() {
		if _, logged := p.Thread.Called(m.Parts[n].CallID); !logged {
			p.given[m.Parts[n].CallID] = true
		}
	}
}

// Extends reports whether t is the prompt's thread, grown by whole units.
func (p *Prompt) Extends(t *thread.Thread) bool {
	n := p.Thread.Len()
	if t.Len() < n || t.At(n-1).ID != p.Thread.Tip() {
		return false
	}
	at := newUnits(t, n)
	return len(at) == 0 && t.Len() == n || len(at) > 0 && at[0].Start == n
}

// Matches reports whether a history begins as the prompt has it, but for the
// bytes of messages that leave as they come.
func (p *Prompt) Matches(ms []message.Message) bool {
	p.otherBytes = false
	for i := range p.Thread.Len() {
		e := p.Thread.At(i)
		if variant.Identical(&e.Message, &ms[i]) {
			continue
		}
		m, _ := variant.Align(ms[i], e.Message)
		if variant.EmptyTexts(ms[i]) != variant.EmptyTexts(e.Message) { // it would be aligned with the last form, not with the log's
			return false
		}
		if variant.Identical(&e.Message, &m) {
			continue
		}
		if p.planTouches(i) || !variant.SameContent(&e.Message, &m) {
			return false
		}
		p.otherBytes = true
	}
	return true
}

func (p *Prompt) planTouches(i int) bool {
	return p.Plan != nil && (p.Plan.NoThinking.Holds(i) || p.Plan.Touches(p.Thread.At(i).ID))
}

// Branch returns the thread grown to t, with the client's own messages in place of
// the logged forms where they differ. ms is the whole history, or nil where the
// client leaves it to the log. The error says that all of it must be looked at.
func (p *Prompt) Branch(t *thread.Thread, ms []message.Message) (*thread.Thread, error) {
	n := p.Thread.Len()
	var es []thread.Entry
	logged := t.At(n-1) == p.Thread.At(n-1)
	for i := n; i < t.Len(); i++ {
		e := *t.At(i)
		if ms != nil && !variant.Identical(&e.Message, &ms[i]) {
			e.Message, e.Counter = variant.WithDeclared(variant.Lasting(ms[i : i+1])[0], e.Message), ""
			logged = false
		}
		es = append(es, e)
	}
	if logged {
		return t, nil
	}
	return p.Thread.Append(es)
}

// newUnits are the units that hold entries from position n on.
func newUnits(t *thread.Thread, n int) []thread.Unit {
	us := t.Units()
	at := len(us)
	for at > 0 && us[at-1].End > n {
		at--
	}
	return us[at:]
}

// Grow takes in the new entries of t, which Branch returned, and reports whether
// that is all there is to do: not when one needs a repair, a call is open, or the
// request passes most tokens. The prompt is of no use then. Its bytes are Within's
// matter: they depend on the forms that this request came in.
func (p *Prompt) Grow(t *thread.Thread, most int, count func(*thread.Entry) int) bool {
	n := p.Thread.Len()
	for _, u := range newUnits(t, n) {
		if u.Open || !p.paired(t, u) {
			return false
		}
	}
	for i := n; i < t.Len(); i++ {
		e := t.At(i)
		cost := count(e)
		p.Compacted, p.Original = p.Compacted+cost, p.Original+cost
		if !e.Message.Meta {
			p.load = p.load.Plus(token.LoadOf(e.Message))
			p.Messages = append(p.Messages, e.Message)
			p.Origins = append(p.Origins, render.Origin{First: i})
		}
	}
	p.Thread = t
	return p.Compacted <= most
}

// Within reports whether the messages that Render returned are within a load. Where
// the client sent other bytes than the prompt holds, it is theirs that count.
func (p *Prompt) Within(rendered []message.Message, most token.Load) bool {
	if !p.otherBytes {
		return strategy.Within(p.load, most)
	}
	var load token.Load
	for i := range rendered {
		load = load.Plus(token.LoadOf(rendered[i]))
	}
	return strategy.Within(load, most)
}

// paired reports whether every call of the unit has an id of its own and one
// result, and every result a call.
func (p *Prompt) paired(t *thread.Thread, u thread.Unit) bool {
	open, calls := map[string]bool{}, 0
	for i := u.Start; i < u.End; i++ {
		for _, part := range t.At(i).Message.Parts {
			switch part.Kind {
			case message.Call:
				first, _ := t.Called(part.CallID)
				used := first < u.Start && !message.IsDerivedID(part.CallID)
				if _, again := open[part.CallID]; again || part.CallID == "" || used || p.given[part.CallID] {
					return false
				}
				open[part.CallID], calls = true, calls+1
			case message.Result:
				if !open[part.CallID] {
					return false
				}
				open[part.CallID], calls = false, calls-1
			}
		}
	}
	return calls == 0
}

// Render returns the messages of the prompt, the caller's to change, with those
// that nothing changed as ms has them: the history that Matches has seen.
func (p *Prompt) Render(ms []message.Message) []message.Message {
	out := variant.Clone(p.Messages)
	if !p.otherBytes {
		return out
	}
	for i, o := range p.Origins {
		m := &out[i]
		if o.Record != nil || o.First < 0 || m.Edited || variant.Identical(m, &ms[o.First]) {
			continue
		}
		if own, _ := variant.Align(variant.Clone(ms[o.First : o.First+1])[0], *m); variant.SameContent(m, &own) {
			*m = variant.WithDeclared(own, *m)
		}
	}
	return out
}
