package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
	"github.com/seed-3db51b0e/precis/thread"
)

// Plan implements store.Plans.
func (s *Store) Plan(ctx context.Context, k store.Key) (*plan.Plan, error) {
	return s.plan(ctx, k, func(b *branch) int { return len(b.plans) })
}

// PlanAt implements store.Plans.
func (s *Store) PlanAt(ctx context.Context, k store.Key, version int) (*plan.Plan, error) {
	return s.plan(ctx, k, func(*branch) int { return version })
}

func (s *Store) plan(ctx context.Context, k store.Key, version func(*branch) int) (p *plan.Plan, err error) {
	err = s.view(ctx, "read plan", k, func(b *branch) error {
		v := version(b)
		if v < 1 || v > len(b.plans) {
			return fmt.Errorf("plan version %d: %w", v, store.ErrNotFound)
		}
		p = clonePlan(b.plans[v-1].plan, slices.Clone)
		return nil
	})
	return p, err
}

// PlanVersions implements store.Plans.
func (s *Store) PlanVersions(ctx context.Context, k store.Key) (is []store.PlanInfo, err error) {
	err = s.view(ctx, "list plans", k, func(b *branch) error {
		for _, c := range b.plans {
			info := store.InfoOf(c.plan)
			info.Records = c.records
			is = append(is, info)
		}
		return nil
	})
	return is, err
}

// Commit implements store.Plans.
func (s *Store) Commit(ctx context.Context, k store.Key, p *plan.Plan, artifacts []artifact.Artifact) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("commit plan: %w", err)
	}
	if p == nil {
		return errors.New("commit plan: no plan")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.threads[k]
	if !ok {
		return fmt.Errorf("commit plan: thread %q: %w", k.Thread, store.ErrNotFound)
	}
	if err := b.commit(p, artifacts); err != nil {
		return fmt.Errorf("commit plan: thread %q: version %d: %w", k.Thread, p.Version, err)
	}
	return nil
}

func (b *branch) commit(p *plan.Plan, artifacts []artifact.Artifact) error {
	coded, err := encoding.Plan(p)
	if err != nil {
		return err
	}
	repeat := p.Version == len(b.plans) && p.Version > 0 && b.plans[p.Version-1].sum == coded.Sum
	if !repeat && p.Version != len(b.plans)+1 {
		return fmt.Errorf("current version is %d: %w", len(b.plans), store.ErrStale)
	}
	if err := b.owns(p, artifacts); err != nil {
		return err
	}
	if !repeat {
		b.plans = append(b.plans, committed{clonePlan(p, b.sharedIDs), coded.Sum, len(p.Records)})
		b.head.PlanVersion = p.Version
		if at := p.CreatedAt.Round(0).UTC(); at.After(b.head.Updated) {
			b.head.Updated = at
		}
	}
	for _, a := range artifacts {
		b.artifactsByID[a.ID] = append(b.artifactsByID[a.ID], len(b.artifacts))
		b.artifacts = append(b.artifacts, b.kept(a))
	}
	return nil
}

// owns refuses what names entries that the thread does not hold.
func (b *branch) owns(p *plan.Plan, artifacts []artifact.Artifact) error {
	if err := b.has("base", p.Base); err != nil {
		return err
	}
	for i := range p.Records {
		if id, ok := b.lacks(p.Records[i].Span.IDs); ok {
			return fmt.Errorf("record %d: entry %q: %w", i, id, store.ErrForeign)
		}
	}
	for _, a := range artifacts {
		if err := b.has("artifact "+a.ID, a.Source); err != nil {
			return err
		}
	}
	return nil
}

func (b *branch) has(what string, id thread.ID) error {
	if _, ok := b.at[id]; !ok {
		return fmt.Errorf("%s: entry %q: %w", what, id, store.ErrForeign)
	}
	return nil
}

// lacks finds an id that is no entry's. Ids that follow each other cost no look-up.
func (b *branch) lacks(ids []thread.ID) (thread.ID, bool) {
	next := 0
	for _, id := range ids {
		if next == len(b.ids) || b.ids[next] != id {
			at, ok := b.at[id]
			if !ok {
				return id, true
			}
			next = at
		}
		next++
	}
	return "", false
}

// sharedIDs returns ids from the branch's own slice if they follow each other there,
// else a copy.
func (b *branch) sharedIDs(ids []thread.ID) []thread.ID {
	from := b.at[ids[0]]
	until := from + len(ids)
	if until <= len(b.ids) && slices.Equal(b.ids[from:until], ids) {
		return b.ids[from:until:until]
	}
	return slices.Clone(ids)
}

// clonePlan copies a plan; the ids of spans are copied by what is given.
func clonePlan(p *plan.Plan, ids func([]thread.ID) []thread.ID) *plan.Plan {
	c := *p // the index is never changed, only replaced, so it may be shared
	c.CreatedAt = p.CreatedAt.Round(0).UTC()
	c.Records = slices.Clone(p.Records)
	for i := range c.Records {
		r := &c.Records[i]
		r.Span.IDs = ids(r.Span.IDs)
		r.Fields, r.Summary, r.Meta = bytes.Clone(r.Fields), bytes.Clone(r.Summary), bytes.Clone(r.Meta)
	}
	c.Pins, c.Holds, c.Warnings = slices.Clone(p.Pins), slices.Clone(p.Holds), slices.Clone(p.Warnings)
	return &c
}
