package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
)

// Summary implements store.Summaries.
func (s *Store) Summary(ctx context.Context, tenant, key string) ([]byte, error) {
	data, err := s.content(ctx, s.r, `SELECT b.hash, b.size, b.codec, b.data, NULL
FROM tenants t JOIN summaries b ON b.tenant = t.id WHERE t.name = ? AND b.key = ?`, s.zip.seal.Name(tenant), s.zip.seal.Label(key))
	if err != nil {
		return nil, fmt.Errorf("read summary %q: %w", key, classify(err))
	}
	return data, nil
}

// PutSummary implements store.Summaries.
func (s *Store) PutSummary(ctx context.Context, tenant, key string, data []byte, now time.Time) error {
	b := s.zip.pack(data)
	err := s.write(ctx, func(tx *sql.Tx) error {
		if b.err != nil {
			return b.err
		}
		id, err := s.tenantID(ctx, tx, tenant)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `
INSERT OR REPLACE INTO summaries (id, tenant, key, put, hash, size, codec, data)
SELECT coalesce(max(id), 0) + 1, ?, ?, ?, ?, ?, ?, ? FROM summaries`,
			id, s.zip.seal.Label(key), encoding.Time(now), b.hash[:], b.size, b.codec, b.data); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM summaries WHERE tenant = ?1 AND id <=
(SELECT id FROM summaries WHERE tenant = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`, id, store.MaxSummaries)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep summary %q: %w", key, classify(err))
	}
	return nil
}
