package writebehind_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/writebehind"
	"github.com/seed-3db51b0e/precis/thread"
)

// grouping is a store that knows which batches it wrote together.
type grouping struct {
	store.Store
	gate   chan bool // each transaction waits for it
	mu     sync.Mutex
	groups [][]store.Addition
}

func (g *grouping) AppendAll(ctx context.Context, all []store.Addition) []error {
	<-g.gate
	errs := make([]error, len(all))
	for i, a := range all {
		_, errs[i] = g.Store.Append(ctx, a.Key, a.Batch)
	}
	g.mu.Lock()
	g.groups = append(g.groups, slices.Clone(all))
	g.mu.Unlock()
	return errs
}

func (g *grouping) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	return store.Head{}, g.AppendAll(ctx, []store.Addition{{Key: k, Batch: b}})[0]
}

// Tenants take turns: one with many threads, and one with a long one, hold a neighbour
// for one transaction at most, and no transaction is larger than two slices.
func TestTenantsTakeTurns(t *testing.T) {
	g := &grouping{Store: memory.New(), gate: make(chan bool)}
	s := writebehind.Over(g, func(k store.Key, err error) { t.Error(k, err) })
	add := func(tenant, name string, from, n int, tip thread.ID) store.Batch {
		t.Helper()
		b := said(from, from+n, tip)
		if _, err := s.Append(ctx, store.Key{Tenant: tenant, Thread: name}, b); err != nil {
			t.Fatal(err)
		}
		return b
	}
	add("first", "t", 0, 1, "") // the writer takes it and waits
	for i := range 300 {
		add("many", fmt.Sprint(i), 0, 2, "")
	}
	long := add("long", "t", 0, 5000, "")
	add("long", "t", 5000, 10, long.Last())
	add("neighbour", "t", 0, 1, "")
	add("neighbour\nanswers", "t", 0, 1, "")
	close(g.gate)
	if err := s.FlushAll(ctx); err != nil {
		t.Fatal(err)
	}
	for i, group := range g.groups {
		size := 0
		for _, a := range group {
			size += len(a.Batch.Entries)
			if a.Key.Tenant == "neighbour" && i > 2 {
				t.Errorf("the neighbour's is in transaction %d of %d", i, len(g.groups))
			}
		}
		if size > 2*1024 {
			t.Errorf("transaction %d has %d entries", i, size)
		}
	}
	if len(g.groups) < 8 {
		t.Errorf("%d transactions", len(g.groups))
	}
	if es, err := g.Load(ctx, store.Key{Tenant: "long", Thread: "t"}); err != nil || len(es) != 5010 {
		t.Errorf("%d entries, %v", len(es), err)
	}
}

// A batch that does not wait, a fork or one that is too large to, is written in slices,
// too; one that was written before is found to be.
func TestLargeBatchesAreWrittenInSlices(t *testing.T) {
	g := &grouping{Store: memory.New(), gate: make(chan bool)}
	close(g.gate)
	s := writebehind.Over(g, func(k store.Key, err error) { t.Error(k, err) })
	b := said(0, 20_000, "")
	f := store.Batch{ForkOf: "t", At: b.Entries[99].ID, Entries: said(50_000, 52_000, b.Entries[99].ID).Entries, Envelope: []byte("{}")}
	for range 2 {
		_, err := s.Append(ctx, key, b)
		_, err2 := s.Append(ctx, store.Key{Thread: "fork"}, f)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
	}
	for i, group := range g.groups {
		if n := len(group[0].Batch.Entries); n > 512 && i < 44 { // the last two repeat
			t.Errorf("transaction %d has %d entries", i, n)
		}
	}
	es, err := s.Load(ctx, store.Key{Thread: "fork"})
	env, err2 := s.Envelope(ctx, store.Key{Thread: "fork"})
	if len(es) != 2100 || string(env) != "{}" || err != nil || err2 != nil {
		t.Errorf("%d entries, %q, %v %v", len(es), env, err, err2)
	}
}
