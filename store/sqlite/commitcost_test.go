//go:build unix

package sqlite_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// SPEC: V8, L17: a commit costs what it changes.
func TestCommitCost(t *testing.T) {
	s := open(t)
	texts := make([]string, 1200)
	for i := range texts {
		texts[i] = noise(i)[:20]
	}
	_, err := insist(t.Context(), s, mainKey, texts...)
	noError(t, err)
	es, err := s.Load(t.Context(), mainKey)
	noError(t, err)
	noError(t, s.Commit(t.Context(), mainKey, thousand(es, 1, 0), nil))
	db := rawDB(t, pathOf(t, s))
	const records, blobs = `SELECT count(*) FROM records`, `SELECT count(*) FROM blobs`
	equal(t, 1000, count(t, db, records))
	before := count(t, db, blobs)
	p := thousand(es, 2, 500)
	p.Records[0] = thousand(es, 1, 0).Records[0]
	noError(t, s.Commit(t.Context(), mainKey, p, nil))
	equal(t, 1001, count(t, db, records))
	equal(t, before+2, count(t, db, blobs)) // the record and the header
	if n := count(t, db, `SELECT length(list) FROM plans WHERE version = 2`); n > 1100 {
		t.Fatalf("the list of records takes %d bytes", n)
	}
	sum := plan.Record{Action: plan.Summarize, Text: "all", Span: plan.Span{}}
	for i := range 1000 {
		sum.Span.IDs = append(sum.Span.IDs, es[i].ID)
	}
	noError(t, s.Commit(t.Context(), mainKey, &plan.Plan{Base: es[999].ID, Version: 3, Records: []plan.Record{sum}}, nil))
	equal(t, 1, count(t, db, `SELECT count(*) FROM records WHERE len = 1000 AND ids IS NULL`))
	if n := count(t, db, `SELECT max(size) FROM blobs WHERE id > (SELECT max(id) - 2 FROM blobs)`); n > 600 {
		t.Fatalf("a thousand neighbouring ids take %d bytes", n)
	}
}

// SPEC: V1: the same content is stored once a tenant, a fork stores its own
// entries only.
func TestSharing(t *testing.T) {
	s := open(t)
	es := chain("", "the same words", "and the same", "here too")
	for _, name := range []string{"a", "b"} {
		_, err := s.Append(t.Context(), store.Key{Thread: name}, store.Batch{Entries: es, Now: now})
		noError(t, err)
	}
	db := rawDB(t, pathOf(t, s))
	equal(t, 3, count(t, db, `SELECT count(*) FROM blobs`))
	equal(t, 6, count(t, db, `SELECT count(*) FROM entries`))
	_, err := s.Append(t.Context(), store.Key{Thread: "c"}, store.Batch{
		ForkOf: "a", At: es[1].ID, Now: now,
		Entries: chain(es[1].ID, "new"),
	})
	noError(t, err)
	equal(t, 4, count(t, db, `SELECT count(*) FROM blobs`))
	equal(t, 7, count(t, db, `SELECT count(*) FROM entries`))
	_, err = s.Append(t.Context(), store.Key{Tenant: "x", Thread: "a"}, store.Batch{Entries: es, Now: now})
	noError(t, err)
	equal(t, 7, count(t, db, `SELECT count(*) FROM blobs`))
	var none thread.ID
	have, err := s.Load(t.Context(), store.Key{Thread: "c"})
	noError(t, err)
	equal(t, none, have[0].Parent)
}
