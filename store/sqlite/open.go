// Package sqlite keeps threads, plans and artifacts in one SQLite file.
//
// Use: Open. Law: the contract of package store; the schema itself refuses to
// change or delete what was written, whoever writes. Promise: what
// Append or Commit acknowledged survives a crash of the process or the machine
// (write-ahead log, synchronous FULL); several processes may use one file. With
// Options.Keys nothing that was said stands in the file in the clear.
//
// While a store is open, do not open and close its file by other means in the
// same process: POSIX drops a process's locks on a file when it closes any
// descriptor of it. Copy it with the store closed, or from another process.
package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/internal/disk"
	"github.com/seed-3db51b0e/precis/store"
)

// Options tune a Store. The zero value is fine.
type Options struct {
	// BusyTimeout is how long one try waits for another process to finish
	// writing; 0 means 5 s. A call tries three times before ErrBusy.
	BusyTimeout time.Duration
	// Readers is the number of connections that read; 0 means 4.
	Readers int
	// Keys seal the file: an empty one becomes sealed, a sealed one is opened, and one
	// that holds content in the clear is ErrClear. nil: the file is not sealed.
	Keys *seal.Keyring
	// Damaged is told of a plan that cannot be read, when an older one, or none, takes
	// its place; nil: nobody is.
	Damaged func(store.Key, error)
}

// Store is a store in one file. Safe for concurrent use.
type Store struct {
	w, r  *sql.DB   // one connection that writes, nil when it only reads; a few that read
	heads *compiled // r, for frequent queries
	zip   *compressor
	lines *lines

	dir  string                       // of the file
	free func(string) (uint64, error) // bytes on its disk

	damaged  func(store.Key, error) // Options.Damaged
	suspects sync.Map               // rows of threads whose current plan is damaged
}

var _ store.Maintained = (*Store)(nil)

// Open opens the store at path, and creates it, for its owner's eyes only, if
// there is none. An older schema is brought up to date. ErrNewer and ErrAlien
// leave the file as it is.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	s, err := open(ctx, path, o, newest())
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, classify(err))
	}
	return s, nil
}

// writing are the options of the connection that writes. A new file is made so
// that it can give freed pages back (see Vacuum). secure_delete: what is erased is
// overwritten in the file. The write-ahead log is folded in every 4 MB, and cut
// back where a reader had let it grow beyond.
const writing = "_txlock=immediate&_pragma=auto_vacuum(2)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
	"&_pragma=secure_delete(1)&_pragma=wal_autocheckpoint(1000)&_pragma=journal_size_limit(4194304)"

// open brings the schema to the version given: tests make older files.
func open(ctx context.Context, path string, o Options, version int) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := create(path); err != nil {
		return nil, err
	}
	if err := checkFile(ctx, path, o); err != nil {
		return nil, err
	}
	zip, err := newCompressor()
	if err != nil {
		return nil, err
	}
	s := &Store{zip: zip, lines: newLines(), damaged: o.Damaged, dir: filepath.Dir(path), free: disk.Free}
	if s.w, err = connect(path, o, 1, writing); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if s.r, err = connect(path, o, cmp.Or(o.Readers, 4), "_pragma=query_only(1)"); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.heads = &compiled{db: s.r}
	if err := s.prepare(ctx, version, o.Keys); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close closes the file. The last process to close it folds the write-ahead
// log into it.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.r, s.w} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	s.zip.Close()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}

// creating is held while a file is made, so that the descriptor it is made
// with is closed before anyone in this process locks the file.
var creating sync.Mutex

// create makes the file and its directory if they are missing.
func create(path string) error {
	creating.Lock()
	defer creating.Unlock()
	if fi, err := os.Stat(path); err == nil {
		if fi.IsDir() {
			return fmt.Errorf("%w: it is a folder", ErrReadOnly)
		}
		return nil
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return unmade(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil // another process was faster
	}
	if err != nil {
		return unmade(err)
	}
	return errors.Join(f.Close(), syncDir(dir))
}

// unmade is why a file could not be made.
func unmade(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return fmt.Errorf("%w: %w", ErrReadOnly, err)
}

// syncDir makes the file's name durable. Not every system can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}

// connect opens a pool of n connections. The path goes in as a URI, so that
// no character of it is taken for an option.
func connect(path string, o Options, n int, options string) (*sql.DB, error) {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/…
	}
	busy := o.BusyTimeout
	if busy == 0 {
		busy = 5 * time.Second
	}
	u := url.URL{Scheme: "file", Path: p}
	dsn := fmt.Sprintf("%s?_busy_timeout=%d&_error_rc=1&_defensive=1&_pragma=foreign_keys(1)&%s",
		u.String(), busy.Milliseconds(), options)
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}
