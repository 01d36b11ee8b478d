// Package upstreamview keeps what a provider sees of conversations beside what their
// clients see: the turns in which the model looked things up, and which thinking is
// still valid.
//
// Use: Views.Open for a request, Place for each prompt of it, Remember when an answer
// ends. Law: a turn stands at the place of its answer until a plan takes that answer
// out, then never again; erasing any message of the conversation forgets all of them.
// Promise: what was remembered is in the store, under store.Key.Upstream, before
// Remember returns nil; what cannot be stored holds while the process lives.
package upstreamview

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/tool"
)

// Views are the views of all conversations of a store. Make it with New.
type Views struct {
	store   store.Store
	now     func() time.Time
	timeout time.Duration
	recent  lru.Cache[store.Key, *state]
}

// At most so many conversations, and so many bytes of them, are kept in memory.
const (
	maxViews = 1024
	maxBytes = 64 << 20
)

// New returns the views of a store. timeout bounds each call.
func New(s store.Store, now func() time.Time, timeout time.Duration) *Views {
	return &Views{store: s, now: now, timeout: timeout, recent: lru.Cache[store.Key, *state]{MaxEntries: maxViews, MaxBytes: maxBytes}}
}

// Age forgets the views that were not opened since the call before, and returns how many
// are left.
func (s *Views) Age() (left int) { return s.recent.Age() }

// View holds what the provider sees of one conversation, for one request. It is not safe
// for concurrent use.
type View struct {
	views *Views
	key   store.Key
	state *state
	// reserved is the room that was made for the turns, in tokens.
	reserved int
	// dropped is set when turns left that no plan took out.
	dropped bool
}

// Open returns the view of a conversation. It is of use beside an error, too: it holds
// what was known last.
func (s *Views) Open(ctx context.Context, k store.Key) (*View, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	v := &View{views: s, key: k.Upstream(), state: new(state)}
	err := request.Guard(func() (err error) {
		v.state, err = s.read(ctx, v.key)
		return err
	})
	return v, err
}

// Refused reports whether the provider has refused that the model looks things up.
func (v *View) Refused() bool { return v.state.refused }

// Reserve returns the tokens of the turns whose answers are in a history: the room to
// keep for them.
func (v *View) Reserve(ms []message.Message) int {
	v.reserved = 0
	for _, t := range v.state.turns {
		if t.answers(ms) {
			v.reserved += t.tokens
		}
	}
	return v.reserved
}

// Notes are the declarations of the agent in turns whose answers are in a history.
func (v *View) Notes(ms []message.Message) (notes []plan.Note) {
	for _, t := range v.state.turns {
		if !t.answers(ms) {
			continue
		}
		for _, m := range t.messages {
			for _, n := range m.Calls() {
				if text, done, ok := tool.Note(m.Parts[n].Name, m.Parts[n].Args); ok {
					notes = append(notes, plan.Note{At: t.At, Text: text, Done: done})
				}
			}
		}
	}
	return notes
}

// Release drops the turns that room was reserved for, and returns that room.
func (v *View) Release(ctx context.Context, ms []message.Message) (tokens int, err error) {
	if v.reserved == 0 {
		return 0, nil
	}
	var gone []thread.ID
	for _, t := range v.state.turns {
		if t.answers(ms) {
			gone = append(gone, t.At)
		}
	}
	tokens, v.reserved, v.dropped = v.reserved, 0, true
	return tokens, v.add(ctx, entry{Gone: gone}.logged())
}

// Refuse remembers that the provider does not accept look-ups.
func (v *View) Refuse(ctx context.Context) error {
	return v.add(ctx, entry{Refused: true}.logged())
}

// Forget drops what is known of the conversation: the store is read anew.
func (v *View) Forget() { v.views.recent.Remove(v.key) }

// Remember keeps what the model said and saw in a turn, seen, for the place of the
// answer that the client has of it, visible, behind a thread.
func (v *View) Remember(ctx context.Context, t *thread.Thread, visible, seen []message.Message, m token.Meter) error {
	es := thread.Extend(t.Tip(), visible)
	kept := thread.Extend("", seen)
	for i := range kept {
		kept[i].Tokens, kept[i].Counter = m.Message(kept[i].Message), m.Name()
	}
	at := position{After: t.Tip(), At: es[len(es)-1].ID, Index: t.Len(), Count: len(es), Messages: len(kept)}
	return v.add(ctx, append(entry{Turn: &at}.logged(), kept...))
}

// add stores more of the view. What cannot be stored holds while the process lives.
func (v *View) add(ctx context.Context, es []thread.Entry) error {
	ctx, cancel := request.Recording(ctx, v.views.timeout)
	defer cancel()
	return request.Guard(func() (err error) {
		v.state, err = v.views.add(ctx, v.key, es)
		return err
	})
}

// read returns the state of a conversation; with an error, what was known of it last.
func (s *Views) read(ctx context.Context, k store.Key) (*state, error) {
	was, ok := s.recent.Get(k)
	if !ok {
		was = new(state)
	}
	h, err := s.store.Head(ctx, k)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return was, nil // empty, or not stored yet
	case err != nil:
		return was, fmt.Errorf("read upstream view of %s: %w", k.Thread, err)
	case h.Tip == was.tip:
		return was, nil
	}
	es, err := s.store.Load(ctx, k)
	if err != nil {
		return was, fmt.Errorf("load upstream view of %s: %w", k.Thread, err)
	}
	now := new(state).with(es)
	s.recent.Set(k, now, now.bytes)
	return now, nil
}

// add stores entries behind what there is, and returns the state with them.
func (s *Views) add(ctx context.Context, k store.Key, es []thread.Entry) (next *state, err error) {
	err = store.Retry(ctx, func() error {
		was, err := s.read(ctx, k)
		next = was
		chained := chain(was.tip, es)
		if err == nil {
			_, err = s.store.Append(ctx, k, store.Batch{Tip: was.tip, Entries: chained, Source: "upstream", Now: s.now()})
		}
		if errors.Is(err, store.ErrStale) {
			return err
		}
		next = was.with(chained)
		if err != nil {
			next.tip = was.tip
		}
		s.recent.Set(k, next, next.bytes)
		return err
	})
	if err != nil {
		err = fmt.Errorf("log upstream view of %s: %w", k.Thread, err)
	}
	return next, err
}

// chain puts entries behind another parent than they have.
func chain(parent thread.ID, es []thread.Entry) []thread.Entry {
	es = slices.Clone(es)
	for i := range es {
		es[i].Parent, es[i].ID = parent, thread.Chain(parent, es[i].Digest)
		parent = es[i].ID
	}
	return es
}
