package precis

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/thread"
)

// early is the share of the trigger from which a compaction is prepared in the
// background.
const early = .8

// proposal is a compaction made before it is needed (SPEC B11).
type proposal struct {
	version int       // of the plan it builds on, 0 for none
	epoch   int64     // of the engine: an erasure ends it
	tip     thread.ID // the last message it looked at
	at      int       // its position
	pins    []plan.Ref
	holds   []plan.Ref
	records []plan.Record
	draft   *strategy.Draft // for its artifacts
	steps   []strategy.Step
}

// background makes proposals, one at a time for a thread. The zero value is
// ready.
type background struct {
	mu      sync.Mutex
	ready   map[store.Key]*proposal
	working map[store.Key]bool
	done    sync.WaitGroup
	ctx     context.Context
	stop    context.CancelFunc
}

func newBackground() *background {
	g := &background{ready: map[store.Key]*proposal{}, working: map[store.Key]bool{}}
	g.ctx, g.stop = context.WithCancel(context.Background())
	return g
}

// close ends what is under way and waits for it.
func (g *background) close() {
	g.mu.Lock()
	g.stop()
	g.mu.Unlock()
	g.done.Wait()
}

// start runs make for a thread unless that is being done or was, and says when
// its proposal is ready.
func (g *background) start(k store.Key, version int, make func(context.Context) *proposal, ready func(*proposal)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p := g.ready[k]; g.working[k] || p != nil && p.version == version || g.ctx.Err() != nil {
		return
	}
	g.working[k] = true
	g.done.Add(1)
	go func() {
		defer g.done.Done()
		if p := make(g.ctx); g.put(k, p) {
			ready(p)
		}
	}()
}

// put ends the work on a thread with its proposal, nil for none.
func (g *background) put(k store.Key, p *proposal) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.working, k)
	if p == nil || g.ctx.Err() != nil {
		return false
	}
	for old := range g.ready { // as many as threads are kept; any may go
		if len(g.ready) < most {
			break
		}
		delete(g.ready, old)
	}
	g.ready[k] = p
	return true
}

// clear forgets all proposals: one that is being made is refused by its epoch.
func (g *background) clear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ready = map[store.Key]*proposal{}
}

// take hands a thread's proposal out, once.
func (g *background) take(k store.Key) *proposal {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.ready[k]
	delete(g.ready, k)
	return p
}

// ahead starts to prepare the next compaction when this turn comes near it.
func (e *Engine) ahead(t *Turn, in Input) {
	if e.behind == nil || t.Outcome == Compacted {
		return
	}
	trigger := e.policy.Most(in.Budget, fixed(in))
	if float64(t.Compacted) < early*float64(trigger) {
		return
	}
	th, p := t.Thread, t.Plan
	k := t.Key
	e.behind.start(k, versionOf(p),
		func(ctx context.Context) *proposal { return e.proposed(ctx, k, th, p, in) },
		func(p *proposal) {
			e.emit(k, event.Event{Kind: event.ProposalReady, Turn: th.Turns(), TokensAfter: p.draft.Total(), Budget: in.Budget})
		})
}

func versionOf(p *plan.Plan) int {
	if p == nil {
		return 0
	}
	return p.Version
}

// proposed compacts a board of its own, as if the trigger had been passed, and
// with the summarizer that may take its time.
func (e *Engine) proposed(ctx context.Context, k store.Key, t *thread.Thread, p *plan.Plan, in Input) *proposal {
	in.Mode.Force = true
	epoch := e.epoch.Load()
	b := e.board(t, p, in)
	e.writes(b)
	steps, errs := e.guarded(ctx, b)
	for _, err := range slices.Concat(b.failures, errs) {
		e.failed(k, fmt.Errorf("prepare ahead: %w", err))
	}
	if len(steps) == 0 || len(errs) > 0 {
		return nil
	}
	return &proposal{
		version: versionOf(p), epoch: epoch, tip: t.Tip(), at: t.Len() - 1, pins: slices.Clone(b.pins), holds: slices.Clone(b.holds),
		records: b.draft.Records(), draft: b.draft, steps: steps,
	}
}

// propose puts a prepared proposal on the board if everything it consumed still
// stands: the same plan, pins and holds, and its messages at their place.
func (e *Engine) propose(w *work) {
	if e.behind == nil || w.gentle {
		return
	}
	p := e.behind.take(w.k)
	if p == nil || p.epoch != e.epoch.Load() || !p.stands(w) {
		return
	}
	next := plan.Plan{Style: w.style, Records: p.records, Pins: w.pins, Holds: w.holds}
	if w.base != nil {
		next.NoThinking = w.base.NoThinking
	}
	b := e.board(w.t, &next, w.in)
	if b.draft.Total() >= w.draft.Total() {
		return
	}
	b.draft.Artifacts = p.draft.Artifacts
	b.instructions, b.pinned = w.instructions, w.pinned
	w.board, w.turn.Steps = b, p.steps
}

func (p *proposal) stands(w *work) bool {
	return p.version == versionOf(w.found) && w.base == w.found &&
		p.at < w.t.Len() && w.t.At(p.at).ID == p.tip &&
		slices.Equal(p.pins, w.pins) && slices.Equal(p.holds, w.holds)
}
