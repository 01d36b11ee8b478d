package recall_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// What an earlier thread says best is among the first hits, however many texts of the
// thread itself hold some of the words; pages show every hit once.
//
// SPEC: B8
func TestEarlierHitsTakeTurns(t *testing.T) {
	s, old := memory.New(), store.Key{Tenant: key.Tenant, Thread: "old"}
	write := func(k store.Key, ms []message.Message) thread.ID {
		t.Helper()
		es := thread.Extend("", ms)
		if _, err := s.Append(ctx, k, store.Batch{Entries: es, Now: now}); err != nil {
			t.Fatal(err)
		}
		return es[len(es)-1].ID
	}
	tip := write(old, said("Read the berth log.", "vessel-gannet took 1902 crates of salt."))
	var notes []string
	for i := range 30 {
		notes = append(notes, fmt.Sprintf("vessel-%d took %d crates of tin.", 1000+i, 7*i))
	}
	write(key, said(notes...))
	if err := store.Link(ctx, s, key, store.Origin{Thread: old.Thread, Tip: tip}, now); err != nil {
		t.Fatal(err)
	}
	r, err := recall.Open(ctx, s, key, now)
	if err != nil {
		t.Fatal(err)
	}
	topic := recall.Topic{Text: "vessel-gannet took crates of salt", Limit: 4, Neighbours: -1}
	got, err := r.Search(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(got.Hits, func(f recall.Finding) bool { return f.Ref == "earlier1:#2/1" }) {
		t.Errorf("the first hits are %q", brief(got.Hits))
	}
	seen := map[string]bool{}
	for n := 0; n < got.Total; n += topic.Limit {
		topic.Skip = n
		page, err := r.Search(ctx, topic)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range page.Hits {
			if seen[f.Ref] {
				t.Errorf("%s stands on two pages", f.Ref)
			}
			seen[f.Ref] = true
		}
	}
	if len(seen) != got.Total || got.Total < 31 {
		t.Errorf("%d hits on all pages, of %d", len(seen), got.Total)
	}
}
