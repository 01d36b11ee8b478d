package precis

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// board is everything one planning works on.
type board struct {
	in     Input
	t      *thread.Thread
	draft  *strategy.Draft
	style  string
	system int
	tools  int
	pins   []plan.Ref
	holds  []plan.Ref
	pinned bool // the input adds pins
	fixed  int  // request, system and tools, tokens
	// repaired: the history was not as its provider demands.
	repaired bool
	// instructions are a hook's, for what a model is asked.
	instructions string
	with         summary.Summarizer
	failures     []error // of a summarizer that another one stood in for
	// heavy: the request weighed more than it may when it came.
	heavy bool
	// gentle leaves externalizing and dropping to another turn: this one brings
	// content back.
	gentle bool
}

// writes has the board's summaries written by the caller's summarizer, if there
// is one.
func (e *Engine) writes(b *board) {
	switch {
	case e.model == nil:
	case e.alone:
		b.with = e.model
	default:
		b.with = fallback{e.model, e.floor, func(err error) { b.failures = append(b.failures, err) }}
	}
}

// board sets the draft up from a plan, repairs included.
func (e *Engine) board(t *thread.Thread, p *plan.Plan, in Input) *board {
	b := &board{in: in, t: t, style: e.policy.Style, with: e.floor}
	if e.behind == nil && in.Mode.Trigger != event.Overflow { // a refused request does not wait for a model
		e.writes(b)
	}
	if p != nil {
		b.style, b.pins, b.holds = p.Style, slices.Clone(p.Pins), p.Holds
	}
	var added []plan.Ref
	for _, pin := range in.Pins {
		if _, ok := t.Find(pin.ID); ok && !slices.Contains(b.pins, pin) {
			b.pins, b.pinned = append(b.pins, pin), true
			added = append(added, roundOf(t, pin.ID)...)
		}
	}
	b.system, b.tools = in.Meter.System(in.System), toolTokens(in)
	b.fixed = in.Meter.Overhead.Request + b.system + b.tools
	b.draft = strategy.NewDraft(t, without(p, added), render.StyleOf(b.style), in.Meter, b.fixed)
	b.repaired = strategy.Reconcile(b.draft, in.Mode.CloseOpenCalls)
	return b
}

func toolTokens(in Input) int {
	ts := make([]token.Tool, len(in.Tools))
	for i, t := range in.Tools {
		ts[i] = token.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema}
	}
	return in.Meter.Tools(ts)
}

// without is the plan with nothing over the messages: what a new pin uncovers.
func without(p *plan.Plan, refs []plan.Ref) *plan.Plan {
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

// compact climbs until it settles, so that preparing the same history again
// changes nothing: what one climb made another may merge, and a hold that the
// budget forced no longer stands in the way.
func (e *Engine) compact(ctx context.Context, b *board) (steps []strategy.Step, errs []error) {
	steps = e.unload(b)
	if !b.in.Mode.Force && b.heavy && !b.crowded() && b.draft.Total() <= e.policy.Most(b.in.Budget, b.fixed) {
		return steps, nil
	}
	for {
		more, err := e.climb(ctx, b)
		steps, errs = append(steps, more...), append(errs, err...)
		if len(more) == 0 || len(err) > 0 || b.draft.Total() <= e.policy.Most(b.in.Budget, b.fixed) {
			return steps, errs
		}
	}
}

// guarded is compact where what the caller brought (summarizer, ladder, files)
// may panic: that is a failure like another (SPEC V9).
func (e *Engine) guarded(ctx context.Context, b *board) (steps []strategy.Step, errs []error) {
	defer func() {
		if v := recover(); v != nil {
			errs = append(errs, fmt.Errorf("compact: panic: %v", v))
		}
	}()
	return e.compact(ctx, b)
}

// climb runs the policy's ladder down to its target, and the floor if the
// budget is still exceeded.
func (e *Engine) climb(ctx context.Context, b *board) ([]strategy.Step, []error) {
	v := e.view(b)
	heat := strategy.NewRelevance(b.draft, b.in.Budget) // anew: as it will be for whoever prepares the same history again
	l := e.rungs(b.in.Budget, heat, b.with)
	if b.gentle {
		l = slices.DeleteFunc(l, func(s strategy.Strategy) bool { return s.Name() == "externalize" || s.Name() == "drop" })
	}
	steps, errs := l.Run(ctx, v)
	if b.draft.Total() > b.in.Budget && len(b.holds) > 0 { // in one go, or it would be forced again at every step
		taken, more := strategy.Ladder{strategy.Summarize{From: strategy.Held, Forced: true, With: e.floor}}.Run(ctx, v)
		steps, errs = append(steps, taken...), append(errs, more...)
	}
	if b.draft.Total() > b.in.Budget {
		v.Target = b.in.Budget
		forced, more := strategy.LastResort(b.in.Budget, heat, e.floor).Run(ctx, v)
		steps, errs = append(steps, forced...), append(errs, more...)
	}
	return steps, errs
}

// view is the window strategies get on the board.
func (e *Engine) view(b *board) *strategy.View {
	l := strategy.LimitsOf(e.policy, b.in.Budget)
	v := &strategy.View{
		Draft: b.draft, Limits: l, Target: min(e.policy.Target(b.in.Budget, b.fixed), e.policy.Most(b.in.Budget, b.fixed)), Instructions: b.instructions,
		Tools: e.tools, Source: e.source,
		Zones: strategy.ZonesOf(b.draft, l, e.policy.PinFirst, b.pins, standing(b)),
	}
	v.Limits.MinWorth = e.least(b)
	if b.in.Mode.Force || b.crowded() { // whatever the trigger: halve what there is
		v.Target = min(v.Target, b.draft.Total()/2)
		v.Limits.RecentTokens = min(v.Limits.RecentTokens, v.Target/2)
		v.Zones = strategy.ZonesOf(b.draft, v.Limits, e.policy.PinFirst, b.pins, standing(b))
	}
	return v
}

// outcome judges a compaction. One that nothing forces must free at least a
// twentieth of the budget: a smaller gain would not repay the prefix it breaks.
func (e *Engine) outcome(w *work) Outcome {
	freed := w.turn.Before - w.draft.Total()
	switch {
	case len(w.turn.Steps) == 0 && e.movable(w.board):
		return NoGain
	case len(w.turn.Steps) == 0:
		return NoCutPoint
	case !w.in.Mode.Force && !w.heavy && w.turn.Before <= w.in.Budget && freed < w.in.Budget/20:
		return NotWorthIt
	case !e.pays(w):
		return NotWorthIt
	}
	return Compacted
}

// movable says whether anything may be compacted at all.
func (e *Engine) movable(b *board) bool {
	zones := strategy.ZonesOf(b.draft, strategy.LimitsOf(e.policy, b.in.Budget), e.policy.PinFirst, b.pins, standing(b))
	return slices.ContainsFunc(zones, func(z strategy.Zone) bool { return z == strategy.Recent || z == strategy.Old })
}

// standing are the holds that the budget did not force.
func standing(b *board) []plan.Ref {
	return slices.DeleteFunc(slices.Clone(b.holds), func(h plan.Ref) bool {
		i, ok := b.t.Find(h.ID)
		return !ok || b.draft.Whole(i) != nil || b.draft.ActedOn(i, h.Part)
	})
}

// impossible names the numbers: what remains after everything was given up.
func (b *board) impossible() error {
	last := 0
	for i := b.t.Len() - 1; i >= 0; i-- {
		if thread.Speaks(b.t.At(i).Message) {
			last = b.draft.Cost(i)
			break
		}
	}
	system := b.system
	for i := range b.t.Len() {
		if b.t.At(i).Message.Role == message.System {
			system += b.draft.Original(i)
		}
	}
	return &ImpossibleError{Budget: b.in.Budget, System: system, Tools: b.tools, LastUser: last, Floor: b.draft.Total()}
}
