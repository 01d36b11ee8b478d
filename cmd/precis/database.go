package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/blob"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/postgres"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

const fileName = "precis.db"

// database is where the log is kept.
type database struct {
	*streams
	db    string // --db
	blobs string // --blobs
	key   string // --key
	noKey bool   // key, and what stands in its variable, are not for this database
	whose string // --tenant
	// volatile says that the log of this run is in memory only.
	volatile bool
}

// defaultPath is the database in the user's data folder.
func defaultPath() (string, error) {
	dir, err := dataFolder()
	if err != nil {
		return "", fmt.Errorf("find data folder: %w", err)
	}
	return filepath.Join(dir, "precis", fileName), nil
}

func dataFolder() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	switch runtime.GOOS {
	case "windows":
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return dir, nil
		}
		return os.UserConfigDir()
	case "darwin", "ios":
		return os.UserConfigDir() // ~/Library/Application Support
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "share"), nil
}

// The variables that name the database and the blob store where --db and --blobs do not.
const (
	dbEnv    = "PRECIS_DB"
	blobsEnv = "PRECIS_BLOBS"
)

// namedDB is the database that was asked for, "" for none.
func (d *database) namedDB() string { return cmp.Or(d.db, os.Getenv(dbEnv)) }

// blobsAt is the blob store of a PostgreSQL database, "" for none.
func (d *database) blobsAt() string { return cmp.Or(d.blobs, os.Getenv(blobsEnv)) }

// path is the database that was asked for, or the default one: a file, or the URL of a
// PostgreSQL database.
func (d *database) path() (string, error) {
	if at := d.namedDB(); at != "" {
		return at, nil
	}
	return defaultPath()
}

// shown is a path without what is secret in it.
func shown(path string) string {
	if postgres.IsURL(path) {
		return postgres.Redacted(path)
	}
	return path
}

// open opens the database at a path, and makes a file that is not there.
func (d *database) open(ctx context.Context, path string) (store.Maintained, error) {
	if err := d.checkBlobs(path); err != nil {
		return nil, err
	}
	return d.openAny(ctx, path)
}

// checkBlobs refuses a blob store beside a database that takes none.
func (d *database) checkBlobs(path string) error {
	if !postgres.IsURL(path) && d.blobs != "" {
		return usage("leave --blobs out, or name a PostgreSQL database with --db", "open store %s: a file keeps everything itself", path)
	}
	return nil
}

// openAny opens a database with those of the key and the blob store that it takes.
func (d *database) openAny(ctx context.Context, path string) (store.Maintained, error) {
	if postgres.IsURL(path) {
		s, err := d.openURL(ctx, path, false)
		if err != nil {
			return nil, err // and no store: a nil one would be one
		}
		return s, nil
	}
	o, err := d.options()
	if err != nil {
		return nil, err
	}
	defer d.noteWaiting("opening", path)()
	return sqlite.Open(ctx, path, o)
}

// noteAfter is the time after which a command says that it waits for its database.
var noteAfter = 2 * time.Second

// noteWaiting says that it waits, and what it does, if the function that it returns is not called before.
func (d *database) noteWaiting(doing, path string) (done func()) {
	t := time.AfterFunc(noteAfter, func() { d.note("still %s %s: another process is writing to it, or it is large", doing, path) })
	return func() { t.Stop() }
}

// openURL opens a PostgreSQL database, for reading only or for all that there is.
func (d *database) openURL(ctx context.Context, url string, reading bool) (*postgres.Store, error) {
	keys, err := d.keys()
	if err != nil {
		return nil, err
	}
	o := postgres.Options{Keys: keys, Damaged: d.damaged, Reading: reading}
	if at := d.blobsAt(); at != "" {
		if o.Blobs, err = blob.Open(ctx, at); err != nil {
			return nil, err
		}
	}
	s, err := postgres.Open(ctx, url, o)
	if err != nil && o.Blobs != nil {
		return nil, errors.Join(err, o.Blobs.Close())
	}
	return s, err
}

// existing opens the database for a command that needs what is in it.
func (d *database) existing(ctx context.Context) (store.Maintained, error) {
	path, err := d.found()
	if err != nil {
		return nil, err
	}
	return d.open(ctx, path)
}

// found is the path of a database that must be there.
func (d *database) found() (string, error) {
	path, err := d.path()
	if err != nil {
		return "", fail("name a database with --db PATH", "open store: %w", err)
	}
	if _, err := os.Stat(path); err != nil && !postgres.IsURL(path) {
		return "", fail("precis compact FILE makes it; --db PATH names another one", "open store %s: %w", path, err)
	}
	return path, nil
}

// options have the keys of a sealed database, and tell the user of a plan that is
// damaged.
func (d *database) options() (sqlite.Options, error) {
	keys, err := d.keys()
	return sqlite.Options{Keys: keys, Damaged: d.damaged}, err
}

func (d *database) damaged(_ store.Key, err error) {
	d.note("%v; an older plan takes its place, and %s says how to mend it", err, d.again("precis doctor"))
}

// writable opens the database for compact, which must not fail because of it
// unless the user named it: where the data folder cannot be used, the log goes
// to a temporary file, and where that cannot be written, to memory.
func (d *database) writable(ctx context.Context) (store.Store, error) {
	path, err := d.path()
	if err == nil {
		if err := d.checkBlobs(path); err != nil {
			return nil, err
		}
		var s store.Store
		if s, err = d.openAny(ctx, path); err == nil {
			return s, nil
		}
	}
	locked := errors.Is(err, sqlite.ErrSealed) || errors.Is(err, sqlite.ErrClear) || errors.Is(err, seal.ErrKey)
	if d.namedDB() != "" || ctx.Err() != nil || locked {
		return nil, err
	}
	return d.temporaryStore(ctx, err)
}

// temporaryStore is a store for one run, and says why there is no better one.
func (d *database) temporaryStore(ctx context.Context, why error) (store.Store, error) {
	o, err := d.options()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "precis-")
	if err == nil {
		path := filepath.Join(dir, fileName)
		s, err := sqlite.Open(ctx, path, o)
		if err == nil {
			d.db = path
			d.note("%v", why)
			d.note("this run keeps its log in %s instead; --db PATH chooses a place", path)
			return s, nil
		}
		_ = os.RemoveAll(dir) // it is empty, or a database that does not open
	}
	d.note("%v", why)
	d.note("nothing can be written: what leaves the prompt cannot be read back later; --db PATH chooses a place")
	d.volatile = true
	return memory.New(), nil
}

// engineOn makes an engine that changes plans in a store.
func (d *database) engineOn(s store.Store) (*precis.Engine, error) {
	return precis.New(precis.Options{Store: s, Tenant: d.whose})
}

// unusable reports whether an error is the database's own, not the request's.
func unusable(err error) bool {
	return slices.ContainsFunc([]error{sqlite.ErrBusy, sqlite.ErrReadOnly, sqlite.ErrFull, sqlite.ErrIO, sqlite.ErrCorrupt, postgres.ErrUnavailable, postgres.ErrFull, postgres.ErrCorrupt},
		func(e error) bool { return errors.Is(err, e) })
}

// with runs f on the database and closes it.
func (d *database) with(ctx context.Context, f func(store.Store) error) error {
	return d.maintain(ctx, func(_ context.Context, s store.Maintained) error { return f(s) })
}

// maintain is with of all that there is.
func (d *database) maintain(ctx context.Context, f func(context.Context, store.Maintained) error) error {
	s, err := d.existing(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(ctx, s), s.Close())
}

// reading hands f the database, opened for reading only, and closes it. It waits for
// nobody who writes.
func (d *database) reading(ctx context.Context, f func(store.Store) error) error {
	return d.inspecting(ctx, func(_ context.Context, s store.Maintained) error { return f(s) })
}

// readWait bounds the time for which a reader waits while a file is opened or closed by
// another process.
const readWait = 100 * time.Millisecond

// inspecting is reading of all that there is.
func (d *database) inspecting(ctx context.Context, f func(context.Context, store.Maintained) error) error {
	s, err := d.openReading(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(ctx, s), s.Close())
}

// openReading opens the database, which must be there, for reading only. A file of an older
// version is brought up to date before.
func (d *database) openReading(ctx context.Context) (store.Maintained, error) {
	path, err := d.found()
	if err == nil {
		err = d.checkBlobs(path)
	}
	if err != nil {
		return nil, err
	}
	if postgres.IsURL(path) {
		s, err := d.openURL(ctx, path, true)
		if err != nil {
			return nil, err // and no store: a nil one would be one
		}
		return s, nil
	}
	o, err := d.options()
	if err != nil {
		return nil, err
	}
	o.BusyTimeout = readWait
	s, err := sqlite.OpenReadOnly(ctx, path, o)
	if errors.Is(err, sqlite.ErrOlder) || errors.Is(err, sqlite.ErrInterrupted) {
		if made := makeReadable(ctx, path, o); made != nil {
			return nil, fmt.Errorf("%w: %w", err, made)
		}
		s, err = sqlite.OpenReadOnly(ctx, path, o)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// makeReadable does to a file, by opening it for writing, what must be done before it can be
// read.
func makeReadable(ctx context.Context, path string, o sqlite.Options) error {
	o.BusyTimeout = 0 // the default: there is no reading without it
	s, err := sqlite.Open(ctx, path, o)
	if err != nil {
		return err
	}
	return s.Close()
}
