package postgres

import (
	"context"
	"fmt"

	"github.com/seed-3db51b0e/precis/store"
)

// kept is how many bytes a body takes, in the database or in the blob store: the name of an
// object ends in its size.
const kept = `CASE WHEN length(body) < 41 THEN 0 WHEN get_byte(body, 0) < 128 THEN length(body) - 41
  ELSE ('x' || convert_from(substring(body from length(body) - 15), 'UTF8'))::bit(64)::bigint END`

// Usage implements store.Measured. It looks at every piece of the tenant's content.
func (s *Store) Usage(ctx context.Context, tenant string) (u store.Usage, err error) {
	own := store.Key{Tenant: tenant}
	err = s.pool.QueryRow(ctx, `WITH own AS (SELECT id, tenant, parent FROM threads WHERE tenant = ANY($2))
SELECT (SELECT count(*) FROM own WHERE tenant = $1 AND parent = ''), (SELECT coalesce(sum(`+kept+`), 0)::bigint FROM (
  SELECT body FROM own JOIN entries e ON e.thread = own.id
  UNION ALL SELECT body FROM own JOIN variants v ON v.thread = own.id
  UNION ALL SELECT body FROM own JOIN envelopes v ON v.thread = own.id
  UNION ALL SELECT header FROM own JOIN plans p ON p.thread = own.id
  UNION ALL SELECT body FROM own JOIN records r ON r.thread = own.id
  UNION ALL SELECT body FROM own JOIN artifacts a ON a.thread = own.id) b (body))`,
		s.seal.Name(tenant), [][]byte{s.seal.Name(tenant), s.seal.Name(own.Upstream().Tenant), s.seal.Name(own.Answers().Tenant)}).Scan(&u.Threads, &u.Bytes)
	if err != nil {
		return u, fmt.Errorf("measure tenant: %w", classify(err))
	}
	return u, nil
}
