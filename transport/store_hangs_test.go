package transport_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/transport"
)

// stuck is a store that, once on, does not return before nobody waits.
type stuck struct {
	store.Store
	on    atomic.Bool
	asked atomic.Int32
}

func (s *stuck) Head(ctx context.Context, k store.Key) (store.Head, error) {
	if !s.on.Load() {
		return s.Store.Head(ctx, k)
	}
	s.asked.Add(1)
	<-ctx.Done()
	return store.Head{}, ctx.Err()
}

// turned is a store that hangs from the first answer on.
type turned struct{ *stuck }

func (s turned) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	s.on.Store(true)
	return s.Store.Append(ctx, k, b)
}

// A store that hangs does not hold up the end of an answer for longer than
// PrepareTimeout.
//
// SPEC: B7, V9
func TestStoreHangs(t *testing.T) {
	up := newProvider(t)
	s := turned{&stuck{Store: memory.New()}}
	o := options(t, s)
	o.PrepareTimeout = 200 * time.Millisecond
	ended := make(chan string, 1)
	go func() {
		_, got := post(t, transport.New(o), up.url+apis[2].path, apis[2].body(1))
		ended <- got
	}()
	select {
	case got := <-ended:
		if got != apis[2].answer || s.asked.Load() == 0 {
			t.Errorf("answer %q, %d reads", got, s.asked.Load())
		}
	case <-time.After(20 * time.Second):
		t.Fatal("no end")
	}
}
