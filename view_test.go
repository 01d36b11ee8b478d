package precis_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A history is not viewed under the plan of another branch because its own cannot be looked
// up: that is an error.
//
// SPEC: V9
func TestViewOfABranchThatCannotBeRead(t *testing.T) {
	st := &branchless{Store: memory.New()}
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
	in := request("t", work(40, 10), 80_000)
	prepared(t, e, in)
	edited := append(in.Messages[:20:20], message.TextOf(message.User, "something else"))
	in.Messages = edited
	if turn := prepared(t, e, in); !strings.Contains(turn.Key.Thread, "~") {
		t.Fatalf("no branch: %v", turn.Key)
	}
	if _, err := e.View(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	st.fails = true
	if _, err := e.View(t.Context(), in); !errors.Is(err, errDisk) {
		t.Errorf("a branch that cannot be looked up: %v", err)
	}
}

// branchless is a store that finds no branch while fails is set.
type branchless struct {
	store.Store
	fails bool
}

func (s *branchless) Head(ctx context.Context, k store.Key) (store.Head, error) {
	if s.fails && strings.Contains(k.Thread, "~") {
		return store.Head{}, errDisk
	}
	return s.Store.Head(ctx, k)
}

// A turn that was only viewed has no counter.
//
// SPEC: V9
func TestViewCountsNothing(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
	in := request("t", work(120, 10), 4_000)
	prepared(t, e, in)
	seen, err := e.View(t.Context(), in)
	if err != nil || seen.Plan == nil {
		t.Fatal("no plan", err)
	}
	if name, exact := seen.Counter(); name != "" || exact {
		t.Errorf("counted by %q, exactly %v", name, exact)
	}
}
