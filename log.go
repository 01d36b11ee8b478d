package precis

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// races is how often a write that lost a race is tried again on fresh data.
const races = 8

// logged makes sure that the store holds the client's history, and returns the
// thread it belongs to, as the client sees it. A history that departs from the
// log becomes a fork with a key of its own.
//
// It sets in.Rest to how long that thread had lain still, unless the caller did.
func (e *Engine) logged(ctx context.Context, in *Input) (store.Key, *thread.Thread, error) {
	k := store.Key{Tenant: e.tenant, Thread: in.Thread}
	for range races {
		key, t, err := e.logOnce(ctx, k, *in, in.Meter)
		if errors.Is(err, store.ErrStale) {
			continue
		}
		if err == nil {
			in.Client.Idle = e.rested(key, in.Client.Idle)
		}
		return key, t, err
	}
	return k, nil, fmt.Errorf("log thread %s: %w", k.Thread, store.ErrStale)
}

func (e *Engine) logOnce(ctx context.Context, k store.Key, in Input, m token.Meter) (store.Key, *thread.Thread, error) {
	for {
		t, err := e.load(ctx, k)
		if errors.Is(err, store.ErrNotFound) {
			t, err := e.begin(ctx, k, in, m)
			return k, t, err
		}
		if err != nil {
			return k, nil, fmt.Errorf("load thread %s: %w", k.Thread, err)
		}
		if in.Continue {
			v, err := e.extend(ctx, k, t, in, m)
			return k, v, err
		}
		n := t.Match(in.Messages)
		if n == len(in.Messages) || n == t.Len() {
			v, err := e.grow(ctx, k, t, n, in, m)
			return k, v, err
		}
		next := forkKey(k, t, n, in.Messages[n])
		switch _, err := e.store.Head(ctx, next); {
		case err == nil:
			k = next
		case errors.Is(err, store.ErrNotFound):
			v, err := e.fork(ctx, k, next, t, n, in, m)
			return next, v, err
		default:
			return k, nil, fmt.Errorf("look up fork %s: %w", next.Thread, err)
		}
	}
}

// load reads a thread from the store, or takes it from memory when the store's
// tip is still the one that was read last.
func (e *Engine) load(ctx context.Context, k store.Key) (*thread.Thread, error) {
	h, err := e.store.Head(ctx, k)
	if err != nil {
		return nil, err
	}
	if t := e.recent.thread(k, h.Tip); t != nil {
		e.recent.used(k, h.Updated)
		return t, nil
	}
	es, err := e.store.Load(ctx, k)
	if err != nil {
		return nil, err
	}
	t, err := thread.New(es)
	if err == nil {
		e.recent.keep(k, t)
		e.recent.doubt(k)
		e.recent.used(k, h.Updated)
	}
	return t, err
}

// forkKey names the branch that departs from t at position n with message m.
func forkKey(k store.Key, t *thread.Thread, n int, m message.Message) store.Key {
	var parent thread.ID
	if n > 0 {
		parent = t.At(n - 1).ID
	}
	return store.Key{Tenant: k.Tenant, Thread: k.Thread + "~" + string(thread.Chain(parent, m.Digest())[:8])}
}

func (e *Engine) begin(ctx context.Context, k store.Key, in Input, m token.Meter) (*thread.Thread, error) {
	es := counted(thread.Extend("", lasting(in.Messages)), m)
	b := store.Batch{Entries: es, Envelope: in.Client.Envelope, Source: in.Client.Source, Now: e.now()}
	e.recent.doubt(k)
	if _, err := e.store.Append(ctx, k, b); err != nil {
		return nil, fmt.Errorf("log thread %s: %w", k.Thread, err)
	}
	t, err := thread.New(es)
	if err == nil {
		e.recent.keep(k, t)
	}
	return t, err
}

// extend appends what is new, for a client that leaves the history to the log.
func (e *Engine) extend(ctx context.Context, k store.Key, t *thread.Thread, in Input, m token.Meter) (*thread.Thread, error) {
	if len(in.Messages) == 0 {
		return t, nil
	}
	b := store.Batch{Tip: t.Tip(), Entries: counted(thread.Extend(t.Tip(), lasting(in.Messages)), m), Envelope: in.Client.Envelope, Now: e.now()}
	if _, err := e.store.Append(ctx, k, b); err != nil {
		return nil, fmt.Errorf("log thread %s: %w", k.Thread, err)
	}
	grown, err := t.Append(b.Entries)
	if err == nil {
		e.recent.keep(k, grown)
	}
	return grown, err
}

// grow appends what the client has beyond the log, and returns the thread as
// far as the client sees it. The envelope is logged where it is not the last one.
func (e *Engine) grow(ctx context.Context, k store.Key, t *thread.Thread, n int, in Input, m token.Meter) (*thread.Thread, error) {
	b := store.Batch{
		Tip: t.Tip(), Entries: counted(thread.Extend(tipAt(t, n), lasting(in.Messages[n:])), m),
		Variants: e.recent.fresh(k, variants(t, in.Messages[:n])), Now: e.now(),
	}
	if n < t.Len() {
		b.Entries = nil
	}
	sum := sha256.Sum256(in.Client.Envelope)
	if in.Client.Envelope != nil && e.recent.envelope(k) != sum {
		b.Envelope = in.Client.Envelope
	}
	if len(b.Entries)+len(b.Variants) > 0 || b.Envelope != nil {
		if _, err := e.store.Append(ctx, k, b); err != nil {
			return nil, fmt.Errorf("log thread %s: %w", k.Thread, err)
		}
		if b.Envelope != nil {
			e.recent.setEnvelope(k, sum)
		}
		e.recent.logged(k, b.Variants)
	}
	if len(b.Entries) == 0 {
		if n == t.Len() {
			return t, nil
		}
		return t.Prefix(n)
	}
	grown, err := t.Append(b.Entries)
	if err == nil {
		e.recent.keep(k, grown)
	}
	return grown, err
}

func tipAt(t *thread.Thread, n int) thread.ID {
	if n == 0 {
		return ""
	}
	return t.At(n - 1).ID
}

// fork stores the client's branch beside the one it departs from, with the
// plan's records that still stand.
func (e *Engine) fork(ctx context.Context, from, to store.Key, t *thread.Thread, n int, in Input, m token.Meter) (*thread.Thread, error) {
	es := counted(thread.Extend(tipAt(t, n), lasting(in.Messages[n:])), m)
	b := store.Batch{Entries: es, Variants: variants(t, in.Messages[:n]), Envelope: in.Client.Envelope, Source: in.Client.Source, Now: e.now()}
	if n > 0 {
		b.ForkOf, b.At = from.Thread, t.At(n-1).ID
	}
	if _, err := e.store.Append(ctx, to, b); err != nil {
		return nil, fmt.Errorf("fork thread %s: %w", from.Thread, err)
	}
	shared, err := t.Prefix(n)
	if err != nil {
		return nil, err
	}
	branch, err := shared.Append(es)
	if err != nil {
		return nil, err
	}
	return branch, e.inherit(ctx, from, to, t, branch)
}

// inherit commits the parent's plan on a fork, carried over by alignment.
func (e *Engine) inherit(ctx context.Context, from, to store.Key, t, branch *thread.Thread) error {
	p, err := e.store.Plan(ctx, from)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read plan of %s: %w", from.Thread, err)
	}
	carried, err := plan.Carry(p, t, branch)
	if err != nil {
		return fmt.Errorf("carry plan of %s: %w", from.Thread, err)
	}
	if len(carried.Records)+len(carried.Pins)+len(carried.Holds) == 0 && carried.NoThinking == (plan.Range{}) {
		return nil
	}
	carried.Thread, carried.Version, carried.CreatedAt = to.Thread, 1, e.now().UTC()
	artifacts, err := e.rename(ctx, from, carried, branch)
	if err != nil {
		return err
	}
	if err := e.store.Commit(ctx, to, carried, artifacts); err != nil && !errors.Is(err, store.ErrStale) {
		return fmt.Errorf("commit plan of %s: %w", to.Thread, err)
	}
	return nil
}

// rename gives the artifacts of carried records the names they have on the
// branch: an id follows from the whole prefix.
func (e *Engine) rename(ctx context.Context, from store.Key, p *plan.Plan, branch *thread.Thread) ([]artifact.Artifact, error) {
	var out []artifact.Artifact
	for i := range p.Records {
		r := &p.Records[i]
		if r.Action != plan.Externalize {
			continue
		}
		a, err := e.store.Artifact(ctx, from, r.Artifact)
		if err != nil { // erased, expired or sealed: its message comes back whole
			e.failed(from, fmt.Errorf("carry artifact %s: %w", r.Artifact, err))
			r.Action = plan.Include
			continue
		}
		named := artifact.Of(r.Span.Start(), r.Span.Part, a.Content)
		a.ID, a.Source, a.Part = named.ID, named.Source, named.Part
		r.Artifact = a.ID
		out = append(out, a)
	}
	p.Records = slices.DeleteFunc(p.Records, func(r plan.Record) bool { return r.Action == plan.Include })
	built, err := plan.Rebuild(*p, branch)
	if err == nil {
		*p = *built
	}
	return out, err
}

// counted stamps entries with the meter's count.
func counted(es []thread.Entry, m token.Meter) []thread.Entry {
	name := m.Name()
	for i := range es {
		es[i].Tokens, es[i].Counter = m.Message(es[i].Message), name
	}
	return es
}
