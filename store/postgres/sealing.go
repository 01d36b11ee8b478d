package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/store/internal/sealing"
)

// unlock finds out whether the database is sealed, and whether the keys given open it. An
// empty one becomes sealed if keys are given; of several nodes that begin, one decides.
func (s *Store) unlock(ctx context.Context, o Options) error {
	keys := o.Keys
	index, err := s.index(ctx)
	switch {
	case err != nil:
		return err
	case index == nil && keys == nil:
		return nil
	case index != nil && keys == nil:
		return ErrSealed
	case index == nil && o.Reading:
		return s.unsealed(ctx)
	case index == nil:
		if index, err = s.beginSealed(ctx, keys); err != nil {
			return err
		}
	}
	s.seal, err = sealing.Unlock(keys, index)
	return err
}

// index is the database's own key as it is stored, nil where it is not sealed.
func (s *Store) index(ctx context.Context) (key []byte, err error) {
	err = s.pool.QueryRow(ctx, `SELECT key FROM sealing`).Scan(&key)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return key, err
}

// unsealed fails where the database holds conversations in the clear.
func (s *Store) unsealed(ctx context.Context) error {
	var full bool
	err := s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM threads)`).Scan(&full)
	if err == nil && full {
		err = ErrClear
	}
	return err
}

// beginSealed seals an empty database. Nobody begins a thread meanwhile.
func (s *Store) beginSealed(ctx context.Context, keys *seal.Keyring) (index []byte, err error) {
	_, fresh, err := sealing.Fresh(keys)
	if err != nil {
		return nil, err
	}
	err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE threads IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO sealing (id, key) SELECT 1, $1 WHERE NOT EXISTS (SELECT 1 FROM threads) ON CONFLICT DO NOTHING`, fresh)
		return err
	})
	if err == nil {
		index, err = s.index(ctx)
	}
	if err == nil && index == nil {
		err = ErrClear
	}
	return index, err
}

// Sealed reports whether the database is sealed.
func (s *Store) Sealed() bool { return s.seal != nil }

// Sealing counts the pieces of content, and of them those in the clear.
func (s *Store) Sealing(ctx context.Context) (contents, clear int, err error) {
	err = s.pool.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE get_byte(body, 0) & 64 = 0)
FROM (`+strings.Join(bodyTables, " UNION ALL ")+`) b (body) WHERE length(body) > 0`).Scan(&contents, &clear)
	if err != nil {
		return 0, 0, fmt.Errorf("count sealed content: %w", classify(err))
	}
	return contents, clear, nil
}
