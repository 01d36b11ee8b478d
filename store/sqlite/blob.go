package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/compress"
	"github.com/seed-3db51b0e/precis/store/internal/sealing"
)

// compressor compresses content, and seals it in a sealed file. Safe for concurrent use.
type compressor struct {
	*compress.Compressor
	seal *sealing.Sealing // nil: content stays in the clear
}

func newCompressor() (*compressor, error) {
	z, err := compress.New()
	return &compressor{Compressor: z}, err
}

// blob is content on its way into the file.
type blob struct {
	hash  [sha256.Size]byte
	size  int
	codec int
	data  []byte
	err   error // of sealing it
}

// pack compresses content, and seals it.
func (z *compressor) pack(content []byte) blob {
	c := z.Pack(content)
	b := blob{hash: z.seal.Hash(c.Hash), size: c.Size, codec: c.Form, data: c.Data}
	z.sealBlob(&b)
	if b.data == nil {
		b.data = []byte{} // nil would be NULL
	}
	return b
}

// packed is a row of blobs as it was read. Its bytes are the driver's until the
// next row, unless they were copied.
type packed struct {
	hash   sql.RawBytes
	size   int
	codec  int
	data   sql.RawBytes
	erased sql.NullString
}

// columns selects what dest scans, for a query that calls blobs b.
const columns = `b.hash, b.size, b.codec, b.data, b.erased_at`

func (p *packed) dest() []any { return []any{&p.hash, &p.size, &p.codec, &p.data, &p.erased} }

// copied copies the bytes to the end of to, and returns it.
func (p packed) copied(to []byte) (packed, []byte) {
	at := len(to)
	to = append(append(to, p.hash...), p.data...)
	p.hash, p.data = to[at:at+len(p.hash)], to[at+len(p.hash):]
	return p, to
}

// unpack returns the content, and checks that it is what was written.
func (z *compressor) unpack(p *packed) ([]byte, error) {
	return z.unpackTo(nil, p)
}

// unpackTo appends the content to what it is given.
func (z *compressor) unpackTo(to []byte, p *packed) ([]byte, error) {
	if p.erased.Valid && p.size >= 0 && p.size <= compress.MaxContent {
		return nil, fmt.Errorf("%w at %s", store.ErrErased, p.erased.String)
	}
	data, codec, err := z.open(p)
	if err != nil {
		return nil, err
	}
	at := len(to)
	if to, err = z.Decode(to, codec, p.size, data); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if have := z.seal.Hash(sha256.Sum256(to[at:])); !bytes.Equal(have[:], p.hash) {
		return nil, fmt.Errorf("%w: content does not match its hash", ErrCorrupt)
	}
	return to, nil
}

// storeBlob stores content unless the tenant has it, and returns its row.
func storeBlob(ctx context.Context, tx runner, tenant int64, b blob) (int64, error) {
	var id int64
	err := tx.QueryRowContext(ctx,
		`SELECT id FROM blobs WHERE tenant = ? AND hash = ? AND erased_at IS NULL`, tenant, b.hash[:]).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	if b.err != nil {
		return 0, b.err
	}
	return insert(ctx, tx, `INSERT INTO blobs (tenant, hash, size, codec, data) VALUES (?, ?, ?, ?, ?)`,
		tenant, b.hash[:], b.size, b.codec, b.data)
}

func insert(ctx context.Context, tx runner, query string, args ...any) (int64, error) {
	res, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}
