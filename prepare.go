package precis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// Prepare logs what is new and returns the prompt to send: the history under
// the thread's plan, compacted further if it exceeds the policy's trigger. It
// fails with *ImpossibleError when nothing would make it fit.
func (e *Engine) Prepare(ctx context.Context, in Input) (*Turn, error) {
	if in.Thread == "" {
		return nil, errors.New("prepare: Input.Thread is empty")
	}
	if in.Meter.Counter == nil {
		m, err := token.For(in.Model, nil)
		if err != nil {
			return nil, fmt.Errorf("prepare: %w", err)
		}
		in.Meter = m
	}
	if in.Budget == 0 {
		in.Budget = in.Model.SoftThreshold()
	}
	key, t, err := e.logged(ctx, in, in.Meter)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	for range races {
		turn, err := e.plan(ctx, key, t, in)
		if !errors.Is(err, store.ErrStale) {
			return turn, err
		}
	}
	return nil, fmt.Errorf("prepare thread %s: %w", key.Thread, store.ErrStale)
}

// current is the plan in force on the branch as the client sees it, and whether
// the client is behind the log: records on messages beyond its view are left
// out then.
func (e *Engine) current(ctx context.Context, k store.Key, t *thread.Thread) (p *plan.Plan, behind bool, err error) {
	h, err := e.store.Head(ctx, k)
	if err != nil {
		return nil, false, fmt.Errorf("read head of %s: %w", k.Thread, err)
	}
	behind = h.Len > t.Len()
	if p, err = e.stored(ctx, k, h.PlanVersion); err != nil || p == nil || !behind {
		return p, behind, err
	}
	p, err = plan.Carry(p, t, t)
	return p, behind, err
}

// stored is the store's current plan, taken from memory when the version is
// still the one that was read last; nil if there is none.
func (e *Engine) stored(ctx context.Context, k store.Key, version int) (*plan.Plan, error) {
	if version == 0 {
		return nil, nil
	}
	if p := e.recent.plan(k, version); p != nil {
		return p, nil
	}
	p, err := e.store.Plan(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("read plan of %s: %w", k.Thread, err)
	}
	e.recent.plans(k, p)
	return p, nil
}

// plan renders under the plan in force and, where needed, commits a new one.
func (e *Engine) plan(ctx context.Context, k store.Key, t *thread.Thread, in Input) (*Turn, error) {
	p, behind, err := e.current(ctx, k, t)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	if t, err = asSeen(t, in.Messages, p); err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	if turn := e.steadily(k, t, p, in); turn != nil {
		return turn, nil
	}
	found := p
	if e.outgrown(p, in) {
		p = &plan.Plan{Style: e.policy.Style, Pins: p.Pins, Holds: p.Holds, Strip: p.Strip}
	}
	b, repaired := e.board(t, p, in)
	turn := &Turn{Key: k, Thread: t, Plan: found, Budget: in.Budget, Original: b.original(), Before: b.draft.Total(), meter: in.Meter}
	switch {
	case turn.Before > e.policy.Trigger(in.Budget):
		turn.Steps, turn.Failures = e.compact(ctx, b)
		turn.Outcome = e.outcome(b, turn)
		if turn.Outcome != Compacted { // discard what does not pay (SPEC V7)
			turn.Steps = nil
			b, repaired = e.board(t, p, in)
		}
	case repaired:
		turn.Outcome = Repaired
	default:
		turn.Outcome = WithinBudget
	}
	if b.draft.Total() > in.Budget {
		return nil, b.impossible()
	}
	turn.Forced = len(b.holds) - len(standing(b))
	if repaired || len(turn.Steps) > 0 || b.pinned || p != found {
		if turn.Plan, err = e.draw(k, b, found); err != nil {
			return nil, err
		}
		if !behind { // a client that is behind does not decide for the whole thread
			if err := e.commit(ctx, k, turn.Plan, b.draft.Artifacts); err != nil {
				return nil, err
			}
		}
	}
	out := render.Prompt(t, turn.Plan, nil)
	turn.Messages, turn.Origins, turn.Compacted = owned(out.Messages), out.Origins, b.draft.Total()
	if turn.Plan != nil && turn.Plan.Strip != (plan.Range{}) {
		turn.Compacted = b.fixed + in.Meter.Messages(out.Messages) // without the thinking left out
	}
	if !behind {
		e.recent.put(k, settle(b, turn))
	}
	return turn, nil
}

// steadily answers at the cost of what is new, or returns nil where all of the
// history has to be looked at.
func (e *Engine) steadily(k store.Key, t *thread.Thread, p *plan.Plan, in Input) *Turn {
	s := e.recent.take(k)
	name := in.Meter.Name()
	if s == nil || s.p != p || s.meter != name || s.fixed != fixed(in) || !pinned(p, in.Pins) || e.outgrown(p, in) || !s.extends(t) {
		return nil
	}
	count := func(x *thread.Entry) int {
		if x.Counter == name {
			return x.Tokens
		}
		return in.Meter.Message(x.Message)
	}
	if !s.grow(t, e.policy.Trigger(in.Budget), count) {
		return nil
	}
	turn := s.turn(in)
	turn.Key = k
	e.recent.put(k, s)
	return turn
}

// pinned says whether the plan holds all the pins already.
func pinned(p *plan.Plan, pins []plan.Ref) bool {
	for _, pin := range pins {
		if p == nil || !slices.Contains(p.Pins, pin) {
			return false
		}
	}
	return true
}

// fixed is what a request costs beside its messages.
func fixed(in Input) int {
	return in.Meter.Overhead.Request + in.Meter.System(in.System) + toolTokens(in)
}

// outgrown says whether a plan was made for another policy or a clearly smaller
// budget: it would leave out what there is room for now, so planning starts
// anew, with the user's pins and holds.
func (e *Engine) outgrown(p *plan.Plan, in Input) bool {
	if p == nil || len(p.Records) == 0 || p.Inputs.Budget == 0 {
		return false
	}
	return p.Policy != e.policy.Name || in.Budget > p.Inputs.Budget+p.Inputs.Budget/10
}

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
}

// board sets the draft up from the plan in force, repairs included, and says
// whether repairs changed it.
func (e *Engine) board(t *thread.Thread, p *plan.Plan, in Input) (*board, bool) {
	b := &board{in: in, t: t, style: e.policy.Style}
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
	return b, strategy.Reconcile(b.draft, in.Closed)
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
		r.Span.IDs = slices.DeleteFunc(slices.Clone(r.Span.IDs), func(id thread.ID) bool { return free[id] && r.How != plan.Repaired })
		if len(r.Span.IDs) > 0 {
			c.Records = append(c.Records, r)
		}
	}
	return &c
}

func (b *board) original() int {
	n := b.fixed
	for i := range b.t.Len() {
		if !b.t.At(i).Message.Meta {
			n += b.draft.Original(i)
		}
	}
	return n
}

// compact climbs until it settles, so that preparing the same history again
// changes nothing: what one climb made another may merge, and a hold that the
// budget forced no longer stands in the way.
func (e *Engine) compact(ctx context.Context, b *board) (steps []strategy.Step, errs []error) {
	heat := strategy.Warm(b.draft)
	for {
		more, err := e.climb(ctx, b, heat)
		steps, errs = append(steps, more...), append(errs, err...)
		if len(more) == 0 || len(err) > 0 || b.draft.Total() <= e.policy.Trigger(b.in.Budget) {
			return steps, errs
		}
	}
}

// climb runs the policy's ladder down to its target, and the floor if the
// budget is still exceeded.
func (e *Engine) climb(ctx context.Context, b *board, heat *strategy.Heat) ([]strategy.Step, []error) {
	l := e.policy.Limits(b.in.Budget)
	v := &strategy.View{
		Draft: b.draft, Limits: l, Target: e.policy.Target(b.in.Budget),
		Zones: strategy.ZonesOf(b.draft, l, e.policy.PinFirst, b.pins, standing(b)),
	}
	steps, errs := e.policy.Ladder(b.in.Budget, heat, e.with).Run(ctx, v)
	if b.draft.Total() > b.in.Budget {
		v.Target = b.in.Budget
		forced, more := strategy.Floor(b.in.Budget, heat, e.with).Run(ctx, v)
		steps, errs = append(steps, forced...), append(errs, more...)
	}
	return steps, errs
}

// outcome judges a compaction. One that the budget does not force must free at
// least a twentieth of it: a smaller gain would not repay the prefix it breaks.
func (e *Engine) outcome(b *board, t *Turn) Outcome {
	freed := t.Before - b.draft.Total()
	switch {
	case len(t.Steps) == 0 && e.movable(b):
		return NoGain
	case len(t.Steps) == 0:
		return NoCutPoint
	case t.Before <= t.Budget && freed < t.Budget/20:
		return NotWorthIt
	}
	return Compacted
}

// movable says whether anything may be compacted at all.
func (e *Engine) movable(b *board) bool {
	zones := strategy.ZonesOf(b.draft, e.policy.Limits(b.in.Budget), e.policy.PinFirst, b.pins, standing(b))
	return slices.ContainsFunc(zones, func(z strategy.Zone) bool { return z == strategy.Recent || z == strategy.Old })
}

// draw builds the draft's plan, the version after old.
func (e *Engine) draw(k store.Key, b *board, old *plan.Plan) (*plan.Plan, error) {
	next := plan.Plan{
		Thread: k.Thread, Base: b.t.Tip(), Version: 1, ThreadVersion: b.t.Len(),
		CreatedAt: e.now().UTC(), Policy: e.policy.Name, Style: b.style,
		Records: b.draft.Records(), Pins: b.pins, Holds: standing(b),
		Original: b.original(), Compacted: b.draft.Total(),
		Inputs: plan.Inputs{
			Model: b.in.Model.Name, Counter: b.in.Meter.Name(), Factor: b.in.Meter.Factor, Budget: b.in.Budget,
			Soft: e.policy.Trigger(b.in.Budget), Low: e.policy.Target(b.in.Budget), Overhead: b.system + b.tools,
		},
	}
	if old != nil {
		next.Version = old.Version + 1
	}
	p, err := plan.Build(next, b.t)
	if err != nil {
		return nil, err
	}
	if b.in.Model.Thinking == model.Bound || old != nil && old.Strip != (plan.Range{}) {
		p.Strip = stripped(old, p, b.t)
	}
	return p, nil
}

// stripped is where thinking goes when next replaces old: from the first message
// whose rendering changes to the tip, and wherever it went before.
func stripped(old, next *plan.Plan, t *thread.Thread) plan.Range {
	r := plan.Range{From: t.Len(), Until: t.Len()}
	if old != nil && old.Strip != (plan.Range{}) {
		r.From = old.Strip.From
	}
	added, removed := plan.Diff(old, next)
	for _, rec := range append(added, removed...) {
		if i, ok := t.Find(rec.Span.Start()); ok {
			r.From = min(r.From, i)
		}
	}
	return r
}

// commit makes p the thread's current plan.
func (e *Engine) commit(ctx context.Context, k store.Key, p *plan.Plan, artifacts []artifact.Artifact) error {
	if err := e.store.Commit(ctx, k, p, artifacts); err != nil {
		return fmt.Errorf("commit plan %d of %s: %w", p.Version, k.Thread, err)
	}
	e.recent.plans(k, p)
	return nil
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
