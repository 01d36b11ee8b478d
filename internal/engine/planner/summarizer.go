package planner

import (
	"context"
	"errors"
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

// Summary implements cached.Cache.
func (c SummaryCache) Summary(ctx context.Context, key string) ([]byte, error) {
	data, err := c.Store.Summary(ctx, c.Tenant, key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return data, err
}

// PutSummary implements cached.Cache.
func (c SummaryCache) PutSummary(ctx context.Context, key string, data []byte) error {
	return c.Store.PutSummary(ctx, c.Tenant, key, data, c.Now())
}

// fallback asks a second summarizer where the first fails, panics, invents or says
// nothing, and reports that.
type fallback struct {
	name          string // of the first
	first, second summary.Summarizer
	failed        func(error)
}

// Name implements summary.Summarizer.
func (f fallback) Name() string { return f.name }

// Summarize implements summary.Summarizer.
func (f fallback) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	s, err := summary.Ask(ctx, f.first, in)
	if err == nil && summary.Empty(s) {
		err = errors.New("empty summary")
	}
	if err == nil || ctx.Err() != nil {
		return s, err
	}
	f.failed(summary.Attempted("summarize with "+f.name, err))
	return f.second.Summarize(ctx, in)
}
