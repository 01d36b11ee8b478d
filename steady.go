package precis

import (
	"slices"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// steady is what a Prepare leaves behind: enough to answer the next one at the
// cost of what is new, as long as the plan stands, the history only grew, and
// what is new needs no repair. One Prepare at a time takes it and puts it back.
type steady struct {
	t        *thread.Thread
	p        *plan.Plan
	meter    string // name
	fixed    int    // tokens of request, system and tools
	total    int
	original int
	load     token.Load      // of the prompt's messages
	given    map[string]bool // call ids of the prompt that the log does not have: repairs gave them
	prompt   render.Result
	// others: some messages came in other bytes than t has, this time.
	others bool
	// logged: the messages are in the forms of the log, for a client that leaves
	// the history to it.
	logged bool
}

// settle makes the state of a finished turn, nil when a call is still open: its
// result will change what is already there.
func settle(b *board, t *Turn) *steady {
	us := t.Thread.Units()
	if len(us) == 0 || us[len(us)-1].Open {
		return nil
	}
	s := &steady{
		t: t.Thread, p: t.Plan, meter: t.meter.Name(), fixed: b.fixed, total: t.Compacted, original: t.Original,
		logged: b.in.Continue, given: map[string]bool{}, prompt: render.Result{Messages: owned(t.Messages), Origins: slices.Clone(t.Origins)},
	}
	for i := range t.Messages {
		s.repaired(t.Messages[i])
		s.load = s.load.Plus(token.LoadOf(t.Messages[i]))
	}
	return s
}

// repaired notes the call ids that a message has from a repair.
func (s *steady) repaired(m message.Message) {
	for _, n := range m.Calls() {
		if _, logged := s.t.Called(m.Parts[n].CallID); !logged {
			s.given[m.Parts[n].CallID] = true
		}
	}
}

// extends says whether t is the state's thread, grown by whole units.
func (s *steady) extends(t *thread.Thread) bool {
	n := s.t.Len()
	if t.Len() < n || t.At(n-1).ID != s.t.Tip() {
		return false
	}
	at := fresh(t, n)
	return len(at) == 0 && t.Len() == n || len(at) > 0 && at[0].Start == n
}

// sees says whether a history begins as the state has it, but for the bytes of
// messages that leave as they come.
func (s *steady) sees(ms []message.Message) bool {
	s.others = false
	for i := range s.t.Len() {
		e := s.t.At(i)
		if sameForm(&e.Message, &ms[i]) {
			continue
		}
		m, _ := laid(ms[i], e.Message)
		if silence(ms[i]) != silence(e.Message) { // it would be laid as the last form, not as the log has it
			return false
		}
		if sameForm(&e.Message, &m) {
			continue
		}
		if s.touches(i) || !sameWords(&e.Message, &m) {
			return false
		}
		s.others = true
	}
	return true
}

func (s *steady) touches(i int) bool {
	return s.p != nil && (s.p.NoThinking.Holds(i) || s.p.Touches(s.t.At(i).ID))
}

// branch is the thread grown to t, with the client's own messages in place of the
// logged forms where they differ.
func (s *steady) branch(t *thread.Thread, in Input) (*thread.Thread, error) {
	n := s.t.Len()
	var es []thread.Entry
	logged := t.At(n-1) == s.t.At(n-1)
	for i := n; i < t.Len(); i++ {
		e := *t.At(i)
		if !in.Continue && !sameForm(&e.Message, &in.Messages[i]) {
			e.Message, e.Counter = declared(lasting(in.Messages[i : i+1])[0], e.Message), ""
			logged = false
		}
		es = append(es, e)
	}
	if logged {
		return t, nil
	}
	return s.t.Append(es)
}

// fresh are the units that hold entries from position n on.
func fresh(t *thread.Thread, n int) []thread.Unit {
	us := t.Units()
	at := len(us)
	for at > 0 && us[at-1].End > n {
		at--
	}
	return us[at:]
}

// grow takes the new entries in, and says whether that is all there is to do:
// false when one needs a repair, a call is open, or the total passes trigger or
// the load what it may be.
func (s *steady) grow(t *thread.Thread, trigger int, most token.Load, count func(*thread.Entry) int) bool {
	n := s.t.Len()
	for _, u := range fresh(t, n) {
		if u.Open || !s.whole(t, u) {
			return false
		}
	}
	for i := n; i < t.Len(); i++ {
		e := t.At(i)
		cost := count(e)
		s.total, s.original = s.total+cost, s.original+cost
		if !e.Message.Meta {
			s.load = s.load.Plus(token.LoadOf(e.Message))
			s.prompt.Messages = append(s.prompt.Messages, e.Message)
			s.prompt.Origins = append(s.prompt.Origins, render.Origin{First: i})
		}
	}
	s.t = t
	return s.total <= trigger && strategy.Within(s.load, most)
}

// whole says whether every call of the unit has an id of its own and one result,
// and every result a call.
func (s *steady) whole(t *thread.Thread, u thread.Unit) bool {
	open, calls := map[string]bool{}, 0
	for i := u.Start; i < u.End; i++ {
		for _, p := range t.At(i).Message.Parts {
			switch p.Kind {
			case message.Call:
				first, _ := t.Called(p.CallID)
				if _, again := open[p.CallID]; again || p.CallID == "" || first < u.Start || s.given[p.CallID] {
					return false
				}
				open[p.CallID], calls = true, calls+1
			case message.Result:
				if !open[p.CallID] {
					return false
				}
				open[p.CallID], calls = false, calls-1
			}
		}
	}
	return calls == 0
}

// turn is the prompt of the state. The messages are the caller's to change.
func (s *steady) turn(in Input) *Turn {
	t := &Turn{
		Thread: s.t, Plan: s.p, Outcome: WithinBudget,
		Messages: owned(s.prompt.Messages), Origins: slices.Clone(s.prompt.Origins),
		Original: s.original, Before: s.total, Compacted: s.total, Budget: in.Budget, meter: in.Meter,
	}
	if s.others {
		t.asCame(in.Messages)
	}
	return t
}

// asCame puts the client's own messages in place of those that nothing changed.
func (t *Turn) asCame(ms []message.Message) {
	for i, o := range t.Origins {
		m := &t.Messages[i]
		if o.Record != nil || o.First < 0 || m.Edited || sameForm(m, &ms[o.First]) {
			continue
		}
		if own, _ := laid(owned(ms[o.First : o.First+1])[0], *m); sameWords(m, &own) {
			*m = declared(own, *m)
		}
	}
}
