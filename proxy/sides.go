package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// aside is what stands upstream in place of one answer as the client has it:
// with the calls of the recall tools and what they got (DESIGN decision 12).
type aside struct {
	place
	messages []message.Message
	tokens   int
}

// stands says whether the aside's answer is in a history, by its own messages
// only: what is before them is not looked at.
func (a aside) stands(ms []message.Message) bool {
	if a.Index < 0 || a.Count < 1 || a.Index+a.Count > len(ms) {
		return false
	}
	id := a.After
	for _, m := range ms[a.Index : a.Index+a.Count] {
		id = thread.Chain(id, m.Digest())
	}
	return id == a.At
}

// footing is what a branch's thinking stands on, for models that bind it: whether
// its requests declare the recall tools, and how many messages are from before
// that changed, so that their thinking is void.
type footing struct {
	Declared bool `json:"declared"`
	Void     int  `json:"void"`
}

// view is what the provider sees of a conversation beside what the client does.
// It is not changed once it is made.
type view struct {
	tip     thread.ID // of its log
	asides  []aside   // oldest first
	refused bool      // the provider does not take it that the model looks things up
	footing map[string]footing
	size    int // bytes of the asides
}

// remark is an entry of a view's log that says something. An aside is followed by
// its messages.
type remark struct {
	Aside   *place      `json:"aside,omitempty"`
	Gone    []thread.ID `json:"gone,omitempty"` // asides that have no place any more
	Refused bool        `json:"refused,omitempty"`
	Branch  string      `json:"branch,omitempty"` // that Footing is of
	Footing *footing    `json:"footing,omitempty"`
}

// place is where an aside stands: the entry before its answer, and the answer's
// last; the position of the answer's first, and how many they are.
type place struct {
	After    thread.ID `json:"after"`
	At       thread.ID `json:"at"`
	Index    int       `json:"index"`
	Count    int       `json:"count"`
	Messages int       `json:"messages"` // of the aside, behind the remark
}

// logged is the remark as an entry of the log.
func (r remark) logged() []thread.Entry {
	raw := written(r)
	return thread.Extend("", []message.Message{{
		Role: message.System, Meta: true, Parts: []message.Part{{Kind: message.Text, Text: string(raw)}}, Raw: raw,
	}})
}

// with is the view after more of its log. Where content was erased nothing of
// what was before counts any more.
func (v *view) with(es []thread.Entry) *view {
	next := &view{tip: v.tip, asides: slices.Clone(v.asides), refused: v.refused, footing: maps.Clone(v.footing)}
	for i := 0; i < len(es); i++ {
		next.tip = es[i].ID
		if es[i].Erased {
			next.asides, next.footing = nil, nil
			continue
		}
		var r remark
		if !es[i].Message.Meta || json.Unmarshal(es[i].Message.Raw, &r) != nil {
			continue
		}
		i += next.take(r, es[i+1:])
		next.tip = es[i].ID
	}
	for _, a := range next.asides {
		next.size += size(a.messages)
	}
	return next
}

// take takes a remark, and says how many of the entries behind it are its own.
func (v *view) take(r remark, behind []thread.Entry) int {
	v.refused = v.refused || r.Refused
	if f := r.Footing; f != nil {
		if v.footing == nil {
			v.footing = map[string]footing{}
		}
		v.footing[r.Branch] = *f
	}
	v.asides = slices.DeleteFunc(v.asides, func(a aside) bool { return slices.Contains(r.Gone, a.At) })
	h := r.Aside
	if h == nil || h.Messages < 0 || h.Messages > len(behind) {
		return 0
	}
	a := aside{place: *h}
	for _, e := range behind[:h.Messages] {
		if e.Erased {
			return 0
		}
		a.messages, a.tokens = append(a.messages, e.Message), a.tokens+e.Tokens
	}
	v.asides = append(v.asides, a)
	return h.Messages
}

func size(ms []message.Message) (n int) {
	for _, m := range ms {
		n += len(m.Raw)
		for _, p := range m.Parts {
			n += len(p.Text) + len(p.Args) + len(p.Body())
		}
	}
	return n
}

// present is what the asides of a history take, in tokens.
func (v *view) present(ms []message.Message) (n int) {
	for _, a := range v.asides {
		if a.stands(ms) {
			n += a.tokens
		}
	}
	return n
}

// views are those of the conversations of late, as the store has them.
type views struct {
	store store.Store
	mu    sync.Mutex
	known map[store.Key]*seen
	clock int
	size  int
}

// seen is a view and when it was asked for last.
type seen struct {
	*view
	used int
}

// What is kept in memory at most: so many conversations, so many bytes.
const (
	mostViews = 256
	mostSize  = 64 << 20
)

// of is the view of a conversation; with an error, what was known of it last.
func (s *views) of(ctx context.Context, k store.Key) (*view, error) {
	k = k.Upstream()
	was := s.last(k)
	h, err := s.store.Head(ctx, k)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return was, nil // empty, or not logged yet
	case err != nil:
		return was, fmt.Errorf("read upstream view of %s: %w", k.Thread, err)
	case h.Tip == was.tip:
		return was, nil
	}
	es, err := s.store.Load(ctx, k)
	if err != nil {
		return was, fmt.Errorf("load upstream view of %s: %w", k.Thread, err)
	}
	v := new(view).with(es)
	s.keep(k, v)
	return v, nil
}

// writes is how often a write that lost a race is tried again.
const writes = 8

// add logs more of a view, and returns it. What cannot be logged holds for as long as the proxy
// runs.
func (s *views) add(ctx context.Context, k store.Key, now time.Time, es []thread.Entry) (v *view, err error) {
	for range writes {
		v, err = s.of(ctx, k)
		chained := onto(v.tip, es)
		if err == nil {
			_, err = s.store.Append(ctx, k.Upstream(), store.Batch{Tip: v.tip, Entries: chained, Source: "upstream", Now: now})
		}
		if errors.Is(err, store.ErrStale) {
			continue
		}
		next := v.with(chained)
		if err != nil {
			next.tip = v.tip
			err = fmt.Errorf("log upstream view of %s: %w", k.Thread, err)
		}
		s.keep(k.Upstream(), next)
		return next, err
	}
	return v, fmt.Errorf("log upstream view of %s: %w", k.Thread, store.ErrStale)
}

// onto chains entries onto another parent than they have.
func onto(parent thread.ID, es []thread.Entry) []thread.Entry {
	es = slices.Clone(es)
	for i := range es {
		es[i].Parent, es[i].ID = parent, thread.Chain(parent, es[i].Digest)
		parent = es[i].ID
	}
	return es
}

func (s *views) last(k store.Key) *view {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.known[k]
	if x == nil {
		return new(view)
	}
	s.clock++
	x.used = s.clock
	return x.view
}

func (s *views) keep(k store.Key, v *view) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[store.Key]*seen{}
	}
	if x := s.known[k]; x != nil {
		s.size -= x.size
	}
	s.clock++
	s.known[k] = &seen{v, s.clock}
	s.size += v.size
	for len(s.known) > 1 && (len(s.known) > mostViews || s.size > mostSize) {
		s.forgetLocked()
	}
}

func (s *views) forgetLocked() {
	var oldest store.Key
	at := s.clock + 1
	for k, x := range s.known {
		if x.used < at {
			oldest, at = k, x.used
		}
	}
	s.size -= s.known[oldest].size
	delete(s.known, oldest)
}
