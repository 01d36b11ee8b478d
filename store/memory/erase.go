package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
	"github.com/seed-3db51b0e/precis/thread"
)

// Erase implements store.Erasures.
func (s *Store) Erase(ctx context.Context, k store.Key, id string, why artifact.Tombstone) error {
	return s.change(ctx, "erase artifact", k, func(b *branch) error {
		a, ok := b.artifact(id)
		if !ok {
			return fmt.Errorf("artifact %q: %w", id, store.ErrNotFound)
		}
		if a.Erased == nil {
			s.eraseArtifact(k.Tenant, b.source(a), id, why)
		}
		return nil
	})
}

// eraseArtifact removes the content of an artifact from every thread that has it.
func (s *Store) eraseArtifact(tenant string, l *logged, id string, why artifact.Tombstone) {
	if l.tombstones == nil {
		l.tombstones = map[string]artifact.Tombstone{}
	}
	l.tombstones[id] = normalise(why)
	s.dropContent(tenant, l, func(a *artifact.Artifact) bool { return a.ID == id })
}

// dropContent drops the content of artifacts that were taken from an entry.
func (s *Store) dropContent(tenant string, l *logged, which func(*artifact.Artifact) bool) {
	for k, b := range s.threads {
		if k.Tenant != tenant {
			continue
		}
		for i := range b.artifacts {
			if a := &b.artifacts[i]; b.source(*a) == l && which(a) {
				a.Content = nil
			}
		}
	}
}

func normalise(why artifact.Tombstone) artifact.Tombstone {
	why.At, why.Reason = why.At.Round(0).UTC(), cmp.Or(why.Reason, artifact.ReasonErased)
	return why
}

// artifactKey names an artifact wherever it is kept: by its source and its id.
type artifactKey struct {
	source *logged
	id     string
}

// Expire implements store.Erasures.
func (s *Store) Expire(ctx context.Context, tenant string, now time.Time) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("expire artifacts: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	over := map[artifactKey]bool{}
	for k, b := range s.threads {
		if k.Tenant != tenant {
			continue
		}
		for n, a := range b.latest() {
			before, seen := over[n]
			over[n] = a.Expired(now) && (before || !seen)
		}
	}
	n := 0
	for a, done := range over {
		if done && a.source.tombstone(a.id) == nil {
			s.eraseArtifact(tenant, a.source, a.id, artifact.Tombstone{At: now, Reason: artifact.ReasonExpired})
			n++
		}
	}
	return n, nil
}

// latest are the thread's own artifacts as they were committed last.
func (b *branch) latest() map[artifactKey]artifact.Artifact {
	last := map[artifactKey]artifact.Artifact{}
	for _, a := range b.artifacts {
		last[artifactKey{b.source(a), a.ID}] = a
	}
	return last
}

// EraseEntry implements store.Erasures.
func (s *Store) EraseEntry(ctx context.Context, k store.Key, id thread.ID, why artifact.Tombstone) error {
	return s.change(ctx, "erase entry", k, func(b *branch) error {
		i, ok := b.at[id]
		if !ok {
			return fmt.Errorf("entry %s: %w", id, store.ErrNotFound)
		}
		l := b.entries[i]
		if l.erased != nil {
			return nil
		}
		why = normalise(why)
		l.erased, l.variants = &why, nil
		l.entry.Message, l.entry.Erased = encoding.Erased(l.entry.Message, why), true
		l.entry.Tokens, l.entry.Counter = 0, ""
		s.dropContent(k.Tenant, l, func(*artifact.Artifact) bool { return true })
		delete(s.summaries, k.Tenant)
		s.dropQuotes(k.Tenant, l)
		return nil
	})
}

// dropQuotes takes out of every version of every plan over an entry the records that
// may quote it.
func (s *Store) dropQuotes(tenant string, l *logged) {
	for k, b := range s.threads {
		at, ok := b.at[l.entry.ID]
		if k.Tenant != tenant || !ok || b.entries[at] != l {
			continue
		}
		for i := range b.plans {
			p := *b.plans[i].plan
			p.Records = slices.DeleteFunc(slices.Clone(p.Records), func(r plan.Record) bool {
				covers, later := false, false
				for _, id := range r.Span.IDs {
					n, ok := b.at[id]
					covers, later = covers || ok && n == at, later || ok && n > at
				}
				return r.MayQuote(covers, later)
			})
			b.plans[i].plan = plan.Restore(p)
		}
	}
}
