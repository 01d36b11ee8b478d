package planner

import (
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/internal/guard"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// Draft is the state of one planning.
type Draft struct {
	Request Request
	Thread  *thread.Thread
	*strategy.Draft
	Style    string
	Pins     []plan.Ref
	Holds    []plan.Ref
	AddsPins bool // the request adds pins
	// Repaired: the history was not as its provider demands.
	Repaired bool
	// TooHeavy: the request weighed more than it may when it came.
	TooHeavy bool
	// Instructions are added to what a summarizer with a model is asked.
	Instructions string
	// Failures are those of a summarizer that another one stood in for.
	Failures []error
	with     summary.Summarizer
}

// Draft sets a planning up from a plan, nil for none; repairs are made at once.
func (pl *Planner) Draft(t *thread.Thread, p *plan.Plan, r Request) *Draft {
	d := &Draft{Request: r, Thread: t, Style: pl.Policy.Style, with: pl.WithoutModel}
	if !pl.Prefetches && !r.Refused { // a refused request does not wait for a model
		pl.useSummarizer(d)
	}
	if p != nil {
		d.Style, d.Pins, d.Holds = p.Style, slices.Clone(p.Pins), p.Holds
	}
	var added []plan.Ref
	for _, pin := range p.Unpinned(r.Pins) {
		if _, ok := t.Find(pin.ID); ok {
			d.Pins, d.AddsPins = append(d.Pins, pin), true
			added = append(added, Round(t, pin.ID)...)
		}
	}
	d.Draft = strategy.NewDraft(t, Uncover(p, added), render.StyleOf(d.Style), r.Meter, r.Fixed())
	d.Draft.Notes = r.Notes
	thinks := r.Model.Thinking != model.Bound && !r.DropThinking // a plan takes it from the others
	d.Demand(strategy.Demands{
		CallsApart: r.CallsApart, UserLeads: r.UserLeads,
		ThinkingLeads: r.ThinkingLeads && thinks, ThinkingStays: r.ThinkingStays && thinks,
	})
	d.Repaired = strategy.Reconcile(d.Draft, r.CloseOpenCalls)
	return d
}

// reconcileApart repairs what a compaction parted of calls and results that stand apart,
// and reports whether that changed anything. Those of a round go together.
func (d *Draft) reconcileApart() bool {
	return d.Demands.CallsApart && strategy.Reconcile(d.Draft, d.Request.CloseOpenCalls)
}

// Round returns the messages of the unit that holds id; none where t does not
// have it.
func Round(t *thread.Thread, id thread.ID) []plan.Ref {
	at, ok := t.Find(id)
	if !ok {
		return nil
	}
	var refs []plan.Ref
	for u := t.UnitOf(at); u.Start < u.End; u.Start++ {
		refs = append(refs, plan.Ref{ID: t.At(u.Start).ID})
	}
	return refs
}

// Uncover returns the plan with no record over the messages but repairs.
func Uncover(p *plan.Plan, refs []plan.Ref) *plan.Plan {
	if p == nil || len(refs) == 0 {
		return p
	}
	free := make(map[thread.ID]bool, len(refs))
	for _, f := range refs {
		free[f.ID] = true
	}
	c := *p
	c.Records = nil
	for _, r := range p.Records {
		r.Span.IDs = slices.DeleteFunc(slices.Clone(r.Span.IDs), func(id thread.ID) bool { return free[id] && r.Kind != plan.Repaired })
		if len(r.Span.IDs) > 0 {
			c.Records = append(c.Records, r)
		}
	}
	return &c
}

// StandingHolds are the holds that the budget did not force.
func (d *Draft) StandingHolds() []plan.Ref {
	return slices.DeleteFunc(slices.Clone(d.Holds), func(h plan.Ref) bool {
		i, ok := d.Thread.Find(h.ID)
		return !ok || d.Whole(i) != nil || d.ActedOn(i, h.Part)
	})
}

// kept returns the tokens of a request that holds all that no strategy takes before the
// budget forces it, and nothing else.
func (d *Draft) kept(zones []strategy.Zone) int {
	total := d.Request.Fixed()
	for i, z := range zones {
		if z <= strategy.Newest || z == strategy.Held {
			total += d.Cost(i)
		}
	}
	return total
}

// Least is what no compaction takes away, in tokens: the system prompt, wherever it
// stands, what is not known, the thinking that the provider demands of an open tool loop,
// and the last message in which the user speaks.
type Least struct {
	System         int
	SystemMessages int // of System, what stands among the other messages
	Unknown        int
	Thinking       int
	LastUser       int
}

// Least measures what no compaction takes away.
func (d *Draft) Least() Least {
	l := Least{System: d.Request.System, Thinking: d.DemandedThinking()}
	begun := false
	for i := range d.Thread.Len() {
		m := d.Thread.At(i).Message
		begun = begun || m.Role != message.System
		switch cost := d.Original(i); {
		case m.Fixed():
			l.Unknown += cost
		case m.Role == message.System:
			l.System += cost
			if begun {
				l.SystemMessages += cost
			}
		case thread.Speaks(m):
			l.LastUser = d.Cost(i)
		}
	}
	return l
}

// Overweight reports whether the request weighs more than it may.
func (d *Draft) Overweight() bool {
	return d.Request.Payload != token.Load{} && !strategy.Within(d.Load(), d.Request.Load())
}

// dropMedia takes pictures and documents out of a request that weighs more than
// it may.
func (pl *Planner) dropMedia(d *Draft) []strategy.Step {
	if !d.Overweight() {
		return nil
	}
	d.TooHeavy = true
	return strategy.DropMedia(pl.view(d), d.Request.Load())
}

// PayloadError is the failure of a request that still weighs more than it may;
// nil if it does not.
func (d *Draft) PayloadError() error {
	if !d.TooHeavy || !d.Overweight() {
		return nil
	}
	l := d.Load()
	return fmt.Errorf("compact: the prompt still has %d pictures and documents of %d and %d bytes of %d",
		l.Media, d.Request.Payload.Media, l.Bytes, d.Request.Load().Bytes)
}

// useSummarizer has the draft's summaries written by the caller's summarizer, if
// there is one.
func (pl *Planner) useSummarizer(d *Draft) {
	switch {
	case pl.Summarizer == nil:
	case pl.NoFallback:
		d.with = pl.Summarizer
	default:
		name := "the summarizer"
		_ = guard.Call(func() error { name = pl.Summarizer.Name(); return nil })
		d.with = fallback{name, pl.Summarizer, pl.WithoutModel, func(err error) { d.Failures = append(d.Failures, err) }}
	}
}
