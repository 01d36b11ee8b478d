package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

const fileName = "precis.db"

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
func (a *app) path() (string, error) {
	if a.db != "" {
		return a.db, nil
	}
	return defaultPath()
}

// existing opens the database for a command that needs what is in it.
func (a *app) existing(ctx context.Context) (store.Store, error) {
	path, err := a.path()
	if err != nil {
		return nil, fail("name a database with --db PATH", "open store: %w", err)
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fail("precis compact FILE makes it; --db PATH names another one", "open store: %w", err)
	}
	return sqlite.Open(ctx, path, sqlite.Options{})
}

// writable opens the database for compact, which must not fail because of it
// unless the user named it: where the data folder cannot be used, the log goes
// to a temporary file, and where that cannot be written, to memory.
func (a *app) writable(ctx context.Context) (store.Store, error) {
	path, err := a.path()
	if err == nil {
		var s store.Store
		if s, err = sqlite.Open(ctx, path, sqlite.Options{}); err == nil {
			return s, nil
		}
	}
	if a.db != "" || ctx.Err() != nil {
		return nil, err
	}
	return a.spare(ctx, err)
}

// spare is a store for one run, and says why there is no better one.
func (a *app) spare(ctx context.Context, why error) (store.Store, error) {
	dir, err := os.MkdirTemp("", "precis-")
	if err == nil {
		path := filepath.Join(dir, fileName)
		s, err := sqlite.Open(ctx, path, sqlite.Options{})
		if err == nil {
			a.db = path
			a.note("%v", why)
			a.note("this run keeps its log in %s instead; --db PATH chooses a place", path)
			return s, nil
		}
		_ = os.RemoveAll(dir) // it is empty, or a database that does not open
	}
	a.note("%v", why)
	a.note("nothing can be written: what leaves the prompt cannot be read back later; --db PATH chooses a place")
	a.volatile = true
	return memory.New(), nil
}

// unusable says whether an error is the database's own, not the request's.
func unusable(err error) bool {
	return slices.ContainsFunc([]error{sqlite.ErrBusy, sqlite.ErrReadOnly, sqlite.ErrFull, sqlite.ErrCorrupt},
		func(e error) bool { return errors.Is(err, e) })
}

// head finds the thread that a command is about: by its key or the beginning of
// one, or the thread that was updated last.
func (a *app) head(ctx context.Context, s store.Store, name string) (store.Head, error) {
	heads, err := s.Heads(ctx, a.whose)
	if err != nil {
		return store.Head{}, err
	}
	if len(heads) == 0 {
		return store.Head{}, fail("precis compact FILE makes one", "find thread: the database holds none")
	}
	if name == "" {
		if len(heads) > 1 {
			a.note("thread %s, the last updated of %d (--thread chooses)", heads[0].Key.Thread, len(heads))
		}
		return heads[0], nil
	}
	var found []store.Head
	for _, h := range heads {
		if h.Key.Thread == name {
			return h, nil
		}
		if strings.HasPrefix(h.Key.Thread, name) {
			found = append(found, h)
		}
	}
	switch len(found) {
	case 0:
		return store.Head{}, fail("precis thread list shows them", "find thread %q: %w", name, store.ErrNotFound)
	case 1:
		return found[0], nil
	}
	return store.Head{}, fail("write more of the key", "find thread %q: %d threads begin so", name, len(found))
}

// reader opens the thread that --thread names for recall.
func (a *app) reader(ctx context.Context, s store.Store) (*recall.Reader, store.Head, error) {
	h, err := a.head(ctx, s, a.thread)
	if err != nil {
		return nil, h, err
	}
	r, err := recall.Open(ctx, s, h.Key, time.Now())
	return r, h, err
}

// missing adds the hint for a reference that names nothing.
func missing(err error) error {
	if errors.Is(err, recall.ErrMiss) {
		return fail("precis thread show lists the messages, precis plan show the records", "%w", err)
	}
	return err
}

// with runs f on the database and closes it.
func (a *app) with(ctx context.Context, f func(store.Store) error) error {
	s, err := a.existing(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(s), s.Close())
}
