package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/seed-3db51b0e/precis/store/internal/compress"
)

// Sealing says how the content of a store is kept.
type Sealing struct {
	Sealed   bool
	Contents int // pieces of content that are not erased
	Clear    int // of them, those in the clear
}

// Sealing counts what is sealed and what is not.
func (s *Store) Sealing(ctx context.Context) (z Sealing, err error) {
	z.Sealed = s.zip.seal != nil
	err = s.r.QueryRowContext(ctx, `SELECT count(*), count(*) FILTER (WHERE codec < ?) FROM
(SELECT codec FROM blobs WHERE erased_at IS NULL UNION ALL SELECT codec FROM summaries)`, sealedCodec).Scan(&z.Contents, &z.Clear)
	if err != nil {
		return z, fmt.Errorf("count sealed content: %w", classify(err))
	}
	return z, nil
}

// Traces looks for passages in the raw files of a store, the write-ahead log and what
// lies in unused pages too: as they stand, and in compressed content that is in the
// clear. It returns how often each was seen. Content that SQLite spreads over several
// pages is seen where it is not compressed only.
func Traces(ctx context.Context, path string, passages []string) (seen map[string]int, err error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderDicts(compress.Dictionary()), zstd.WithDecoderMaxMemory(1<<26))
	if err != nil {
		return nil, fmt.Errorf("look for traces: %w", err)
	}
	defer dec.Close()
	t := &traces{passages: passages, seen: map[string]int{}, begins: map[uint64][]string{}, dec: dec}
	for _, p := range passages {
		if len(p) >= 8 {
			at := binary.LittleEndian.Uint64([]byte(p))
			t.begins[at] = append(t.begins[at], p)
			t.first[uint16(at)] = true
		}
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := t.file(ctx, path+end); err != nil {
			return nil, fmt.Errorf("look for traces: %w", err)
		}
	}
	return t.seen, nil
}

// traces is one search.
type traces struct {
	passages []string
	begins   map[uint64][]string // passages by their first eight bytes
	first    [1 << 16]bool       // the first two bytes of any of them
	seen     map[string]int
	dec      *zstd.Decoder
}

// A file is read in windows, which overlap by the most that is looked at from one place.
const (
	window  = 8 << 20
	overlap = 128 << 10
)

func (t *traces) file(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	buf := make([]byte, window+overlap)
	for at := int64(0); ; at += window {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		n, err := f.ReadAt(buf, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		t.look(buf[:n], min(n, window))
		t.frames(buf[:n], min(n, window))
		if n < len(buf) {
			return nil
		}
	}
}

// look counts the passages that begin in the first n bytes.
func (t *traces) look(b []byte, n int) {
	for _, p := range t.passages {
		if len(p) < 8 && p != "" {
			t.seen[p] += bytes.Count(b[:min(len(b), n+len(p)-1)], []byte(p))
		}
	}
	if len(t.begins) == 0 {
		return
	}
	for i := 0; i < n && i+8 <= len(b); i++ {
		if !t.first[binary.LittleEndian.Uint16(b[i:])] {
			continue
		}
		for _, p := range t.begins[binary.LittleEndian.Uint64(b[i:])] {
			if bytes.HasPrefix(b[i:], []byte(p)) {
				t.seen[p]++
			}
		}
	}
}

// frames looks into the compressed content that begins in the first n bytes, as far as
// it can be read.
func (t *traces) frames(b []byte, n int) {
	magic := []byte{0x28, 0xb5, 0x2f, 0xfd}
	for i := 0; ; i += len(magic) {
		next := bytes.Index(b[i:], magic)
		if i += next; next < 0 || i >= n {
			return
		}
		if t.dec.Reset(bytes.NewReader(b[i:min(len(b), i+overlap)])) != nil {
			continue
		}
		content, _ := io.ReadAll(io.LimitReader(t.dec, 1<<20)) // what follows it ends it with an error
		t.look(content, len(content))
	}
}
