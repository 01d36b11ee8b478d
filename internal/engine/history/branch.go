package history

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"

	"github.com/seed-3db51b0e/precis/internal/engine/session"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// A client may see less than its thread holds: it started again, went back, or another
// one that began alike is further on. It reads the plans of the thread that were made
// from no more than it sees. When it needs another one, that is the first of a branch of
// its own, with which it goes on: see BranchOff.

// maxBranches is how many branches clients get beside one thread for budgets of one size.
const maxBranches = 16

// branchKey names the n-th branch beside a thread for a policy and budgets of about the same
// size, alike in their first three bits: clients are told apart by how much a prompt may hold.
func branchKey(k store.Key, r Request, n int) store.Key {
	low := max(bits.Len(uint(r.Budget))-3, 0)
	about := r.Budget >> low << low
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", r.Policy, about, n))
	return store.Key{Tenant: k.Tenant, Thread: k.Thread + "~" + hex.EncodeToString(sum[:4])}
}

// branchFor returns the key of the branch beside that of b that a client reads: see findBranch;
// the zero key where the thread itself has a newer plan for its budget, or there is none. free
// is the key of the next branch; zero where there are too many.
func (h *History) branchFor(ctx context.Context, b Branch, r Request) (k, free store.Key, err error) {
	found, err := h.findBranch(ctx, b, r)
	if err != nil || found.key == (store.Key{}) {
		return store.Key{}, found.free, err
	}
	p, err := h.earlier(ctx, b.Key, b.View)
	if err != nil || p == nil || p.Inputs.Budget != r.Budget {
		return found.key, found.free, err
	}
	if at, _ := b.View.Find(p.Base); at >= found.length {
		return store.Key{}, found.free, nil
	}
	return found.key, found.free, nil
}

// foundBranch is the branch beside a thread that suits a client best.
type foundBranch struct {
	key    store.Key // of the branch that it goes on with; zero: none
	length int       // of that branch, 0 where the client sees only its beginning
	free   store.Key // of the next branch; zero: there are too many
}

// findBranch finds the longest branch that the client's history goes on from, else the first
// with a plan that was made from no more than the client sees.
func (h *History) findBranch(ctx context.Context, b Branch, r Request) (found foundBranch, err error) {
	for n := 0; n < maxBranches && found.free == (store.Key{}); n++ {
		next := branchKey(b.Key, r, n)
		head, err := h.Store.Head(ctx, next)
		if errors.Is(err, store.ErrNotFound) {
			found.free = next
			continue
		}
		if err != nil {
			return found, fmt.Errorf("look up branch %s: %w", next.Thread, err)
		}
		at, ok := b.Thread.Find(head.Tip)
		switch {
		case !ok || at+1 != head.Len: // of another conversation
		case head.Len <= b.View.Len():
			if head.Len > found.length && !erased(b.View, head.Len) {
				found.key, found.length = next, head.Len
			}
		case found.key == store.Key{}:
			p, err := h.earlier(ctx, next, b.View)
			if err != nil {
				return found, err
			}
			if p != nil {
				found.key = next
			}
		}
	}
	return found, nil
}

// erased reports whether an entry from position n on was erased: it is logged no more.
func erased(t *thread.Thread, n int) bool {
	for ; n < t.Len(); n++ {
		if t.At(n).Erased {
			return true
		}
	}
	return false
}

// moveToBranch moves a client from its thread to the branch that it reads, if there is one.
// One that sees all of the thread is asked for only where the plan is for another budget.
func (h *History) moveToBranch(ctx context.Context, b Branch, r Request) (Branch, error) {
	if r.Continue {
		return b, nil
	}
	behind := b.View.Len() < b.Thread.Len()
	if !behind {
		p, err := h.plan(ctx, &b.Session, b.PlanVersion)
		if err != nil || p == nil || p.Inputs.Budget == 0 || p.Inputs.Budget == r.Budget {
			return b, err
		}
	}
	k, free, err := h.branchFor(ctx, b, r)
	if err != nil || k == (store.Key{}) {
		b.FreeKey = free
		return b, err
	}
	s, n, err := h.match(ctx, k, r)
	if err != nil {
		return b, err
	}
	r.Key = k
	if b, err = h.grow(ctx, s, n, r); err != nil {
		return b, err
	}
	b.FreeKey = free
	h.keep(ctx, &b.Session, r)
	return b, nil
}

// match loads a thread, and counts the messages that it shares with a request.
func (h *History) match(ctx context.Context, k store.Key, r Request) (session.Session, int, error) {
	s, err := h.Load(ctx, k, r.Messages)
	if err != nil {
		return s, 0, fmt.Errorf("load thread %s: %w", k.Thread, err)
	}
	return s, s.Thread.Match(r.Messages), nil
}

// forkFromBranch stores the client's branch, which departs from the thread from after n
// messages, beside it or beside the branch that the client read so far.
func (h *History) forkFromBranch(ctx context.Context, from session.Session, to store.Key, n int, r Request) (Branch, error) {
	shared, err := from.Thread.Prefix(n)
	if err != nil {
		return Branch{}, err
	}
	k, _, err := h.branchFor(ctx, Branch{Session: from, View: shared}, r)
	if err == nil && k != (store.Key{}) {
		from, n, err = h.match(ctx, k, r)
	}
	if err != nil {
		return Branch{}, err
	}
	return h.fork(ctx, from, to, n, r)
}

// BranchOff makes the branch to beside from, with its entries up to tip. The error wraps
// store.ErrForeign where another request was first: the whole of it is to be tried again.
func (h *History) BranchOff(ctx context.Context, from, to store.Key, tip thread.ID) error {
	_, err := h.Store.Append(ctx, to, store.Batch{ForkOf: from.Thread, At: tip, Now: h.Now()})
	return WasFirst(err)
}

// WasFirst makes an error foreign that says that another request wrote a branch first.
func WasFirst(err error) error {
	if errors.Is(err, store.ErrStale) {
		return fmt.Errorf("branch off: %w: %v", store.ErrForeign, err)
	}
	return err
}
