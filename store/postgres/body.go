package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/compress"
)

// A stored body is its form, hash and size, then its data. With elsewhere in its form
// the data is the name of an object, with sealedForm its content is sealed.
const (
	headerLen  = 1 + sha256.Size + 8
	elsewhere  = 0x80
	sealedForm = 0x40
)

// mostPuts is how many objects one call writes or reads at once.
const mostPuts = 8

// pack compresses content that stays in the database, whatever its size.
func (s *Store) pack(content []byte) ([]byte, error) {
	c, form, err := s.closed(content)
	return header(c, form), err
}

// closed compresses content, and seals it in a sealed database. form is what that adds to
// its form.
func (s *Store) closed(content []byte) (c compress.Content, form byte, err error) {
	c = s.zip.Pack(content)
	if s.seal == nil {
		return c, 0, nil
	}
	c.Hash = s.seal.Hash(c.Hash)
	c.Data, err = s.seal.Close(c.Hash[:], c.Data)
	return c, sealedForm, err
}

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
	c, form, err := s.closed(content)
	if err != nil || s.blobs == nil || len(c.Data) <= s.blobSize {
		return header(c, form), err
	}
	name := objectName(id, c.Hash, len(c.Data))
	ctx, cancel := s.forBlob(ctx, len(c.Data))
	defer cancel()
	if err := s.blobs.Put(ctx, name, c.Data); err != nil {
		return nil, fmt.Errorf("write blob: %w", err)
	}
	c.Data = []byte(name)
	return header(c, form|elsewhere), nil
}

// forBlob bounds the time that an object of so many bytes may take: a blob store that
// answers nothing holds nobody for ever.
func (s *Store) forBlob(ctx context.Context, bytes int) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, s.blobWait+time.Duration(max(0, bytes))*time.Microsecond)
}

// objectName begins with the thread and the content's digest, so that what no body
// names can be found, and ends in the object's size, so that it can be summed up. What is
// random in between keeps removing one object from taking another body's content.
func objectName(id threadID, hash [sha256.Size]byte, size int) string {
	var own [6]byte
	_, _ = rand.Read(own[:]) // never fails
	return fmt.Sprintf("%x/%x-%x-%016x", id[:], hash[:], own[:], size)
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
	size := int(binary.BigEndian.Uint64(body[1+sha256.Size:]))
	data := body[headerLen:]
	if body[0]&elsewhere == 0 {
		return s.checked(size, body, data)
	}
	if s.blobs == nil {
		return nil, errors.New("read blob: the content lies in a blob store, and none is configured")
	}
	ctx, cancel := s.forBlob(ctx, size)
	defer cancel()
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
		if content, err = s.checked(size, body, got); err == nil {
			break
		}
	}
	return content, err
}

// checked opens and decompresses the data of a body, and checks its size and hash.
func (s *Store) checked(size int, body, data []byte) ([]byte, error) {
	hash := body[1 : 1+sha256.Size]
	switch is := body[0]&sealedForm != 0; {
	case is && s.seal == nil:
		return nil, ErrSealed
	case !is && s.seal != nil:
		return nil, fmt.Errorf("%w: content in the clear in a sealed database", ErrCorrupt)
	case is:
		var err error
		if data, err = s.seal.Open(hash, data); err != nil {
			return nil, classify(err)
		}
	}
	content, err := s.zip.Decode(nil, int(body[0]&^(elsewhere|sealedForm)), size, data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if len(content) != size {
		return nil, fmt.Errorf("%w: %d bytes of %d", ErrCorrupt, len(content), size)
	}
	if have := s.seal.Hash(sha256.Sum256(content)); !bytes.Equal(have[:], hash) {
		return nil, fmt.Errorf("%w: content does not match its hash", ErrCorrupt)
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

// threadID names a thread's rows: the beginning of the hash of tenant and name, as they are
// stored.
type threadID [16]byte

func (s *Store) idOf(k store.Key) threadID {
	tenant := s.seal.Name(k.Tenant)
	h := sha256.New()
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(tenant)))) // a hash takes anything
	_, _ = h.Write(tenant)
	_, _ = h.Write(s.seal.Name(k.Thread))
	return threadID(h.Sum(nil)[:16])
}

func (id threadID) String() string { return hex.EncodeToString(id[:]) }
