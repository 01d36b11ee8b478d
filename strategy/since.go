package strategy

import (
	"path"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// changes tells which results show a file that was changed after them. A nil one knows of
// no change.
type changes struct {
	t     *thread.Thread
	files map[string][]summary.File // changed ones, by the last element of the path
	known map[int32]bool            // by position
}

// changesOf reads the last change of each file.
func changesOf(t *thread.Thread, files []summary.File) *changes {
	c := &changes{t: t, files: map[string][]summary.File{}, known: map[int32]bool{}}
	for _, f := range files {
		if f.State != summary.FileRead {
			c.files[path.Base(f.Path)] = append(c.files[path.Base(f.Path)], f)
		}
	}
	return c
}

// since reports whether the message at a position shows a file that was changed later.
func (c *changes) since(at int32) bool {
	if c == nil || len(c.files) == 0 {
		return false
	}
	changed, ok := c.known[at]
	if !ok {
		changed = c.look(int(at))
		c.known[at] = changed
	}
	return changed
}

func (c *changes) look(at int) bool {
	for _, call := range callsTo(c.t, at) {
		for _, x := range tool.Parse(*c.t.Part(call), nil).Touched {
			if x.Access == tool.Reads && c.later(x.Path, at+1) {
				return true
			}
		}
	}
	return false
}

// later reports whether a file was changed after the message of a number, and not put back as it
// was in that message.
func (c *changes) later(name string, n int) bool {
	files := c.files[path.Base(name)]
	for i := range files {
		if f := &files[i]; f.From.N > n && !f.StoodAt(n) && tool.SameFile(f.Path, name) {
			return true
		}
	}
	return false
}

// changedSince stands after the speaker where the file shown is another by now, and
// changedCost is how many tokens it takes.
const (
	changedSince = "tool, file changed since: "
	changedCost  = 4
)

// cost returns how many tokens more the speaker of the message at a position takes.
func (c *changes) cost(at int32) int {
	if c.since(at) {
		return changedCost
	}
	return 0
}
