package postgres

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/compress"
)

// A stored body is its form, hash and size, then its data. With elsewhere in its form
// the data is the name of an object.
const (
	headerLen = 1 + sha256.Size + 8
	elsewhere = 0x80
)

// mostPuts is how many objects one call writes or reads at once.
const mostPuts = 8

// pack compresses content that stays in the database, whatever its size.
func (s *Store) pack(content []byte) []byte { return header(s.zip.Pack(content), 0) }

// header writes a body with its data.
func header(c compress.Content, form byte) []byte {
	b := make([]byte, 0, headerLen+len(c.Data))
	b = append(b, byte(c.Form)|form)
	b = append(b, c.Hash[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.Size))
	return append(b, c.Data...)
}

// hashOf is the hash of a body's content.
func hashOf(body []byte) string {
	if len(body) < headerLen {
		return ""
	}
	return string(body[1 : 1+sha256.Size])
}

// keep compresses content of a thread. Where it is large, it is written to the blob
// store before keep returns, under a name of its own: no two bodies share an object.
func (s *Store) keep(ctx context.Context, id threadID, content []byte) ([]byte, error) {
	c := s.zip.Pack(content)
	if s.blobs == nil || len(c.Data) <= s.blobSize {
		return header(c, 0), nil
	}
	name := objectName(id, c.Hash)
	if err := s.blobs.Put(ctx, name, c.Data); err != nil {
		return nil, fmt.Errorf("write blob: %w", err)
	}
	c.Data = []byte(name)
	return header(c, elsewhere), nil
}

// objectName begins with the thread and the content's digest, so that what no body
// names can be found; its end is random, so that removing one object never takes
// another body's content.
func objectName(id threadID, hash [sha256.Size]byte) string {
	var end [6]byte
	_, _ = rand.Read(end[:]) // never fails
	return fmt.Sprintf("%x/%x-%x", id[:], hash[:], end[:])
}

// object is the name of the object that a body names, "" for none.
func object(body []byte) string {
	if len(body) < headerLen || body[0]&elsewhere == 0 {
		return ""
	}
	return string(body[headerLen:])
}

// unpack returns the content of a body, and checks that it is what was written.
func (s *Store) unpack(ctx context.Context, body []byte) ([]byte, error) {
	if len(body) == 0 {
		return nil, store.ErrErased
	}
	if len(body) < headerLen {
		return nil, fmt.Errorf("%w: body of %d bytes", ErrCorrupt, len(body))
	}
	form, size := int(body[0]&^elsewhere), int(binary.BigEndian.Uint64(body[1+sha256.Size:]))
	data := body[headerLen:]
	if body[0]&elsewhere == 0 {
		return s.checked(form, size, body, data)
	}
	if s.blobs == nil {
		return nil, errors.New("read blob: the content lies in a blob store, and none is configured")
	}
	var content []byte
	var err error
	for range 2 { // what came broken may come whole
		got, getErr := s.blobs.Get(ctx, string(data))
		if errors.Is(getErr, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %w", ErrCorrupt, getErr)
		}
		if getErr != nil {
			return nil, fmt.Errorf("read blob: %w", getErr)
		}
		if content, err = s.checked(form, size, body, got); err == nil {
			break
		}
	}
	return content, err
}

func (s *Store) checked(form, size int, body, data []byte) ([]byte, error) {
	content, err := s.zip.Unpack(nil, form, size, body[1:1+sha256.Size], data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return content, nil
}

// each runs f for each number below n, a few at once where there are many.
func each(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	if n < 8 {
		for i := range n {
			if err := f(ctx, i); err != nil {
				return err
			}
		}
		return nil
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(mostPuts, runtime.GOMAXPROCS(0)))
	for i := range n {
		g.Go(func() error { return f(ctx, i) })
	}
	return g.Wait()
}

// dropObjects removes objects whose bodies are gone. One that stays is collected later.
func (s *Store) dropObjects(ctx context.Context, bodies [][]byte) error {
	if s.blobs == nil {
		return nil
	}
	for _, b := range bodies {
		if name := object(b); name != "" {
			if err := s.blobs.Delete(ctx, name); err != nil {
				return fmt.Errorf("remove blob %s: %w", name, err)
			}
		}
	}
	return nil
}

// threadID names a thread's rows: the beginning of the hash of tenant and name.
type threadID [16]byte

func idOf(k store.Key) threadID {
	h := sha256.New()
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(k.Tenant)))) // a hash takes anything
	_, _ = h.Write([]byte(k.Tenant))
	_, _ = h.Write([]byte(k.Thread))
	return threadID(h.Sum(nil)[:16])
}

func (id threadID) String() string { return hex.EncodeToString(id[:]) }
