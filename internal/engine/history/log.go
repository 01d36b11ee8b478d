package history

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/seed-3db51b0e/precis/internal/engine/lineage"
	"github.com/seed-3db51b0e/precis/internal/engine/session"
	"github.com/seed-3db51b0e/precis/internal/engine/variant"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// Log makes sure that the store holds the client's history, and returns the
// branch it belongs to. A history that departs from the log becomes a fork with a
// key of its own.
func (h *History) Log(ctx context.Context, r Request) (b Branch, err error) {
	err = store.Retry(ctx, func() error {
		b, err = h.log(ctx, r)
		return err
	})
	if err != nil {
		return b, err
	}
	if b.Thread == nil { // a new fork is not kept: the next request reads it
		h.trace(ctx, &b.Session)
		return b, nil
	}
	h.keep(ctx, &b.Session, r)
	err = store.Retry(ctx, func() error {
		b, err = h.moveToBranch(ctx, b, r)
		return err
	})
	return b, err
}

// keep remembers a session, and that the request used it.
func (h *History) keep(ctx context.Context, s *session.Session, r Request) {
	h.trace(ctx, s)
	kept := *s
	if r.NoteUse {
		kept.LastUsed = h.Now()
	}
	h.Sessions.Keep(kept)
}

// trace finds out which threads a session's goes on from.
func (h *History) trace(ctx context.Context, s *session.Session) {
	if s.Traced {
		return
	}
	var err error
	if s.Earlier, err = store.Earlier(ctx, h.Store, s.Key); err != nil {
		h.Failed(s.Key, err)
		return
	}
	s.Traced = true
}

// link notes which thread a new one goes on from, if what is new of it tells.
func (h *History) link(ctx context.Context, k store.Key, r Request, fresh []message.Message, begins bool) {
	of, ok := h.Replies.Find(k, r.User, fresh, begins)
	if !ok && lineage.MayHold(fresh, begins) && h.takeNotes(ctx, k, r.User) {
		of, ok = h.Replies.Find(k, r.User, fresh, begins)
	}
	if !ok {
		return
	}
	if err := store.Link(ctx, h.Store, k, of, h.Now()); err != nil {
		h.Failed(k, err)
	}
}

func (h *History) log(ctx context.Context, r Request) (Branch, error) {
	at, err := h.find(ctx, r)
	r.Key = at.Key
	switch {
	case errors.Is(err, store.ErrNotFound):
		return h.begin(ctx, at.Session, r)
	case err != nil:
		return Branch{}, err
	case r.Continue:
		return h.extend(ctx, at.Session, r)
	case at.fork != (store.Key{}):
		return h.forkFromBranch(ctx, at.Session, at.fork, at.shared, r)
	}
	return h.grow(ctx, at.Session, at.shared, r)
}

// place is where a history goes on: in a thread, of which it has the first messages.
type place struct {
	session.Session
	shared int       // messages of the history that the thread has; with Continue not counted
	fork   store.Key // of the fork that the history makes; zero where it does not depart
}

// find follows a history from its thread through the forks that departed as it does. An
// error that wraps store.ErrNotFound says that nothing is logged at the place's key.
func (h *History) find(ctx context.Context, r Request) (at place, err error) {
	k, ms := r.Key, r.Messages
	if r.Continue {
		ms = nil
	}
	for {
		if at.Session, err = h.Load(ctx, k, ms); err != nil {
			return at, fmt.Errorf("load thread %s: %w", k.Thread, err)
		}
		at.shared = at.Thread.Match(ms)
		if at.shared == len(ms) || at.shared == at.Thread.Len() {
			return at, nil
		}
		k = forkKey(k, at.Thread, at.shared, ms[at.shared])
		_, err = h.Store.Head(ctx, k)
		if errors.Is(err, store.ErrNotFound) {
			at.fork = k
			return at, nil
		}
		if err != nil {
			return at, fmt.Errorf("look up fork %s: %w", k.Thread, err)
		}
	}
}

// forkKey names the branch that departs from t at position n with message m.
func forkKey(k store.Key, t *thread.Thread, n int, m message.Message) store.Key {
	return store.Key{Tenant: k.Tenant, Thread: k.Thread + "~" + string(thread.Chain(t.TipAt(n), m.Digest())[:8])}
}

// begin logs a new thread.
func (h *History) begin(ctx context.Context, s session.Session, r Request) (Branch, error) {
	es := counted(thread.Extend("", variant.Lasting(r.Messages)), r.Meter)
	b := store.Batch{Entries: es, Envelope: r.Envelope, Source: r.Source, Now: h.Now()}
	if _, err := h.Store.Append(ctx, r.Key, b); err != nil {
		return Branch{}, fmt.Errorf("log thread %s: %w", r.Key.Thread, err)
	}
	t, err := thread.New(es)
	if err != nil {
		return Branch{}, err
	}
	h.link(ctx, r.Key, r, r.Messages, true)
	return Branch{Session: h.keepAnew(s, t), View: t}, nil
}

// extend logs what is new, for a client that leaves the history to the log.
func (h *History) extend(ctx context.Context, s session.Session, r Request) (Branch, error) {
	if len(r.Messages) == 0 {
		return Branch{Session: s, View: s.Thread}, nil
	}
	tip := s.Thread.Tip()
	b := store.Batch{Tip: tip, Entries: counted(thread.Extend(tip, variant.Lasting(r.Messages)), r.Meter), Envelope: r.Envelope, Now: h.Now()}
	if _, err := h.Store.Append(ctx, r.Key, b); err != nil {
		return Branch{}, fmt.Errorf("log thread %s: %w", r.Key.Thread, err)
	}
	grown, err := s.Thread.Append(b.Entries)
	s.Thread = grown
	return Branch{Session: s, View: grown}, err
}

// grow logs what the client has beyond the n messages that it shares with the
// log, and returns the thread as far as the client sees it. The envelope is
// logged where it is not the last one.
func (h *History) grow(ctx context.Context, s session.Session, n int, r Request) (Branch, error) {
	t, sum := s.Thread, sha256.Sum256(r.Envelope)
	b := store.Batch{Tip: t.Tip(), Variants: variant.Of(t, r.Messages[:n]), Now: h.Now()}
	if s.Variants != nil {
		b.Variants = s.Variants.Missing(b.Variants)
	}
	if n == t.Len() {
		b.Entries = counted(thread.Extend(t.TipAt(n), variant.Lasting(r.Messages[n:])), r.Meter)
	}
	if r.Envelope != nil && s.Envelope != sum {
		b.Envelope = r.Envelope
	}
	if len(b.Entries)+len(b.Variants) > 0 || b.Envelope != nil {
		if _, err := h.Store.Append(ctx, r.Key, b); err != nil {
			return Branch{}, fmt.Errorf("log thread %s: %w", r.Key.Thread, err)
		}
		if b.Envelope != nil {
			s.Envelope = sum
		}
		if s.Variants == nil {
			s.Variants = new(variant.Known)
		}
		s.Variants.Add(b.Variants)
	}
	if len(b.Entries) == 0 {
		view, err := t.Prefix(n)
		return Branch{Session: s, View: view}, err
	}
	grown, err := t.Append(b.Entries)
	s.Thread = grown
	return Branch{Session: s, View: grown}, err
}

// counted stamps entries with the meter's count.
func counted(es []thread.Entry, m token.Meter) []thread.Entry {
	name := m.Name()
	for i := range es {
		es[i].Tokens, es[i].Counter = m.Message(es[i].Message), name
	}
	return es
}
