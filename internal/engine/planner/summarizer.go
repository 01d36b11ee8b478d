package planner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/summary"
)

// SummaryCache is a tenant's cache of summaries in a store. All fields but Tenant
// are required.
type SummaryCache struct {
	Store  store.Summaries
	Tenant string
	Now    func() time.Time
}

// Summary implements summary.Cache.
func (c SummaryCache) Summary(ctx context.Context, key string) ([]byte, error) {
	data, err := c.Store.Summary(ctx, c.Tenant, key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return data, err
}

// PutSummary implements summary.Cache.
func (c SummaryCache) PutSummary(ctx context.Context, key string, data []byte) error {
	return c.Store.PutSummary(ctx, c.Tenant, key, data, c.Now())
}

// fallback asks a second summarizer where the first fails or invents, and reports
// that.
type fallback struct {
	first, second summary.Summarizer
	failed        func(error)
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
	f.failed(fmt.Errorf("summarize with %s: %w", f.first.Name(), err))
	return f.second.Summarize(ctx, in)
}
