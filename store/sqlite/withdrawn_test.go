//go:build unix

package sqlite_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// A record that an erasure takes out of one thread stays in the file for another that says
// the same of itself, and goes when that is retired.
//
// SPEC: V1, V8
func TestWithdrawnGoesWithTheLastThread(t *testing.T) {
	const text = "4711-QUOTED-0815"
	s := open(t)
	es := chain("", "one", "two", "three")
	p := &plan.Plan{Base: es[2].ID, Version: 1, Records: []plan.Record{{Action: plan.Summarize, Text: text, Span: plan.Span{IDs: []thread.ID{es[1].ID}}}}}
	beside := store.Key{Thread: "beside"}
	for _, k := range []store.Key{mainKey, beside} {
		sameBeside(t, s, k, es, p)
	}
	_, err := s.Append(t.Context(), mainKey, store.Batch{Tip: es[2].ID, Entries: chain(es[2].ID, "four"), Now: now.Add(time.Hour)})
	noError(t, err)
	noError(t, s.EraseEntry(t.Context(), mainKey, es[0].ID, tombstone))
	for k, want := range map[store.Key]int{mainKey: 0, beside: 1} {
		have, err := s.PlanAt(t.Context(), k, 1)
		noError(t, err)
		equal(t, want, len(have.Records))
	}
	r, err := s.Retire(t.Context(), now.Add(time.Minute), tombstone)
	noError(t, err)
	equal(t, 1, r.Threads)
	have, err := s.PlanAt(t.Context(), mainKey, 1)
	noError(t, err)
	equal(t, 0, len(have.Records))
	data, err := os.ReadFile(pathOf(t, s))
	noError(t, err)
	if bytes.Contains(data, []byte(text)) {
		t.Error("the file holds a record that no thread has")
	}
	r, err = s.Retire(t.Context(), now.Add(2*time.Hour), tombstone)
	noError(t, err)
	equal(t, 1, r.Threads)
	db := rawDB(t, pathOf(t, s))
	equal(t, 0, count(t, db, `SELECT count(*) FROM withdrawn`))
}

// SPEC: V1, V8: the plans of an older file are read, and one loses nothing by an erasure in
// another.
func TestMigrateSharedRecords(t *testing.T) {
	dir := schemaOf(t, 6)
	s := openAt(t, dir)
	beside := store.Key{Thread: "beside"}
	es, err := s.Load(t.Context(), mainKey)
	noError(t, err)
	for _, want := range []map[store.Key]int{{mainKey: 1, beside: 1}, {mainKey: 0, beside: 1}} {
		for k, n := range want {
			p, err := s.Plan(t.Context(), k)
			noError(t, err)
			equal(t, n, len(p.Records))
		}
		noError(t, s.EraseEntry(t.Context(), mainKey, es[0].ID, tombstone))
	}
	noError(t, s.Close())
	sound(t, filepath.Join(dir, "precis.db"))
}
