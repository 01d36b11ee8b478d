package storetest

import (
	"testing"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/transfer"
	"github.com/seed-3db51b0e/precis/thread"
)

// RunCopy proves that two stores, both empty, can be copied from one to the other:
// everything, then what came since, and nothing twice.
//
// SPEC: V1, B14
func RunCopy(t *testing.T, from store.Maintained, to store.Store) {
	fill(t, from)
	tenants := []string{"", "other"}
	r, err := transfer.Copy(ctx(t), from, to, nil)
	noError(t, err)
	equal(t, transfer.Result{Threads: 3, Messages: 8 + 1 + 2, Plans: 2, Verified: 3}, r)
	copied(t, from, to, tenants)

	k := store.Key{Thread: "main"}
	es, err := from.Load(ctx(t), k)
	noError(t, err)
	more := say(tip(es), "one more", "and another")
	add(t, from, k, store.Batch{Tip: tip(es), Entries: more, Now: now(9)})
	noError(t, from.Commit(ctx(t), k, build(t, k, 3, es, plan.Record{Action: plan.Drop, Span: span(es[5:7])}), []artifact.Artifact{artifact.Of(es[3].ID, 1, []byte("new"))}))
	noError(t, from.EraseEntry(ctx(t), k, es[0].ID, tombstone))
	r, err = transfer.Copy(ctx(t), from, to, nil)
	noError(t, err)
	equal(t, transfer.Result{Messages: 2, Plans: 1, Verified: 3}, r)
	copied(t, from, to, tenants)

	r, err = transfer.Copy(ctx(t), from, to, nil)
	noError(t, err)
	equal(t, transfer.Result{Verified: 3}, r)

	add(t, to, store.Key{Tenant: "other", Thread: "main"}, store.Batch{Tip: tip(say("", "mine", "alone")), Entries: say(tip(say("", "mine", "alone")), "went on")})
	_, err = transfer.Copy(ctx(t), from, to, nil)
	isError(t, err, transfer.ErrDiffers)
}

// RunCopyRefuses proves that a thread of the target that went its own way is left as it
// is: no plan of the source comes on top of it.
//
// SPEC: V1, B14
func RunCopyRefuses(t *testing.T, open func(t *testing.T) (from store.Maintained, to store.Store)) {
	k := store.Key{Thread: "main"}
	var es []thread.Entry
	plans := func(t *testing.T, s store.Store, version, at int) {
		p := build(t, k, version, es, plan.Record{Action: plan.Drop, Span: span(es[at : at+1])})
		p.CreatedAt = now(version + at)
		noError(t, s.Commit(ctx(t), k, p, nil))
	}
	erased := func(t *testing.T, s store.Store) { noError(t, s.EraseEntry(ctx(t), k, es[1].ID, tombstone)) }
	for name, depart := range map[string]func(t *testing.T, from, to store.Store){
		"a plan of its own": func(t *testing.T, _, to store.Store) { plans(t, to, 2, 2) },
		"a plan of its own, and two of the source": func(t *testing.T, from, to store.Store) {
			plans(t, to, 2, 2)
			plans(t, from, 2, 3)
			plans(t, from, 3, 4)
		},
		"a message erased, and a plan of the source": func(t *testing.T, from, to store.Store) {
			erased(t, to)
			plans(t, from, 2, 3)
		},
		"a plan of its own, and a message erased in the source": func(t *testing.T, from, to store.Store) {
			plans(t, to, 2, 2)
			plans(t, from, 2, 3)
			plans(t, from, 3, 4)
			erased(t, from)
		},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := open(t)
			es = say("", many(6)...)
			add(t, from, k, store.Batch{Entries: es})
			plans(t, from, 1, 1)
			_, err := transfer.Copy(ctx(t), from, to, nil)
			noError(t, err)
			depart(t, from, to)
			before := snapshot(t, to, "")
			_, err = transfer.Copy(ctx(t), from, to, nil)
			isError(t, err, transfer.ErrDiffers)
			equal(t, before, snapshot(t, to, ""))
		})
	}
}

// copied checks that all that can be read of both stores is the same, but for how many
// records a plan had before some were erased.
func copied(t *testing.T, from, to store.Store, tenants []string) {
	t.Helper()
	want, have := snapshot(t, from, tenants...), snapshot(t, to, tenants...)
	for _, all := range [][]everything{want, have} {
		for i := range all {
			for j := range all[i].Versions {
				all[i].Versions[j].Records = 0
			}
		}
	}
	equal(t, want, have)
}
