package writebehind_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/store/writebehind"
)

// What could not be written is an error of Written, and of a plan based on it, for as
// long as it is not appended again; what was written meanwhile is not concerned.
//
// SPEC: V1, V9
func TestWritten(t *testing.T) {
	below := &slow{Store: memory.New(), gate: make(chan error, 9), took: make(chan struct{}, 9)}
	s := writebehind.Over(below, nil)
	first := said(0, 2, "")
	second := said(2, 4, first.Last())
	below.gate <- nil
	if _, err := s.Append(ctx, key, first); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(ctx, key); err != nil {
		t.Fatal(err)
	}
	below.gate <- os.ErrPermission
	if _, err := s.Append(ctx, key, second); err != nil {
		t.Fatal(err)
	}
	for range 2 { // it waits for the write, and finds it done
		if err := s.Written(ctx, key, second.Last()); !errors.Is(err, os.ErrPermission) {
			t.Fatalf("written: %v", err)
		}
	}
	if err := s.Written(ctx, key, first.Last()); err != nil {
		t.Fatalf("what was written before: %v", err)
	}
	p, err := plan.Build(plan.Plan{Thread: "t", Base: second.Last(), Version: 1}, linked(t, 4))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(ctx, key, p, nil); !errors.Is(err, os.ErrPermission) {
		t.Fatalf("a plan on what was lost: %v", err)
	}
	below.gate <- nil
	if _, err := s.Append(ctx, key, second); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Written(ctx, key, second.Last()), s.Commit(ctx, key, p, nil)); err != nil {
		t.Fatalf("appended again: %v", err)
	}
}

// Two processes that log the same conversation, one of them further than the other,
// both succeed; where they log different ones, the one that was overtaken is told.
//
// SPEC: V1, L17
func TestOvertaken(t *testing.T) {
	path := t.TempDir() + "/p.db"
	var sides [2]*writebehind.Store
	for i := range sides {
		beneath, err := sqlite.Open(ctx, path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sides[i] = writebehind.Over(beneath, func(_ store.Key, err error) {
			if !errors.Is(err, store.ErrStale) {
				t.Error(err)
			}
		})
		defer sides[i].Close()
	}
	lost := 0
	for round := range 100 {
		k := store.Key{Thread: fmt.Sprint("round ", round)}
		b := [2]store.Batch{said(0, 2+round%3, ""), said(0, 3, "")}
		other := round%10 == 9
		if other {
			b[1] = said(1, 4, "")
		}
		var errs [2]error
		var refused [2]bool // at once, as in any store
		var wg sync.WaitGroup
		for i, s := range sides {
			wg.Go(func() {
				_, err := s.Append(ctx, k, b[i])
				if refused[i] = err != nil; refused[i] {
					errs[i] = err
				} else {
					errs[i] = s.Written(ctx, k, b[i].Last())
				}
			})
		}
		wg.Wait()
		es, err := sides[0].Load(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		for i, err := range errs {
			holds := false
			for _, e := range es {
				holds = holds || e.ID == b[i].Last()
			}
			switch {
			case refused[i] && errors.Is(err, store.ErrStale):
			case holds != (err == nil), err != nil && (!other || !errors.Is(err, store.ErrStale)):
				t.Fatalf("round %d, side %d: %v, and the log holds it: %v", round, i, err, holds)
			case err != nil:
				lost++
			}
		}
	}
	if lost > 10 {
		t.Errorf("%d were overtaken by another conversation", lost)
	}
}

// The threads that wait together are written together.
//
// SPEC: V1
func TestGroup(t *testing.T) {
	path := t.TempDir() + "/p.db"
	beneath, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	count := &groups{Store: beneath}
	s := writebehind.Over(count, func(_ store.Key, err error) { t.Error(err) })
	defer s.Close()
	var wg sync.WaitGroup
	for i := range 200 {
		k, b := store.Key{Thread: fmt.Sprint(i)}, said(0, 3, "")
		if _, err := s.Append(ctx, k, b); err != nil { // one after the other, so that all are queued
			t.Fatal(err)
		}
		wg.Go(func() {
			if err := s.Written(ctx, k, b.Last()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := count.transactions.Load(); n >= 200 {
		t.Errorf("%d transactions for 200 threads at once", n)
	}
	for i := range 200 {
		if es, err := beneath.Load(ctx, store.Key{Thread: fmt.Sprint(i)}); err != nil || len(es) != 3 {
			t.Fatalf("thread %d: %d entries, %v", i, len(es), err)
		}
	}
}

// groups counts transactions: those of the writer of the store above, and those of
// callers who write themselves.
type groups struct {
	*sqlite.Store
	transactions atomic.Int64
}

func (g *groups) Append(c context.Context, k store.Key, b store.Batch) (store.Head, error) {
	g.transactions.Add(1)
	time.Sleep(time.Millisecond) // a disk
	return g.Store.Append(c, k, b)
}

func (g *groups) AppendAll(c context.Context, all []store.Addition) []error {
	g.transactions.Add(1)
	time.Sleep(time.Millisecond)
	return g.Store.AppendAll(c, all)
}
