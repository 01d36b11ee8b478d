package precis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Prepare logs what is new and returns the prompt to send: the history under
// the thread's plan, compacted further if it exceeds the policy's trigger. It
// fails with *ImpossibleError when nothing would make it fit.
func (e *Engine) Prepare(ctx context.Context, in Input) (*Turn, error) {
	if err := e.complete(&in); err != nil {
		return nil, err
	}
	turn, err := e.prepare(ctx, in)
	if errors.Is(err, store.ErrForeign) && !in.Continue { // what was to be logged is not: another process was first
		turn, err = e.prepare(ctx, in)
	}
	return turn, err
}

func (e *Engine) prepare(ctx context.Context, in Input) (*Turn, error) {
	epoch := e.epoch.Load()
	defer func() {
		if e.epoch.Load() != epoch { // what it read and kept may have been erased meanwhile
			e.recent.clear()
		}
	}()
	key, t, err := e.logged(ctx, &in)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	leave, err := e.flights.enter(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("prepare thread %s: %w", key.Thread, err)
	}
	defer leave()
	for range races {
		turn, err := e.plan(ctx, key, t, in)
		if errors.Is(err, store.ErrStale) {
			continue
		}
		if err != nil {
			return nil, err
		}
		e.verify(turn, in)
		e.ahead(turn, in)
		if e.shadow {
			turn = e.observed(turn, in)
		}
		return turn, nil
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
	if p, err = e.stored(ctx, k, h.PlanVersion); err != nil || p == nil {
		return p, behind, err
	}
	if _, ok := t.Find(p.Base); !ok && p.Base != "" { // made by another process, on what came since
		behind = true
	}
	if behind {
		p, err = plan.Carry(p, t, t)
	}
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

// work is one Prepare on its way from the plan in force to a turn.
type work struct {
	k      store.Key
	found  *plan.Plan // in force, nil for none
	base   *plan.Plan // what planning starts from
	behind bool       // the client sees less than the log holds
	*board
	turn *Turn
}

// plan renders under the plan in force and, where needed, commits a new one.
func (e *Engine) plan(ctx context.Context, k store.Key, t *thread.Thread, in Input) (*Turn, error) {
	p, behind, err := e.current(ctx, k, t)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	back, err := e.want(ctx, k, t, p, in)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	if turn := e.steadily(k, t, p, in); turn != nil {
		e.bring(ctx, turn, back)
		return turn, nil
	}
	if !in.Continue {
		if t, err = asSeen(t, in.Messages); err != nil {
			return nil, fmt.Errorf("prepare: %w", err)
		}
	}
	w := &work{k: k, found: p, base: p, behind: behind}
	if e.outgrown(p, in) {
		w.base = &plan.Plan{Style: e.policy.Style, Pins: p.Pins, Holds: p.Holds, NoThinking: p.NoThinking}
	}
	w.board = e.board(t, w.base, in)
	w.gentle = len(back.wants) > 0 || behind // a plan that is not committed must not point anywhere
	w.turn = &Turn{Key: k, Thread: t, Plan: p, Budget: in.Budget, Original: w.draft.Uncompacted(), Before: w.draft.Total(), meter: in.Meter}
	e.decide(ctx, w)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("prepare thread %s: %w", k.Thread, err)
	}
	if w.draft.Total() > in.Budget && !in.Mode.NoCompact {
		return nil, w.impossible()
	}
	w.turn.Forced = len(w.holds) - len(standing(w.board))
	if err := e.settled(ctx, w); err != nil {
		return nil, err
	}
	e.rendered(w)
	e.told(w)
	e.bring(ctx, w.turn, back)
	return w.turn, nil
}

// decide compacts the board where it has to, and says how that ended.
func (e *Engine) decide(ctx context.Context, w *work) {
	pruned := !w.in.Mode.NoCompact && e.prune(ctx, w)
	switch {
	case !w.in.Mode.NoCompact && (w.in.Mode.Force || w.crowded() || e.due(w)):
		e.compacted(ctx, w)
	case pruned:
		w.turn.Outcome = Pruned
	case w.repaired:
		w.turn.Outcome = Repaired
	case w.turn.Economy != nil:
		w.turn.Outcome = NotWorthIt
	default:
		w.turn.Outcome = WithinBudget
	}
}

// compacted runs the ladder unless a hook objects, and discards what does not
// pay (SPEC V7). A hook cannot object to what the budget forces.
func (e *Engine) compacted(ctx context.Context, w *work) {
	verdict := e.ask(ctx, w)
	if verdict.Veto && w.draft.Total() <= w.in.Budget {
		w.turn.Outcome = Vetoed
		return
	}
	w.instructions = joined(w.in.Instructions, verdict.Instructions)
	e.propose(w)
	steps, errs := e.guarded(ctx, w.board)
	w.turn.Steps, w.turn.Failures = append(w.turn.Steps, steps...), slices.Concat(w.turn.Failures, w.failures, errs)
	if err := w.overweight(); err != nil {
		w.turn.Failures = append(w.turn.Failures, err)
	}
	w.turn.Outcome = e.outcome(w)
	if w.turn.Outcome != Compacted {
		w.turn.Steps, w.board = nil, e.board(w.t, w.base, w.in)
		if e.prune(ctx, w) { // that cost nothing, and stays
			w.turn.Outcome = Pruned
		}
	}
}

// joined puts what was asked for one below the other.
func joined(a, b string) string { return strings.Trim(a+"\n"+b, "\n") }

// settled commits a plan where the board differs from the one that was found.
func (e *Engine) settled(ctx context.Context, w *work) (err error) {
	if !w.repaired && len(w.turn.Steps) == 0 && !w.pinned && w.base == w.found && !w.in.Mode.DropThinking {
		return nil
	}
	if w.turn.Plan, err = e.draw(w.k, w.board, w.found); err != nil {
		return err
	}
	if len(w.turn.Steps) > 0 {
		w.turn.Plan.Economy = w.turn.Economy
	}
	if w.behind { // a client that is behind does not decide for the whole thread
		return nil
	}
	return e.commit(ctx, w.k, w.turn.Plan, w.draft.Artifacts)
}

// rendered fills the turn with the prompt, and remembers it for the next one.
func (e *Engine) rendered(w *work) {
	out := render.Prompt(w.t, w.turn.Plan, nil)
	w.turn.Messages, w.turn.Origins, w.turn.Compacted = owned(out.Messages), out.Origins, w.draft.Total()
	if w.turn.Plan != nil && w.turn.Plan.NoThinking != (plan.Range{}) {
		w.turn.Compacted = w.fixed + w.in.Meter.Messages(out.Messages) // without the thinking left out
	}
	if !w.behind {
		e.recent.put(w.k, settle(w.board, w.turn))
	}
}

// steadily answers at the cost of what is new, or returns nil where all of the
// history has to be looked at.
func (e *Engine) steadily(k store.Key, t *thread.Thread, p *plan.Plan, in Input) *Turn {
	s := e.recent.take(k)
	name := in.Meter.Name()
	cold := e.cold(in)
	if s == nil || in.Mode.Force || in.Mode.DropThinking || cold || s.logged != in.Continue || s.p != p || s.meter != name || s.fixed != fixed(in) || !pinned(p, in.Pins) || e.outgrown(p, in) || !s.extends(t) || !in.Continue && !s.sees(in.Messages) {
		return nil
	}
	t, err := s.branch(t, in)
	if err != nil {
		return nil // it has to be looked at whole
	}
	count := func(x *thread.Entry) int {
		if x.Counter == name {
			return x.Tokens
		}
		return in.Meter.Message(x.Message)
	}
	if !s.grow(t, e.bound(in, s.fixed), in.most(), count) {
		return nil
	}
	turn := s.turn(in)
	turn.Key = k
	if !e.spared(turn, in, s.fixed) {
		return nil
	}
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
	if p == nil || len(p.Records) == 0 || p.Inputs.Budget == 0 || in.Mode.NoCompact {
		return false
	}
	return p.Policy != e.policy.Name || in.Budget > p.Inputs.Budget+p.Inputs.Budget/10
}

// draw builds the draft's plan, the version after old.
func (e *Engine) draw(k store.Key, b *board, old *plan.Plan) (*plan.Plan, error) {
	next := plan.Plan{
		Thread: k.Thread, Base: b.t.Tip(), Version: 1, ThreadVersion: b.t.Len(),
		CreatedAt: e.now().UTC(), Policy: e.policy.Name, Style: b.style,
		Records: b.draft.Records(), Pins: b.pins, Holds: standing(b),
		Original: b.draft.Uncompacted(), Compacted: b.draft.Total(),
		Inputs: plan.Inputs{
			Model: b.in.Model.Name, Counter: b.in.Meter.Name(), Factor: b.in.Meter.Factor, Budget: b.in.Budget,
			Images: b.in.Limits.Payload.Media, Bytes: b.in.Limits.Payload.Bytes,
			Rest: int(b.in.Client.Idle.Seconds()), Soft: e.policy.Trigger(b.in.Budget, b.fixed), Low: e.policy.Target(b.in.Budget, b.fixed), Overhead: b.system + b.tools,
		},
	}
	if old != nil {
		next.Version = old.Version + 1
	}
	p, err := plan.Build(next, b.t)
	if err != nil {
		return nil, err
	}
	if b.in.Model.Thinking == model.Bound || old != nil && old.NoThinking != (plan.Range{}) {
		p.NoThinking = stripped(old, p, b.t)
	}
	if b.in.Mode.DropThinking {
		p.NoThinking = plan.Range{From: 0, Until: b.t.Len()}
	}
	return p, nil
}

// stripped is where thinking goes when next replaces old: from the first message
// whose rendering changes to the tip, and wherever it went before.
func stripped(old, next *plan.Plan, t *thread.Thread) plan.Range {
	was, first := plan.Range{From: t.Len(), Until: t.Len()}, t.Len()
	if old != nil && old.NoThinking != (plan.Range{}) {
		was = old.NoThinking
	}
	added, removed := plan.Diff(old, next)
	if old != nil && old.Style != next.Style { // other words for the same
		added, removed = next.Records, old.Records
	}
	for _, rec := range slices.Concat(added, removed) {
		if i, ok := t.Find(rec.Span.Start()); ok {
			first = min(first, i)
		}
	}
	if first == t.Len() {
		return was
	}
	return plan.Range{From: min(was.From, first), Until: t.Len()}
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
	e.recent.plans(k, p)
	return nil
}
