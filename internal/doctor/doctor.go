// Package doctor checks everything precis depends on and says how to mend what is not
// well: folder, disk, database, token counters, models, and what a proxy needs.
//
// Use: Installation and Proxy return findings. Law: a check changes nothing unless it is
// asked to repair. Promise: a finding that is not OK says in Fix what to do, where that is known.
package doctor

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
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/internal/disk"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// Finding is the result of one check.
type Finding struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Found string `json:"found"`
	Fix   string `json:"fix,omitempty"`
}

// fromBackup is what is left where nothing can be repaired.
const fromBackup = "restore the database from a backup, a file without the -wal and -shm of the old one; without a backup, precis db copy --salvage FROM TO saves what can be read in another"

// Unreadable is what is left where a file does not even open.
const Unreadable = "restore the file from a backup: nothing of it can be read; --db PATH chooses another"

// Database is the database that Installation checks, and how.
type Database struct {
	Path    string
	Keys    *seal.Keyring // nil: it is not sealed
	Repair  bool          // mend what can be mended
	LookFor string        // text to look for in the raw files, "" for none
}

// Installation checks the database, its folder and its disk. hint gives the advice for an
// error of the database.
func Installation(ctx context.Context, db Database, hint func(error) string) []Finding {
	all := []Finding{folder(filepath.Dir(db.Path)), diskRoom(filepath.Dir(db.Path)), permissions(db.Path)}
	return append(all, database(ctx, db, hint)...)
}

// Server checks a PostgreSQL database that is open already, or why it does not open.
func Server(ctx context.Context, where string, s store.Maintained, err error, repair bool, hint func(error) string) []Finding {
	f := Finding{Check: "database", OK: err == nil, Found: where}
	if err != nil {
		f.Found, f.Fix = err.Error(), hint(err)
		return []Finding{f}
	}
	return []Finding{f, sealedServer(ctx, s), threads(ctx, s), content(ctx, s, repair)}
}

// sealedServer reports how much of the content of a server's database is sealed: all of it,
// or none.
func sealedServer(ctx context.Context, s store.Maintained) Finding {
	f := Finding{Check: "sealing", OK: true, Found: "not sealed: who can read the database can read the conversations"}
	db, ok := s.(interface {
		Sealed() bool
		Sealing(ctx context.Context) (contents, clear int, err error)
	})
	if !ok || !db.Sealed() {
		return f
	}
	contents, clear, err := db.Sealing(ctx)
	if err != nil {
		f.OK, f.Found = false, err.Error()
		return f
	}
	f.OK, f.Found = clear == 0, fmt.Sprintf("%s, of which %d in the clear", term.Count(contents, "piece")+" of content", clear)
	return f
}

// Program checks what needs no database: the token counters, and the table of models
// at path; named says that the user named that file.
func Program(path string, named bool) []Finding {
	return []Finding{counter("o200k"), counter("cl100k"), models(path, named)}
}

// folder checks that the data folder, or the nearest one above it that exists,
// can be written.
func folder(dir string) Finding {
	f := Finding{Check: "data folder", OK: true, Found: dir}
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
	switch {
	case err == nil:
	case there != dir: // nothing above it need be writable
		f.OK, f.Found, f.Fix = false, dir+" cannot be made: "+err.Error(), "make "+dir+" and give it to the user who runs precis, or use --db PATH"
		return f
	default:
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

// diskRoom checks that there is room where a folder is, or will be.
func diskRoom(dir string) Finding {
	f := Finding{Check: "disk", OK: true}
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	n, err := disk.Free(dir)
	switch {
	case err != nil:
		f.Found = fmt.Sprintf("cannot tell how much is free: %v", err)
	case n < scarce:
		f.OK, f.Found, f.Fix = false, fmt.Sprintf("%s MB are free", term.Comma(int(n>>20))), "free some space, or choose another disk with --db PATH"
	default:
		f.Found = fmt.Sprintf("%s MB are free", term.Comma(int(n>>20)))
	}
	return f
}

// models checks the table of models, which may be a file.
func models(path string, named bool) Finding {
	f := Finding{Check: "models", OK: true, Found: "the table that came with the program"}
	data, err := os.ReadFile(path)
	if path == "" || errors.Is(err, fs.ErrNotExist) && !named {
		return f
	}
	t := (*model.Table)(nil)
	if err == nil {
		t, err = model.Parse(data)
	}
	if err != nil {
		f.OK, f.Found, f.Fix = false, fmt.Sprintf("%s: %v", path, err), "precis model refresh writes it anew; without the file the built-in table is used"
		return f
	}
	f.Found = fmt.Sprintf("%s, %s", path, term.Count(len(t.Names()), "model"))
	return f
}

// permissions checks that others cannot read the database: it holds whole
// conversations.
func permissions(path string) Finding {
	f := Finding{Check: "permissions", OK: true, Found: "only you can read it"}
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Found = "no database yet"
	case err != nil:
		f.OK, f.Found = false, err.Error()
	case runtime.GOOS != "windows" && fi.Mode().Perm()&0o077 != 0:
		f.OK, f.Found, f.Fix = false, fmt.Sprintf("%s is %s: others can read it", path, fi.Mode().Perm()), "chmod 600 "+term.Quote(path)
	}
	return f
}

// database opens it, if there is one, and verifies its threads.
func database(ctx context.Context, db Database, hint func(error) string) []Finding {
	path := db.Path
	f := Finding{Check: "database", OK: true}
	fi, err := os.Stat(path)
	if err != nil {
		f.Found = "none yet: precis compact FILE makes it"
		return []Finding{f}
	}
	s, err := sqlite.Open(ctx, path, sqlite.Options{Keys: db.Keys})
	if err != nil {
		f.OK, f.Found, f.Fix = false, err.Error(), hint(err)
		if errors.Is(err, sqlite.ErrCorrupt) && !errors.Is(err, sqlite.ErrNoFile) {
			f.Fix = Unreadable
		}
		return []Finding{f}
	}
	f.Found = fmt.Sprintf("%s, %s kB", path, term.Comma(int(fi.Size()+1023)/1024))
	v, kept := threads(ctx, s), content(ctx, s, db.Repair)
	sealing := sealed(ctx, s, db)
	if err := s.Close(); err != nil {
		f.OK, f.Found = false, err.Error()
	}
	return append([]Finding{f, writable(path), intact(ctx, path), v, kept}, sealing...)
}

// writable checks that the database can be written.
func writable(path string) Finding {
	f := Finding{Check: "writable", OK: true, Found: "yes"}
	w, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		f.OK, f.Found, f.Fix = false, err.Error(), "make it writable for you, or choose another with --db PATH"
		return f
	}
	_ = w.Close() // nothing was written
	return f
}

// intact has SQLite look at the pages of the file.
func intact(ctx context.Context, path string) Finding {
	f := Finding{Check: "pages", OK: true, Found: "as they should be"}
	broken := func(why string) Finding {
		f.OK, f.Found, f.Fix = false, why, fromBackup
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

// threads hashes every message of every thread of every tenant again.
func threads(ctx context.Context, s store.Maintained) Finding {
	f := Finding{Check: "threads", OK: true}
	broken := func(name string, err error) Finding {
		f.OK, f.Found, f.Fix = false, fmt.Sprintf("%s: %v", name, err), fromBackup
		return f
	}
	heads, err := s.AllHeads(ctx)
	if err != nil {
		return broken("list", err)
	}
	heads = slices.DeleteFunc(heads, func(h store.Head) bool { return h.Key.Beside() })
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
	f.Found = fmt.Sprintf("%s, %s with those that forks share, every hash as it should be", term.Count(len(heads), "thread"), term.Count(n, "message"))
	return f
}

// content hashes everything that is kept, plans and caches too, and with repair does
// without what is damaged where it can.
func content(ctx context.Context, s store.Maintained, repair bool) Finding {
	f := Finding{Check: "content", OK: true}
	bad, n, err := s.Check(ctx)
	f.Found = term.Count(n, "piece") + " of content, every hash as it should be"
	if repair && err == nil && len(bad) > 0 {
		all := len(bad)
		if err = s.Repair(ctx, bad, time.Now()); err == nil {
			bad, _, err = s.Check(ctx)
			f.Found = fmt.Sprintf("%d of %d faults repaired: what damaged plans had left out is in the prompt again until the next compaction", all-len(bad), all)
		}
	}
	if err != nil {
		f.OK, f.Found = false, err.Error()
		if errors.Is(err, sqlite.ErrCorrupt) {
			f.Fix = fromBackup
		}
	} else if len(bad) > 0 {
		f.OK, f.Fix = false, "precis doctor --repair does without it; nothing of the conversation is lost"
		worst := max(0, slices.IndexFunc(bad, func(d store.Damage) bool { return !d.Repair }))
		if !bad[worst].Repair {
			f.Fix = fromBackup
		}
		f.Found = fmt.Sprintf("%s: %s: %v", bad[worst].Key.Thread, bad[worst].What, bad[worst].Err)
		if len(bad) > 1 {
			f.Found += fmt.Sprintf(", and %d more", len(bad)-1)
		}
	}
	return f
}

// counter checks an encoding on a text whose count is known.
func counter(name string) Finding {
	f := Finding{Check: name, Found: "counts as it should"}
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
