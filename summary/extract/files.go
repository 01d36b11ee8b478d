package extract

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// files are the files that calls touched, each under the name it was first given.
type files struct {
	byPath    map[string]*summary.File
	order     []string          // paths, in the order first touched
	old       []summary.File    // those of an earlier summary
	named     map[string]bool   // all paths, old ones too
	byEnd     map[string]ending // what ends alike, by what follows a "/" and holds one
	full      map[string]string // names by absolute path, as far as it is known
	hidden    []string          // files whose changes were put aside together
	dir       string            // where the last shell stood, as far as it said so
	root      string            // the folder of which names are: the first that a line began in, or one above it
	untracked untracked         // files created that git does not have
	// changed is the file changed last; FileState "" is none.
	changed summary.File
	// committed is where git last took the changes over, as far as it is known.
	committed summary.Source
}

// newFiles starts from the files of an earlier summary and the folder of which they are, "" where that
// is not known.
func newFiles(old []summary.File, root string) files {
	f := files{untracked: newUntracked(), byPath: map[string]*summary.File{}, named: map[string]bool{}, byEnd: map[string]ending{}, full: map[string]string{}, old: old, dir: root, root: root}
	last, newest := 0, summary.File{}
	for i := range old {
		if old[i].State == summary.FileRestored {
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
	for i := range old {
		f.know(old[i].Path)
		if old[i].State == summary.FileRestored && old[i].From.N == last {
			f.hidden = append(f.hidden, old[i].Path)
		}
	}
	return f
}

// at returns a file, and whether anything was known of it; one of an earlier summary
// begins as that has it.
func (f *files) at(name string) (x *summary.File, known bool) {
	if x = f.byPath[name]; x != nil {
		return x, true
	}
	x = &summary.File{Path: name}
	if old := f.get(name); old != nil {
		x.State, x.From, x.Of, x.Tracked, x.Made, x.First, x.Swept, x.Opens, known = old.State, old.From, old.Of, old.Tracked, old.Made, old.First, old.Swept, old.Opens, true
	} else {
		f.know(name)
	}
	f.byPath[name] = x
	f.order = append(f.order, name)
	return x, known
}

// get returns what is known of a file, of an earlier summary too, nil for nothing.
func (f *files) get(name string) *summary.File {
	if x := f.byPath[name]; x != nil {
		return x
	}
	if i := slices.IndexFunc(f.old, func(x summary.File) bool { return x.Path == name }); i >= 0 {
		return &f.old[i]
	}
	return nil
}

// was returns the state of a file so far, "" if nothing is known of it.
func (f *files) was(name string) summary.FileState {
	if x := f.get(name); x != nil {
		return x.State
	}
	return ""
}

// stands reports whether a file is as a call wrote it, as far as that is known.
func (f *files) stands(name string) bool {
	was := f.was(name)
	return was == summary.FileCreated || was == summary.FileEdited
}

// touch reads what a call did to the files it names, and returns those it changed.
func (f *files) touch(e *tool.Reading, at summary.Source, by cause) (changed []string) {
	if e.Command != "" {
		f.stand(e)
		if dir := e.Folder(); path.IsAbs(dir) {
			f.dir = dir
		}
		f.onAll(e.OnAll(), at)
	}
	copied := f.copies(e)
	for _, t := range e.Touched {
		state := stateOf(t)
		if t.Access == tool.Makes && succeeded(e) {
			f.remade(path.Join(f.placed(t.In, t.Path), "-")) // as the folder of any file in it
		}
		if state == "" || state == summary.FileRead && (isFolder(t.Path) || showsNothing(e)) || e.Command != "" && !t.Shown && !strings.Contains(e.Command, t.Path) {
			if t.From != "" && strings.Contains(e.Command, t.From) { // into a folder
				f.set(f.nameIn(t.In, t.From), summary.FileGone, at)
			}
			continue // not a change, or not as it was written
		}
		if state == summary.FileDeleted {
			f.within(f.placed(t.In, t.Path), at)
		}
		name, from := f.nameIn(t.In, t.Path), ""
		if t.Aside {
			f.hide(name, at)
			continue
		}
		own := false
		if t.From != "" {
			from = f.nameIn(t.In, t.From)
			was := f.get(from)
			own = was != nil && (was.State == summary.FileGone || was.State == summary.FileCreated && !was.Tracked)
		}
		if state != summary.FileRead {
			changed = append(changed, name)
		}
		was := f.was(name)
		x := f.put(name, state, at)
		if state == summary.FileRestored {
			takeBack(x, f.undoing(e, t, copied[t.Copy], at), was, by)
		}
		switch {
		case own:
			x.State = summary.FileCreated
		case from != "":
			x.Of = from
			f.set(from, summary.FileGone, at)
		}
	}
	f.track(e, at)
	if succeeded(e) {
		f.sweep(e.Swept(), at)
		f.commit(e, at)
	}
	return changed
}

// copies returns where the copies were made that a call puts back, before it moves them away.
func (f *files) copies(e *tool.Reading) map[string]summary.Source {
	made := map[string]summary.Source{}
	for _, t := range e.Touched {
		if t.Copy != "" {
			made[t.Copy] = f.from(f.nameIn(t.In, t.Copy))
		}
	}
	return made
}

// mostMarkup is the most bytes of an output that may say nothing.
const mostMarkup = 100

// showsNothing reports whether a command showed nothing of the files that it read, as one that
// copies them.
func showsNothing(e *tool.Reading) bool {
	return e.Command != "" && len(e.Output) <= mostMarkup && e.Telling() == ""
}

// takeBack notes that changes of a file were taken back, of which it may not be known which.
// was is the state of the file before.
func takeBack(x *summary.File, u *summary.Undoing, was summary.FileState, by cause) {
	if u == nil {
		return
	}
	u.Why = by.said.regret()
	if was != "" && was != summary.FileRead && was != summary.FileRestored {
		u.Call = by.call
	}
	switch {
	case u.After != u.In:
		x.Restores = lastOf(append(x.Restores, summary.Restore{After: u.After, In: u.In}), summary.MaxRestores)
	case x.Undone != nil: // what was known to be taken back before still is
		u.After, u.Call = x.Undone.After, x.Undone.Call
	}
	x.Edits, x.Undone = 0, u
}

// made returns the number of the message in which a file was last written whole, 0 for none.
func (f *files) made(name string) int {
	if x := f.get(name); x != nil {
		return x.Made.N
	}
	return 0
}

// succeeded reports whether nothing tells that a call failed.
func succeeded(e *tool.Reading) bool {
	return e.Outcome != tool.Failure && (e.Exit == nil || *e.Exit == 0)
}

// from returns where a file was changed or read last, the zero Source if it is not known.
func (f *files) from(name string) summary.Source {
	if x := f.get(name); x != nil {
		return x.From
	}
	return summary.Source{}
}

// undoing says which changes of a file a touch takes back: those since a copy was made, or
// since the last commit; none where that is not known, as with a patch taken back or a copy
// that a script made. It is nil where the touch may have failed. copied is where the copy was
// made.
func (f *files) undoing(e *tool.Reading, t tool.Touch, copied, at summary.Source) *summary.Undoing {
	switch {
	case !succeeded(e):
		return nil
	case copied.N > 0:
		return &summary.Undoing{After: copied, In: at}
	case t.Copy == "" && e.ChecksOut():
		return &summary.Undoing{After: f.committed, In: at}
	}
	return &summary.Undoing{After: at, In: at}
}

// mostOpens is how many files are known that a script opens.
const mostOpens = 8

// unescaped reads the escapes of JSON that stand beside names and quotes.
var unescaped = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t")

// wrote notes what a script that a call writes will open when it runs.
func (f *files) wrote(e *tool.Reading, args string) {
	for _, t := range e.Touched {
		if path.Ext(t.Path) != ".py" || t.Access != tool.Creates && t.Access != tool.Edits {
			continue
		}
		text := e.Command
		if text == "" {
			text = unescaped.Replace(args)
		}
		if x := f.byPath[f.nameIn(t.In, t.Path)]; x != nil {
			x.Opens = lastOf(tool.OpenedBy(text), mostOpens)
		}
	}
}

// ran notes what a script that the agent wrote has changed by running, and returns it.
func (f *files) ran(e *tool.Reading, at summary.Source) (changed []string) {
	for word := range strings.FieldsSeq(e.Action()) {
		script := (*summary.File)(nil)
		if path.Ext(word) == ".py" {
			script = f.get(f.nameIn(e.RunsIn(), word))
		}
		if script == nil {
			continue
		}
		for _, t := range script.Opens {
			if t.Access == tool.Reads {
				continue
			}
			name, state := f.nameIn(e.RunsIn(), t.Path), summary.FileCreated
			switch {
			case t.Access == tool.Edits:
				state = summary.FileEdited
			case !succeeded(e):
				continue // it may have ended before
			}
			f.put(name, state, at).Edits-- // it may have found nothing to change
			changed = append(changed, name)
		}
	}
	return changed
}

// isFolder reports whether a path that was read looks like a folder's.
func isFolder(name string) bool {
	base := path.Base(name)
	return strings.HasSuffix(name, "/") || !strings.Contains(base, ".") && base == strings.ToLower(base)
}

// set gives a file a state without a touch of its own.
func (f *files) set(name string, state summary.FileState, at summary.Source) {
	x, _ := f.at(name)
	x.State, x.From, x.Of = state, at, ""
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
	x.State, x.From = now, at
	if now != summary.FileMoved || did == now {
		x.Of = ""
	}
	if did == summary.FileCreated || did == summary.FileMoved {
		x.Made = at
	}
	if did == summary.FileCreated {
		if now == did && !x.Tracked {
			f.untracked.add(name)
		}
	}
	if did == summary.FileCreated && (was == summary.FileDeleted || was == summary.FileGone) {
		x.Edits, x.Anew = 0, true
	}
	if x.First.N == 0 && did != summary.FileRead && did != summary.FileRestored {
		x.First = at
	}
	if did != summary.FileRead {
		x.Edits++
		f.changed = summary.File{Path: name, State: did, From: at}
		if known && did == summary.FileCreated && was != summary.FileDeleted && was != summary.FileGone { // it was there
			f.changed.State = summary.FileEdited
		}
	}
	return x
}

// remade notes that the folders of a file are there, which may have been deleted before.
func (f *files) remade(name string) {
	for dir := path.Dir(name); len(dir) > 1; dir = path.Dir(dir) {
		known := f.name(dir)
		if known != f.full[f.absolute(dir)] && path.IsAbs(known) == path.IsAbs(dir) { // one in another is another
			known = dir
		}
		if f.was(known) == summary.FileDeleted {
			x, _ := f.at(known)
			x.State = summary.FileGone
		}
	}
}

// within marks the files of a folder that was deleted.
func (f *files) within(folder string, at summary.Source) {
	folder = strings.TrimSuffix(folder, "/") + "/"
	for _, name := range f.names() {
		if strings.HasPrefix(name, folder) {
			x, _ := f.at(name)
			f.set(name, x.Then(summary.FileDeleted), at)
		}
	}
}

// names lists the files known, old ones first.
func (f *files) names() []string {
	names := make([]string, 0, len(f.old)+len(f.order))
	for i := range f.old {
		if f.byPath[f.old[i].Path] == nil {
			names = append(names, f.old[i].Path)
		}
	}
	return append(names, f.order...)
}

// hide notes that the changes of a file were put aside, with those that the same call puts aside.
func (f *files) hide(name string, at summary.Source) {
	if f.was(name) != summary.FileEdited {
		return
	}
	if len(f.hidden) > 0 && f.from(f.hidden[0]) != at {
		f.hidden = nil
	}
	f.set(name, summary.FileRestored, at)
	f.hidden = append(f.hidden, name)
}

// onAll notes that all changes were taken back, or put back.
func (f *files) onAll(did tool.Whole, at summary.Source) {
	switch did {
	case tool.TakesBack:
		f.hidden = nil
		for _, name := range f.names() {
			f.hide(name, at)
		}
	case tool.PutsBack:
		for _, name := range f.hidden {
			f.set(name, summary.FileEdited, at)
		}
		f.hidden = nil
	}
}

// stateOf maps a touch; listing and searching leave no state.
func stateOf(t tool.Touch) summary.FileState {
	switch {
	case t.Restored:
		return summary.FileRestored
	case t.From != "":
		return summary.FileMoved
	}
	switch t.Access {
	case tool.Reads:
		return summary.FileRead
	case tool.Creates:
		return summary.FileCreated
	case tool.Edits:
		return summary.FileEdited
	case tool.Deletes:
		return summary.FileDeleted
	}
	return ""
}

func (f *files) all() []summary.File {
	out := make([]summary.File, 0, len(f.order))
	for _, p := range f.order {
		out = append(out, *f.byPath[p])
	}
	return out
}
