package extract

import (
	"path"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// fileCall is one call, as it is read for what it did to files.
type fileCall struct {
	*files
	e       *tool.Reading
	at      summary.Source
	by      cause
	copied  map[string]summary.Source // where the copies were made that it puts back
	changed []string
}

// touch reads what the call did to one file.
func (c *fileCall) touch(t tool.Touch) {
	state := stateOf(t)
	if t.Access == tool.Makes && succeeded(c.e) {
		c.remade(path.Join(c.names.placed(t.In, t.Path), "-")) // as the folder of any file in it
	}
	if state == "" || c.readsNothing(t, state) || !c.isWritten(t) {
		c.movedInto(t)
		return
	}
	if state == summary.FileDeleted {
		c.within(c.names.placed(t.In, t.Path), c.at)
	}
	name := c.names.nameIn(t.In, t.Path)
	if t.Aside {
		c.hide(name, c.at)
		return
	}
	from, own := c.movedFrom(t)
	if state != summary.FileRead {
		c.changed = append(c.changed, name)
	}
	was, done := c.touched.was(name), c.touched.from(name).N
	x := c.put(name, state, c.at)
	if state == summary.FileRestored {
		u := c.undoing(t)
		if u != nil {
			u.Why = c.by.said.regretOf(name, done)
		}
		takeBack(x, u, was, c.by)
	}
	switch {
	case own:
		x.State = summary.FileCreated
	case from != "":
		x.Of = from
		c.set(from, summary.FileGone, c.at)
	}
}

// readsNothing reports whether a touch reads a folder, or a file of which the call shows nothing.
func (c *fileCall) readsNothing(t tool.Touch, state summary.FileState) bool {
	return state == summary.FileRead && (isFolder(t.Path) || showsNothing(c.e))
}

// isWritten reports whether the path of a touch stands in the command line as it is.
func (c *fileCall) isWritten(t tool.Touch) bool {
	return c.e.Command == "" || t.Shown || strings.Contains(c.e.Command, t.Path)
}

// movedInto notes that a file was moved into a folder, under a name that is not known.
func (c *fileCall) movedInto(t tool.Touch) {
	if t.From != "" && strings.Contains(c.e.Command, t.From) {
		c.set(c.names.nameIn(t.In, t.From), summary.FileGone, c.at)
	}
}

// movedFrom returns the name of the file that a touch moves, "" for none, and whether it is the agent's
// own, of which git knows nothing.
func (c *fileCall) movedFrom(t tool.Touch) (from string, own bool) {
	if t.From == "" {
		return "", false
	}
	from = c.names.nameIn(t.In, t.From)
	was := c.touched.get(from)
	return from, was != nil && (was.State == summary.FileGone || was.State == summary.FileCreated && !was.Tracked)
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

// undoing says which changes of a file a touch takes back: those since a copy was made, or
// since the last commit; none where that is not known, as with a patch taken back or a copy
// that a script made. It is nil where the touch may have failed.
func (c *fileCall) undoing(t tool.Touch) *summary.Undoing {
	switch copied := c.copied[t.Copy]; {
	case !succeeded(c.e):
		return nil
	case copied.N > 0:
		return &summary.Undoing{After: copied, In: c.at}
	case t.Copy == "" && c.e.ChecksOut():
		return &summary.Undoing{After: c.committed, In: c.at}
	}
	return &summary.Undoing{After: c.at, In: c.at}
}

// succeeded reports whether nothing tells that a call failed.
func succeeded(e *tool.Reading) bool {
	return e.Outcome != tool.Failure && (e.Exit == nil || *e.Exit == 0)
}

// isFolder reports whether a path that was read looks like a folder's.
func isFolder(name string) bool {
	base := path.Base(name)
	return strings.HasSuffix(name, "/") || !strings.Contains(base, ".") && base == strings.ToLower(base)
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
