package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/proxy/config"
	"github.com/seed-3db51b0e/precis/store/postgres"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// leastBudget is the smallest budget of a proxy, in tokens: the system prompt and the
// tools of an agent alone take more.
const leastBudget = 1000

// checkOptions names the first value that no proxy could run with.
func (s *server) checkOptions(o proxy.Options) error {
	if err := s.checkBudget(o.Budget); err != nil {
		return err
	}
	for _, t := range o.Tenancy.Named {
		if t.Budget > 0 && t.Budget < leastBudget {
			return &failure{exitUsage, &config.Error{Path: s.configFile, Field: "tenant." + t.Name + ".budget", Err: tooSmall(t.Budget)}, leastHint()}
		}
	}
	if err := s.checkNumbers(); err != nil {
		return err
	}
	if _, err := net.ResolveTCPAddr("tcp", s.inspect); s.inspect != "" && err != nil {
		return usage("write it as 127.0.0.1:7788; port 0 takes a free one", "%s: %w", s.given("inspect", s.inspect), err)
	}
	return s.extras.check(s.given)
}

// checkBudget refuses a budget that holds no request.
func (s *server) checkBudget(budget int) error {
	if s.budget != "" && budget < leastBudget {
		return usage(leastHint(), "%s: %w", s.given("budget", s.budget), tooSmall(budget))
	}
	return nil
}

func tooSmall(budget int) error { return fmt.Errorf("%d tokens hold no request", budget) }

func leastHint() string {
	return fmt.Sprintf("the least is %s; 32k or more is of use to an agent", term.Comma(leastBudget))
}

// checkNumbers checks the flags that stand for nothing below their least: 0 is not the default.
func (s *server) checkNumbers() error {
	for _, x := range []struct {
		flag string
		of   int64
		zero bool // it may be 0
	}{
		{"body-timeout", int64(s.bodyTimeout), false},
		{"held-timeout", int64(s.heldTimeout), false},
		{"idle-timeout", int64(s.idle), false},
		{"max-messages", int64(s.messages), false},
		{"max-threads", int64(s.protection.threads), true},
		{"grace", int64(s.grace), true},
		{"drain", int64(s.drain), true},
	} {
		want := "more than 0"
		if x.zero {
			want = "0 or more"
		}
		if x.of < 0 || x.of == 0 && !x.zero {
			return usage("leave it out for the default", "%s: want %s", s.given(x.flag, s.set.Lookup(x.flag).Value.String()), want)
		}
	}
	return nil
}

// checkPlaces says which of the files that a proxy writes cannot be: its database where one is
// named, or its events. It leaves nothing behind. A PostgreSQL database is not asked.
func (s *server) checkPlaces(ctx context.Context) error {
	if s.events != "" {
		if err := checkAppendable(s.events, false); err != nil {
			return fail("name a file in a folder that can be written", "use %s: %w", s.where("events"), err)
		}
	}
	if at, err := s.path(); err == nil {
		if err := s.checkBlobs(at); err != nil {
			return err
		}
	}
	path := s.namedDB()
	if path == "" || postgres.IsURL(path) {
		return nil
	}
	err := checkAppendable(path, true)
	if err == nil {
		err = s.checkDatabase(ctx, path)
	}
	if err != nil {
		hint := hintFor(err)
		if hint == "" {
			hint = "choose a place that can be written with --db PATH"
		}
		return fail(hint, "use %s: %w", s.where("db"), err)
	}
	return nil
}

// checkDatabase says why a file that is there cannot be opened: it is no database, or the key is another's.
func (s *server) checkDatabase(ctx context.Context, path string) error {
	if fi, err := os.Stat(path); err != nil || fi.Size() == 0 {
		return nil // it will be made
	}
	o, err := s.database.options()
	if err != nil {
		return err
	}
	o.BusyTimeout = readWait
	st, err := sqlite.OpenReadOnly(ctx, path, o)
	if errors.Is(err, sqlite.ErrOlder) || errors.Is(err, sqlite.ErrInterrupted) || errors.Is(err, sqlite.ErrBusy) {
		return nil // serve brings it up to date, or waits
	}
	if err != nil {
		return err
	}
	return st.Close()
}

// checkAppendable says why a file can neither be written nor made; with folders, those above it
// may be missing.
func checkAppendable(path string, folders bool) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		return f.Close()
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir := filepath.Dir(path)
	for folders && dir != filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err = os.CreateTemp(dir, ".precis-check-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
