// Package testplans writes conversations with plans into stores, for tests.
//
// Use: Dropping. Law: tests alone import it. Promise: the plans are built and committed as an
// engine's are, each on the one before.
package testplans

import (
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Dropping writes a thread of messages under a key. For each position it commits a plan, from
// version 1 on, that drops the message there beside what the plan before it drops.
func Dropping(t testing.TB, s store.Store, k store.Key, ms []message.Message, positions ...int) {
	t.Helper()
	es := thread.Extend("", ms)
	if _, err := s.Append(t.Context(), k, store.Batch{Entries: es}); err != nil {
		t.Fatal(err)
	}
	th, err := thread.New(es)
	if err != nil {
		t.Fatal(err)
	}
	var rs []plan.Record
	for v, at := range positions {
		rs = append(rs, plan.Record{Action: plan.Drop, Span: plan.Span{IDs: []thread.ID{es[at].ID}}})
		p, err := plan.Build(plan.Plan{Thread: k.Thread, Version: v + 1, Base: th.Tip(), ThreadVersion: th.Len(), Style: "ladder", Records: rs}, th)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(t.Context(), k, p, nil); err != nil {
			t.Fatal(err)
		}
	}
}
