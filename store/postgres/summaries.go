package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
)

// Summary implements store.Summaries.
func (s *Store) Summary(ctx context.Context, tenant, key string) (data []byte, err error) {
	err = s.retried(ctx, func() error {
		var body []byte
		err := s.pool.QueryRow(ctx, `SELECT body FROM summaries WHERE tenant = $1 AND key = $2`, s.seal.Name(tenant), []byte(s.seal.Label(key))).Scan(&body)
		if errors.Is(err, pgx.ErrNoRows) {
			return store.ErrNotFound
		}
		if err == nil {
			data, err = s.unpack(ctx, body)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read summary %q: %w", key, err)
	}
	return data, nil
}

// PutSummary implements store.Summaries.
func (s *Store) PutSummary(ctx context.Context, tenant, key string, data []byte, now time.Time) error {
	body, err := s.pack(data)
	if err != nil {
		return fmt.Errorf("keep summary %q: %w", key, err)
	}
	err = s.retried(ctx, func() error {
		var batch pgx.Batch
		batch.Queue(`INSERT INTO summaries (tenant, key, n, put, body) VALUES ($1, $2, nextval('summary_numbers'), $3, $4)
ON CONFLICT (tenant, key) DO UPDATE SET n = excluded.n, put = excluded.put, body = excluded.body`, s.seal.Name(tenant), []byte(s.seal.Label(key)), encoding.Time(now), body)
		batch.Queue(`DELETE FROM summaries WHERE tenant = $1 AND n <=
(SELECT n FROM summaries WHERE tenant = $1 ORDER BY n DESC LIMIT 1 OFFSET $2)`, s.seal.Name(tenant), int64(store.MaxSummaries))
		return s.pool.SendBatch(ctx, &batch).Close()
	})
	if err != nil {
		return fmt.Errorf("keep summary %q: %w", key, err)
	}
	return nil
}
