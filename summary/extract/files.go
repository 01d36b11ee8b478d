package extract

import (
	"cmp"
	"path"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// files are the files that calls touched, each under the name it was first given.
type files struct {
	touched   touched
	names     names
	stash     stash
	untracked untracked // files created that git does not have
	// changed is the file changed last; FileState "" is none.
	changed summary.File
	// committed is where git last took the changes over, as far as it is known.
	committed summary.Source
}

// newFiles starts from the files of an earlier summary and the folder of which they are.
func newFiles(before *summary.Structured) files {
	old := before.Files
	f := files{touched: newTouched(old), names: newNames(before.Folder), untracked: newUntracked()}
	last, newest := 0, summary.File{}
	for i := range old {
		if old[i].State == summary.FileStashed {
			last = max(last, old[i].From.N)
		}
		if old[i].State != summary.FileRead && old[i].From.N > newest.From.N {
			newest = old[i]
		}
		if old[i].State == summary.FileCreated && !old[i].Tracked {
			f.untracked.add(old[i].Path)
		}
	}
	if newest.State == summary.FileEdited { // of others it is not known what was done last
		f.changed = summary.File{Path: newest.Path, State: newest.State, From: newest.From}
	}
	f.names.told = before.Stands
	for i := range old {
		f.names.know(old[i].Path)
		if old[i].State == summary.FileEdited {
			f.stash.edited = append(f.stash.edited, old[i].Path)
		}
		if old[i].State == summary.FileStashed && old[i].From.N == last {
			f.stash.hidden = append(f.stash.hidden, old[i].Path)
		}
	}
	f.names.dir = cmp.Or(before.Stands, f.names.dir)
	return f
}

// at returns a file, and whether anything was known of it.
func (f *files) at(name string) (x *summary.File, known bool) {
	if x, known = f.touched.at(name); !known {
		f.names.know(name)
	}
	return x, known
}

// touch reads what a call did to the files it names, and returns those it changed.
func (f *files) touch(e *tool.Reading, at summary.Source, by cause) (changed []string) {
	if e.Command != "" {
		f.stand(e)
		if dir := e.Folder(); path.IsAbs(dir) {
			f.names.tell(dir)
		}
		f.onAll(e.OnAll(), at)
	}
	c := fileCall{files: f, e: e, at: at, by: by, copied: f.copies(e)}
	for _, t := range e.Touched {
		c.touch(t)
	}
	f.track(e, at)
	if succeeded(e) {
		f.sweep(e.Swept(), at)
		f.commit(e, at)
	}
	return c.changed
}

// copies returns where the copies were made that a call puts back, before it moves them away.
func (f *files) copies(e *tool.Reading) map[string]summary.Source {
	made := map[string]summary.Source{}
	for _, t := range e.Touched {
		if t.Copy != "" {
			made[t.Copy] = f.touched.from(f.names.nameIn(t.In, t.Copy))
		}
	}
	return made
}

// set gives a file a state without a touch of its own.
func (f *files) set(name string, state summary.FileState, at summary.Source) {
	x, _ := f.at(name)
	f.become(x, state, at)
	x.Of = ""
}

// become gives a file a state at a message.
func (f *files) become(x *summary.File, state summary.FileState, at summary.Source) {
	if state == summary.FileEdited && x.State != state {
		f.stash.edited = append(f.stash.edited, x.Path)
	}
	x.State, x.From = state, at
}

// put notes a touch of a file.
func (f *files) put(name string, did summary.FileState, at summary.Source) *summary.File {
	f.remade(name)
	x, known := f.at(name)
	x.Times++
	was, now := x.State, did
	if known {
		now = x.Then(did)
	}
	if did == summary.FileRead && now != did {
		return x // reading does not undo a change
	}
	f.become(x, now, at)
	if now != summary.FileMoved || did == now {
		x.Of = ""
	}
	if did == summary.FileCreated || did == summary.FileMoved {
		x.Made = at
	}
	if did == summary.FileCreated && now == did && !x.Tracked {
		f.untracked.add(name)
	}
	wasGone := was == summary.FileDeleted || was == summary.FileGone
	if did == summary.FileCreated && wasGone {
		x.Edits, x.Anew = 0, true
	}
	if x.First.N == 0 && did != summary.FileRead && did != summary.FileRestored {
		x.First = at
	}
	if did == summary.FileRead {
		return x
	}
	x.Edits++
	f.changed = summary.File{Path: name, State: did, From: at}
	if known && did == summary.FileCreated && !wasGone { // it was there
		f.changed.State = summary.FileEdited
	}
	return x
}

// remade notes that the folders of a file are there, which may have been deleted before.
func (f *files) remade(name string) {
	for dir := path.Dir(name); len(dir) > 1; dir = path.Dir(dir) {
		known := f.names.name(dir)
		if known != f.names.full[f.names.absolute(dir)] && path.IsAbs(known) == path.IsAbs(dir) { // one in another is another
			known = dir
		}
		if f.touched.was(known) == summary.FileDeleted {
			x, _ := f.at(known)
			x.State = summary.FileGone
		}
	}
}

// within marks the files of a folder that was deleted.
func (f *files) within(folder string, at summary.Source) {
	for _, name := range f.names.under(folder) {
		x, _ := f.at(name)
		f.set(name, x.Then(summary.FileDeleted), at)
	}
}

// sweep notes that the files of patterns may have been changed.
func (f *files) sweep(patterns []string, at summary.Source) {
	for _, pattern := range patterns {
		for _, name := range f.names.like(pattern) {
			if (f.touched.stands(name) || f.touched.was(name) == summary.FileMoved) && f.names.fits(pattern, name) {
				x, _ := f.at(name)
				x.Swept = at
			}
		}
	}
}
