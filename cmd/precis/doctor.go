package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

func (a *app) doctorCommand() *cobra.Command {
	var path string
	var network bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "check the database, its folder, the token counters, and the proxy", Long: doctorLong,
		Example: "  precis doctor\n  precis doctor --config precis.toml --json",
		Args:    want(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if path == "" && !network {
				return a.doctor(c.Context(), nil)
			}
			s, err := a.configured(path, c.Flags())
			return a.doctor(c.Context(), func() []finding {
				if err != nil {
					return []finding{{"config", false, err.Error(), explain(err).hint}}
				}
				return a.proxied(c.Context(), s)
			})
		},
	}
	cmd.Flags().StringVar(&path, "config", "", "check what precis serve with this `file` needs, too")
	cmd.Flags().BoolVar(&network, "proxy", false, "check what precis serve without a file needs, too")
	return cmd
}

const doctorLong = `Doctor looks at everything precis depends on and says how to mend what is not
well. It hashes every message of every thread again. It changes nothing.

With --config or --proxy it looks at the proxy, too: the file, the address to
listen on, and whether the providers answer. That needs no key, and sends nothing
but a request for nothing.

It ends with 0 where all is well, with 1 where a check failed.`

// finding is the result of one check.
type finding struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Found string `json:"found"`
	Fix   string `json:"fix,omitempty"`
}

// doctor makes its checks, and those of more if there is any.
func (a *app) doctor(ctx context.Context, more func() []finding) error {
	var all []finding
	path, err := a.path()
	if err != nil {
		all = append(all, finding{"data folder", false, err.Error(), "set HOME or XDG_DATA_HOME, or use --db PATH"})
	} else {
		all = append(all, folder(filepath.Dir(path)), disk(filepath.Dir(path)), a.permissions(path))
		all = append(all, database(ctx, path)...)
	}
	all = append(all, counter("o200k"), counter("cl100k"), a.knowledge())
	if more != nil {
		all = append(all, more()...)
	}
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

// scarce is the free space below which a database may not take another session,
// in bytes.
const scarce = 200 << 20

// disk checks that there is room where a folder is, or will be.
func disk(dir string) finding {
	f := finding{Check: "disk", OK: true}
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	n, err := freeSpace(dir)
	switch {
	case err != nil:
		f.Found = fmt.Sprintf("how much is free is not known: %v", err)
	case n < scarce:
		f.OK, f.Found, f.Fix = false, fmt.Sprintf("%s MB are free", commas(int(n>>20))), "free some space, or choose another disk with --db PATH"
	default:
		f.Found = fmt.Sprintf("%s MB are free", commas(int(n>>20)))
	}
	return f
}

// knowledge checks the table of models, which may be a file.
func (a *app) knowledge() finding {
	f := finding{Check: "models", OK: true, Found: "the table that came with the program"}
	path, err := a.tablePath()
	if err != nil {
		return f
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && a.models == "" {
		return f
	}
	t := (*model.Table)(nil)
	if err == nil {
		t, err = model.Parse(data)
	}
	if err != nil {
		f.OK, f.Found, f.Fix = false, fmt.Sprintf("%s: %v", path, err), "precis model refresh writes it anew; removing it brings the built-in table back"
		return f
	}
	f.Found = fmt.Sprintf("%s, %s", path, many(len(t.Names()), "model"))
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
	return []finding{f, writable(path), intact(ctx, path), v}
}

// writable checks that the database can be written.
func writable(path string) finding {
	f := finding{Check: "writable", OK: true, Found: "yes"}
	w, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		f.OK, f.Found, f.Fix = false, err.Error(), "make it writable for you, or choose another with --db PATH"
		return f
	}
	_ = w.Close() // nothing was written
	return f
}

// intact has SQLite look at the pages of the file.
func intact(ctx context.Context, path string) finding {
	f := finding{Check: "pages", OK: true, Found: "as they should be"}
	broken := func(why string) finding {
		f.OK, f.Found, f.Fix = false, why, "restore the database from a backup"
		return f
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=ro")
	if err != nil {
		return broken(err.Error())
	}
	defer func() { _ = db.Close() }() // it was only read
	var said string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&said); err != nil {
		return broken(err.Error())
	}
	if said != "ok" {
		return broken(said)
	}
	return f
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
