// Package precis compacts the context of language-model agents: the whole
// conversation stays in an immutable log, a plan says what a prompt leaves out,
// and the prompt is a pure function of the two.
//
// Use: New over a store, then in an agent loop Loop.PrepareStep before each
// request; or Prepare with the whole history, and send Turn.Messages. Law:
// nothing logged is ever changed (SPEC V1). Promise: what Prepare returns fits
// the budget and obeys the pairing rules of every provider, or the error says
// with numbers why it cannot (SPEC V3, V4).
package precis

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/rehydrate"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/tool"
)

// Options configure an Engine. Only Store is required.
type Options struct {
	Store      store.Store
	Policy     policy.Policy      // zero: balanced
	Tenant     string             // "" is the default tenant
	Summarizer summary.Summarizer // nil: the deterministic one
	Now        func() time.Time   // nil: time.Now
	// Events carries what happens to subscribers; nil has none. The caller
	// closes it.
	Events *event.Bus
	// Hooks are asked before a compaction and told after it.
	Hooks event.Hooks
	// Tools say how results of tools may be treated, by name; tools without an
	// entry are treated by the built-in table.
	Tools map[string]tool.Policy
	// Source is the state now of what a result was read from, nil when it cannot
	// be known; nil as a whole: nothing can. Without it no replayable result is
	// cleared (SPEC L9).
	Source func(tool.Envelope) *tool.Determinism
	// Rehydrate says how externalized content comes back by itself; policies
	// without a reserve for it never do that.
	Rehydrate rehydrate.Config
	// Background lets Summarizer work before a compaction is due and never while
	// a request waits: what is not ready then is summarized without a model
	// (SPEC B11). Close the engine to end it.
	Background bool
	// Shadow plans without committing or changing any prompt: see Turn.Shadow.
	Shadow bool
	// Ladder builds the strategies for a budget in tokens; nil: the policy's. Relevance
	// says which values are likely to be needed again, the summarizer is the one
	// to use.
	Ladder func(budget int, heat *strategy.Relevance, with summary.Summarizer) strategy.Ladder
	// NoFallback leaves a compaction undone whose Summarizer fails; without it the
	// deterministic one takes its place. What the budget forces never needs a
	// Summarizer.
	NoFallback bool
	// NoCache lets Summarizer write again what was written before for equal
	// messages (SPEC L18). The deterministic one is never cached.
	NoCache bool
}

// Validate names the first bad field.
func (o Options) Validate() error {
	if o.Store == nil {
		return errors.New("options: Store is nil")
	}
	if o.Background && o.Summarizer == nil {
		return errors.New("options: Background without a Summarizer")
	}
	if err := o.Rehydrate.Validate(); err != nil {
		return fmt.Errorf("options: Rehydrate: %w", err)
	}
	if o.Policy.Name != "" {
		if err := o.Policy.Validate(); err != nil {
			return fmt.Errorf("options: Policy: %w", err)
		}
	}
	return nil
}

// Engine compacts conversations. Safe for concurrent use; what it keeps of a
// request is a cache.
type Engine struct {
	store  store.Store
	policy policy.Policy
	tenant string
	now    func() time.Time
	tools  map[string]tool.Policy
	source func(tool.Envelope) *tool.Determinism

	model summary.Summarizer // the caller's, nil for none
	alone bool               // nothing stands in for model
	floor summary.Summarizer // needs no model
	rungs func(int, *strategy.Relevance, summary.Summarizer) strategy.Ladder

	events *event.Bus
	hooks  event.Hooks
	shadow bool

	rehydration rehydrate.Config

	recent  recent
	flights flights
	behind  *background  // nil: nothing is prepared ahead
	epoch   atomic.Int64 // counts erasures
	after   sequence
	ctx     context.Context
	stop    context.CancelFunc
}

// New builds an engine. Close ends what it does in the background.
func New(o Options) (*Engine, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	e := &Engine{
		store: o.Store, policy: o.Policy, tenant: o.Tenant, now: o.Now, tools: o.Tools, source: o.Source,
		events: o.Events, hooks: o.Hooks, shadow: o.Shadow, rehydration: o.Rehydrate, floor: extract.Summarizer{},
	}
	if e.policy.Name == "" {
		p, err := policy.Named("balanced")
		if err != nil {
			return nil, err
		}
		e.policy = p
	}
	if e.now == nil {
		e.now = time.Now
	}
	if e.rungs = o.Ladder; e.rungs == nil {
		e.rungs = func(budget int, r *strategy.Relevance, with summary.Summarizer) strategy.Ladder {
			return strategy.LadderOf(e.policy, budget, r, with)
		}
	}
	if o.Shadow {
		e.store = newOverlay(o.Store)
	}
	e.ctx, e.stop = context.WithCancel(context.Background())
	e.summarizers(o)
	return e, nil
}

// summarizers says who writes when.
func (e *Engine) summarizers(o Options) {
	if o.Summarizer == nil {
		return
	}
	e.model = o.Summarizer
	if !o.NoCache {
		e.model = e.cached(e.model)
	}
	e.alone = o.NoFallback
	if o.Background {
		e.behind = newBackground()
	}
}

// Close ends what the engine does in the background and waits for it, and for
// the hooks that are being told. The store and the bus are the caller's.
func (e *Engine) Close() {
	e.stop()
	if e.behind != nil {
		e.behind.close()
	}
	e.after.all.Wait()
}

// Outcome says how a Prepare ended.
type Outcome string

// The outcomes (SPEC V7).
const (
	Compacted    Outcome = "compacted"     // a new plan was committed
	Pruned       Outcome = "pruned"        // old blocks were hidden while the provider's cache was cold
	Repaired     Outcome = "repaired"      // within budget, but the history had to be repaired
	WithinBudget Outcome = "within_budget" // nothing new to do
	NoGain       Outcome = "no_gain"       // what may be compacted would free nothing
	NoCutPoint   Outcome = "no_cut_point"  // everything is pinned, recent or held
	NotWorthIt   Outcome = "not_worth_it"  // the rewrite would cost more than it saves
	Vetoed       Outcome = "vetoed"        // a hook objected
	Shadowed     Outcome = "observed"      // shadow mode: see Turn.Shadow
	Failed       Outcome = "failed"        // SafeCompact: the messages are as they came
)

// ErrImpossible is wrapped by ImpossibleError.
var ErrImpossible = errors.New("budget is impossible")

// ImpossibleError says that the system prompt, the tools and the last user
// message alone exceed the budget. All numbers are tokens.
type ImpossibleError struct{ Budget, System, Tools, LastUser, Floor int }

func (e *ImpossibleError) Error() string {
	return fmt.Sprintf("budget is impossible: %d tokens, but system %d, tools %d and the last user message %d make %d",
		e.Budget, e.System, e.Tools, e.LastUser, e.Floor)
}

func (e *ImpossibleError) Unwrap() error { return ErrImpossible }

// Turn is a prepared prompt and how it came to be.
type Turn struct {
	Key      store.Key
	Thread   *thread.Thread    // as the client sees it
	Plan     *plan.Plan        // in force; nil if none
	Messages []message.Message // the prompt; edited ones are marked Edited
	Origins  []render.Origin   // where each comes from
	Outcome  Outcome
	// Tokens of the whole request: uncompacted, under the plan this Prepare found
	// in force (repairs included; uncompacted where a larger budget made planning
	// start anew), as it is sent, and the cap.
	Original, Before, Compacted, Budget int
	// Forced counts messages that an undo had given back and the budget forced
	// out again.
	Forced int
	// Steps are what this Prepare did, in order; Failures what it could not do.
	Steps    []strategy.Step
	Failures []error
	// Rehydrated is the content that came back for this turn, at the end of
	// Messages; RehydrationSkipped is what was wanted and did not, with the reason.
	Rehydrated         []rehydrate.Shown
	RehydrationSkipped []rehydrate.Skip
	// Economy is what a compaction was reckoned to cost and save, whether it was
	// done or not; nil where none was considered, and for policies that do not ask.
	Economy *plan.Economy
	// Shadow is what would have been, in shadow mode; nil otherwise.
	Shadow *Shadow
	meter  token.Meter
}

// Counter is the name of the counter that the turn's tokens are of, and whether it
// counts exactly; else the counts carry a margin.
func (t *Turn) Counter() (name string, exact bool) { return t.meter.Counter.Name(), t.meter.Exact() }
