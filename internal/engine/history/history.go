// Package history writes what clients send to the log and reads it back: forks,
// other forms of known messages, replies, erasure.
//
// Use: Log for what a client sent, then Current for the plan of the branch that
// it belongs to. Law: what is logged never changes, and a history that departs
// from the log becomes a fork with a key of its own. Promise: a write that lost a
// race is tried again on fresh data.
package history

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/internal/engine/lineage"
	"github.com/seed-3db51b0e/precis/internal/engine/session"
	"github.com/seed-3db51b0e/precis/internal/keylock"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// History is the log of an engine. All exported fields are required.
type History struct {
	Store    store.Store
	Sessions *session.Sessions
	Replies  *lineage.Replies
	Now      func() time.Time
	// Failed is told of what could not be carried over to a fork, and of a link that
	// could not be written or read.
	Failed func(store.Key, error)

	notes keylock.Locks[store.Key] // one at a time adds to a user's notes, whose name stands for the thread
}

// Request is a conversation as a client sent it.
type Request struct {
	Key      store.Key
	Messages []message.Message
	Continue bool // Messages are only what is new
	Envelope []byte
	Source   string
	User     string      // for whom the client asks, "" where that is not said
	Meter    token.Meter // stamps what is logged with its count
	// Policy and Budget are those that the prompt is made for.
	Policy string
	Budget int
	// NoteUse makes this request the last use of the thread.
	NoteUse bool
}

// Branch is the thread that a request belongs to.
type Branch struct {
	session.Session // its LastUsed is the use before this request

	View *thread.Thread // as the client sees it: the log may go on
	// FreeKey is that of the branch that the client gets when it needs a plan of its
	// own, as it sees less than the log holds; zero: it gets none. See BranchOff.
	FreeKey store.Key
}

// Load reads a thread from the store, or takes it from memory when the store's
// tip is still the one that was read last. have are messages that the thread may begin
// with: what the store holds of them is not read.
func (h *History) Load(ctx context.Context, k store.Key, have []message.Message) (session.Session, error) {
	s := h.Sessions.Peek(k) // before anything is read: what is erased meanwhile is not kept
	head, err := h.Store.Head(ctx, k)
	if err != nil {
		return s, err
	}
	if known, ok := h.Sessions.At(k, head.Tip); ok && standing(known, head) {
		known.LastUsed, known.PlanVersion = latest(known.LastUsed, head.Updated), head.PlanVersion
		return known, nil
	}
	t := h.goneOn(ctx, s, head)
	if t == nil {
		es, err := store.LoadHaving(ctx, h.Store, k, have[:min(len(have), head.Len)])
		if err != nil {
			return s, err
		}
		if t, err = thread.New(es); err != nil {
			return s, err
		}
	}
	s.LastUsed, s.PlanVersion = latest(s.LastUsed, head.Updated), head.PlanVersion
	return h.keepAnew(s, t), nil
}

// standing reports whether what is remembered of a thread still holds as far as it goes. A
// plan that another process committed may be what an erasure left: everything is read anew.
func standing(s session.Session, head store.Head) bool {
	if s.Plan == nil {
		return head.PlanVersion == 0
	}
	return s.Plan.Version == head.PlanVersion
}

// goneOn is the remembered thread with what another process appended to it since, nil where
// that cannot be told from what is remembered. An entry's id follows from all before it.
func (h *History) goneOn(ctx context.Context, s session.Session, head store.Head) *thread.Thread {
	if s.Thread == nil || s.Thread.Len() == 0 || s.Thread.Len() >= head.Len || !standing(s, head) {
		return nil
	}
	es, err := store.LoadRange(ctx, h.Store, s.Key, s.Thread.Len(), head.Len)
	if err != nil {
		return nil
	}
	t, err := s.Thread.Append(es)
	if err != nil || t.Tip() != head.Tip {
		return nil
	}
	return t
}

// keepAnew keeps a thread whose stored tip is not the one that was kept: writes may
// have been lost, so which envelope and variants are logged is not known.
func (h *History) keepAnew(s session.Session, t *thread.Thread) session.Session {
	s.Thread, s.Envelope, s.Variants = t, [sha256.Size]byte{}, nil
	h.Sessions.Keep(s)
	return s
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// InForce is the plan that applies to a request: see Current.
type InForce struct {
	Plan *plan.Plan // nil: none
	// Behind is set where the client sees less than the log holds.
	Behind bool
}

// Current returns the plan in force on a branch as the client sees it. For a client
// that is behind the log it is the newest plan that was made from no more than the
// client sees: what came since may be another conversation that began alike.
func (h *History) Current(ctx context.Context, s *session.Session, view *thread.Thread) (f InForce, err error) {
	head, err := h.Store.Head(ctx, s.Key)
	if err != nil {
		return f, fmt.Errorf("read head of %s: %w", s.Key.Thread, err)
	}
	if f.Plan, err = h.plan(ctx, s, head.PlanVersion); err != nil {
		return InForce{}, err
	}
	f.Behind = head.Len > view.Len()
	if f.Plan != nil && !madeFrom(f.Plan.Base, view) {
		f.Behind = true
		if f.Plan, err = h.earlier(ctx, s.Key, view); err != nil {
			return InForce{}, err
		}
	}
	return f, nil
}

// madeFrom reports whether a plan with that base was made from no more than a thread
// holds: an entry's id follows from all that is before it.
func madeFrom(base thread.ID, t *thread.Thread) bool {
	_, ok := t.Find(base)
	return ok || base == ""
}

// earlier returns the newest plan that was made from no more than a view, nil if
// there is none.
func (h *History) earlier(ctx context.Context, k store.Key, view *thread.Thread) (*plan.Plan, error) {
	versions, err := h.Store.PlanVersions(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("list plans of %s: %w", k.Thread, err)
	}
	for _, v := range slices.Backward(versions) {
		if !madeFrom(v.Base, view) {
			continue
		}
		p, err := h.Store.PlanAt(ctx, k, v.Version)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read plan %d of %s: %w", v.Version, k.Thread, err)
		}
		return p, nil
	}
	return nil, nil
}

// plan returns the store's current plan, from the session when the version is
// still the one that was read last; nil if there is none.
func (h *History) plan(ctx context.Context, s *session.Session, version int) (*plan.Plan, error) {
	if version == 0 {
		return nil, nil
	}
	if s.Plan != nil && s.Plan.Version == version {
		return s.Plan, nil
	}
	p, err := h.Store.Plan(ctx, s.Key)
	if err != nil {
		return nil, fmt.Errorf("read plan of %s: %w", s.Key.Thread, err)
	}
	s.Plan = p
	return p, nil
}
