package strategy

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// origins tells where the results of calls come from: from which file or command, and whether that
// file was changed later.
type origins struct {
	t       *thread.Thread
	named   bool                      // files and commands are named, not only told to be changed
	folder  string                    // of which relative paths are, "" where that is not known
	count   func(string) int          // tokens of a text
	changed map[string][]summary.File // by the last element of the path
	known   map[int32]origin          // by position
}

// origin is where a result comes from.
type origin struct {
	of      string // the file that it shows, or the command that ran; "" where that is not one
	file    bool   // of is a file
	changed bool   // a file that it shows was changed later
	cost    int    // tokens that this takes in its head
}

// mostFile and mostRun are how many bytes of a file's name and of a command line stand before lines
// of a result: longer ones do not.
const mostFile, mostRun = 80, 48

// newOrigins reads the last change of each file that a summary tells of. count counts the tokens of a
// text.
func newOrigins(t *thread.Thread, made *summary.Structured, named bool, count func(string) int) *origins {
	o := &origins{t: t, named: named, folder: made.Folder, count: count, changed: map[string][]summary.File{}, known: map[int32]origin{}}
	for _, f := range made.Files {
		if f.State != summary.FileRead {
			o.changed[path.Base(f.Path)] = append(o.changed[path.Base(f.Path)], f)
		}
	}
	return o
}

// at returns where the result at a position comes from. A nil origins knows nothing.
func (o *origins) at(i int32) origin {
	if o == nil {
		return origin{}
	}
	x, ok := o.known[i]
	if !ok {
		x = o.look(int(i))
		x.cost = o.count(x.speaker(x.of)) - o.count(speakers[message.Tool])
		o.known[i] = x
	}
	return x
}

func (o *origins) look(at int) (x origin) {
	calls := callsTo(o.t, at)
	var files []string
	run := ""
	for _, call := range calls {
		did := tool.Parse(*o.t.Part(call), nil)
		run = did.Action()
		for _, f := range did.Touched {
			if f.Access == tool.Reads && !slices.Contains(files, f.Path) {
				files = append(files, f.Path)
				x.changed = x.changed || o.later(f, at+1)
			}
		}
	}
	switch {
	case !o.named:
	case len(files) == 1 && len(files[0]) <= mostFile:
		x.of, x.file = oneline.Of(files[0]), true
	case len(files) == 0 && len(calls) == 1 && len(run) <= mostRun:
		x.of = oneline.Of(run)
	}
	return x
}

// later reports whether a file that a call touched was changed after the message of a number, and not
// put back as it was in that message.
func (o *origins) later(x tool.Touch, n int) bool {
	files := o.changed[path.Base(x.Path)]
	for i := range files {
		if f := &files[i]; f.From.N > n && !f.StoodAt(n) && o.same(f.Path, x) {
			return true
		}
	}
	return false
}

// same reports whether a file that is known by a name may be the one that a call touched. A name
// without a folder is none of the many files of that name elsewhere.
func (o *origins) same(name string, x tool.Touch) bool {
	a, b := under(o.folder, name), under(cmp.Or(x.In, o.folder), x.Path)
	if path.Base(name) == name && path.IsAbs(a) && path.IsAbs(b) {
		return a == b
	}
	return tool.SameFile(name, x.Path)
}

// under returns a path from a folder on, as it is where it is absolute already.
func under(folder, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(folder, name)
}

// speaker returns what stands before lines of a result; of names where they come from, "" for
// nothing.
func (x origin) speaker(of string) string {
	name := strings.TrimSuffix(speakers[message.Tool], ": ")
	switch {
	case of != "":
		name += ", " + of
	case x.changed:
		name += ", file"
	}
	if x.changed {
		name += " changed since"
	}
	return name + ": "
}
