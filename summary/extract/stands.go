package extract

import (
	"cmp"
	"path"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// stand notes the folder in which a command line is run: one that it changes to or, where none was ever told,
// the one from which a path in it is that of a file known by its absolute one.
func (f *files) stand(e *tool.Reading) {
	f.names.stand(e)
	if f.names.root != "" || f.names.told != "" || e.RunsIn() != "" {
		return
	}
	if dir := f.standsBy(e); dir != "" {
		f.names.dir, f.names.root = dir, dir
	}
}

// standsBy returns the folder from which a line names a script or another file that the agent wrote by its
// absolute path, or any such file with a folder of its own; "" for none, or where several files may be meant.
func (f *files) standsBy(e *tool.Reading) string {
	action := e.Action()
	if dir := f.madeIn(scriptOf(action, programOf(action))); dir != "" {
		return dir
	}
	for _, t := range e.Touched {
		if t.In != "" {
			continue
		}
		if dir := cmp.Or(f.madeIn(t.Path), f.names.byEnd[t.Path].folderOf(t.Path)); dir != "" {
			return dir
		}
	}
	return ""
}

// madeIn returns the folder from which a path is that of a file that the agent made, no temporary one.
func (f *files) madeIn(p string) string {
	name := f.names.byBase[path.Base(p)]
	if f.touched.was(name.name) != summary.FileCreated || isTemporary(name.name) {
		return ""
	}
	return name.folderOf(p)
}

// folderOf returns the folder from which a path is the one name that ends so, "" where it is not absolute.
func (e ending) folderOf(p string) string {
	dir, ok := strings.CutSuffix(e.name, "/"+p)
	if e.more || !ok || !path.IsAbs(dir) {
		return ""
	}
	return dir
}
