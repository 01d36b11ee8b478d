package writebehind_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/store/storetest"
	"github.com/seed-3db51b0e/precis/store/writebehind"
	"github.com/seed-3db51b0e/precis/thread"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// SPEC: V1, L17
func TestContract(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		storetest.Run(t, func(*testing.T) store.Store { return writebehind.Over(memory.New(), nil) })
		storetest.RunPlain(t, func(*testing.T) store.Store { return writebehind.Over(memory.New(), nil) })
	})
	t.Run("sqlite", func(t *testing.T) {
		open := func(t *testing.T, dir string) store.Store {
			s, err := sqlite.Open(t.Context(), dir+"/p.db", sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			b := writebehind.Over(s, nil)
			t.Cleanup(func() { _ = b.Close() }) // it may be closed by the test
			return b
		}
		storetest.RunReopen(t, open)
	})
}

// slow is a store whose appends wait to be let through, and fail as told.
type slow struct {
	store.Store
	took chan struct{}
	gate chan error
	mu   sync.Mutex
	got  []store.Batch
}

func (s *slow) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	s.took <- struct{}{}
	if err := <-s.gate; err != nil {
		return store.Head{}, err
	}
	s.mu.Lock()
	s.got = append(s.got, b)
	s.mu.Unlock()
	return s.Store.Append(ctx, k, b)
}

func (s *slow) batches() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.got)
}

var (
	ctx = context.Background()
	key = store.Key{Thread: "t"}
)

func said(from, until int, tip thread.ID) store.Batch {
	var ms []message.Message
	for i := from; i < until; i++ {
		ms = append(ms, message.TextOf(message.User, fmt.Sprint("message ", i)))
	}
	return store.Batch{Tip: tip, Entries: thread.Extend(tip, ms), Now: time.Unix(int64(until), 0)}
}

// What waits is one transaction; Head tells of it, Load and Commit wait for it.
//
// SPEC: V1, L17
func TestWaits(t *testing.T) {
	below := &slow{Store: memory.New(), gate: make(chan error), took: make(chan struct{}, 9)}
	s := writebehind.Over(below, nil)
	b := said(0, 2, "")
	for i := range 3 {
		h, err := s.Append(ctx, key, b)
		if err != nil || h.Len != 2*(i+1) || h.Tip != b.Last() {
			t.Fatalf("append %d: %+v, %v", i, h, err)
		}
		if i == 0 {
			<-below.took
		}
		if have, err := s.Head(ctx, key); err != nil || have != h {
			t.Fatalf("head %d: %+v, %v", i, have, err)
		}
		b = said(2*(i+1), 2*(i+2), b.Last())
	}
	late, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, err := s.Load(late, key); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a load did not wait: %v", err)
	}
	committed := make(chan error)
	go func() {
		p, err := plan.Build(plan.Plan{Thread: "t", Base: b.Tip, Version: 1}, linked(t, 6))
		committed <- errors.Join(err, s.Commit(ctx, key, p, nil))
	}()
	below.gate <- nil
	below.gate <- nil
	if err := <-committed; err != nil {
		t.Fatal(err)
	}
	if n := below.batches(); n != 2 {
		t.Errorf("%d transactions: the second and third batch waited together", n)
	}
	if es, err := s.Load(ctx, key); err != nil || len(es) != 6 {
		t.Fatalf("%d entries, %v", len(es), err)
	}
}

func linked(t *testing.T, n int) *thread.Thread {
	t.Helper()
	th, err := thread.New(said(0, n, "").Entries)
	if err != nil {
		t.Error(err)
	}
	return th
}

// Another form of an entry just written waits like the entry; one of an entry
// that is not known goes to the store beneath, which refuses it.
//
// SPEC: V1
func TestForms(t *testing.T) {
	below := &slow{Store: memory.New(), gate: make(chan error), took: make(chan struct{}, 9)}
	s := writebehind.Over(below, nil)
	b := said(0, 2, "")
	id := b.Last()
	if _, err := s.Append(ctx, key, b); err != nil {
		t.Fatal(err)
	}
	b = said(2, 3, id)
	b.Variants = []store.Variant{{ID: id, Raw: []byte(`{"the":"echo"}`)}}
	if _, err := s.Append(ctx, key, b); err != nil {
		t.Fatal(err)
	}
	close(below.gate)
	if vs, err := s.Variants(ctx, key, id); err != nil || len(vs) != 1 || string(vs[0].Raw) != `{"the":"echo"}` {
		t.Fatalf("%v, %v", vs, err)
	}
	c := said(3, 4, b.Last())
	c.Variants = []store.Variant{{ID: "nobody", Raw: []byte(`{}`)}}
	if _, err := s.Append(ctx, key, c); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("a form of no entry: %v", err)
	}
}

// What could not be written is told once and is no part of the thread any more,
// nor is what was to follow it; it can be appended again.
//
// SPEC: V9
func TestLost(t *testing.T) {
	below := &slow{Store: memory.New(), gate: make(chan error), took: make(chan struct{}, 9)}
	told := make(chan error, 9)
	s := writebehind.Over(below, func(_ store.Key, err error) { told <- err })
	first := said(0, 2, "")
	for _, b := range []store.Batch{first, said(2, 4, first.Last())} {
		if _, err := s.Append(ctx, key, b); err != nil {
			t.Fatal(err)
		}
	}
	below.gate <- os.ErrPermission
	if err := s.Flush(ctx, key); err != nil && !errors.Is(err, os.ErrPermission) {
		t.Fatalf("flush: %v", err)
	}
	if err := <-told; !errors.Is(err, os.ErrPermission) {
		t.Fatalf("told %v", err)
	}
	if _, err := s.Head(ctx, key); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("head of what was lost: %v", err)
	}
	if _, err := s.Append(ctx, key, said(0, 4, "")); err != nil {
		t.Fatal(err)
	}
	below.gate <- nil
	if es, err := s.Load(ctx, key); err != nil || len(es) != 4 || len(told) > 0 {
		t.Fatalf("%d entries, %v, told %d times more", len(es), err, len(told))
	}
}

// Close writes what waits.
//
// SPEC: V1
func TestClose(t *testing.T) {
	path := t.TempDir() + "/p.db"
	beneath, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := writebehind.Over(beneath, func(_ store.Key, err error) { t.Error(err) })
	for i := range 50 {
		if _, err := s.Append(ctx, store.Key{Thread: fmt.Sprint(i % 5)}, said(0, 3, "")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for i := range 5 {
		if es, err := again.Load(ctx, store.Key{Thread: fmt.Sprint(i)}); err != nil || len(es) != 3 {
			t.Errorf("thread %d: %d entries, %v", i, len(es), err)
		}
	}
}

// An append that waits costs no write.
func BenchmarkAppend(b *testing.B) {
	beneath, err := sqlite.Open(ctx, b.TempDir()+"/p.db", sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s := writebehind.Over(beneath, func(_ store.Key, err error) { b.Error(err) })
	defer s.Close()
	b.ReportAllocs()
	n := 0
	var tip thread.ID
	for b.Loop() {
		x := said(n, n+2, tip)
		if _, err := s.Append(ctx, key, x); err != nil {
			b.Fatal(err)
		}
		n, tip = n+2, x.Last()
		if n%256 == 0 {
			b.StopTimer()
			if err := s.Flush(ctx, key); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	}
}
