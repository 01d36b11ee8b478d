package memory

import (
	"context"

	"github.com/seed-3db51b0e/precis/store"
)

// Usage implements store.Measured.
func (s *Store) Usage(ctx context.Context, tenant string) (u store.Usage, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	own := store.Key{Tenant: tenant}
	for k, b := range s.threads {
		if k.Tenant != tenant && k.Tenant != own.Upstream().Tenant && k.Tenant != own.Answers().Tenant {
			continue
		}
		if k.Tenant == tenant && b.parent == nil {
			u.Threads++
		}
		u.Bytes += int64(len(b.envelope))
		for _, e := range b.entries[b.shared:] {
			u.Bytes += int64(e.entry.Message.Weight())
		}
	}
	return u, ctx.Err()
}
