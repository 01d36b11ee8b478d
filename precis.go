// Package precis compacts the context of language-model agents: the whole
// conversation stays in an immutable log, a plan says what a prompt leaves out,
// and the prompt is a pure function of the two.
//
// Use: New over a store, then in an agent loop Loop.PrepareStep before each
// request; or Prepare with the whole history, and send Turn.Messages. Law:
// nothing logged is ever changed. Promise: what Prepare returns fits the budget
// and obeys the pairing rules of every provider, or the error says with numbers
// why it cannot; a Mode may ask for the history as it is instead.
package precis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/cachecost"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/engine/history"
	"github.com/seed-3db51b0e/precis/internal/engine/planner"
	"github.com/seed-3db51b0e/precis/internal/engine/session"
	"github.com/seed-3db51b0e/precis/internal/engine/variant"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/thread"
)

// Prepare logs what is new and returns the prompt to send: the history under
// the thread's plan, compacted further if it exceeds the policy's trigger. It
// fails with *ImpossibleError when nothing would make it fit.
func (e *Engine) Prepare(ctx context.Context, in Input) (*Turn, error) {
	if err := in.complete(e.policy); err != nil {
		return nil, err
	}
	turn, err := e.prepare(ctx, in)
	for range store.Attempts - 1 {
		if !errors.Is(err, store.ErrForeign) || in.Continue || ctx.Err() != nil {
			break
		}
		turn, err = e.prepare(ctx, in) // what was to be logged is not: another process was first
	}
	return turn, err
}

func (e *Engine) prepare(ctx context.Context, in Input) (turn *Turn, err error) {
	branch, err := e.log(ctx, &in)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	s, giveBack, err := e.sessions.Checkout(ctx, branch.Session)
	if err != nil {
		return nil, fmt.Errorf("prepare thread %s: %w", branch.Key.Thread, err)
	}
	defer giveBack()
	request := in.request()
	err = store.Retry(ctx, func() error {
		turn, err = e.plan(ctx, &preparation{in: in, request: request, session: s, thread: branch.View, earlier: branch.Earlier, freeKey: branch.FreeKey})
		return err
	})
	if err != nil {
		return nil, err
	}
	turn.spacing = cachecost.Spacing{Offset: e.policy.CacheOffset, MinRounds: e.policy.CacheRounds}
	e.verify(turn, in)
	if !in.Mode.NoPrefetch {
		e.prefetchNext(turn, request)
	}
	if e.shadow {
		e.events.shadowed(turn)
		turn = turn.shadowed(in)
	}
	return turn, nil
}

// log makes sure that the log has the client's history, matches it to a branch
// and notes how long that had lain still, unless the caller said so.
func (e *Engine) log(ctx context.Context, in *Input) (history.Branch, error) {
	asks := in.Client.Idle == 0 && e.policy.Rests()
	branch, err := e.history.Log(ctx, history.Request{
		Key: e.key(in.Thread), Messages: in.Messages, Continue: in.Continue,
		Envelope: in.Client.Envelope, Source: in.Client.Source, User: in.Client.User, Meter: in.Meter, NoteUse: asks,
		Policy: e.policy.Name, Budget: in.Budget,
	})
	if err == nil && asks && !branch.LastUsed.IsZero() {
		in.Client.Idle = e.now().Sub(branch.LastUsed)
	}
	return branch, err
}

// plan renders the branch under the plan in force and, where needed, commits a
// new one.
func (e *Engine) plan(ctx context.Context, w *preparation) (*Turn, error) {
	found, err := e.history.Current(ctx, w.session, w.thread)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	w.found, w.behind = found.Plan, found.Behind
	w.request.WentOn = w.found != nil && w.thread.Len() > w.found.ThreadVersion
	selected, err := e.rehydration.Select(ctx, w.session.Key, &w.request, planner.Asked{
		Thread: w.thread, Plan: w.found, Permissions: w.in.Client.Permissions, State: w.session.Rehydration,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	if !e.continued(w) {
		w.request.Rehydrates = len(selected.Wants) > 0 || w.behind && w.freeKey == (store.Key{}) // a plan that is not committed must not point anywhere
		if err := e.planAnew(ctx, w); err != nil {
			return nil, err
		}
	}
	e.attach(ctx, w, selected)
	return w.turn, nil
}

// continued makes the turn from the last prompt, at the cost of what is new, or
// returns false where all of the history has to be looked at.
func (e *Engine) continued(w *preparation) bool {
	last := w.session.Prompt
	w.session.Prompt = nil // Grow uses it up
	if last == nil || !e.continues(w, last) {
		return false
	}
	var ms []message.Message
	if !w.in.Continue {
		ms = w.in.Messages
	}
	t, err := last.Branch(w.thread, ms)
	if err != nil {
		return false
	}
	name := w.in.Meter.Name()
	count := func(x *thread.Entry) int {
		if x.Counter == name {
			return x.Tokens
		}
		return w.in.Meter.Message(x.Message)
	}
	if !last.Grow(t, e.planner.Bound(&w.request)-last.Beside, count) {
		return false
	}
	rendered := last.Render(ms)
	if !last.Within(rendered, w.request.Load()) {
		return false
	}
	turn := w.newTurn(t)
	turn.Outcome, turn.Messages, turn.Origins = WithinBudget, rendered, slices.Clone(last.Origins)
	turn.Original, turn.Before, turn.Compacted = last.Original, last.Compacted, last.Compacted
	turn.Economy = e.planner.Estimate(&w.request, t, planner.Sizes{Original: turn.Original, Now: turn.Compacted})
	if planner.Pays(turn.Economy) {
		return false
	}
	if turn.Economy != nil {
		turn.Outcome = NotWorthIt
		e.events.skipped(turn)
	}
	w.turn, w.session.Prompt, w.beside = turn, last, last.Beside
	return true
}

// continues reports whether the last prompt stands in front of this one.
func (e *Engine) continues(w *preparation, last *session.Prompt) bool {
	r := &w.request
	planAnew := r.Force || r.DropThinking || e.planner.Cold(r) || e.planner.Outgrown(w.found, r)
	otherPlan := last.Plan != w.found || len(w.found.Unpinned(w.in.Pins)) > 0
	otherCounts := last.Meter != w.in.Meter.Name() || last.Fixed != r.Fixed()
	otherForms := last.FromLog != w.in.Continue
	closes := r.UserLeads && strategy.EndsUnasked(w.thread)
	if planAnew || otherPlan || otherCounts || otherForms || closes {
		return false
	}
	return last.Extends(w.thread) && (w.in.Continue || last.Matches(w.in.Messages))
}

// newTurn is an empty turn on t under the plan that was found.
func (w *preparation) newTurn(t *thread.Thread) *Turn {
	return &Turn{Key: w.session.Key, Thread: t, Plan: w.found, Budget: w.in.Budget, Overhead: w.request.Fixed(), Earlier: w.earlier, meter: w.in.Meter, user: w.in.Client.User}
}

// planAnew looks at the whole history: it repairs it, decides, plans, commits and
// renders.
func (e *Engine) planAnew(ctx context.Context, w *preparation) (err error) {
	if !w.in.Continue {
		if w.thread, err = variant.Received(w.thread, w.in.Messages); err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
	}
	w.draftOf(e.planner)
	w.turn = w.newTurn(w.thread)
	w.turn.Original, w.turn.Before, w.needed = w.draft.Uncompacted(), w.draft.Prompt(), w.draft.Total()
	e.decide(ctx, w)
	w.outgrew()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("prepare thread %s: %w", w.session.Key.Thread, err)
	}
	if w.draft.Total() > w.in.Budget && !w.in.Mode.NoCompact {
		least := w.draft.Least()
		return &ImpossibleError{
			Budget: w.in.Budget, Tools: w.request.Tools, Floor: w.draft.Total(), System: least.System, SystemMessages: least.SystemMessages,
			Unknown: least.Unknown, Thinking: least.Thinking, LastUser: least.LastUser,
		}
	}
	w.turn.Forced = len(w.draft.Holds) - len(w.draft.StandingHolds())
	if err := e.commitIfChanged(ctx, w); err != nil {
		return err
	}
	w.render()
	e.events.publish(w)
	return nil
}

// outgrew says in the turn that planning started anew. What came of it is not weighed then:
// the whole log, from which it started, is a prompt that no request held.
func (w *preparation) outgrew() {
	if w.base == w.found {
		return
	}
	w.turn.Economy = nil
	if b := w.found.Inputs.Budget; b < w.in.Budget {
		w.turn.Outgrew = b
	}
}

// draftOf makes the draft, of the plan that was found.
func (w *preparation) draftOf(pl *planner.Planner) {
	w.base = w.found
	if pl.Outgrown(w.found, &w.request) { // with the user's pins and holds
		w.base = &plan.Plan{Style: pl.Policy.Style, Pins: w.found.Pins, Holds: w.found.Holds, NoThinking: w.found.NoThinking}
	}
	w.draft = pl.Draft(w.thread, w.base, w.request)
}

// decide compacts the draft where it has to, and says how that ended.
func (e *Engine) decide(ctx context.Context, w *preparation) {
	pruned := e.prune(ctx, w)
	switch {
	case !w.in.Mode.NoCompact && e.shouldCompact(w):
		e.compact(ctx, w)
	case pruned:
		w.turn.Outcome = Pruned
	case w.draft.Repaired:
		w.turn.Outcome = Repaired
	case w.turn.Economy != nil:
		w.turn.Outcome = NotWorthIt
	default:
		w.turn.Outcome = WithinBudget
	}
}

// prune hides old blocks while the provider's cache is cold, and reports whether
// it did.
func (e *Engine) prune(ctx context.Context, w *preparation) bool {
	steps, errs := e.planner.Prune(ctx, w.draft)
	w.turn.Steps, w.turn.Failures = append(w.turn.Steps, steps...), append(w.turn.Failures, errs...)
	return len(steps) > 0
}

// shouldCompact reports whether the draft is to be compacted. Where the policy asks
// whether that pays, and it does not, the turn has the sums.
func (e *Engine) shouldCompact(w *preparation) bool {
	total := w.draft.Total()
	if w.request.Force || w.draft.Overweight() || total > e.planner.Bound(&w.request) {
		return true
	}
	w.turn.Economy = e.planner.Estimate(&w.request, w.thread, planner.Sizes{Original: w.turn.Original, Now: total})
	return planner.Pays(w.turn.Economy)
}

// compact runs the ladder unless a hook objects, and discards what does not pay. A
// hook cannot object to what the budget forces.
func (e *Engine) compact(ctx context.Context, w *preparation) {
	verdict, err := e.events.askHooks(ctx, w)
	if err != nil {
		w.turn.Failures = append(w.turn.Failures, err)
	}
	if verdict.Veto {
		w.turn.Veto = event.Verdict{Veto: true, Reason: verdict.Reason}
	}
	if verdict.Veto && w.draft.Total() <= w.in.Budget {
		w.turn.Outcome = Vetoed
		return
	}
	w.draft.Instructions = strings.Trim(w.in.Instructions+"\n"+verdict.Instructions, "\n")
	e.adoptProposal(w)
	steps, errs := e.planner.Compact(ctx, w.draft)
	w.turn.Steps, w.turn.Failures = append(w.turn.Steps, steps...), slices.Concat(w.turn.Failures, w.draft.Failures, errs)
	if err := w.draft.PayloadError(); err != nil {
		w.turn.Failures = append(w.turn.Failures, err)
	}
	w.turn.Outcome = e.outcome(w)
	if w.turn.Outcome != Compacted {
		w.turn.Steps, w.draft = nil, e.planner.Draft(w.thread, w.base, w.request)
		if e.prune(ctx, w) { // that cost nothing, and stays
			w.turn.Outcome = Pruned
		}
	}
}

// adoptProposal goes on from what was prepared ahead, if that still stands.
func (e *Engine) adoptProposal(w *preparation) {
	if e.prefetch == nil || w.request.Rehydrates {
		return
	}
	p := e.prefetch.Take(w.session.Key)
	if p == nil || w.base != w.found {
		return
	}
	if d := e.planner.Adopt(p, w.draft, w.found); d != nil {
		w.draft, w.turn.Steps = d, p.Steps
	}
}

// outcome judges a compaction. One that nothing forces must free at least a
// twentieth of the budget: a smaller gain would not repay the prefix it breaks.
func (e *Engine) outcome(w *preparation) Outcome {
	before, budget := w.needed, w.in.Budget
	forced := w.request.Force || w.draft.TooHeavy || before > budget
	switch {
	case len(w.turn.Steps) == 0 && e.planner.Movable(w.draft):
		return NoGain
	case len(w.turn.Steps) == 0:
		return NoCutPoint
	case !forced && before-w.draft.Total() < budget/20:
		return NotWorthIt
	}
	if sums := e.planner.Weigh(w.draft, w.base, planner.Sizes{Original: w.turn.Original, Now: before}); sums != nil {
		w.turn.Economy = sums
		if !planner.Pays(sums) {
			return NotWorthIt
		}
	}
	return Compacted
}

// commitIfChanged commits a plan where the draft differs from the one that was
// found. A client that is behind does not decide for the thread: it gets a branch.
func (e *Engine) commitIfChanged(ctx context.Context, w *preparation) (err error) {
	d := w.draft
	if !d.Repaired && !w.decided() {
		return nil
	}
	p, err := e.planner.Build(d, w.session.Key.Thread, w.found, e.now())
	if err != nil {
		return err
	}
	if len(w.turn.Steps) > 0 {
		p.Economy = w.turn.Economy
	}
	w.turn.Plan = p
	if w.behind {
		return e.commitToBranch(ctx, w)
	}
	if err := e.commit(ctx, w.session.Key, p, d.Artifacts); err != nil {
		return err
	}
	w.session.Plan = p
	return nil
}

// decided reports whether the draft differs from the plan that was found by more than repairs.
func (w *preparation) decided() bool {
	return len(w.turn.Steps) > 0 || w.draft.AddsPins || w.base != w.found || w.in.Mode.DropThinking
}

// commitToBranch commits the plan of a client that is behind, as the first of a branch of its
// own. Repairs alone are made for the prompt only: the history will have outgrown them.
func (e *Engine) commitToBranch(ctx context.Context, w *preparation) error {
	if !w.decided() || w.freeKey == (store.Key{}) {
		w.turn.Uncommitted = true
		return nil
	}
	if err := e.history.BranchOff(ctx, w.session.Key, w.freeKey, w.thread.Tip()); err != nil {
		return fmt.Errorf("prepare thread %s: %w", w.freeKey.Thread, err)
	}
	p := w.turn.Plan
	p.Thread, p.Version, w.turn.Key = w.freeKey.Thread, 1, w.freeKey
	return history.WasFirst(e.commit(ctx, w.freeKey, p, w.draft.Artifacts))
}

// commit makes p the thread's current plan.
func (e *Engine) commit(ctx context.Context, k store.Key, p *plan.Plan, artifacts []artifact.Artifact) error {
	for i := range artifacts {
		if artifacts[i].Created.IsZero() {
			artifacts[i].Created = p.CreatedAt
		}
	}
	if err := e.store.Commit(ctx, k, p, artifacts); err != nil {
		return fmt.Errorf("commit plan %d of %s: %w", p.Version, k.Thread, err)
	}
	return nil
}

// render fills the turn with the prompt, and the session with what continues it.
func (w *preparation) render() {
	turn, out := w.turn, render.Prompt(w.thread, w.turn.Plan, nil)
	turn.Messages, turn.Origins, turn.Compacted = variant.Clone(out.Messages), out.Origins, w.draft.Prompt()
	w.beside = w.draft.Beside()
	if turn.Plan != nil && turn.Plan.NoThinking != (plan.Range{}) {
		turn.Compacted = w.request.Fixed() + w.in.Meter.Messages(out.Messages) // without the thinking left out
	}
	if w.behind {
		return
	}
	w.session.Prompt = session.NewPrompt(session.Settled{
		Thread: turn.Thread, Plan: turn.Plan, Messages: turn.Messages, Origins: turn.Origins,
		Meter: w.in.Meter.Name(), Fixed: w.request.Fixed(), Compacted: turn.Compacted, Beside: w.beside, Original: turn.Original, FromLog: w.in.Continue,
	})
}

// attach puts what is to come back at the very end of the prompt.
func (e *Engine) attach(ctx context.Context, w *preparation, selected planner.Selected) {
	if len(selected.Wants)+len(selected.Skips) == 0 {
		return
	}
	turn := w.turn
	r := e.rehydration.Build(ctx, selected, &w.request, turn.Compacted+w.beside)
	w.session.Rehydration = r.State
	turn.Rehydrated, turn.RehydrationSkipped = r.Shown, r.Skips
	for _, m := range r.Messages {
		turn.Compacted += turn.meter.Message(m)
		turn.Messages = append(turn.Messages, m)
		turn.Origins = append(turn.Origins, render.Origin{First: -1})
	}
	e.events.rehydrated(turn)
}

// prefetchNext starts to prepare the next compaction when this turn comes near it.
func (e *Engine) prefetchNext(t *Turn, r planner.Request) {
	if e.prefetch == nil || t.Outcome == Compacted {
		return
	}
	turns, key := t.Thread.Turns(), t.Key
	e.prefetch.Start(e.planner, planner.Job{
		Key: key, Thread: t.Thread, Plan: t.Plan, Request: r, Now: t.Compacted,
		Ready: func(p *planner.Proposal) {
			e.events.emit(key, event.Event{Kind: event.ProposalReady, Turn: turns, TokensAfter: p.Tokens, Budget: r.Budget})
		},
		Failed: func(err error) { e.events.failed(key, err) },
	})
}
