package discover

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/transcript"
)

// Found is a session that is there, not read yet.
type Found struct {
	Agent string // the format that transcript names; "" until it is read
	Path  string
	// ID is the session's where Path holds several: a database, a folder.
	ID      string
	Changed time.Time
}

// Fault is a path that could not be read.
type Fault struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// maxDepth is how far below a place sessions are looked for.
const maxDepth = 12

// Find looks for sessions that changed since a time (zero: ever). They come the
// last changed first. Symbolic links are followed, each folder once.
func Find(ctx context.Context, places []Place, since time.Time) ([]Found, []Fault) {
	f := finder{ctx: ctx, since: since, seen: map[string]bool{}}
	for _, p := range places {
		f.place(p)
	}
	slices.SortStableFunc(f.found, func(a, b Found) int {
		return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(a.Path, b.Path), cmp.Compare(a.ID, b.ID))
	})
	return f.withoutDuplicates(), f.faults
}

type finder struct {
	ctx    context.Context
	since  time.Time
	agent  string
	seen   map[string]bool // real paths of folders and files
	found  []Found
	faults []Fault
}

func (f *finder) place(p Place) {
	real, err := filepath.EvalSymlinks(p.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !p.Asked:
		return
	case err != nil:
		f.fault(p.Dir, err)
		return
	}
	f.agent = p.Agent
	if info, err := os.Stat(real); err == nil && !info.IsDir() {
		if p.Asked || f.wanted(real) {
			f.file(real, real)
		}
		return
	}
	f.folder(p.Dir, real, 0)
}

func (f *finder) fault(path string, err error) {
	f.faults = append(f.faults, Fault{path, Reason(err)})
}

// Reason is an error's reason without the path, which is told beside it.
func Reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return strings.TrimPrefix(err.Error(), "read session: ")
}

// skipped are the names of folders that hold no sessions.
var skipped = map[string]bool{
	"node_modules": true, ".git": true, "tool-results": true, "snapshot": true, "log": true, "bin": true, "tool-output": true,
}

// folder looks below a folder; real is where it is after all links.
func (f *finder) folder(path, real string, depth int) {
	if f.seen[real] || depth > maxDepth || f.ctx.Err() != nil {
		return
	}
	f.seen[real] = true
	entries, err := os.ReadDir(real)
	if err != nil {
		f.fault(path, err)
		return
	}
	if f.storage(path, entries) {
		return
	}
	for _, e := range entries {
		at := filepath.Join(path, e.Name())
		below := filepath.Join(real, e.Name())
		if e.Type()&fs.ModeSymlink != 0 {
			if below, err = filepath.EvalSymlinks(below); err != nil {
				continue // it leads nowhere: nothing is there to be read
			}
		}
		info, err := os.Stat(below)
		switch {
		case err != nil:
			f.fault(at, err)
		case info.IsDir():
			if !skipped[e.Name()] {
				f.folder(at, below, depth+1)
			}
		case f.wanted(at):
			f.file(at, below)
		}
	}
}

// file notes a file, once.
func (f *finder) file(path, real string) {
	if f.seen[real] {
		return
	}
	f.seen[real] = true
	info, err := os.Stat(real)
	switch {
	case err != nil:
		f.fault(path, err)
	case !info.Mode().IsRegular():
		f.fault(path, errIrregular)
	case isDatabase(path):
		f.database(path)
	case !info.ModTime().Before(f.since):
		f.found = append(f.found, Found{Agent: f.agent, Path: path, Changed: info.ModTime()})
	}
}

// wanted reports whether a file has the name of a session.
func (f *finder) wanted(path string) bool {
	name, ext := filepath.Base(path), filepath.Ext(path)
	switch f.agent {
	case transcript.OpenCode:
		return isDatabase(path)
	case transcript.GeminiCLI:
		chats := strings.Contains(filepath.ToSlash(filepath.Dir(path))+"/", "/chats/")
		return chats && (ext == ".json" || ext == ".jsonl")
	case transcript.Codex:
		return ext == ".jsonl" || strings.HasPrefix(name, "rollout-") && ext == ".json"
	case "":
		return ext == ".jsonl" || ext == ".json" || isDatabase(path)
	}
	return ext == ".jsonl"
}

// isDatabase reports whether a file has the name of opencode's database.
func isDatabase(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, "opencode") && filepath.Ext(name) == ".db"
}

func (f *finder) database(path string) {
	found, err := databaseSessions(f.ctx, path)
	if err != nil {
		f.fault(path, err)
		return
	}
	for _, s := range found {
		if !s.Changed.Before(f.since) {
			f.found = append(f.found, s)
		}
	}
}

// storage notes the sessions of opencode's older folder, if the entries are its.
func (f *finder) storage(path string, entries []fs.DirEntry) bool {
	if f.agent != "" && f.agent != transcript.OpenCode {
		return false
	}
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	if !has("session") || !has("message") {
		return false
	}
	files, err := filepath.Glob(filepath.Join(glob(path), "session", "*", "*.json"))
	if err != nil {
		f.fault(path, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			f.fault(file, err)
			continue
		}
		if !info.ModTime().Before(f.since) {
			id := strings.TrimSuffix(filepath.Base(file), ".json")
			f.found = append(f.found, Found{Agent: transcript.OpenCode, Path: file, ID: id, Changed: info.ModTime()})
		}
	}
	return true
}

// glob escapes what a pattern would take for its own.
func glob(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}

// withoutDuplicates drops sessions of opencode's folder that its database holds as well.
func (f *finder) withoutDuplicates() []Found {
	held := map[string]bool{}
	for _, s := range f.found {
		if isDatabase(s.Path) {
			held[s.ID] = true
		}
	}
	return slices.DeleteFunc(f.found, func(s Found) bool { return s.ID != "" && !isDatabase(s.Path) && held[s.ID] })
}
