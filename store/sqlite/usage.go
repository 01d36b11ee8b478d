package sqlite

import (
	"context"
	"fmt"

	"github.com/seed-3db51b0e/precis/store"
)

// Usage implements store.Measured. It looks at every piece of the tenant's content.
func (s *Store) Usage(ctx context.Context, tenant string) (u store.Usage, err error) {
	own := store.Key{Tenant: tenant}
	err = s.r.QueryRowContext(ctx, `
SELECT (SELECT count(*) FROM threads t JOIN tenants n ON n.id = t.tenant WHERE n.name = ?1 AND t.parent IS NULL),
  (SELECT coalesce(sum(length(b.data)), 0) FROM tenants n JOIN blobs b ON b.tenant = n.id AND b.erased_at IS NULL
    WHERE n.name IN (?1, ?2, ?3))`,
		s.zip.seal.Name(tenant), s.zip.seal.Name(own.Upstream().Tenant), s.zip.seal.Name(own.Answers().Tenant)).Scan(&u.Threads, &u.Bytes)
	if err != nil {
		return u, fmt.Errorf("measure tenant: %w", classify(err))
	}
	return u, nil
}
