package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// generation is a thread that the one shown was forked from, with the plans that were in
// force for the requests that both have.
type generation struct {
	name   string
	shared int       // messages that both begin with
	plans  []*sketch // made while the parent had no more than these, oldest first
}

// versions are those of a thread's plan, and of the plans that it had as a part of others.
type versions struct {
	plans   []*sketch    // its own, oldest first
	earlier []generation // the threads that it was forked from, the nearest first
}

// maxGenerations is how far back forks of forks are followed.
const maxGenerations = 16

// ancestry reads the plans of the threads that a fork comes from, the nearest first. What
// cannot be read any more is left out, and false returned; a parent that is gone is no error.
func ancestry(ctx context.Context, s store.Store, t *thread.Thread, of store.Head) (all []generation, whole bool, err error) {
	whole = true
	for h, most := of, t.Len(); h.Parent != "" && len(all) < maxGenerations; {
		h, err = s.Head(ctx, store.Key{Tenant: of.Key.Tenant, Thread: h.Parent})
		if errors.Is(err, store.ErrNotFound) {
			return all, whole, nil
		}
		if err != nil {
			return nil, false, fmt.Errorf("read head of parent: %w", err)
		}
		if most, err = sharedWith(ctx, s, h, t, most); err != nil {
			return nil, false, err
		}
		plans, ok, err := plansUpTo(ctx, s, h.Key, t, most)
		if err != nil {
			return nil, false, err
		}
		whole = whole && ok
		all = append(all, generation{h.Key.Thread, most, plans})
	}
	return all, whole, nil
}

// sharedWith returns how many of the first messages of t, at most so many, a thread has,
// too. Ids are chained: those that are equal end a beginning that is equal.
func sharedWith(ctx context.Context, s store.Store, h store.Head, t *thread.Thread, most int) (int, error) {
	var failed error
	n := sort.Search(min(h.Len, most), func(i int) bool {
		es, err := store.LoadRange(ctx, s, h.Key, i, i+1)
		if err != nil {
			failed = fmt.Errorf("load message of %s: %w", h.Key.Thread, err)
			return true
		}
		return len(es) == 0 || es[0].ID != t.ID(i)
	})
	return n, failed
}

// plansUpTo are the versions of a thread's plan that were made at its first n messages.
func plansUpTo(ctx context.Context, s store.Store, k store.Key, t *thread.Thread, n int) (all []*sketch, whole bool, err error) {
	infos, err := s.PlanVersions(ctx, k)
	if err != nil {
		return nil, false, fmt.Errorf("list plans of %s: %w", k.Thread, err)
	}
	whole = true
	for _, info := range infos {
		if at, ok := t.Find(info.Base); !ok || at >= n {
			continue
		}
		p, err := s.PlanAt(ctx, k, info.Version)
		if err != nil {
			whole = false
			continue
		}
		x := sketchOf(t, p)
		x.of = k.Thread
		all = append(all, x)
	}
	return all, whole, nil
}

// inForce is the plan of a request that holds n messages, nil for none. Of a request that a
// fork has from its parent, it is the parent's plan of then.
func (v *versions) inForce(n int) *sketch {
	if p := lastUpTo(v.plans, n); p != nil {
		return p
	}
	for i := range v.earlier {
		if g := &v.earlier[i]; n <= g.shared {
			if p := lastUpTo(g.plans, n); p != nil {
				return p
			}
		}
	}
	return nil
}

// lastUpTo is the newest of plans that was made at n messages or fewer.
func lastUpTo(plans []*sketch, n int) *sketch {
	for i := len(plans) - 1; i >= 0; i-- {
		if plans[i].ThreadVersion <= n {
			return plans[i]
		}
	}
	return nil
}

// before is the version before p of the plan of the same thread, nil for none.
func (v *versions) before(p *sketch) *sketch {
	if p == nil {
		return nil
	}
	plans := v.plans
	for i := range v.earlier {
		if v.earlier[i].name == p.of {
			plans = v.earlier[i].plans
		}
	}
	for _, x := range plans {
		if x.Version == p.Version-1 {
			return x
		}
	}
	return nil
}

// findBack fills in what came back and is held: a message that a person holds may never have left.
func (v *versions) findBack(t *thread.Thread) {
	var all []*sketch // oldest first
	for i := len(v.earlier) - 1; i >= 0; i-- {
		all = append(all, v.earlier[i].plans...)
	}
	all = append(all, v.plans...)
	if !slices.ContainsFunc(all, func(p *sketch) bool { return len(p.Holds) > 0 }) {
		return // no pass over the messages for every version
	}
	left := make([]bool, t.Len()) // some version so far left it out
	for _, p := range all {
		for _, h := range p.Holds {
			if at, ok := t.Find(h.ID); ok && left[at] {
				p.back = append(p.back, at)
			}
		}
		each(p, len(left), func(c *cover, i int) { left[i] = left[i] || stateOf(&c.Record) != Whole })
	}
}
