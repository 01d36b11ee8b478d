//go:build unix

package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/blob"
	"github.com/seed-3db51b0e/precis/store/postgres"
	"github.com/seed-3db51b0e/precis/store/storetest"
	"github.com/seed-3db51b0e/precis/thread"
)

// overwrite puts zeros in the place of content, under the same hash.
func overwrite(t testing.TB, column, where string) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), server.URL("postgres"))
	noError(t, err)
	defer func() { noError(t, db.Close(context.Background())) }()
	tx, err := db.Begin(t.Context())
	noError(t, err)
	_, err = tx.Exec(t.Context(), `SET LOCAL precis.erasing = 'on'`)
	noError(t, err)
	tag, err := tx.Exec(t.Context(), fmt.Sprintf(where, column+` = substring(`+column+` for 41) || decode(repeat('00', length(`+column+`) - 41), 'hex')`))
	noError(t, err)
	noError(t, tx.Commit(t.Context()))
	if tag.RowsAffected() == 0 {
		t.Fatal("nothing was damaged")
	}
}

// The first request of a node for a thread reads the ids and digests, and no content that
// came with it: what lies in the blob store stays there.
//
// SPEC: T11, B14
func TestLoadsOnlyWhatIsNotThere(t *testing.T) {
	keys, err := seal.Generate()
	noError(t, err)
	for name, o := range map[string]postgres.Options{"clear": {}, "sealed": {Keys: keys}} {
		t.Run(name, func(t *testing.T) {
			storetest.RunPartial(t, func(t *testing.T) (store.Store, func()) {
				return open(t, o), func() { overwrite(t, "body", `UPDATE entries SET %s`) }
			})
		})
	}
	t.Run("bytes", func(t *testing.T) {
		c, through := cutting(t, clear(t))
		s, err := postgres.Open(t.Context(), through, postgres.Options{})
		noError(t, err)
		defer func() { noError(t, s.Close()) }()
		k, texts := store.Key{Thread: "main"}, make([]string, 1000)
		for i := range texts {
			texts[i] = noise(fmt.Sprint(i))[:600]
		}
		es := chain("", texts...)
		_, err = s.Append(t.Context(), k, store.Batch{Entries: es, Now: now})
		noError(t, err)
		c.received()
		_, err = s.Load(t.Context(), k)
		noError(t, err)
		whole := c.received()
		_, err = store.LoadHaving(t.Context(), s, k, messages(es))
		noError(t, err)
		t.Logf("%d bytes of %d came from the database", c.received(), whole)
	})
	t.Run("objects", func(t *testing.T) {
		s, dir := withBlobs(t)
		es := whole(t, s, store.Key{Thread: "main"}, now, "word")
		blobs, err := blob.Open(t.Context(), t.TempDir())
		noError(t, err)
		without, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{Blobs: blobs})
		noError(t, err)
		defer func() { noError(t, without.Close()) }()
		if _, err := without.Load(t.Context(), store.Key{Thread: "main"}); err == nil || len(files(t, dir)) == 0 {
			t.Fatal("the content is not in the blob store: this test proves nothing")
		}
		have, err := store.LoadHaving(t.Context(), without, store.Key{Thread: "main"}, messages(es))
		noError(t, err)
		if len(have) != len(es) || have[1].Message.Parts[0].Text != es[1].Message.Parts[0].Text {
			t.Errorf("%d messages", len(have))
		}
	})
}

// A plan that is damaged takes no thread with it.
//
// SPEC: V9, B14
func TestDamagedPlan(t *testing.T) {
	storetest.RunDamagedPlan(t, func(t *testing.T) (store.Maintained, func(int), func()) {
		return open(t, postgres.Options{}), func(n int) {
				overwrite(t, "body", fmt.Sprintf(`UPDATE records SET %%s WHERE n = %d`, n+1))
			}, func() {
				overwrite(t, "header", `UPDATE plans SET %s WHERE version = (SELECT max(version) FROM plans)`)
			}
	})
}

// summarized commits a version of the plan that replaces the first message by a text.
func summarized(t *testing.T, s *postgres.Store, es []thread.Entry, version int, text string) {
	t.Helper()
	noError(t, s.Commit(t.Context(), store.Key{Thread: "main"}, &plan.Plan{
		Base: es[len(es)-1].ID, Version: version, CreatedAt: now,
		Records: []plan.Record{{Action: plan.Summarize, Text: text, Span: plan.Span{IDs: []thread.ID{es[0].ID}}}},
	}, nil))
}

// Where another node commits a version between the reading of a damaged one and the search
// for one that is sound, that version is what is found.
//
// SPEC: V9, B14
func TestPlanOfAnotherNodeStays(t *testing.T) {
	s := open(t, postgres.Options{})
	k, es := store.Key{Thread: "main"}, chain("", "one", "two")
	_, err := s.Append(t.Context(), k, store.Batch{Entries: es, Now: now})
	noError(t, err)
	summarized(t, s, es, 1, "first")
	summarized(t, s, es, 2, "second")
	overwrite(t, "header", `UPDATE plans SET %s WHERE version = 2`)
	summarized(t, s, es, 3, "third")
	p, err := s.SoundPlan(t.Context(), k)
	noError(t, err)
	if p.Version != 3 || p.Records[0].Text != "third" {
		t.Errorf("version %d: %v", p.Version, p.Records)
	}
}

// A message is erased also where a record of its plan is empty by damage: the record goes
// with it.
//
// SPEC: V8, V9, B14
func TestErasesBesideAnEmptyRecord(t *testing.T) {
	s := open(t, postgres.Options{})
	k, es := store.Key{Thread: "main"}, chain("", "one", "two")
	_, err := s.Append(t.Context(), k, store.Batch{Entries: es, Now: now})
	noError(t, err)
	summarized(t, s, es, 1, "first")
	_, err = server.Query(t.Context(), "postgres", `SET precis.erasing = 'on'; UPDATE records SET body = ''`)
	noError(t, err)
	noError(t, s.EraseEntry(t.Context(), k, es[0].ID, artifact.Tombstone{At: now}))
	p, err := s.Plan(t.Context(), k)
	noError(t, err)
	if len(p.Records) != 0 {
		t.Errorf("records %v", p.Records)
	}
}
