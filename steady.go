package precis

import (
	"slices"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/thread"
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
	calls    map[string]bool // every call id used so far
	prompt   render.Result
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
		calls: map[string]bool{}, prompt: render.Result{Messages: owned(t.Messages), Origins: slices.Clone(t.Origins)},
	}
	for i := range t.Thread.Len() {
		s.used(t.Thread.At(i).Message)
	}
	for i := range t.Messages {
		s.used(t.Messages[i]) // repairs give new ids
	}
	return s
}

func (s *steady) used(m message.Message) {
	for i := range m.Parts {
		if m.Parts[i].Kind == message.Call {
			s.calls[m.Parts[i].CallID] = true
		}
	}
}

// extends says whether t is the state's thread, grown by whole units.
func (s *steady) extends(t *thread.Thread) bool {
	n := s.t.Len()
	if t.Len() < n || t.At(0) != s.t.At(0) || t.At(n-1) != s.t.At(n-1) {
		return false
	}
	at := fresh(t, n)
	return len(at) == 0 && t.Len() == n || len(at) > 0 && at[0].Start == n
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
// false when one needs a repair, a call is open, or the total passes trigger.
func (s *steady) grow(t *thread.Thread, trigger int, count func(*thread.Entry) int) bool {
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
			s.prompt.Messages = append(s.prompt.Messages, e.Message)
			s.prompt.Origins = append(s.prompt.Origins, render.Origin{First: i})
		}
	}
	s.t = t
	return s.total <= trigger
}

// whole says whether every call of the unit has an id of its own and one result,
// and every result a call.
func (s *steady) whole(t *thread.Thread, u thread.Unit) bool {
	open := map[string]bool{}
	for i := u.Start; i < u.End; i++ {
		for _, p := range t.At(i).Message.Parts {
			switch p.Kind {
			case message.Call:
				if p.CallID == "" || s.calls[p.CallID] {
					return false
				}
				s.calls[p.CallID], open[p.CallID] = true, true
			case message.Result:
				if !open[p.CallID] {
					return false
				}
				delete(open, p.CallID)
			}
		}
	}
	return len(open) == 0
}

// turn is the prompt of the state. The messages are the caller's to change.
func (s *steady) turn(in Input) *Turn {
	return &Turn{
		Thread: s.t, Plan: s.p, Outcome: WithinBudget,
		Messages: owned(s.prompt.Messages), Origins: slices.Clone(s.prompt.Origins),
		Original: s.original, Before: s.total, Compacted: s.total, Budget: in.Budget, meter: in.Meter,
	}
}
