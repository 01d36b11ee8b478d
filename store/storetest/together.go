package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// RunTogether proves that several stores over the same data act as one: all append to
// one thread and commit plans for it at once, nothing acknowledged is lost, each plan
// version has one winner, and all read the same.
//
// SPEC: V1, L17, B14
func RunTogether(t *testing.T, stores []store.Store) {
	const each, versions = 10, 6
	k := store.Key{Tenant: "together", Thread: t.Name()}
	add(t, stores[0], k, store.Batch{Entries: say("", many(9)...)})
	won := make([]map[int]string, len(stores))
	var g errgroup.Group
	for w, s := range stores {
		won[w] = map[int]string{}
		g.Go(func() error { return appendTexts(s, k, w, each) })
		g.Go(func() error { return commitUntil(s, k, w, versions, won[w]) })
	}
	noError(t, g.Wait())
	want := read(t, stores[0], head(t, stores[0], k))
	for _, s := range stores[1:] {
		equal(t, want, read(t, s, head(t, s, k)))
	}
	th, err := thread.New(want.Entries)
	noError(t, err)
	noError(t, th.Verify())
	seen := map[string]bool{}
	for _, e := range want.Entries {
		seen[e.Message.Parts[0].Body()] = true
	}
	equal(t, 9+each*len(stores), len(want.Entries))
	equal(t, 9+each*len(stores), len(seen))
	equal(t, versions, len(want.Plans))
	for v, p := range want.Plans {
		for w := range stores {
			if by, ok := won[w][v+1]; ok {
				equal(t, by, p.Policy)
			}
		}
	}
}

func head(t *testing.T, s store.Store, k store.Key) store.Head {
	t.Helper()
	h, err := s.Head(ctx(t), k)
	noError(t, err)
	return h
}

// appendTexts appends n messages after whatever is there.
func appendTexts(s store.Store, k store.Key, w, n int) error {
	for i := 0; i < n; {
		h, err := s.Head(context.Background(), k)
		if err != nil {
			return err
		}
		_, err = s.Append(context.Background(), k, store.Batch{Tip: h.Tip, Entries: say(h.Tip, fmt.Sprintf("%d of %d", i, w)), Now: now(i)})
		switch {
		case err == nil:
			i++
		case !errors.Is(err, store.ErrStale):
			return err
		}
	}
	return nil
}

// commitUntil commits plans until there are so many versions, and notes which it won.
func commitUntil(s store.Store, k store.Key, w, versions int, won map[int]string) error {
	for {
		h, err := s.Head(context.Background(), k)
		if err != nil || h.PlanVersion >= versions {
			return err
		}
		es, err := s.Load(context.Background(), k)
		if err != nil {
			return err
		}
		p := &plan.Plan{
			Thread: k.Thread, Base: es[8].ID, Version: h.PlanVersion + 1, ThreadVersion: 9, CreatedAt: now(1), Policy: fmt.Sprint(w),
			Records: []plan.Record{{Action: plan.Drop, Span: span(es[1:3])}},
		}
		a := artifact.Of(es[0].ID, 1, fmt.Appendf(nil, "%d of %d", p.Version, w))
		switch err = s.Commit(context.Background(), k, p, []artifact.Artifact{a}); {
		case err == nil:
			won[p.Version] = p.Policy
		case !errors.Is(err, store.ErrStale):
			return err
		}
	}
}
