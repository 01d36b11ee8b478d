package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/seed-3db51b0e/precis/store"
)

// The forms content is kept in: blobs.codec.
const (
	plain                = 0
	zipped               = 1 // zstd
	zippedWithDictionary = 2 // zstd with the dictionary
)

// dictionary holds what is frequent in messages of agents: braces, names of fields,
// words of source code. It is part of the program and contains no user's data, so
// erasing ignores it; a dictionary made of a thread's own messages would keep what
// was erased. It never changes.
//
//go:embed dictionary/1
var dictionary []byte

// Content shorter than minToCompress bytes is not compressed. What is longer than
// maxForDictionary gains little from the dictionary, a fifth of its size at first and soon a
// twentieth, and is read in two thirds of the time without it.
const (
	minToCompress    = 64
	maxForDictionary = 2048
)

// compressor compresses content, and seals it in a sealed file. Safe for concurrent use.
type compressor struct {
	plain, withDictionary *zstd.Encoder // without the dictionary and with it
	dec                   *zstd.Decoder
	seal                  *sealing // nil: content stays in the clear
}

func newCompressor() (*compressor, error) {
	options := []zstd.EOption{
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false),
	}
	// What is further back than a window is not found; each is memory that stays.
	bare, err := zstd.NewWriter(nil, append(options, zstd.WithWindowSize(1<<20))...)
	if err != nil {
		return nil, err
	}
	list, err := zstd.NewWriter(nil, append(options, zstd.WithWindowSize(64<<10), zstd.WithEncoderDict(dictionary))...)
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderDicts(dictionary))
	if err != nil {
		return nil, err
	}
	return &compressor{plain: bare, withDictionary: list, dec: dec}, nil
}

func (z *compressor) close() {
	_, _ = z.plain.Close(), z.withDictionary.Close() // nothing is buffered
	z.dec.Close()
}

// blob is content on its way into the file.
type blob struct {
	hash  [sha256.Size]byte
	size  int
	codec int
	data  []byte
	err   error // of sealing it
}

// pack hashes content, and compresses it where that saves at least a quarter: less
// is not worth the time of reading it.
func (z *compressor) pack(content []byte) blob {
	b := z.compressed(content)
	z.seal.close(&b)
	if b.data == nil {
		b.data = []byte{} // nil would be NULL
	}
	return b
}

func (z *compressor) compressed(content []byte) blob {
	b := blob{hash: z.seal.hash(sha256.Sum256(content)), size: len(content), codec: plain, data: content}
	if len(content) < minToCompress {
		return b
	}
	enc, codec := z.withDictionary, zippedWithDictionary
	if len(content) > maxForDictionary {
		enc, codec = z.plain, zipped
	}
	if small := enc.EncodeAll(content, make([]byte, 0, len(content))); len(small) <= len(content)-len(content)/4 {
		b.codec, b.data = codec, small
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

// slack is room behind the content with which it is unpacked faster, in bytes.
const slack = 16

// unpack returns the content, and checks that it is what was written.
func (z *compressor) unpack(p *packed) ([]byte, error) {
	return z.unpackTo(nil, p)
}

// unpackTo appends the content to what it is given.
func (z *compressor) unpackTo(to []byte, p *packed) ([]byte, error) {
	switch {
	case p.size < 0 || p.size > maxContent:
		return nil, fmt.Errorf("%w: content of %d bytes", ErrCorrupt, p.size)
	case p.erased.Valid:
		return nil, fmt.Errorf("%w at %s", store.ErrErased, p.erased.String)
	}
	data, codec, err := z.seal.open(p)
	if err != nil {
		return nil, err
	}
	at := len(to)
	to = slices.Grow(to, p.size+slack)
	if codec == plain {
		to = append(to, data...)
	} else if to, err = z.dec.DecodeAll(data, to); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if have := z.seal.hash(sha256.Sum256(to[at:])); !bytes.Equal(have[:], p.hash) {
		return nil, fmt.Errorf("%w: content does not match its hash", ErrCorrupt)
	}
	return to, nil
}

// maxContent is the largest value SQLite stores, in bytes.
const maxContent = 1_000_000_000

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
