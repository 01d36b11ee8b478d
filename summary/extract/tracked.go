package extract

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// track notes the files that git add takes: those of a name or folder, or all but what lies
// in the folder for scratch.
func (f *files) track(e *tool.Reading, at summary.Source) {
	names, all := e.Stages()
	take := func(name string) {
		if f.touched.made(name) == at.N && strings.Index(e.Command, path.Base(name)) > strings.Index(e.Command, "git add") {
			return // written after it
		}
		if f.touched.was(name) == summary.FileCreated {
			x, _ := f.at(name)
			x.Tracked = true
		}
		delete(f.untracked.has, name)
	}
	for _, p := range names {
		if p = f.names.nameIn(e.RunsIn(), p); f.untracked.has[p] {
			take(p)
			continue
		}
		for _, name := range slices.Concat(f.untracked.like(p), f.untracked.under(cmp.Or(p, "/"))) {
			take(name)
		}
	}
	if !all {
		return
	}
	for _, name := range f.untracked.under("") {
		take(name)
	}
}

// gone marks the files that a commit says it deleted: git saw it, where no call did.
func (f *files) gone(output string, at summary.Source) {
	for line := range strings.SplitSeq(output, "\n") {
		if rest, ok := strings.CutPrefix(line, " delete mode "); ok {
			_, file, _ := strings.Cut(rest, " ")
			if plain, err := strconv.Unquote(file); err == nil { // git quotes what is not ASCII
				file = plain
			}
			name := f.names.name(oneline.Of(file))
			if was := f.touched.get(name); was != nil && was.State != summary.FileDeleted && was.State != summary.FileGone {
				f.set(name, summary.FileDeleted, at)
			}
		}
	}
}

// commit notes that git took the changes over.
func (f *files) commit(e *tool.Reading, at summary.Source) {
	if e.Commits() {
		f.committed = at
		f.gone(e.Output, at)
	}
}
