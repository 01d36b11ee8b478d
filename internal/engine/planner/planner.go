// Package planner decides what a prompt leaves out: from a thread and the plan in
// force to a proposed plan.
//
// Use: Draft for the state of a thread under a plan, Prune and Compact to change
// it, Build for the plan that follows. Law: it commits no plan, and what it
// decides follows from its arguments; Rehydration and SummaryCache alone use a store.
// Promise: a strategy or a summarizer that fails or panics leaves a draft that can
// still be rendered.
package planner

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/internal/guard"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/tool"
)

// Planner holds what all plannings of an engine share.
type Planner struct {
	Policy policy.Policy
	Tools  map[string]tool.Policy
	// Source returns the state now of what a result was read from; nil: unknown.
	Source func(tool.Envelope) *tool.Determinism
	// Ladder builds the strategies for a budget.
	Ladder func(budget int, relevance *strategy.Relevance, with summary.Summarizer) strategy.Ladder
	// Summarizer is the caller's; nil: none. NoFallback leaves a compaction undone
	// where it fails.
	Summarizer summary.Summarizer
	NoFallback bool
	// WithoutModel needs no model: it stands in for Summarizer.
	WithoutModel summary.Summarizer
	// Prefetches says that Summarizer works ahead, and never while a request waits.
	Prefetches bool
}

// Request holds the inputs of one planning.
type Request struct {
	Model  model.Model
	Meter  token.Meter
	System int // tokens of the system prompt
	Tools  int // tokens of the tools' declarations
	Budget int // hard cap of the whole request in tokens
	// Payload caps the request beside tokens, Envelope bytes of it included; zero
	// fields are no limit.
	Payload  token.Load
	Envelope int
	// Idle is how long the thread lay still; 0: not known.
	Idle time.Duration
	Pins []plan.Ref // added by the user
	// Notes are the declarations of the agent, beside calls that declare something.
	Notes []plan.Note

	Force          bool // compact whatever the size
	Refused        bool // the provider refused the prompt: no model is asked
	NoCompact      bool
	FinalTurn      bool // no turn is known to follow
	WentOn         bool // the conversation did since the plan in force was made
	CloseOpenCalls bool
	DropThinking   bool
	// Rehydrates: this turn brings content back, so it externalizes and drops
	// nothing.
	Rehydrates bool
	// CallsApart: the result of a call may stand anywhere after it.
	CallsApart bool
	// CachePoints: markers are set where prompts are best cached.
	CachePoints bool
	// ThinkingLeads: an open tool loop begins with thinking.
	ThinkingLeads bool
	// ThinkingStays: calls that are being answered keep what was thought beside them.
	ThinkingStays bool
	// UserLeads: a message of the user's is written before a summary of the assistant's.
	UserLeads bool
	// Above is the first message that an ordinary rung leaves alone, with all that
	// follow; "" is none.
	Above thread.ID
}

// Fixed returns what a request costs beside its messages, in tokens.
func (r *Request) Fixed() int { return r.Meter.Overhead.Request + r.System + r.Tools }

// Load returns what the messages of the request may weigh: Payload less the
// envelope.
func (r *Request) Load() token.Load {
	m := r.Payload
	if m.Bytes > 0 {
		m.Bytes = max(m.Bytes-r.Envelope, 1)
	}
	return m
}

// Outgrown reports whether a plan was made for another policy or a clearly smaller
// budget: it would leave out what there is room for now.
func (pl *Planner) Outgrown(p *plan.Plan, r *Request) bool {
	if p == nil || len(p.Records) == 0 || p.Inputs.Budget == 0 || r.NoCompact {
		return false
	}
	return p.Policy != pl.Policy.Name || p.Inputs.Detail != pl.Policy.Detail || r.Budget > p.Inputs.Budget+p.Inputs.Budget/10
}

// Compact runs the strategies until they settle, so that preparing the same
// history again changes nothing: what one run made another may merge, and a hold
// that the budget forced no longer stands in the way. What the caller brought
// (summarizer, ladder, files) may panic: that is a failure like another.
func (pl *Planner) Compact(ctx context.Context, d *Draft) (steps []strategy.Step, errs []error) {
	defer func() {
		if v := recover(); v != nil {
			errs = append(errs, fmt.Errorf("compact: %w", guard.Panicked(v)))
		}
	}()
	steps = pl.dropMedia(d)
	most := pl.Policy.Most(d.Request.Budget, d.Request.Fixed())
	if !d.Request.Force && d.TooHeavy && !d.Overweight() && d.Total() <= most {
		return steps, nil
	}
	for {
		more, err := pl.runStrategies(ctx, d)
		steps, errs = append(steps, more...), append(errs, err...)
		askedInVain := len(err) > 0 && pl.Summarizer != nil // which is not asked again
		if len(more) == 0 || d.Total() <= most || askedInVain {
			return steps, errs
		}
	}
}

// mostLastResorts is how often the last resort runs at the most.
const mostLastResorts = 4

// runStrategies runs the policy's ladder down to its target, and the last resort
// if the budget is still exceeded.
func (pl *Planner) runStrategies(ctx context.Context, d *Draft) ([]strategy.Step, []error) {
	v, budget := pl.view(d), d.Request.Budget
	relevance := strategy.NewRelevance(d.Draft, budget) // anew: as it will be for whoever prepares the same history again
	fill := pl.fill(d)
	var steps []strategy.Step
	var errs []error
	run := func(l strategy.Ladder) {
		more, err := l.Run(ctx, v)
		steps, errs = append(steps, more...), append(errs, err...)
	}
	if err := guard.Call(func() error { run(pl.ladder(d, relevance)); return nil }); err != nil {
		errs = append(errs, fmt.Errorf("build ladder: %w", err))
	}
	d.reconcileApart()
	if d.Total() > budget && len(d.Holds) > 0 { // in one go, or it would be forced again at every step
		run(strategy.Ladder{strategy.Summarize{From: strategy.Held, Forced: true, With: pl.WithoutModel}})
	}
	if d.Total() > budget {
		run(strategy.TiedRounds(fill, relevance))
	}
	for target, n := budget, 0; d.Total() > budget && n < mostLastResorts; n++ { // what it parts is repaired, and that takes room, too
		v.Target = target
		run(strategy.LastResort(target, fill, relevance, pl.WithoutModel))
		if !d.reconcileApart() {
			break
		}
		target -= max(d.Total()-budget, 0)
	}
	return steps, errs
}

// ladder returns the rungs for a draft.
func (pl *Planner) ladder(d *Draft, relevance *strategy.Relevance) strategy.Ladder {
	l := pl.Ladder(d.Request.Budget, relevance, d.with)
	if d.Request.Rehydrates {
		l = slices.DeleteFunc(l, func(s strategy.Strategy) bool { return s.Name() == "externalize" || s.Name() == "drop" })
	}
	return l
}

// fill returns the tokens of a request that its compaction fills up to: the budget where no turn is
// known to follow that room would be saved for, else 0.
func (pl *Planner) fill(d *Draft) int {
	if pl.Policy.Economy && d.Request.FinalTurn && !d.Request.WentOn {
		return d.Request.Budget
	}
	return 0
}

// view returns what strategies read and change of the draft.
func (pl *Planner) view(d *Draft) *strategy.View {
	budget, fixed := d.Request.Budget, d.Request.Fixed()
	v := &strategy.View{
		Draft: d.Draft, Limits: strategy.LimitsOf(pl.Policy, budget),
		Target:       min(pl.Policy.Target(budget, fixed), pl.Policy.Most(budget, fixed)),
		Instructions: d.Instructions, Tools: pl.Tools, Source: pl.Source, Refused: d.Request.Refused,
	}
	if pl.fill(d) > 0 {
		v.Limits.RecentTokens = v.Limits.RecentTokens * budget / max(v.Target, 1)
		v.Limits.OwnTokens = v.Limits.OwnTokens * budget / max(v.Target, 1)
		v.Target = budget
	}
	v.Zones = pl.zones(d, v.Limits)
	v.Limits.MinWorth = pl.leastWorth(d)
	switch again := min(pl.Policy.TargetAgain(budget, fixed), pl.Policy.Most(budget, fixed)); {
	case d.Request.Force || d.Overweight(): // whatever the trigger: halve what there is
		v.Target = min(v.Target, d.Total()/2)
		v.Limits.RecentTokens = min(v.Limits.RecentTokens, v.Target/2)
		v.Zones = pl.zones(d, v.Limits)
	case again > v.Target && pl.cached(&d.Request):
		v.LeaveExcerpts(again)
	}
	return v
}

func (pl *Planner) zones(d *Draft, l strategy.Limits) []strategy.Zone {
	holds := d.StandingHolds()
	z := strategy.ZonesOf(d.Draft, l, pl.Policy.PinFirst, d.Pins, holds)
	if len(holds) > 0 && d.kept(z) > d.Request.Budget {
		z = strategy.ZonesOf(d.Draft, l, pl.Policy.PinFirst, d.Pins, nil) // or what is newer would leave in their place
	}
	if first, ok := d.Thread.Find(d.Request.Above); ok {
		for i := first; i < len(z); i++ {
			if z[i] >= strategy.Recent { // a rung may take what is recent, none what is held
				z[i] = strategy.Held
			}
		}
	}
	return z
}

// Movable reports whether anything may be compacted at all.
func (pl *Planner) Movable(d *Draft) bool {
	zones := pl.zones(d, strategy.LimitsOf(pl.Policy, d.Request.Budget))
	return slices.ContainsFunc(zones, func(z strategy.Zone) bool { return z == strategy.Recent || z == strategy.Old })
}
