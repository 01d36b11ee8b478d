package cached

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// errOutside is the error of a summary that names a message its span does not hold.
var errOutside = errors.New("source outside of the span")

// toRelative returns a summary whose sources are positions in the span, counted
// from 1, without ids: it says the same of any equal span, on any thread. s
// stays as it is.
func toRelative(s *summary.Structured, t *thread.Thread, span plan.Span) (*summary.Structured, error) {
	at := make(map[thread.ID]int, len(span.IDs))
	for n, id := range span.IDs {
		at[id] = n
	}
	return rebind(s, "relative", relative, func(from summary.Source) (summary.Source, int, bool) {
		n, ok := at[from.ID]
		i, found := t.Find(from.ID)
		if !ok || !found || from.N != i+1 {
			return summary.Source{}, 0, false
		}
		return summary.Source{N: n + 1}, t.Turn(i), true
	})
}

// toAbsolute undoes toRelative on a thread and a span of it that equals the one the
// summary was made relative to. d stays as it is.
func toAbsolute(d *summary.Structured, t *thread.Thread, span plan.Span) (*summary.Structured, error) {
	return rebind(d, "absolute", absolute, func(from summary.Source) (summary.Source, int, bool) {
		if from.ID != "" || from.N < 1 || from.N > len(span.IDs) {
			return summary.Source{}, 0, false
		}
		id := span.IDs[from.N-1]
		i, ok := t.Find(id)
		if !ok {
			return summary.Source{}, 0, false
		}
		return summary.Source{ID: id, N: i + 1}, t.Turn(i), true
	})
}

// relative tells a turn by its message's. 0 is not known and stays; so one not
// before its message counts from 1.
func relative(turn, own int) int {
	switch {
	case turn == 0:
		return 0
	case turn >= own:
		return turn - own + 1
	}
	return turn - own
}

// absolute undoes relative.
func absolute(turn, own int) int {
	switch {
	case turn == 0:
		return 0
	case turn > 0:
		return turn + own - 1
	}
	return turn + own
}

// rebind returns a copy with every source that is set replaced by what to gives
// for it; to also gives the turn of its message, from which move tells the turn
// beside the source anew.
func rebind(s *summary.Structured, form string, move func(turn, own int) int, to func(summary.Source) (summary.Source, int, bool)) (*summary.Structured, error) {
	out := clone(s)
	var err error
	eachSource(out, func(at *summary.Source, turn *int) {
		if *at == (summary.Source{}) || err != nil {
			return
		}
		next, own, ok := to(*at)
		if !ok {
			err = fmt.Errorf("make summary %s: %s: %w", form, ref.Message(at.N), errOutside)
			return
		}
		*at = next
		if turn != nil {
			*turn = move(*turn, own)
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// clone copies what eachSource reaches.
func clone(s *summary.Structured) *summary.Structured {
	c := *s
	c.LastDone, c.Task = cloneOf(s.LastDone), cloneOf(s.Task)
	c.Facts = slices.Clone(s.Facts)
	c.Requests = slices.Clone(s.Requests)
	c.Plan = slices.Clone(s.Plan)
	c.Open = slices.Clone(s.Open)
	c.Errors = slices.Clone(s.Errors)
	for i := range c.Errors {
		c.Errors[i].Why = cloneOf(c.Errors[i].Why)
	}
	c.Files = slices.Clone(s.Files)
	for i := range c.Files {
		if u := cloneOf(c.Files[i].Undone); u != nil {
			u.Why = cloneOf(u.Why)
			c.Files[i].Undone = u
		}
		c.Files[i].Restores = slices.Clone(c.Files[i].Restores)
	}
	c.Decisions = slices.Clone(s.Decisions)
	c.Commands = slices.Clone(s.Commands)
	for i := range c.Commands {
		c.Commands[i].Said = cloneOf(c.Commands[i].Said)
	}
	c.Effects = slices.Clone(s.Effects)
	c.Outcomes = slices.Clone(s.Outcomes)
	c.Artifacts = slices.Clone(s.Artifacts)
	c.Ledger = slices.Clone(s.Ledger)
	c.Notes = slices.Clone(s.Notes)
	return &c
}

// cloneOf returns a pointer to a copy, nil for nil.
func cloneOf[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

// eachSource calls f for every source, with the turn told beside it, if any. A
// flat list.
func eachSource(s *summary.Structured, f func(at *summary.Source, turn *int)) {
	f(&s.From, nil)
	f(&s.To, nil)
	note := func(n *summary.Note) {
		if n != nil {
			f(&n.From, nil)
		}
	}
	note(s.LastDone)
	note(s.Task)
	for i := range s.Facts {
		f(&s.Facts[i].From, nil)
	}
	for i := range s.Requests {
		f(&s.Requests[i].From, nil)
		f(&s.Requests[i].Ended, nil)
		f(&s.Requests[i].Failed, nil)
		f(&s.Requests[i].Then, nil)
		f(&s.Requests[i].Reply, nil)
	}
	for i := range s.Plan {
		f(&s.Plan[i].From, nil)
	}
	for i := range s.Open {
		f(&s.Open[i].From, nil)
	}
	for i := range s.Errors {
		f(&s.Errors[i].From, nil)
		f(&s.Errors[i].Fixed, nil)
		note(s.Errors[i].Why)
	}
	for i := range s.Files {
		eachOfFile(&s.Files[i], func(at *summary.Source) { f(at, nil) })
	}
	for i := range s.Decisions {
		f(&s.Decisions[i].From, &s.Decisions[i].Turn)
	}
	for i := range s.Commands {
		f(&s.Commands[i].From, nil)
		note(s.Commands[i].Said)
	}
	for i := range s.Effects {
		note(&s.Effects[i].Note)
	}
	for i := range s.Outcomes {
		f(&s.Outcomes[i].From, nil)
		f(&s.Outcomes[i].First, nil)
	}
	for i := range s.Artifacts {
		f(&s.Artifacts[i].From, nil)
	}
	for i := range s.Ledger {
		f(&s.Ledger[i].From, nil)
	}
	for i := range s.Notes {
		note(&s.Notes[i])
	}
}

// eachOfFile calls f for every source of a file.
func eachOfFile(x *summary.File, f func(at *summary.Source)) {
	f(&x.From)
	f(&x.First)
	f(&x.Made)
	f(&x.Swept)
	if u := x.Undone; u != nil {
		f(&u.After)
		f(&u.In)
		f(&u.Call)
		if u.Why != nil {
			f(&u.Why.From)
		}
	}
	for i := range x.Restores {
		f(&x.Restores[i].After)
		f(&x.Restores[i].In)
	}
}
