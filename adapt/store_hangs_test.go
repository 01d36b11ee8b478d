package adapt_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// stuck is a store that, once on, does not return before nobody waits.
type stuck struct {
	store.Store
	on atomic.Bool
}

func (s *stuck) Head(ctx context.Context, k store.Key) (store.Head, error) {
	if s.on.Load() {
		<-ctx.Done()
		return store.Head{}, ctx.Err()
	}
	return s.Store.Head(ctx, k)
}

func (s *stuck) Variants(ctx context.Context, k store.Key, id thread.ID) ([]store.Variant, error) {
	if s.on.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.Store.Variants(ctx, k, id)
}

// A store that hangs holds neither a prompt nor a look-up up for longer than
// PrepareTimeout.
//
// SPEC: V9, B26
func TestStoreHangs(t *testing.T) {
	p, err := policy.Named("balanced")
	if err != nil {
		t.Fatal(err)
	}
	s := &stuck{Store: memory.New()}
	e, err := precis.New(precis.Options{Store: s, Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c := adapt.New(e, adapt.Options{Thread: "t", Budget: 4000, PrepareTimeout: 2 * time.Second}).Conversation("")
	c.Step(ctx, adapt.Request{Framework: "test", Messages: history(40)})
	s.on.Store(true)
	if got := c.Answer(ctx, "precis_describe", `{"id":"#2"}`); !strings.HasPrefix(got, "stopped") && !strings.HasPrefix(got, "unavailable") {
		t.Errorf("%q", got)
	}
	if step := c.Step(ctx, adapt.Request{Framework: "test", Messages: history(42)}); len(step.Prompt) == 0 {
		t.Error("there is no prompt")
	}
	if ctx.Err() != nil {
		t.Error("it waited for the store as long as who asked")
	}
}
