package extract

import (
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/program"
)

// stash is what can be put aside, and what was.
type stash struct {
	edited []string // files that were edited since all changes were last taken back, and may have been restored since
	hidden []string // files whose changes were put aside together
}

// hide notes that the changes of a file were put aside, with those that the same call puts aside.
func (f *files) hide(name string, at summary.Source) {
	if f.touched.was(name) != summary.FileEdited {
		return
	}
	if len(f.stash.hidden) > 0 && f.touched.from(f.stash.hidden[0]) != at {
		f.stash.hidden = nil
	}
	f.set(name, summary.FileStashed, at)
	f.stash.hidden = append(f.stash.hidden, name)
}

// onAll notes that all changes were taken back, put aside or put back, or that those put aside are given up.
func (f *files) onAll(did program.Whole, at summary.Source) {
	switch did {
	case program.TakesBack:
		for _, name := range f.stash.edited {
			if f.touched.was(name) == summary.FileEdited {
				f.set(name, summary.FileRestored, at)
			}
		}
		f.stash.edited = nil
	case program.PutsAside:
		f.stash.hidden = nil
		for _, name := range f.stash.edited {
			f.hide(name, at)
		}
		f.stash.edited = nil
	case program.PutsBack:
		f.unhide(summary.FileEdited, at)
	case program.GivesUp:
		f.unhide(summary.FileRestored, at)
	}
}

// nothingToStash is what git says where there is nothing to put aside.
const nothingToStash = "No local changes to save"

// areAside reports whether what a call ran, before it is read for what it did to files, ran while the changes
// were put aside, and none was made since.
func (f *files) areAside(e *tool.Reading) bool {
	if e.RunsAside() {
		return !strings.Contains(e.Output, nothingToStash)
	}
	if len(f.stash.hidden) == 0 || e.OnAll() == program.PutsBack {
		return false
	}
	x := f.touched.get(f.stash.hidden[0])
	return x != nil && x.State == summary.FileStashed && x.From.N >= f.changed.From.N
}

// unhide gives the files whose changes were put aside a state, as far as they still are.
func (f *files) unhide(state summary.FileState, at summary.Source) {
	for _, name := range f.stash.hidden {
		if state == summary.FileEdited || f.touched.was(name) == summary.FileStashed {
			f.set(name, state, at)
		}
	}
	f.stash.hidden = nil
}
