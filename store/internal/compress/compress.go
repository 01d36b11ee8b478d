// Package compress is the compressed form of content, under its hash.
//
// Use: Pack before content is written, Unpack after it is read. Law: content is
// compressed alone, never with the help of other content, so that erasing one erases
// it. Promise: what comes back is what went in, or the error is ErrCorrupt.
package compress

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// ErrCorrupt: what was read is not what was written.
var ErrCorrupt = errors.New("content is corrupt")

// The forms content is kept in. Stores write them, so none ever changes.
const (
	Plain                = 0
	Zipped               = 1 // zstd
	ZippedWithDictionary = 2 // zstd with the dictionary
)

// dictionary holds what is frequent in messages of agents: braces, names of fields,
// words of source code. It is part of the program and contains no user's data, so
// erasing ignores it; a dictionary made of a thread's own messages would keep what
// was erased. It never changes.
//
//go:embed dictionary/1
var dictionary []byte

// Dictionary is what the forms with a dictionary are read with, for whoever looks for them
// in raw files. Nobody changes it.
func Dictionary() []byte { return dictionary }

// Content shorter than minToCompress bytes is not compressed. What is longer than
// maxForDictionary gains little from the dictionary, a fifth of its size at first and soon a
// twentieth, and is read in two thirds of the time without it.
const (
	minToCompress    = 64
	maxForDictionary = 2048
)

// MaxContent is the largest content that is kept, in bytes: SQLite stores no larger
// value.
const MaxContent = 1_000_000_000

// Content is content on its way into a store, or out of it.
type Content struct {
	Hash [sha256.Size]byte // of what was packed
	Size int               // of what was packed, in bytes
	Form int
	Data []byte // what was packed, in its form
}

// Compressor compresses content. Safe for concurrent use.
type Compressor struct {
	plain, withDictionary *zstd.Encoder // without the dictionary and with it
	dec                   *zstd.Decoder
}

// New returns a compressor. Close releases its memory.
func New() (*Compressor, error) {
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
	return &Compressor{bare, list, dec}, nil
}

// Close releases the memory of a compressor, which is of no use after it.
func (z *Compressor) Close() {
	_, _ = z.plain.Close(), z.withDictionary.Close() // nothing is buffered
	z.dec.Close()
}

// Pack hashes content, and compresses it where that saves at least a quarter: less
// is not worth the time of reading it. The result may share content's bytes.
func (z *Compressor) Pack(content []byte) Content {
	c := Content{Hash: sha256.Sum256(content), Size: len(content), Form: Plain, Data: content}
	if len(content) < minToCompress {
		return c
	}
	enc, form := z.withDictionary, ZippedWithDictionary
	if len(content) > maxForDictionary {
		enc, form = z.plain, Zipped
	}
	if small := enc.EncodeAll(content, make([]byte, 0, len(content))); len(small) <= len(content)-len(content)/4 {
		c.Form, c.Data = form, small
	}
	return c
}

// Slack is room behind the content with which it is unpacked faster, in bytes.
const Slack = 16

// Unpack appends what was packed to what it is given, and checks its size and its hash.
func (z *Compressor) Unpack(to []byte, form, size int, hash, data []byte) ([]byte, error) {
	at := len(to)
	to, err := z.Decode(to, form, size, data)
	if err != nil {
		return nil, err
	}
	if have := sha256.Sum256(to[at:]); !bytes.Equal(have[:], hash) {
		return nil, fmt.Errorf("%w: content does not match its hash", ErrCorrupt)
	}
	return to, nil
}

// Decode is Unpack for a caller that checks the hash itself.
func (z *Compressor) Decode(to []byte, form, size int, data []byte) ([]byte, error) {
	if size < 0 || size > MaxContent {
		return nil, fmt.Errorf("%w: content of %d bytes", ErrCorrupt, size)
	}
	to = slices.Grow(to, size+Slack)
	if form == Plain {
		return append(to, data...), nil
	}
	to, err := z.dec.DecodeAll(data, to)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return to, nil
}
