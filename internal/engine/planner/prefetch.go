package planner

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/internal/guard"
	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/thread"
)

// prefetchFrom is the share of the trigger from which a compaction is prepared in
// the background.
const prefetchFrom = .8

// maxProposals is how many threads' proposals are kept: each holds the records of a plan.
const maxProposals = 64

// Proposal is a compaction that was made before it was needed.
type Proposal struct {
	Steps     []strategy.Step
	Tokens    int       // of the request under it
	version   int       // of the plan it builds on, 0 for none
	tip       thread.ID // the last message it looked at
	at        int       // its position
	pins      []plan.Ref
	holds     []plan.Ref
	records   []plan.Record
	artifacts []artifact.Artifact
}

// Prefetch makes proposals in the background, one at a time for a thread. It is
// safe for concurrent use. Make one with NewPrefetch.
type Prefetch struct {
	mu       sync.Mutex
	ready    lru.Cache[store.Key, *Proposal]
	working  map[store.Key]bool
	erasures int // counts calls of Clear
	done     sync.WaitGroup
	ctx      context.Context
	stop     context.CancelFunc
}

// NewPrefetch returns a Prefetch with nothing ready. Close ends it.
func NewPrefetch() *Prefetch {
	g := &Prefetch{working: map[store.Key]bool{}}
	g.ready.MaxEntries = maxProposals
	g.ctx, g.stop = context.WithCancel(context.Background())
	return g
}

// Close ends what is under way and waits for it.
func (g *Prefetch) Close() {
	g.mu.Lock()
	g.stop()
	g.mu.Unlock()
	g.done.Wait()
}

// Clear forgets all proposals, those that are being made too.
func (g *Prefetch) Clear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.erasures++
	g.ready.Clear()
}

// Take hands a thread's proposal out, once; nil if there is none.
func (g *Prefetch) Take(k store.Key) *Proposal {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, _ := g.ready.Remove(k)
	return p
}

// Job is a compaction to prepare: of a thread under a plan, nil for none.
type Job struct {
	Key     store.Key
	Thread  *thread.Thread
	Plan    *plan.Plan
	Request Request
	Now     int // tokens of the request as it was sent
	// Ready is told of the proposal, Failed of what could not be done.
	Ready  func(*Proposal)
	Failed func(error)
}

// Start prepares a compaction when the request comes near the trigger, unless
// that is being done or was done for the same plan. What panics on the way, as a counter
// or a summarizer may, is a failure like another.
func (g *Prefetch) Start(pl *Planner, j Job) {
	if float64(j.Now) < prefetchFrom*float64(pl.Policy.Most(j.Request.Budget, j.Request.Fixed())) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	p, ok := g.ready.Peek(j.Key)
	if g.working[j.Key] || ok && p.version == versionOf(j.Plan) || g.ctx.Err() != nil {
		return
	}
	g.working[j.Key] = true
	erasures := g.erasures
	g.done.Go(func() {
		var p *Proposal
		err := guard.Call(func() error {
			p = pl.propose(g.ctx, j)
			return nil
		})
		if err != nil {
			j.Failed(fmt.Errorf("prepare ahead: %w", err))
		}
		if g.put(j.Key, p, erasures) {
			j.Ready(p)
		}
	})
}

// put ends the work on a thread with its proposal, nil for none, and reports
// whether it is kept.
func (g *Prefetch) put(k store.Key, p *Proposal, erasures int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.working, k)
	if p == nil || g.ctx.Err() != nil || g.erasures != erasures {
		return false
	}
	g.ready.Set(k, p, 0)
	return true
}

func versionOf(p *plan.Plan) int {
	if p == nil {
		return 0
	}
	return p.Version
}

// propose compacts a draft of its own, as if the trigger had been passed, and with
// the summarizer that may take its time.
func (pl *Planner) propose(ctx context.Context, j Job) *Proposal {
	j.Request.Force = true
	d := pl.Draft(j.Thread, j.Plan, j.Request)
	pl.useSummarizer(d)
	steps, errs := pl.Compact(ctx, d)
	for _, err := range slices.Concat(d.Failures, errs) {
		j.Failed(fmt.Errorf("prepare ahead: %w", err))
	}
	if len(steps) == 0 || len(errs) > 0 {
		return nil
	}
	return &Proposal{
		Steps: steps, Tokens: d.Total(), version: versionOf(j.Plan), tip: j.Thread.Tip(), at: j.Thread.Len() - 1,
		pins: slices.Clone(d.Pins), holds: slices.Clone(d.Holds), records: d.Records(), artifacts: d.Artifacts,
	}
}

// Adopt returns the draft with a proposal on it, nil unless it is smaller and
// everything that the proposal consumed still stands: its plan, found, is in force
// and the one that d builds on, pins and holds are the same, and its messages are
// at their place.
func (pl *Planner) Adopt(p *Proposal, d *Draft, found *plan.Plan) *Draft {
	if p.version != versionOf(found) || p.at >= d.Thread.Len() || d.Thread.At(p.at).ID != p.tip ||
		!slices.Equal(p.pins, d.Pins) || !slices.Equal(p.holds, d.Holds) {
		return nil
	}
	next := plan.Plan{Style: d.Style, Records: p.records, Pins: d.Pins, Holds: d.Holds}
	if found != nil {
		next.NoThinking = found.NoThinking
	}
	with := pl.Draft(d.Thread, &next, d.Request)
	if with.Total() >= d.Total() {
		return nil
	}
	with.Artifacts = p.artifacts
	with.Instructions, with.AddsPins = d.Instructions, d.AddsPins
	return with
}
