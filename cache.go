package precis

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/summary"
)

// cached is a summarizer that asks for nothing it has written before, on any
// thread of the tenant (SPEC L18).
func (e *Engine) cached(s summary.Summarizer) summary.Summarizer {
	return &summary.Cached{
		With: s, Cache: summaries{e.store, e.tenant, e.now}, Policy: e.policy.Name,
		OnError: func(err error) { e.failed(store.Key{Tenant: e.tenant}, fmt.Errorf("cache summary: %w", err)) },
	}
}

// summaries is a tenant's cache of summaries in the store.
type summaries struct {
	store  store.Store
	tenant string
	now    func() time.Time
}

// Summary implements summary.Cache.
func (c summaries) Summary(ctx context.Context, key string) ([]byte, error) {
	data, err := c.store.Summary(ctx, c.tenant, key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return data, err
}

// PutSummary implements summary.Cache.
func (c summaries) PutSummary(ctx context.Context, key string, data []byte) error {
	return c.store.PutSummary(ctx, c.tenant, key, data, c.now())
}

// fallback asks a second summarizer where the first fails or invents, and tells
// of it.
type fallback struct {
	first, second summary.Summarizer
	tell          func(error)
}

// Name implements summary.Summarizer.
func (f fallback) Name() string { return f.first.Name() }

// Summarize implements summary.Summarizer.
func (f fallback) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	s, err := f.first.Summarize(ctx, in)
	if err == nil {
		err = summary.Verify(s, in.Thread, in.Span, in.Previous...)
	}
	if err == nil || ctx.Err() != nil {
		return s, err
	}
	f.tell(fmt.Errorf("summarize with %s: %w", f.first.Name(), err))
	return f.second.Summarize(ctx, in)
}
