package precis

import (
	"context"
	"sync"

	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
)

// emit tells subscribers; it costs nothing where there are none.
func (e *Engine) emit(k store.Key, v event.Event) {
	if !e.events.Active() {
		return
	}
	v.Time, v.Tenant, v.Thread = e.now().UTC(), k.Tenant, k.Thread
	e.events.Emit(v)
}

// failed tells of a failure that the conversation survives (SPEC V9).
func (e *Engine) failed(k store.Key, err error) {
	e.emit(k, event.Event{Kind: event.Failed, Err: err.Error()})
}

// ask announces a compaction and asks the hooks.
func (e *Engine) ask(ctx context.Context, w *work) event.Verdict {
	e.emit(w.k, event.Event{
		Kind: event.CheckStarted, Turn: w.t.Turns(), TokensBefore: w.draft.Total(), Budget: w.in.Budget,
		Details: event.Details{Trigger: w.in.trigger(), Policy: e.policy.Name, Messages: w.t.Len()},
	})
	verdict, err := e.hooks.Ask(ctx, w.payload())
	if err != nil {
		w.turn.Failures = append(w.turn.Failures, err)
	}
	return verdict
}

// payload is what hooks are told of a compaction that is about to be.
func (w *work) payload() event.Payload {
	return event.Payload{
		Tenant: w.k.Tenant, Thread: w.k.Thread, Trigger: w.in.trigger(), Messages: w.t.Len(),
		Budget: w.in.Budget, BeforeTokens: w.turn.Before, Instructions: w.in.Instructions,
	}
}

// trigger says what set a compaction off.
func (in Input) trigger() event.Trigger {
	if in.Mode.Trigger != "" {
		return in.Mode.Trigger
	}
	if in.Mode.Force {
		return event.Manual
	}
	return event.Auto
}

// told reports how a Prepare went, once its plan is committed.
func (e *Engine) told(w *work) {
	for _, err := range w.turn.Failures {
		e.failed(w.k, err)
	}
	if w.behind { // nothing was committed
		return
	}
	switch w.turn.Outcome {
	case WithinBudget, Repaired:
		if w.turn.Plan != w.found { // repairs, or a plan made anew for a larger budget
			e.emit(w.k, event.Event{
				Kind: event.Completed, Version: w.turn.Plan.Version, Turn: w.t.Turns(), TokensBefore: w.turn.Before,
				TokensAfter: w.turn.Compacted, Budget: w.in.Budget, Outcome: string(w.turn.Outcome),
			})
		}
		return
	case Pruned: // nobody was asked, nobody is told but subscribers
		if e.events.Active() {
			e.toldRecords(w)
		}
		return
	case Compacted:
	default:
		e.emit(w.k, skipped(w.turn))
		return
	}
	if e.events.Active() {
		e.toldRecords(w)
	}
	p := w.payload()
	p.Version, p.AfterTokens, p.Instructions = w.turn.Plan.Version, w.turn.Compacted, w.instructions
	p.CompactedTokens = coveredTokens(w)
	e.after.run(func() {
		if err := e.hooks.Tell(context.WithoutCancel(e.ctx), p); err != nil {
			e.failed(w.k, err)
		}
	})
}

// toldRecords emits what the new plan does, and that it is in force.
func (e *Engine) toldRecords(w *work) {
	p := w.turn.Plan
	for _, s := range w.turn.Steps {
		e.emit(w.k, event.Event{
			Kind: event.ProposalGenerated, Version: p.Version, Strategy: s.Strategy, Span: event.SpanOf(s.Span), TokensFreed: s.Saves,
		})
	}
	added, _ := plan.Diff(w.found, p)
	for i := range added {
		v := event.Applied(&added[i])
		v.Version = p.Version
		e.emit(w.k, v)
	}
	done := event.Event{
		Kind: event.Completed, Version: p.Version, Turn: w.t.Turns(), TokensBefore: w.turn.Before, TokensAfter: w.turn.Compacted,
		Budget: w.in.Budget, TokensFreed: w.turn.Before - w.turn.Compacted, Outcome: string(w.turn.Outcome),
		Details: event.Details{
			Trigger: w.in.trigger(), Policy: e.policy.Name, Records: len(p.Records),
			Messages: w.t.Len(), Sent: len(w.turn.Messages), Forced: w.turn.Forced,
		},
	}
	e.emit(w.k, done)
	if w.turn.Outcome == Pruned {
		return
	}
	done.Kind = event.Boundary
	e.emit(w.k, done)
	e.emit(w.k, event.Event{Kind: event.Session, Version: p.Version, Details: event.Details{Source: event.Compact}})
}

// coveredTokens is what the plan's new records cover, as it was logged.
func coveredTokens(w *work) (n int) {
	added, _ := plan.Diff(w.found, w.turn.Plan)
	for _, r := range added {
		n += r.Saves + r.Tokens
	}
	return n
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
