package precis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/engine/history"
	"github.com/seed-3db51b0e/precis/internal/engine/lineage"
	"github.com/seed-3db51b0e/precis/internal/engine/planner"
	"github.com/seed-3db51b0e/precis/internal/engine/session"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/rehydrate"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/overlay"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/cached"
	"github.com/seed-3db51b0e/precis/summary/extract"
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
	// cleared.
	Source func(tool.Envelope) *tool.Determinism
	// Rehydrate says how externalized content comes back by itself; policies
	// without a reserve for it never do that.
	Rehydrate rehydrate.Config
	// Background lets Summarizer work before a compaction is due and never while
	// a request waits: what is not ready then is summarized without a model. Close the engine to end it.
	Background bool
	// Shadow plans without committing or changing any prompt: see Turn.Shadow.
	Shadow bool
	// Ladder builds the strategies for a budget in tokens; nil: the policy's. Relevance
	// says which values are likely to be needed again, the summarizer is the one
	// to use.
	Ladder func(budget int, relevance *strategy.Relevance, with summary.Summarizer) strategy.Ladder
	// NoFallback leaves a compaction undone whose Summarizer fails; without it the
	// deterministic one takes its place. What the budget forces never needs a
	// Summarizer.
	NoFallback bool
	// NoCache lets Summarizer write again what was written before for equal
	// messages. The deterministic one is never cached.
	NoCache bool
}

// Validate returns an error that names the first bad field.
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
	if !o.Policy.IsZero() {
		if err := o.Policy.Validate(); err != nil {
			return fmt.Errorf("options: Policy: %w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Tools)) {
		p := o.Tools[name]
		if err := p.Validate(); err != nil {
			return fmt.Errorf("options: Tools[%q]: %w", name, err)
		}
		if err := artifact.Sensitivity(p.Sensitivity).Validate(); err != nil {
			return fmt.Errorf("options: Tools[%q]: sensitivity: %w", name, err)
		}
	}
	return nil
}

// Engine compacts conversations. Safe for concurrent use; what it keeps of a
// request is a cache.
type Engine struct {
	options  Options
	store    store.Store
	tenant   string
	policy   policy.Policy
	now      func() time.Time
	sessions *session.Sessions

	history     *history.History
	planner     *planner.Planner
	rehydration planner.Rehydration
	prefetch    *planner.Prefetch // nil: nothing is prepared ahead
	events      *publisher
	shadow      bool
}

// New builds an engine. Close ends what it does in the background.
func New(o Options) (*Engine, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	e := &Engine{options: o, store: o.Store, tenant: o.Tenant, policy: o.Policy, now: o.Now, sessions: session.New(), shadow: o.Shadow}
	if e.policy.IsZero() {
		p, err := policy.Named("balanced")
		if err != nil {
			return nil, err
		}
		e.policy = p
	}
	if e.now == nil {
		e.now = time.Now
	}
	if o.Shadow {
		e.store = overlay.New(o.Store)
		o.Rehydrate.Disabled = true // the prompt goes out as it came
	}
	e.events = newPublisher(o.Events, o.Hooks, e.now, e.policy.Name)
	e.history = &history.History{Store: e.store, Sessions: e.sessions, Replies: lineage.New(), Now: e.now, Failed: e.events.failed}
	e.planner = e.newPlanner(o)
	e.rehydration = planner.Rehydration{Config: o.Rehydrate, Policy: e.policy, Store: e.store, Now: e.now}
	if e.planner.Prefetches {
		e.prefetch = planner.NewPrefetch()
	}
	return e, nil
}

// ForTenant returns an engine of another tenant, with the options of e as change leaves
// them; nil changes nothing. The store stays. What the two keep in memory has one bound
// together. Each is closed on its own.
func (e *Engine) ForTenant(tenant string, change func(*Options)) (*Engine, error) {
	o := e.options
	if change != nil {
		change(&o)
	}
	o.Tenant, o.Store = tenant, e.options.Store
	other, err := New(o)
	if err != nil {
		return nil, err
	}
	other.sessions, other.history.Sessions, other.history.Replies = e.sessions, e.sessions, e.history.Replies
	return other, nil
}

func (e *Engine) newPlanner(o Options) *planner.Planner {
	pl := &planner.Planner{
		Policy: e.policy, Tools: o.Tools, Source: o.Source, Ladder: o.Ladder,
		Summarizer: o.Summarizer, NoFallback: o.NoFallback, WithoutModel: extract.Summarizer{}, Prefetches: o.Background,
	}
	if pl.Ladder == nil {
		pl.Ladder = func(budget int, r *strategy.Relevance, with summary.Summarizer) strategy.Ladder {
			return strategy.LadderOf(e.policy, budget, r, with)
		}
	}
	if pl.Summarizer != nil && !o.NoCache {
		pl.Summarizer = &cached.Summarizer{
			With: o.Summarizer, Cache: planner.SummaryCache{Store: e.store, Tenant: e.tenant, Now: e.now}, Policy: e.policy.Name,
			OnError: func(err error) { e.events.failed(e.key(""), fmt.Errorf("cache summary: %w", err)) },
		}
	}
	return pl
}

// Close ends what the engine does in the background and waits for it, and for
// the hooks that are being told. The store and the bus are the caller's.
func (e *Engine) Close() {
	if e.prefetch != nil {
		e.prefetch.Close()
	}
	e.events.close()
}

// Budget is the cap of a request that states none, in tokens: what the policy
// says of the model.
func (e *Engine) Budget(m model.Model) int { return e.policy.Budget(m) }

// RecallTools declares the tools with which a model reads back what its prompt leaves
// out, by the names that the policy's pointers give.
func (e *Engine) RecallTools() []codec.Tool { return recall.Definitions(e.policy.Recall) }

// Recall opens what a prepared turn's history shows of its conversation, and nothing that
// others logged since: see recall.ToolHandler.
func (e *Engine) Recall(ctx context.Context, t *Turn) (*recall.Reader, error) {
	if t.Thread == nil {
		return nil, fmt.Errorf("read back from %s: %w", t.Key.Thread, ErrNotLogged)
	}
	return recall.OpenView(ctx, e.store, t.Key, e.now(), recall.View{Thread: t.Thread, Plan: t.Plan, Earlier: t.Earlier})
}

// CacheStats counts what an engine keeps in memory of the threads that were used
// last, so as not to read them again: at most 1,024 threads and 256 MiB of messages,
// but always the last one, together with the engines that ForTenant made.
type CacheStats struct {
	Threads int
	Bytes   int // of their messages, about
	// Hits and Misses count the requests on known threads since the start: found
	// in memory, or read from the store.
	Hits, Misses uint64
}

// Forget drops what is kept in memory of a thread: the next request reads it anew.
func (e *Engine) Forget(thread string) { e.sessions.Forget(e.key(thread)) }

// Age drops what is kept in memory of threads that were not used since the call before,
// of all engines that share it, and returns how many are left. Who calls it at intervals
// gives back the memory of conversations that lie still.
func (e *Engine) Age() (left int) { return e.sessions.Age() }

// CacheStats returns how much the engine keeps in memory, and how often that was
// of use. It may be called at any time.
func (e *Engine) CacheStats() CacheStats {
	s := e.sessions.Stats()
	return CacheStats{Threads: s.Entries, Bytes: s.Bytes, Hits: s.Hits, Misses: s.Misses}
}

func (e *Engine) key(thread string) store.Key { return store.Key{Tenant: e.tenant, Thread: thread} }
