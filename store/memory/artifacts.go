package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
)

// kept returns an artifact as the thread stores it: without its content, if that was
// erased before.
func (b *branch) kept(a artifact.Artifact) artifact.Artifact {
	a.Content, a.Created = copied(a.Content), a.Created.Round(0).UTC()
	a.Tenant, a.Thread, a.Erased = b.head.Key.Tenant, b.head.Key.Thread, nil
	if b.source(a).tombstone(a.ID) != nil {
		a.Content = nil
	}
	return a
}

// source is the entry an artifact of the thread was taken from.
func (b *branch) source(a artifact.Artifact) *logged { return b.entries[b.at[a.Source]] }

// tombstone returns the tombstone of an artifact taken from the entry, nil if there is
// none.
func (l *logged) tombstone(id string) *artifact.Tombstone {
	if t, ok := l.tombstones[id]; ok {
		return &t
	}
	if l.erased != nil {
		t := *l.erased
		return &t
	}
	return nil
}

// Artifact implements store.Artifacts.
func (s *Store) Artifact(ctx context.Context, k store.Key, id string) (a artifact.Artifact, err error) {
	err = s.view(ctx, "read artifact", k, func(b *branch) error {
		have, ok := b.artifact(id)
		if !ok {
			return fmt.Errorf("artifact %q: %w", id, store.ErrNotFound)
		}
		if have.Erased != nil {
			return fmt.Errorf("artifact %q: %w", id, &store.ErasedError{Tombstone: *have.Erased})
		}
		a = have
		a.Content = copied(a.Content)
		return nil
	})
	return a, err
}

// ArtifactList implements store.Artifacts.
func (s *Store) ArtifactList(ctx context.Context, k store.Key) (list []artifact.Artifact, err error) {
	err = s.view(ctx, "list artifacts", k, func(b *branch) error {
		for _, a := range b.visible() {
			a.Content = nil
			list = append(list, a)
		}
		slices.SortFunc(list, func(x, y artifact.Artifact) int {
			return cmp.Or(b.at[x.Source]-b.at[y.Source], x.Part-y.Part, cmp.Compare(x.ID, y.ID))
		})
		return nil
	})
	return list, err
}

// artifact returns the artifact of an id that the thread sees: the one of visible.
func (b *branch) artifact(id string) (artifact.Artifact, bool) {
	limit := len(b.entries)
	for ; b != nil; b = b.parent {
		for _, n := range slices.Backward(b.artifactsByID[id]) {
			if a := b.artifacts[n]; b.at[a.Source] < limit {
				a.Erased = b.source(a).tombstone(id)
				return a, true
			}
		}
		limit = min(limit, b.shared)
	}
	return artifact.Artifact{}, false
}

// visible collects the artifacts of the thread and of its ancestors, as far as
// it shares their sources. The nearest thread's newest wins.
func (b *branch) visible() map[string]artifact.Artifact {
	seen := map[string]artifact.Artifact{}
	limit := len(b.entries)
	for ; b != nil; b = b.parent {
		for _, a := range slices.Backward(b.artifacts) {
			if _, ok := seen[a.ID]; !ok && b.at[a.Source] < limit {
				a.Erased = b.source(a).tombstone(a.ID)
				seen[a.ID] = a
			}
		}
		limit = min(limit, b.shared)
	}
	return seen
}
