package storetest

import (
	"slices"
	"testing"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// SPEC: V1, V8: a thread that holds the same messages in entries of its own keeps its
// plans whole, although they have the same records, until the message is erased there.
func eraseEntryBeside(t *testing.T, s store.Store) {
	es := say("", many(9)...)
	beside, fork := store.Key{Thread: "beside"}, store.Key{Thread: "fork"}
	for _, k := range []store.Key{mainKey, beside} {
		add(t, s, k, store.Batch{Entries: es})
		noError(t, s.Commit(ctx(t), k, build(t, k, 1, es, everyRecord(es)...), nil))
	}
	add(t, s, fork, store.Batch{ForkOf: "main", At: es[8].ID})
	noError(t, s.Commit(ctx(t), fork, build(t, fork, 1, es, everyRecord(es)...), nil))

	noError(t, s.EraseEntry(ctx(t), mainKey, es[4].ID, tombstone))
	quotesNothing(t, s, mainKey, 1, es, es[4])
	quotesNothing(t, s, fork, 1, es, es[4])
	whole(t, s, beside, 1, es)

	// What is committed later may have the same records again.
	whole(t, s, mainKey, 2, es)
	quotesNothing(t, s, mainKey, 1, es, es[4])
	noError(t, s.EraseEntry(ctx(t), mainKey, es[5].ID, tombstone))
	quotesNothing(t, s, mainKey, 1, es, es[4], es[5])
	quotesNothing(t, s, mainKey, 2, es, es[5])
	whole(t, s, beside, 1, es)

	noError(t, s.EraseEntry(ctx(t), beside, es[4].ID, tombstone))
	quotesNothing(t, s, beside, 1, es, es[4])
	quotesNothing(t, s, mainKey, 2, es, es[5])
}

// whole commits a version of a plan with every record, unless there is one, and checks
// that none is missing.
func whole(t *testing.T, s store.Store, k store.Key, version int, es []thread.Entry) {
	t.Helper()
	p := build(t, k, version, es, everyRecord(es)...)
	if h, err := s.Head(ctx(t), k); err == nil && h.PlanVersion < version {
		noError(t, s.Commit(ctx(t), k, p, nil))
	}
	have, err := s.PlanAt(ctx(t), k, version)
	noError(t, err)
	equal(t, p, have)
}

// quotesNothing checks that of every record just those are left that may not quote
// messages that were erased.
func quotesNothing(t *testing.T, s store.Store, k store.Key, version int, es []thread.Entry, gone ...thread.Entry) {
	t.Helper()
	left := *build(t, k, version, es, everyRecord(es)...)
	left.Records = slices.DeleteFunc(slices.Clone(left.Records), func(r plan.Record) bool {
		return slices.ContainsFunc(gone, func(e thread.Entry) bool {
			at := slices.IndexFunc(es, func(x thread.Entry) bool { return x.ID == e.ID })
			later := slices.ContainsFunc(es[at+1:], func(x thread.Entry) bool { return slices.Contains(r.Span.IDs, x.ID) })
			return r.MayQuote(slices.Contains(r.Span.IDs, e.ID), later)
		})
	})
	have, err := s.PlanAt(ctx(t), k, version)
	noError(t, err)
	equal(t, plan.Restore(left), have)
}
