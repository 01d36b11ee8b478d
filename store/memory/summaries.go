package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/store"
)

// summaries are a tenant's, by key. Reading one does not make it stay longer.
type summaries = lru.Cache[string, []byte]

// Summary implements store.Summaries.
func (s *Store) Summary(ctx context.Context, tenant, key string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read summary: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if c := s.summaries[tenant]; c != nil {
		if data, ok := c.Peek(key); ok {
			return copied(data), nil
		}
	}
	return nil, fmt.Errorf("read summary %q: %w", key, store.ErrNotFound)
}

// PutSummary implements store.Summaries.
func (s *Store) PutSummary(ctx context.Context, tenant, key string, data []byte, _ time.Time) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("keep summary: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.summaries[tenant]
	if c == nil {
		c = &summaries{MaxEntries: store.MaxSummaries}
		s.summaries[tenant] = c
	}
	c.Set(key, copied(data), len(data))
	return nil
}
