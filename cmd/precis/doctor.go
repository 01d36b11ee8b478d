package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "check the database, its folder, and the token counters",
		Long: `Doctor looks at everything precis depends on and says how to mend what is not
well. It hashes every message of every thread again. It changes nothing.`,
		Args: want(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return a.doctor(c.Context()) },
	}
}

// finding is the result of one check.
type finding struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Found string `json:"found"`
	Fix   string `json:"fix,omitempty"`
}

func (a *app) doctor(ctx context.Context) error {
	var all []finding
	path, err := a.path()
	if err != nil {
		all = append(all, finding{"data folder", false, err.Error(), "set HOME or XDG_DATA_HOME, or use --db PATH"})
	} else {
		all = append(all, folder(filepath.Dir(path)), a.permissions(path))
		all = append(all, database(ctx, path)...)
	}
	all = append(all, counter("o200k"), counter("cl100k"))
	bad := 0
	for _, f := range all {
		if !f.OK {
			bad++
		}
	}
	if a.json {
		if err := a.object(map[string]any{"ok": bad == 0, "checks": all}); err != nil {
			return err
		}
	} else {
		a.findings(all)
	}
	if bad > 0 {
		a.json = false // the object is written
		return fail("", "check installation: %s failed", many(bad, "check"))
	}
	return nil
}

func (a *app) findings(all []finding) {
	for _, f := range all {
		mark := good("ok  ")
		if !f.OK {
			mark = bad("BAD ")
		}
		fmt.Fprintf(a.page, "%s %-12s %s\n", mark, f.Check, clean(f.Found))
		if f.Fix != "" {
			fmt.Fprintf(a.page, "     fix: %s\n", f.Fix)
		}
	}
}

// folder checks that the data folder, or the nearest one above it that exists,
// can be written.
func folder(dir string) finding {
	f := finding{Check: "data folder", OK: true, Found: dir}
	there := dir
	for {
		fi, err := os.Stat(there)
		if err == nil && !fi.IsDir() {
			f.OK, f.Found, f.Fix = false, there+" is not a folder", "move it away, or use --db PATH"
			return f
		}
		if err == nil || there == filepath.Dir(there) {
			break
		}
		there = filepath.Dir(there)
	}
	if there != dir {
		f.Found = dir + " (will be made)"
	}
	probe, err := os.CreateTemp(there, ".precis-doctor-*")
	if err != nil {
		f.OK, f.Found, f.Fix = false, err.Error(), "make "+there+" writable, or use --db PATH"
		return f
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		f.OK, f.Found = false, err.Error()
	}
	return f
}

// permissions checks that others cannot read the database: it holds whole
// conversations.
func (a *app) permissions(path string) finding {
	f := finding{Check: "permissions", OK: true, Found: "for your eyes only"}
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Found = "no database yet"
	case err != nil:
		f.OK, f.Found = false, err.Error()
	case runtime.GOOS != "windows" && fi.Mode().Perm()&0o077 != 0:
		f.OK, f.Found, f.Fix = false, fmt.Sprintf("%s is %s: others can read it", path, fi.Mode().Perm()), "chmod 600 "+quote(path)
	}
	return f
}

// database opens it, if there is one, and verifies its threads.
func database(ctx context.Context, path string) []finding {
	f := finding{Check: "database", OK: true}
	fi, err := os.Stat(path)
	if err != nil {
		f.Found = "none yet: precis compact FILE makes it"
		return []finding{f}
	}
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		f.OK, f.Found, f.Fix = false, err.Error(), explain(err).hint
		return []finding{f}
	}
	f.Found = fmt.Sprintf("%s, %s kB", path, commas(int(fi.Size()+1023)/1024))
	v := threads(ctx, s)
	if err := s.Close(); err != nil {
		f.OK, f.Found = false, err.Error()
	}
	return []finding{f, v}
}

// threads hashes every message of every thread again.
func threads(ctx context.Context, s store.Store) finding {
	f := finding{Check: "threads", OK: true}
	broken := func(name string, err error) finding {
		f.OK, f.Found, f.Fix = false, fmt.Sprintf("%s: %v", name, err), "restore the database from a backup"
		return f
	}
	heads, err := s.Heads(ctx, "")
	if err != nil {
		return broken("list", err)
	}
	n := 0
	for _, h := range heads {
		entries, err := s.Load(ctx, h.Key)
		if err != nil {
			return broken(h.Key.Thread, err)
		}
		t, err := thread.New(entries)
		if err == nil {
			err = t.Verify()
		}
		if err != nil {
			return broken(h.Key.Thread, err)
		}
		n += t.Len()
	}
	f.Found = fmt.Sprintf("%s, %s, every hash as it should be", many(len(heads), "thread"), many(n, "message"))
	return f
}

// counter checks an encoding on a text whose count is known.
func counter(name string) finding {
	f := finding{Check: name, Found: "counts as it should"}
	c, err := bpe.Counter(name)
	switch {
	case err != nil:
		f.Found = err.Error()
	case c.Count("hello world") != 2:
		f.Found, f.Fix = "miscounts: the program is damaged", "install precis again"
	default:
		f.OK = true
	}
	return f
}
