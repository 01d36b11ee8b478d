package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/store"
)

// cache is a tenant's summaries.
type cache struct {
	data  map[string][]byte
	order []string // keys, the one put longest ago first
}

// Summary implements store.Summaries.
func (s *Store) Summary(ctx context.Context, tenant, key string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read summary: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if c := s.summaries[tenant]; c != nil {
		if data, ok := c.data[key]; ok {
			return own(data), nil
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
		c = &cache{data: map[string][]byte{}}
		s.summaries[tenant] = c
	}
	if _, ok := c.data[key]; ok {
		c.order = slices.DeleteFunc(c.order, func(k string) bool { return k == key })
	}
	c.data[key], c.order = own(data), append(c.order, key)
	if len(c.order) > store.MaxSummaries {
		delete(c.data, c.order[0])
		c.order = c.order[1:]
	}
	return nil
}
