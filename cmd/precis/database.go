package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

const fileName = "precis.db"

// database is where the log is kept.
type database struct {
	*streams
	db    string // --db
	key   string // --key
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

// path is the database that was asked for, or the default one.
func (d *database) path() (string, error) {
	if d.db != "" {
		return d.db, nil
	}
	return defaultPath()
}

// existing opens the database for a command that needs what is in it.
func (d *database) existing(ctx context.Context) (store.Store, error) {
	path, err := d.found()
	if err != nil {
		return nil, err
	}
	o, err := d.options()
	if err != nil {
		return nil, err
	}
	return sqlite.Open(ctx, path, o)
}

// found is the path of a database that must be there.
func (d *database) found() (string, error) {
	path, err := d.path()
	if err != nil {
		return "", fail("name a database with --db PATH", "open store: %w", err)
	}
	if _, err := os.Stat(path); err != nil {
		return "", fail("precis compact FILE makes it; --db PATH names another one", "open store: %w", err)
	}
	return path, nil
}

// options have the keys of a sealed database, and tell the user of a plan that is
// damaged.
func (d *database) options() (sqlite.Options, error) {
	keys, err := d.keys()
	return sqlite.Options{Keys: keys, Damaged: func(_ store.Key, err error) {
		d.note("%v; an older plan takes its place, and precis doctor --repair makes that the current one", err)
	}}, err
}

// writable opens the database for compact, which must not fail because of it
// unless the user named it: where the data folder cannot be used, the log goes
// to a temporary file, and where that cannot be written, to memory.
func (d *database) writable(ctx context.Context) (store.Store, error) {
	o, err := d.options()
	if err != nil {
		return nil, err
	}
	path, err := d.path()
	if err == nil {
		var s store.Store
		if s, err = sqlite.Open(ctx, path, o); err == nil {
			return s, nil
		}
	}
	locked := errors.Is(err, sqlite.ErrSealed) || errors.Is(err, sqlite.ErrClear) || errors.Is(err, seal.ErrKey)
	if d.db != "" || ctx.Err() != nil || locked {
		return nil, err
	}
	return d.spare(ctx, err)
}

// spare is a store for one run, and says why there is no better one.
func (d *database) spare(ctx context.Context, why error) (store.Store, error) {
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

// unusable reports whether an error is the database's own, not the request's.
func unusable(err error) bool {
	return slices.ContainsFunc([]error{sqlite.ErrBusy, sqlite.ErrReadOnly, sqlite.ErrFull, sqlite.ErrCorrupt},
		func(e error) bool { return errors.Is(err, e) })
}

// with runs f on the database and closes it.
func (d *database) with(ctx context.Context, f func(store.Store) error) error {
	s, err := d.existing(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(s), s.Close())
}

// withFile runs f on the database as the file that it is.
func (d *database) withFile(ctx context.Context, f func(context.Context, *sqlite.Store) error) error {
	return d.with(ctx, func(s store.Store) error {
		file, ok := s.(*sqlite.Store)
		if !ok {
			return fail("", "open store: it is no file")
		}
		return f(ctx, file)
	})
}

// reading hands f the database, opened for reading only, and closes it.
func (d *database) reading(ctx context.Context, f func(store.Store) error) error {
	path, err := d.path()
	if err != nil {
		return err
	}
	o, err := d.options()
	if err != nil {
		return err
	}
	s, err := sqlite.OpenReadOnly(ctx, path, o)
	if errors.Is(err, sqlite.ErrOlder) {
		if s, err = sqlite.Open(ctx, path, o); err == nil {
			if err = s.Close(); err == nil {
				s, err = sqlite.OpenReadOnly(ctx, path, o)
			}
		}
	}
	if err != nil {
		return err
	}
	return errors.Join(f(s), s.Close())
}
