package staged

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// kept returns an artifact as a store keeps it of a thread.
func kept(k store.Key, a artifact.Artifact) artifact.Artifact {
	a.Tenant, a.Thread, a.Erased = k.Tenant, k.Thread, nil
	a.Content, a.Created = slices.Clone(a.Content), a.Created.Round(0).UTC()
	return a
}

// Artifact implements store.Artifacts.
func (s *Store) Artifact(ctx context.Context, k store.Key, id string) (artifact.Artifact, error) {
	if st, unlock := locked(ctx); st != nil {
		defer unlock()
		for b := st.threads[k]; b != nil; b = st.threads[k] {
			for _, a := range slices.Backward(b.artifacts) {
				if a.ID == id {
					return a, nil
				}
			}
			if b.head.Parent == "" || b.below == k {
				break
			}
			k.Thread = b.head.Parent // a fork sees what it was forked from
		}
	}
	return s.Store.Artifact(ctx, k, id)
}

// ArtifactList implements store.Artifacts.
func (s *Store) ArtifactList(ctx context.Context, k store.Key) ([]artifact.Artifact, error) {
	st, unlock := locked(ctx)
	if st == nil {
		return s.Store.ArtifactList(ctx, k)
	}
	defer unlock()
	return st.list(ctx, s.Store, k)
}

// list returns the artifacts of a thread: those beneath, or of what it was forked from, as far
// as it has their sources, and its own in place of older ones.
func (st *Stage) list(ctx context.Context, beneath store.Store, k store.Key) (all []artifact.Artifact, err error) {
	b := st.threads[k]
	switch {
	case b == nil || b.below == k:
		all, err = beneath.ArtifactList(ctx, k)
	case b.head.Parent != "":
		all, err = st.list(ctx, beneath, store.Key{Tenant: k.Tenant, Thread: b.head.Parent})
	}
	if b == nil || err != nil {
		return all, err
	}
	es, err := st.load(ctx, beneath, k, nil)
	if err != nil {
		return nil, err
	}
	at := make(map[thread.ID]int, len(es))
	for i := range es {
		at[es[i].ID] = i
	}
	all = newest(slices.Concat(all, b.artifacts), at)
	for i := range all {
		all[i].Content = nil
	}
	slices.SortFunc(all, func(x, y artifact.Artifact) int {
		return cmp.Or(at[x.Source]-at[y.Source], x.Part-y.Part, cmp.Compare(x.ID, y.ID))
	})
	return all, nil
}

// newest returns the last artifact of each id, of those whose source is at a position.
func newest(all []artifact.Artifact, at map[thread.ID]int) (out []artifact.Artifact) {
	seen := map[string]bool{}
	for _, a := range slices.Backward(all) {
		if _, shared := at[a.Source]; shared && !seen[a.ID] {
			seen[a.ID] = true
			out = append(out, a)
		}
	}
	return out
}
