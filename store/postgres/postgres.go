// Package postgres keeps threads, plans and artifacts in a PostgreSQL database, for any
// number of processes on any number of machines.
//
// Use: Migrate once a release, then Open on each node. Law: the contract of package
// store; every write is one short transaction at read committed that compares the
// thread's row with what the caller knew (compare-and-swap), and holds no lock while
// it waits for anything but the database. Promise: what Append or Commit acknowledged
// is as durable as the server's synchronous_commit makes it; a write whose connection
// broke is tried again and happens once; nothing needs a session of its own, so a
// pooler in transaction mode may stand in between.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/blob"
	"github.com/seed-3db51b0e/precis/store/internal/compress"
	"github.com/seed-3db51b0e/precis/store/internal/sealing"
)

// Options tune a Store. The zero value is fine.
type Options struct {
	// Blobs keeps content above BlobSize. nil: the database keeps it.
	Blobs blob.Store
	// BlobSize is the size from which content goes to Blobs, in bytes as it is stored;
	// 0 means 8192.
	BlobSize int
	// BlobPatience bounds how long a call waits for an object to be written or read, beside
	// a second for each megabyte; 0 means 10 s.
	BlobPatience time.Duration
	// Patience bounds how long a call tries again while the database cannot be
	// reached; 0 means 2 s. A call's context may end sooner.
	Patience time.Duration
	// Keys seal everything that is said, also in Blobs. The first to open an empty database
	// with keys makes it a sealed one, and all need them from then on. nil: nothing is sealed.
	Keys *seal.Keyring
	// Reading leaves an empty database unsealed whatever Keys are: who only reads does not
	// decide that.
	Reading bool
	// Damaged is told of a plan that cannot be read, in whose place the newest one that can
	// be is used. nil: nobody is.
	Damaged func(store.Key, error)
}

// Store is a store in a database. Safe for concurrent use.
type Store struct {
	pool     *pgxpool.Pool
	zip      *compress.Compressor
	blobs    blob.Store // nil: none
	blobSize int
	blobWait time.Duration
	patience time.Duration
	seal     *sealing.Sealing // nil: everything is in the clear
	damaged  func(store.Key, error)
	suspects sync.Map // threadID → true: their plan was found damaged
}

var _ store.Maintained = (*Store)(nil)

// IsURL reports whether a string names a database of this kind.
func IsURL(s string) bool {
	return strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://")
}

// Open opens the database that a URL names: postgres://user@host:port/database, with
// the parameters of PostgreSQL's own clients and of pgxpool (pool_max_conns, …). It
// fails with ErrOlder or ErrNewer where the schema is not one that this program works
// with, with ErrSealed or ErrClear where its keys are not given or not wanted, and with
// ErrUnavailable where there is no answer. Closing the store closes
// o.Blobs.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	s, err := open(ctx, url, o, newest())
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", Redacted(url), classify(err))
	}
	return s, nil
}

// open opens the database as a program that knows schemas up to version.
func open(ctx context.Context, url string, o Options, version int64) (*Store, error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	zip, err := compress.New()
	if err != nil {
		return nil, err
	}
	s := &Store{zip: zip, blobs: o.Blobs, blobSize: cmp.Or(o.BlobSize, 8192), damaged: o.Damaged}
	s.patience, s.blobWait = cmp.Or(o.Patience, 2*time.Second), cmp.Or(o.BlobPatience, 10*time.Second)
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		zip.Close()
		return nil, err
	}
	err = s.retried(ctx, func() error {
		if err := s.checkSchema(ctx, version); err != nil {
			return err
		}
		return s.unlock(ctx, o)
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// parse reads a URL. Unless it says otherwise, statements are described once for each
// connection and prepared never: a pooler may hand each transaction another session.
func parse(url string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("cannot parse the database's URL") // it may hold a password
	}
	if !strings.Contains(url, "default_query_exec_mode") {
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	if _, ok := config.ConnConfig.RuntimeParams["application_name"]; !ok {
		config.ConnConfig.RuntimeParams["application_name"] = "precis"
	}
	return config, nil
}

// Redacted is a URL without its password, for messages.
func Redacted(url string) string {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return "postgres://…"
	}
	return fmt.Sprintf("postgres://%s:%d/%s", config.Host, config.Port, config.Database)
}

// Close closes all connections.
func (s *Store) Close() error {
	s.pool.Close()
	s.zip.Close()
	if s.blobs != nil {
		return s.blobs.Close()
	}
	return nil
}

// Ping asks the database for an answer, once: whoever decides whether this node may
// get requests.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.pool.Ping(ctx); err != nil {
		return fmt.Errorf("ask the database: %w", classify(err))
	}
	return nil
}

// Connections are the connections of this node, and how often one was waited for.
type Connections struct {
	Max, InUse, Idle int
	Waits            int64
	Waited           time.Duration
}

// Connections counts the pool's connections now.
func (s *Store) Connections() Connections {
	p := s.pool.Stat()
	return Connections{
		Max: int(p.MaxConns()), InUse: int(p.AcquiredConns()), Idle: int(p.IdleConns()),
		Waits: p.EmptyAcquireCount(), Waited: p.EmptyAcquireWaitTime(),
	}
}
