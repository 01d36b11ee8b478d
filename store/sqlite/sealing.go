package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/sealing"
)

// sealedCodec is added to blobs.codec where data is sealed.
const sealedCodec = 16

// sealBlob seals content on its way into the file.
func (z *compressor) sealBlob(b *blob) {
	if z.seal == nil {
		return
	}
	b.data, b.err = z.seal.Close(b.hash[:], b.data)
	b.codec += sealedCodec
}

// open returns the content of a row as it was before sealBlob, and its codec.
func (z *compressor) open(p *packed) (data []byte, codec int, err error) {
	switch {
	case p.codec < sealedCodec && z.seal == nil:
		return p.data, p.codec, nil
	case p.codec < sealedCodec:
		return nil, 0, fmt.Errorf("%w: content in the clear in a sealed store", ErrCorrupt)
	case z.seal == nil:
		return nil, 0, ErrSealed
	}
	data, err = z.seal.Open(p.hash, p.data)
	return data, p.codec - sealedCodec, damagedSeal(err)
}

// damagedSeal is an error of a sealing as this package's.
func damagedSeal(err error) error {
	if errors.Is(err, sealing.ErrDamaged) {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
}

// unlock finds out whether the file is sealed, and whether the keys given open it. An
// empty file becomes sealed if keys are given and it may be written.
func (s *Store) unlock(ctx context.Context, q querier, tx *sql.Tx, keys *seal.Keyring) error {
	var index []byte
	err := q.QueryRowContext(ctx, `SELECT key FROM sealing`).Scan(&index)
	switch {
	case errors.Is(err, sql.ErrNoRows) && keys == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return s.begin(ctx, q, tx, keys)
	case err != nil:
		return err
	case keys == nil:
		return ErrSealed
	}
	s.zip.seal, err = sealing.Unlock(keys, index)
	return err
}

// begin seals an empty file. One that is to be read only stays as it is.
func (s *Store) begin(ctx context.Context, q querier, tx *sql.Tx, keys *seal.Keyring) error {
	var full bool
	if err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM tenants)`).Scan(&full); err != nil {
		return err
	}
	if full {
		return ErrClear
	}
	if tx == nil {
		return nil
	}
	x, index, err := sealing.Fresh(keys)
	if err != nil {
		return err
	}
	s.zip.seal = x
	_, err = tx.ExecContext(ctx, `INSERT INTO sealing (id, key) VALUES (1, ?)`, index)
	return err
}

// Sealed reports whether the file is sealed.
func (s *Store) Sealed() bool { return s.zip.seal != nil }

// upstream and answers end the names of the tenants of such keys.
var (
	upstream = store.Key{}.Upstream().Tenant
	answers  = store.Key{}.Answers().Tenant
)
