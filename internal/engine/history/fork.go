package history

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/internal/engine/session"
	"github.com/seed-3db51b0e/precis/internal/engine/variant"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// fork stores the client's branch beside the thread from, of which it has the
// first n messages, with the plan's records that still stand.
func (h *History) fork(ctx context.Context, from session.Session, to store.Key, n int, r Request) (Branch, error) {
	s, t := h.Sessions.Peek(to), from.Thread
	es := counted(thread.Extend(t.TipAt(n), variant.Lasting(r.Messages[n:])), r.Meter)
	b := store.Batch{Entries: es, Variants: variant.Of(t, r.Messages[:n]), Envelope: r.Envelope, Source: r.Source, Now: h.Now()}
	if n > 0 {
		b.ForkOf, b.At = from.Key.Thread, t.TipAt(n)
	}
	if _, err := h.Store.Append(ctx, to, b); err != nil {
		return Branch{}, fmt.Errorf("fork thread %s: %w", from.Key.Thread, err)
	}
	shared, err := t.Prefix(n)
	if err != nil {
		return Branch{}, err
	}
	branch, err := shared.Append(es)
	if err != nil {
		return Branch{}, err
	}
	h.link(ctx, to, r, r.Messages[n:], n == 0)
	s.Thread = nil
	return Branch{Session: s, View: branch}, h.inherit(ctx, from, to, branch)
}

// inherit commits the parent's plan on a fork, carried over by alignment.
func (h *History) inherit(ctx context.Context, from session.Session, to store.Key, branch *thread.Thread) error {
	p, err := h.Store.Plan(ctx, from.Key)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read plan of %s: %w", from.Key.Thread, err)
	}
	carried, err := plan.Carry(p, from.Thread, branch)
	if err != nil {
		return fmt.Errorf("carry plan of %s: %w", from.Key.Thread, err)
	}
	if len(carried.Pins)+len(carried.Holds) == 0 && ChangesNothing(carried) {
		return nil
	}
	carried.Thread, carried.Version, carried.CreatedAt = to.Thread, 1, h.Now().UTC()
	artifacts, err := h.renameArtifacts(ctx, from.Key, carried, branch)
	if err != nil {
		return err
	}
	if err := h.Store.Commit(ctx, to, carried, artifacts); err != nil && !errors.Is(err, store.ErrStale) {
		return fmt.Errorf("commit plan of %s: %w", to.Thread, err)
	}
	return nil
}

// ChangesNothing reports whether a plan leaves every message as it is.
func ChangesNothing(p *plan.Plan) bool {
	return len(p.Records) == 0 && p.NoThinking == (plan.Range{})
}

// renameArtifacts gives the artifacts of carried records the names they have on
// the branch: an id follows from the whole prefix.
func (h *History) renameArtifacts(ctx context.Context, from store.Key, p *plan.Plan, branch *thread.Thread) ([]artifact.Artifact, error) {
	var out []artifact.Artifact
	for i := range p.Records {
		r := &p.Records[i]
		if r.Action != plan.Externalize {
			continue
		}
		a, err := h.Store.Artifact(ctx, from, r.Artifact)
		if err != nil { // erased, expired or sealed: its message comes back whole
			h.Failed(from, fmt.Errorf("carry artifact %s: %w", r.Artifact, err))
			r.Action = plan.Include
			continue
		}
		named := artifact.Of(r.Span.Start(), r.Span.Part, a.Content)
		a.ID, a.Source, a.Part = named.ID, named.Source, named.Part
		r.Artifact = a.ID
		out = append(out, a)
	}
	p.Records = slices.DeleteFunc(p.Records, func(r plan.Record) bool { return r.Action == plan.Include })
	built, err := plan.Rebuild(*p, branch)
	if err == nil {
		*p = *built
	}
	return out, err
}
