// Package blob keeps large content outside the database, as objects under names.
//
// Use: Open with a folder or an s3:// URL, and give it to store/postgres. Law: an
// object is written whole before anything names it, and never changed. Promise: what
// Put acknowledged, Get returns; whoever reads checks it against the digest in the row
// that names it. What artifacts hold is sealed before it comes here (store/sealed).
package blob

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"
)

// ErrURL: the string names no blob store.
var ErrURL = errors.New("not a blob store: write a folder, or s3://bucket/prefix?endpoint=https://host")

// ErrUnavailable: the server does not answer, refuses, or has no such bucket.
var ErrUnavailable = errors.New("cannot be used")

// Object is what List finds.
type Object struct {
	Name    string
	Size    int64 // bytes
	Written time.Time
}

// Store keeps objects. Names are of letters, digits, - and /. Implementations are safe
// for concurrent use.
type Store interface {
	// Put writes an object, durably. Writing the same again is no error.
	Put(ctx context.Context, name string, data []byte) error
	// Get reads an object; fs.ErrNotExist if there is none.
	Get(ctx context.Context, name string) ([]byte, error)
	// Delete removes an object; it is no error if there is none.
	Delete(ctx context.Context, name string) error
	// List finds the objects whose names begin with prefix, in any order. What a write left that
	// never ended may be among them, under a name that no row has.
	List(ctx context.Context, prefix string) iter.Seq2[Object, error]
	Close() error
}

// Open opens the blob store that a string names: s3://bucket/prefix, or a folder.
func Open(ctx context.Context, where string) (Store, error) {
	switch {
	case where == "":
		return nil, ErrURL
	case strings.HasPrefix(where, "s3://"):
		return openS3(ctx, where)
	case strings.Contains(where, "://"):
		return nil, ErrURL
	}
	return openDir(where)
}
