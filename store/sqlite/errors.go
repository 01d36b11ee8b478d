package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/seed-3db51b0e/precis/store"
)

// Errors of the file, beside those of package store.
var (
	// ErrBusy: another process kept the file locked through every try.
	ErrBusy = errors.New("store is locked by another process")
	// ErrReadOnly: the file or its directory cannot be written, or not even read.
	ErrReadOnly = errors.New("store cannot be opened for writing")
	// ErrFull: the disk, or the size allowed, is used up.
	ErrFull = store.ErrFull
	// ErrIO: the system could not read or write the file or what stands beside it. A
	// full disk, or a file system without shared memory, shows so too.
	ErrIO = errors.New("the disk cannot be read or written")
	// ErrCorrupt: the file is no SQLite file, or what it holds is not what was
	// written.
	ErrCorrupt = errors.New("store is corrupt")
	// ErrNoFile: the file is no SQLite file. It is an ErrCorrupt: it may have been one.
	ErrNoFile error = noFile{}
	// ErrNewer: a newer program has changed the schema.
	ErrNewer = errors.New("store was written by a newer version of this program")
	// ErrAlien: a SQLite file of another application.
	ErrAlien = errors.New("not a store of this program")
	// ErrOlder: the file is to be read only, and its schema is older than this
	// program's: Open brings it up to date.
	ErrOlder = errors.New("store needs an upgrade before it can be read")
	// ErrInterrupted: the file is to be read only, and a process was killed while it wrote
	// to it, before it kept a write-ahead log: Open takes back what was half written.
	ErrInterrupted = errors.New("a write to the store was interrupted")
	// ErrSealed: the file is sealed, and Options.Keys is nil.
	ErrSealed = errors.New("store is sealed and no key was given")
	// ErrClear: Options.Keys was given, and what the file holds is in the clear: see Seal.
	ErrClear = errors.New("a key was given, and the store is not sealed")
)

type noFile struct{}

func (noFile) Error() string { return "not a SQLite file" }

func (noFile) Is(err error) bool { return err == ErrCorrupt } //nolint:errorlint // a sentinel

// sentinels maps SQLite's primary result codes to errors.
var sentinels = map[int]error{
	lib.SQLITE_BUSY:     ErrBusy,
	lib.SQLITE_LOCKED:   ErrBusy,
	lib.SQLITE_READONLY: ErrReadOnly,
	lib.SQLITE_CANTOPEN: ErrReadOnly,
	lib.SQLITE_FULL:     ErrFull,
	lib.SQLITE_IOERR:    ErrIO,
	lib.SQLITE_CORRUPT:  ErrCorrupt,
	lib.SQLITE_NOTADB:   ErrNoFile,
}

// classify wraps an error of SQLite's in the sentinel of its code.
func classify(err error) error {
	if !errors.Is(err, ErrCorrupt) {
		err = damagedSeal(err)
	}
	var e *driver.Error
	if !errors.As(err, &e) {
		return err
	}
	if kind := sentinels[e.Code()&0xff]; kind != nil && !errors.Is(err, kind) {
		return fmt.Errorf("%w: %w", kind, err)
	}
	return err
}

// interrupted reports whether a file cannot be read before what a killed process left
// half written is taken back.
func interrupted(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Code() == lib.SQLITE_READONLY_ROLLBACK
}

// tries bounds how often a write waits for a lock.
const tries = 3

// write runs f in a transaction that holds the write lock from its start. f
// may run more than once.
func (s *Store) write(ctx context.Context, f func(*sql.Tx) error) (err error) {
	if s.w == nil {
		return fmt.Errorf("%w: it was opened for reading", ErrReadOnly)
	}
	return retryBusy(ctx, s.w, f)
}

// beginner is the pool that writes, or its one connection.
type beginner interface {
	BeginTx(ctx context.Context, o *sql.TxOptions) (*sql.Tx, error)
}

func retryBusy(ctx context.Context, db beginner, f func(*sql.Tx) error) (err error) {
	for range tries {
		err = classify(inTransaction(ctx, db, f))
		if !errors.Is(err, ErrBusy) || ctx.Err() != nil {
			return err
		}
	}
	return err
}

func inTransaction(ctx context.Context, db beginner, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback() // the first error is returned
		return err
	}
	return tx.Commit()
}

// view is one state of the file for a call of several queries: between two of them
// the thread may be retired, and its row's number given to another. done ends it.
func (s *Store) view(ctx context.Context) (q querier, done func(), err error) {
	tx, err := s.r.BeginTx(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	return tx, func() { _ = tx.Rollback() }, nil // nothing was written
}

// querier is a pool of readers or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}
