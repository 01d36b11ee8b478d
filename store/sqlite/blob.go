package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/seed-3db51b0e/precis/store"
)

// The forms content is kept in: blobs.codec.
const (
	plain  = 0
	zipped = 1 // zstd; earlier programs
	listed = 2 // zstd with the dictionary
)

// dictionary is what messages of agents are made of: braces, names of fields,
// words of source code. It belongs to the program and holds nothing of anybody's,
// so erasing need not look into it; a dictionary made of a thread's own messages
// would keep what was erased, or what others need. It never changes.
//
//go:embed dictionary/1
var dictionary []byte

// smallest is the shortest content worth compressing, in bytes.
const smallest = 64

// zipper compresses content. Safe for concurrent use.
type zipper struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

func newZipper() (*zipper, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderDict(dictionary),
		zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderDicts(dictionary))
	if err != nil {
		return nil, err
	}
	return &zipper{enc, dec}, nil
}

func (z *zipper) close() {
	_ = z.enc.Close() // nothing is buffered
	z.dec.Close()
}

// blob is content on its way into the file.
type blob struct {
	hash  [sha256.Size]byte
	size  int
	codec int
	data  []byte
}

// pack hashes content, and compresses it where that makes it smaller.
func (z *zipper) pack(content []byte) blob {
	b := blob{hash: sha256.Sum256(content), size: len(content), codec: plain, data: content}
	if len(content) < smallest {
		return b
	}
	if small := z.enc.EncodeAll(content, make([]byte, 0, len(content))); len(small) < len(content) {
		b.codec, b.data = listed, small
	}
	return b
}

// packed is a row of blobs as it was read.
type packed struct {
	hash   []byte
	size   int
	codec  int
	data   []byte
	erased sql.NullString
}

// columns are what into scans, for a query that calls blobs b.
const columns = `b.hash, b.size, b.codec, b.data, b.erased_at`

func (p *packed) into() []any { return []any{&p.hash, &p.size, &p.codec, &p.data, &p.erased} }

// unpack returns the content, and checks that it is what was written. It may be
// p.data itself.
func (z *zipper) unpack(p *packed) ([]byte, error) {
	if p.erased.Valid {
		return nil, fmt.Errorf("%w at %s", store.ErrErased, p.erased.String)
	}
	content := p.data
	if content == nil {
		content = []byte{} // the driver's word for no bytes
	}
	if p.codec != plain {
		var err error
		if p.size < 0 || p.size > maxContent {
			return nil, fmt.Errorf("%w: content of %d bytes", ErrCorrupt, p.size)
		}
		if content, err = z.dec.DecodeAll(p.data, make([]byte, 0, p.size)); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
	}
	if have := sha256.Sum256(content); !bytes.Equal(have[:], p.hash) {
		return nil, fmt.Errorf("%w: content does not match its hash", ErrCorrupt)
	}
	return content, nil
}

// maxContent is the largest value SQLite stores, in bytes.
const maxContent = 1_000_000_000

// keep stores content unless the tenant has it, and returns its row.
func keep(ctx context.Context, tx runner, tenant int64, b blob) (int64, error) {
	var id int64
	err := tx.QueryRowContext(ctx,
		`SELECT id FROM blobs WHERE tenant = ? AND hash = ? AND erased_at IS NULL`, tenant, b.hash[:]).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	if b.data == nil {
		b.data = []byte{} // nil would be NULL
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
