package precis

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/summary"
)

// publisher tells subscribers and hooks what happens.
type publisher struct {
	bus    *event.Bus // nil: nobody listens
	hooks  event.Hooks
	now    func() time.Time
	policy string // its name
	after  sequence
}

func newPublisher(bus *event.Bus, hooks event.Hooks, now func() time.Time, policy string) *publisher {
	return &publisher{bus: bus, hooks: hooks, now: now, policy: policy}
}

// close waits for the hooks that are being told.
func (p *publisher) close() { p.after.all.Wait() }

// emit tells subscribers; it costs nothing where there are none.
func (p *publisher) emit(k store.Key, v event.Event) {
	if !p.bus.Active() {
		return
	}
	v.Time, v.Tenant, v.Thread = p.now().UTC(), k.Tenant, k.Thread
	p.bus.Emit(v)
}

// failed tells of a failure that the conversation survives, without what was said in it.
func (p *publisher) failed(k store.Key, err error) {
	p.emit(k, event.Event{Kind: event.Failed, Err: summary.Redact(err)})
}

// askHooks announces a compaction and asks the hooks.
func (p *publisher) askHooks(ctx context.Context, w *preparation) (event.Verdict, error) {
	p.emit(w.session.Key, event.Event{
		Kind: event.CheckStarted, Turn: w.thread.Turns(), TokensBefore: w.draft.Total(), Budget: w.in.Budget,
		Details: event.Details{Trigger: w.in.trigger(), Policy: p.policy, Messages: w.thread.Len()},
	})
	return p.hooks.Ask(ctx, payloadOf(w))
}

// payloadOf returns what hooks learn of a compaction that is about to be.
func payloadOf(w *preparation) event.Payload {
	return event.Payload{
		Tenant: w.turn.Key.Tenant, Thread: w.turn.Key.Thread, Trigger: w.in.trigger(), Messages: w.thread.Len(),
		Budget: w.in.Budget, BeforeTokens: w.turn.Before, Instructions: w.in.Instructions,
	}
}

// publish tells how a Prepare went, once its plan is committed.
func (p *publisher) publish(w *preparation) {
	k := w.turn.Key
	for _, err := range w.turn.Failures {
		p.failed(k, err)
	}
	if w.behind && w.turn.Key == w.session.Key { // nothing was committed
		return
	}
	switch w.turn.Outcome {
	case WithinBudget, Repaired:
		if w.turn.Plan != w.found { // repairs, or a plan made anew for a larger budget
			p.emit(k, event.Event{
				Kind: event.Completed, Version: w.turn.Plan.Version, Turn: w.thread.Turns(), TokensBefore: w.turn.Before,
				TokensAfter: w.turn.Compacted, Budget: w.in.Budget, Outcome: string(w.turn.Outcome),
			})
		}
	case Pruned: // nobody was asked, nobody is told but subscribers
		p.publishPlan(w)
	case Compacted:
		p.publishPlan(w)
		p.tellHooks(w)
	default:
		p.skipped(w.turn)
	}
}

// tellHooks tells the hooks of a compaction, one after the other and without the
// request waiting.
func (p *publisher) tellHooks(w *preparation) {
	load := payloadOf(w)
	load.Version, load.AfterTokens, load.Instructions = w.turn.Plan.Version, w.turn.Compacted, w.draft.Instructions
	added, _ := plan.Diff(w.found, w.turn.Plan)
	for _, r := range added { // what the new records cover, as it was logged
		load.CompactedTokens += r.Saves + r.Tokens
	}
	k := w.turn.Key
	p.after.run(func() {
		if err := p.hooks.Tell(context.Background(), load); err != nil {
			p.failed(k, err)
		}
	})
}

// publishPlan emits what the new plan does, and that it is in force.
func (p *publisher) publishPlan(w *preparation) {
	if !p.bus.Active() {
		return
	}
	k, version := w.turn.Key, w.turn.Plan.Version
	for _, s := range w.turn.Steps {
		p.emit(k, event.Event{
			Kind: event.ProposalGenerated, Version: version, Strategy: s.Strategy, Span: event.SpanOf(s.Span), TokensFreed: s.Saves,
		})
	}
	added, _ := plan.Diff(w.found, w.turn.Plan)
	for i := range added {
		v := event.Applied(&added[i])
		v.Version = version
		p.emit(k, v)
	}
	done := event.Event{
		Kind: event.Completed, Version: version, Turn: w.thread.Turns(), TokensBefore: w.turn.Before, TokensAfter: w.turn.Compacted,
		Budget: w.in.Budget, TokensFreed: w.turn.Before - w.turn.Compacted, Outcome: string(w.turn.Outcome),
		Details: event.Details{
			Trigger: w.in.trigger(), Policy: p.policy, Records: len(w.turn.Plan.Records),
			Messages: w.thread.Len(), Sent: len(w.turn.Messages), Forced: w.turn.Forced,
		},
	}
	done.Details.Round, done.Details.Summarized = summarized(added, w.found)
	p.emit(k, done)
	if w.turn.Outcome == Pruned {
		return
	}
	done.Kind = event.Boundary
	p.emit(k, done)
	p.emit(k, event.Event{Kind: event.Session, Version: version, Details: event.Details{Source: event.Compact}})
}

// summarized returns the round of the newest summary among records, 0 for none, and how
// many messages they summarize that no summary of the plan before (nil: none) did.
func summarized(added []plan.Record, before *plan.Plan) (round, messages int) {
	for i := range added {
		r := &added[i]
		if r.Action != plan.Summarize {
			continue
		}
		var head struct {
			Round int `json:"round"`
		}
		if json.Unmarshal(r.Summary, &head) == nil {
			round = max(round, head.Round)
		}
		for _, id := range r.Span.IDs {
			if before != nil {
				if old := before.Whole(id); old != nil && old.Action == plan.Summarize {
					continue
				}
			}
			messages++
		}
	}
	return round, messages
}

// skipped tells of a turn that was left as it is.
func (p *publisher) skipped(t *Turn) {
	v := event.Event{
		Kind: event.Skipped, Outcome: string(t.Outcome), Turn: t.Thread.Turns(),
		TokensBefore: t.Before, TokensAfter: t.Compacted, Budget: t.Budget,
	}
	if x := t.Economy; x != nil {
		v.Details = event.Details{Verdict: x.Verdict, BreakEven: x.BreakEven, Remaining: x.Remaining}
	}
	p.emit(t.Key, v)
}

// shadowed tells of a turn of shadow mode.
func (p *publisher) shadowed(t *Turn) {
	v := event.Event{
		Kind: event.ShadowResult, Outcome: string(t.Outcome),
		TokensBefore: t.Original, TokensAfter: t.Compacted, Budget: t.Budget,
	}
	if t.Plan != nil {
		v.Version = t.Plan.Version
	}
	p.emit(t.Key, v)
}

// rehydrated tells what came back and what was held back.
func (p *publisher) rehydrated(t *Turn) {
	turn := t.Thread.Turns()
	for _, s := range t.Rehydrated {
		p.emit(t.Key, event.Event{
			Kind: event.Rehydrated, Turn: turn, Budget: t.Budget,
			Details: event.Details{Artifact: s.Artifact, Reason: string(s.Trigger), Tokens: s.Tokens},
		})
	}
	for _, s := range t.RehydrationSkipped {
		kind := event.RehydrationSkipped
		if s.Reason.Blocked() {
			kind = event.BlockedSensitivity
		}
		p.emit(t.Key, event.Event{Kind: kind, Turn: turn, Details: event.Details{Artifact: s.Artifact, Reason: string(s.Reason)}})
	}
}

// sequence runs functions one after the other, in the order they came and
// without whoever hands them in waiting. The zero value is ready.
type sequence struct {
	mu   sync.Mutex
	last chan struct{} // closed when the last one is done
	all  sync.WaitGroup
}

func (q *sequence) run(f func()) {
	q.mu.Lock()
	before, done := q.last, make(chan struct{})
	q.last = done
	q.all.Add(1)
	q.mu.Unlock()
	go func() {
		defer q.all.Done()
		defer close(done)
		if before != nil {
			<-before
		}
		f()
	}()
}
