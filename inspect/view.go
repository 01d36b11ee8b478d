package inspect

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/internal/keylock"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// view is a thread with all versions of its plan, as whoever asks may see it. It is
// immutable but for what it remembers of its own answers.
type view struct {
	model  known // whom the prompts are for
	head   store.Head
	reader *recall.Reader
	t      *thread.Thread
	versions
	from    store.Store // has the plans whole
	steps   []int       // how many messages each request held: see stepsOf
	framing func() int  // see framingOf: reckoned once
	// partial says that a plan could not be read: the next who asks tries again.
	partial bool
	answers
}

// answers are what a view remembers of what it answered. Whoever reads or changes them
// holds mu.
type answers struct {
	mu      sync.Mutex
	columns []step            // of all requests
	prompts []*prompt         // the last ones shown
	calls   map[string]string // tools of calls, by id
}

// shownAt is the prompt of a step, nil if it was not shown lately.
func (a *answers) shownAt(step int) *prompt {
	for _, p := range a.prompts {
		if p.step == step {
			return p
		}
	}
	return nil
}

// show keeps a prompt as the one shown last.
func (a *answers) show(p *prompt) {
	if len(a.prompts) == maxPrompts {
		a.prompts = a.prompts[1:]
	}
	a.prompts = append(a.prompts, p)
}

// views keeps the threads that were shown last.
type views struct {
	store  store.Store
	who    artifact.Requester
	now    func() time.Time
	models func(string) (model.Model, bool)

	reading keylock.Locks[store.Key] // one at a time reads a thread
	mu      sync.Mutex
	last    []*view
	tries   []experiment
}

// maxViews, maxPrompts of each view, and maxExperiments bound what is kept in memory.
const (
	maxViews       = 4
	maxPrompts     = 4
	maxExperiments = 3
)

// open returns a thread as it is now. Who asks for one that is being read waits for it, and
// nobody waits for another one.
func (vs *views) open(ctx context.Context, name string) (*view, error) {
	k := store.Key{Tenant: vs.who.Tenant, Thread: name}
	unlock, err := vs.reading.Lock(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("open thread %s: %w", name, err)
	}
	defer unlock()
	h, err := vs.store.Head(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("open thread %s: %w", name, err)
	}
	if v := vs.shown(h); v != nil {
		return v, nil
	}
	v, err := load(ctx, vs.store, h, vs.who, vs.now())
	if err != nil {
		return nil, err
	}
	v.model = knownOf(ctx, vs.store, v, vs.models)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("open thread %s: %w", name, err)
	}
	if !v.partial {
		vs.show(v)
	}
	return v, nil
}

// shown is the view of a thread as its head has it now, nil if it was not shown lately.
func (vs *views) shown(h store.Head) *view {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	for i, v := range vs.last {
		if v.head.Key == h.Key && v.head.Tip == h.Tip && v.head.PlanVersion == h.PlanVersion {
			vs.last = append(append(vs.last[:i:i], vs.last[i+1:]...), v)
			return v
		}
	}
	return nil
}

// show keeps a view as the one shown last.
func (vs *views) show(v *view) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	kept := []*view{}
	for _, old := range vs.last {
		if old.head.Key != v.head.Key {
			kept = append(kept, old)
		}
	}
	if len(kept) == maxViews {
		kept = kept[1:]
	}
	vs.last = append(kept, v)
}

// load reads a thread and its plans. A plan that cannot be read is left out, and the view
// is partial.
func load(ctx context.Context, s store.Store, h store.Head, who artifact.Requester, now time.Time) (*view, error) {
	all, err := recall.Open(ctx, s, h.Key, now)
	if err != nil {
		return nil, fmt.Errorf("open thread %s: %w", h.Key.Thread, err)
	}
	r, err := all.For(who)
	if err != nil {
		return nil, err
	}
	v := &view{head: h, from: s, reader: r, t: r.Thread, steps: stepsOf(r.Thread)}
	infos, err := s.PlanVersions(ctx, h.Key)
	if err != nil {
		return nil, fmt.Errorf("list plans of %s: %w", h.Key.Thread, err)
	}
	for _, info := range infos {
		p, err := s.PlanAt(ctx, h.Key, info.Version)
		if err != nil {
			v.partial = true
			continue
		}
		v.plans = append(v.plans, sketchOf(v.t, p))
	}
	earlier, whole, err := ancestry(ctx, s, v.t, h)
	if err != nil {
		return nil, fmt.Errorf("open thread %s: %w", h.Key.Thread, err)
	}
	v.earlier, v.partial = earlier, v.partial || !whole
	v.findBack(v.t)
	v.framing = sync.OnceValue(func() int { return framingOf(v.t, v.plans) })
	return v, nil
}

// stepsOf lists the requests of a thread by how many messages each held: one before
// every reply of the agent, and the one that comes next.
func stepsOf(t *thread.Thread) (steps []int) {
	spoke := true // the agent, or nobody yet
	for i := range t.Len() {
		m := t.At(i).Message
		if m.Meta {
			continue
		}
		if m.Role == message.Assistant && !spoke {
			steps = append(steps, i)
		}
		spoke = m.Role == message.Assistant
	}
	if t.Len() > 0 {
		steps = append(steps, t.Len())
	}
	return steps
}

// version is a plan by its number, counted from 1; nil where it is not there.
func (v *view) version(n int) *sketch {
	for _, p := range v.plans {
		if p.Version == n {
			return p
		}
	}
	return nil
}

// current is the plan in force now, nil for none.
func (v *view) current() *sketch {
	if len(v.plans) == 0 {
		return nil
	}
	return v.plans[len(v.plans)-1]
}

// whole reads a version of the plan with all that it says; nil is none.
func (v *view) whole(ctx context.Context, s *sketch) (*plan.Plan, error) {
	if s == nil {
		return nil, nil
	}
	k := v.head.Key
	if s.of != "" {
		k.Thread = s.of
	}
	return v.from.PlanAt(ctx, k, s.Version)
}
