package precis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/engine/planner"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// ErrNoRecord names a record that the current plan does not hold.
var ErrNoRecord = errors.New("no such record in the current plan")

// Expand undoes one record of a thread's current plan: what it covered comes
// back whole, and a hold keeps the ladder off it until the budget forces it.
// It commits a new plan version and returns it.
func (e *Engine) Expand(ctx context.Context, name, record string) (*plan.Plan, error) {
	p, err := e.revise(ctx, name, func(p *plan.Plan, _ *thread.Thread) error {
		i := slices.IndexFunc(p.Records, func(r plan.Record) bool { return r.ID == record })
		if i < 0 {
			return fmt.Errorf("record %s: %w", record, ErrNoRecord)
		}
		p.Holds = hold(p.Holds, p.Records[i].Span)
		p.Records = slices.Delete(slices.Clone(p.Records), i, i+1)
		return nil
	})
	return e.edited(name, p, err, event.Event{Kind: event.PlanExpanded, Details: event.Details{Record: record}})
}

// edited tells of a plan that was changed by hand.
func (e *Engine) edited(name string, p *plan.Plan, err error, v event.Event) (*plan.Plan, error) {
	if err == nil {
		v.Version, v.TokensAfter = p.Version, p.Compacted
		e.events.emit(e.key(name), v)
	}
	return p, err
}

// ExpandMessage takes one message out of whatever covers it, with the tool round
// it belongs to, so that calls and results stay together: those messages come
// back whole and are held; the record keeps the rest of its span.
func (e *Engine) ExpandMessage(ctx context.Context, name string, id thread.ID) (*plan.Plan, error) {
	p, err := e.revise(ctx, name, func(p *plan.Plan, t *thread.Thread) error {
		refs := planner.Round(t, id)
		if !slices.ContainsFunc(refs, func(f plan.Ref) bool { return p.Touches(f.ID) }) {
			return fmt.Errorf("message %s: %w", id, ErrNoRecord)
		}
		p.Records = planner.Uncover(p, refs).Records
		p.Holds = hold(p.Holds, plan.Span{IDs: ids(refs)})
		return nil
	})
	return e.edited(name, p, err, event.Event{Kind: event.PlanExpanded, Span: event.Span{First: id, Last: id, Count: 1}})
}

// Erase removes what one logged message said, for good, in every thread that
// shares it and in every branch and parent that has an entry of its own for it: the store
// keeps a tombstone, and no prompt of this engine shows it again. What may quote it goes
// with it: what the model looked up in the conversation, cached summaries, artifacts, and
// in every version of every plan the records that cover it, summaries of what came later
// and those that had covered it before it came back (see store.Erasures.EraseEntry). What
// those had left out is in the prompt again until the next compaction. The plan gets a new version, its first if it had none, by
// which every process sees that it must read anew.
func (e *Engine) Erase(ctx context.Context, name string, id thread.ID, why artifact.Tombstone) error {
	x, err := e.history.Erase(ctx, e.key(name), id, why)
	if len(x.Threads) == 0 {
		return fmt.Errorf("erase message %s of %s: %w", id, name, err)
	}
	if e.prefetch != nil {
		e.prefetch.Clear()
	}
	if err := errors.Join(err, e.history.EraseCopies(ctx, x, why), e.renewPlans(ctx, x.Threads, x.Message)); err != nil {
		return fmt.Errorf("erase message %s of %s: %w", id, name, err)
	}
	return nil
}

// Quoting lists the records that Erase takes out of plans, as they may quote the message,
// and in how many versions they stand, of the thread and of those that share its beginning.
// After the erasure there are none.
func (e *Engine) Quoting(ctx context.Context, name string, id thread.ID) (records []plan.Record, versions int, err error) {
	records, versions, err = e.history.Quoting(ctx, e.key(name), id)
	if err != nil {
		return nil, 0, fmt.Errorf("find what quotes message %s of %s: %w", id, name, err)
	}
	return records, versions, nil
}

// renewPlans commits what is left of the plans of threads that have an erased message,
// and of their forks and parents. had is the message as it was.
func (e *Engine) renewPlans(ctx context.Context, have []store.Key, had thread.Entry) error {
	family, err := e.history.Family(ctx, have[0])
	if err != nil {
		return err
	}
	for _, h := range family {
		if h.PlanVersion == 0 && !slices.Contains(have, h.Key) {
			continue
		}
		_, err := e.revise(ctx, h.Key.Thread, func(p *plan.Plan, t *thread.Thread) error {
			if _, err := plan.Rebuild(*p, t); err != nil { // what is left may stand only with what went
				p.Records = nil
			}
			if at, ok := t.Find(had.ID); ok && at < p.ThreadVersion && p.Original > 0 {
				p.Original += tokensOf(t.At(at)) - tokensOf(&had)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("renew plan: %w", err)
		}
	}
	return nil
}

func ids(refs []plan.Ref) []thread.ID {
	out := make([]thread.ID, len(refs))
	for i, f := range refs {
		out[i] = f.ID
	}
	return out
}

// hold adds spans to the refs an undo gave back.
func hold(holds []plan.Ref, spans ...plan.Span) []plan.Ref {
	out := slices.Clone(holds)
	for _, s := range spans {
		for _, id := range s.IDs {
			out = append(out, plan.Ref{ID: id, Part: s.Part})
		}
	}
	slices.SortFunc(out, func(a, b plan.Ref) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Part, b.Part)) })
	return slices.Compact(out)
}

// ErrNoUndo is returned where no step of a plan is left to undo.
var ErrNoUndo = errors.New("nothing is left to undo")

// Restore makes an older version of the plan the current one again, as a new
// version. Version 0 is the empty plan: nothing is left out. What comes back is
// held as after Expand; pins and holds of today stay, and what is pinned stays whole.
func (e *Engine) Restore(ctx context.Context, name string, version int) (*plan.Plan, error) {
	old, err := e.planAt(ctx, name, version)
	if err != nil {
		return nil, err
	}
	p, err := e.revise(ctx, name, func(p *plan.Plan, t *thread.Thread) error {
		takeUp(p, old, t)
		return nil
	})
	return e.edited(name, p, err, event.Event{Kind: event.PlanRestored, Details: event.Details{FromVersion: version}})
}

// Undo takes the last step of a plan back that is not undone yet (see plan.Plan.Undo), as
// a new version: as Restore, but the pins and holds that this step made or took off are as
// they were before it.
func (e *Engine) Undo(ctx context.Context, name string) (*plan.Plan, error) {
	var to int
	p, err := e.revise(ctx, name, func(p *plan.Plan, t *thread.Thread) error {
		var ok bool
		if to, ok = p.Undo(); !ok {
			return fmt.Errorf("undo plan of %s: %w", name, ErrNoUndo)
		}
		old, err := e.planAt(ctx, name, to)
		if err != nil {
			return err
		}
		step, err := e.planAt(ctx, name, to+1)
		if err != nil {
			return err
		}
		p.Pins = asBefore(p.Pins, step.Pins, old.Pins)
		p.Holds = asBefore(p.Holds, step.Holds, old.Holds)
		takeUp(p, old, t)
		return nil
	})
	return e.edited(name, p, err, event.Event{Kind: event.PlanRestored, Details: event.Details{FromVersion: to}})
}

// planAt is a version of a thread's plan; version 0 is the empty one.
func (e *Engine) planAt(ctx context.Context, name string, version int) (*plan.Plan, error) {
	if version == 0 {
		return &plan.Plan{}, nil
	}
	p, err := e.store.PlanAt(ctx, e.key(name), version)
	if err != nil {
		return nil, fmt.Errorf("read plan %d of %s: %w", version, name, err)
	}
	return p, nil
}

// takeUp gives p the records of an older version, but for what is pinned, and holds what
// comes back by it.
func takeUp(p, old *plan.Plan, t *thread.Thread) {
	_, gone := plan.Diff(p, old)
	p.Restores = old.Version + 1
	if old.Version > 0 {
		p.Style = old.Style
	}
	var pins []plan.Ref
	for _, pin := range p.Pins {
		pins = append(pins, planner.Round(t, pin.ID)...)
	}
	p.Records = planner.Uncover(old, pins).Records
	var back []plan.Span
	for _, r := range gone {
		back = append(back, r.Span)
	}
	p.Holds = slices.DeleteFunc(hold(p.Holds, back...), func(h plan.Ref) bool { return old.Touches(h.ID) }) // it leaves the prompt with what is restored
}

// asBefore takes back what one step did to marks: those that it added go, those that it
// took off stand again.
func asBefore(now, step, before []plan.Ref) []plan.Ref {
	was, is := set(before), set(step)
	out := slices.DeleteFunc(slices.Clone(now), func(r plan.Ref) bool { return is[r] && !was[r] })
	have := set(out)
	for _, r := range before {
		if !is[r] && !have[r] {
			out = append(out, r)
		}
	}
	return out
}

func set[T comparable](of []T) map[T]bool {
	in := make(map[T]bool, len(of))
	for _, x := range of {
		in[x] = true
	}
	return in
}

// Pin marks messages as kept verbatim from now on, and uncovers them. Events tell of
// those that it uncovers, as of Expand. Pin, Unpin, Hold and Release commit nothing where
// nothing changes: they return the plan as it is, of version 0 if there is none.
func (e *Engine) Pin(ctx context.Context, name string, pins ...plan.Ref) (*plan.Plan, error) {
	var uncovered []thread.ID
	p, err := e.revise(ctx, name, func(p *plan.Plan, t *thread.Thread) error {
		var refs []plan.Ref
		before := len(p.Pins)
		uncovered = nil
		for _, pin := range pins {
			if p.Touches(pin.ID) {
				uncovered = append(uncovered, pin.ID)
			}
			refs = append(refs, planner.Round(t, pin.ID)...)
		}
		p.Pins = append(slices.Clip(p.Pins), p.Unpinned(pins)...)
		rest := planner.Uncover(p, refs).Records
		if len(p.Pins) == before && len(rest) == len(p.Records) && len(uncovered) == 0 {
			return errSame
		}
		p.Records = rest
		return nil
	})
	for _, id := range uncovered {
		_, _ = e.edited(name, p, err, event.Event{Kind: event.PlanExpanded, Span: event.Span{First: id, Last: id, Count: 1}})
	}
	return p, err
}

// Unpin takes the mark off messages: a compaction may take them out again.
func (e *Engine) Unpin(ctx context.Context, name string, pins ...plan.Ref) (*plan.Plan, error) {
	return e.revise(ctx, name, func(p *plan.Plan, _ *thread.Thread) error {
		left := without(p.Pins, pins)
		if len(left) == len(p.Pins) {
			return errSame
		}
		p.Pins = left
		return nil
	})
}

// Hold keeps the ladder off messages, with the tool rounds they belong to, until the
// budget forces it, as Expand does with what it gives back. Release ends that.
func (e *Engine) Hold(ctx context.Context, name string, ids ...thread.ID) (*plan.Plan, error) {
	return e.revise(ctx, name, func(p *plan.Plan, t *thread.Thread) error {
		held := hold(p.Holds, plan.Span{IDs: rounds(t, ids)})
		if len(held) == len(p.Holds) {
			return errSame
		}
		p.Holds = held
		return nil
	})
}

// Release takes the holds off messages and the tool rounds they belong to.
func (e *Engine) Release(ctx context.Context, name string, ids ...thread.ID) (*plan.Plan, error) {
	return e.revise(ctx, name, func(p *plan.Plan, t *thread.Thread) error {
		free := set(rounds(t, ids))
		left := slices.DeleteFunc(slices.Clone(p.Holds), func(h plan.Ref) bool { return free[h.ID] })
		if len(left) == len(p.Holds) {
			return errSame
		}
		p.Holds = left
		return nil
	})
}

// rounds returns the messages with the rounds they belong to.
func rounds(t *thread.Thread, of []thread.ID) (all []thread.ID) {
	for _, id := range of {
		all = append(all, ids(planner.Round(t, id))...)
	}
	return all
}

func without(refs, gone []plan.Ref) []plan.Ref {
	goes := set(gone)
	return slices.DeleteFunc(slices.Clone(refs), func(r plan.Ref) bool { return goes[r] })
}

// tokensOf is the count that a message was logged with. A tombstone has none, and is
// counted as for a model that is not known.
func tokensOf(x *thread.Entry) int {
	if x.Message.Meta {
		return 0
	}
	if x.Counter != "" {
		return x.Tokens
	}
	m, err := token.For(model.Unknown, nil)
	if err != nil {
		return x.Tokens
	}
	return m.Message(x.Message)
}

// recount recomputes what a whole-message record frees: its span may be smaller now.
func recount(r *plan.Record, t *thread.Thread) {
	if r.Span.Part > 0 {
		return
	}
	r.Saves = -r.Tokens
	for _, id := range r.Span.IDs {
		i, _ := t.Find(id)
		r.Saves += tokensOf(t.At(i))
	}
}

// errSame is returned by a change that leaves a plan as it is.
var errSame = errors.New("nothing changes")

// revise commits a changed copy of the current plan, or of an empty one.
func (e *Engine) revise(ctx context.Context, name string, change func(*plan.Plan, *thread.Thread) error) (*plan.Plan, error) {
	var p *plan.Plan
	err := store.Retry(ctx, func() (err error) {
		p, err = e.reviseOnce(ctx, name, change)
		return err
	})
	return p, err
}

func (e *Engine) reviseOnce(ctx context.Context, name string, change func(*plan.Plan, *thread.Thread) error) (*plan.Plan, error) {
	k := e.key(name)
	entries, err := e.store.Load(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("load thread %s: %w", name, err)
	}
	t, err := thread.New(entries)
	if err != nil {
		return nil, fmt.Errorf("load thread %s: %w", name, err)
	}
	next := plan.Plan{Thread: name, Policy: e.policy.Name, Style: e.policy.Style}
	switch p, err := e.store.Plan(ctx, k); {
	case err == nil:
		next = *p
	case !errors.Is(err, store.ErrNotFound):
		return nil, fmt.Errorf("read plan of %s: %w", name, err)
	}
	old := next
	next.Economy = nil // it was reckoned for the old one
	if err := change(&next, t); errors.Is(err, errSame) {
		return &old, nil
	} else if err != nil {
		return nil, err
	}
	if next.Restores == old.Restores {
		next.Restores = 0
	}
	if next.Original > 0 { // else it is not known what the request holds beside its messages
		next.Original += old.Since(t)
	}
	next.Version++
	next.Base, next.ThreadVersion, next.CreatedAt = t.Tip(), t.Len(), e.now().UTC()
	built, err := plan.Rebuild(next, t)
	if err != nil {
		return nil, err
	}
	if old.NoThinking != (plan.Range{}) {
		built.NoThinking = planner.WithoutThinking(&old, built, t, t.Len()+1) // the answer to the last prompt is not logged yet
	}
	built.Compacted = built.Original
	for i := range built.Records {
		recount(&built.Records[i], t)
		built.Compacted -= built.Records[i].Saves
	}
	if err := e.commit(ctx, k, built, nil); err != nil {
		return nil, err
	}
	return built, nil
}
