package extract

import (
	"cmp"
	"path"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/tool"
)

// names are the names of files, each the one that it was first given, and the folders that they are of.
type names struct {
	named  map[string]bool     // which there are
	byEnd  map[string]ending   // what ends alike, by what follows a "/" and holds one
	byBase map[string]ending   // absolute names, by their last part
	all    []string            // in the order they came
	in     map[string][]string // by each folder above them, in the order they came
	byExt  map[string][]string // by extension, in the order they came
	full   map[string]string   // by absolute path, as far as it is known
	places map[string][]string // the absolute paths that were a file's, by its name; some are another's since
	dir    string              // where the last shell stood, as far as it said so
	told   string              // the same where its tool says so behind each call
	root   string              // the folder of which names are: the first that a line began in, or one above it
}

// newNames is without names; root is the folder of which they will be, "" where that is not known.
func newNames(root string) names {
	return names{
		named: map[string]bool{}, byEnd: map[string]ending{}, byBase: map[string]ending{}, in: map[string][]string{}, byExt: map[string][]string{},
		full: map[string]string{}, places: map[string][]string{}, dir: root, root: root,
	}
}

// stand notes the folder that a command line changes to. The first is the one that names start from.
func (n *names) stand(e *tool.Reading) {
	if dir := oneline.Of(e.Enters()); dir != "" {
		n.dir, n.root = dir, cmp.Or(n.root, dir)
	}
}

// tell notes the folder in which a tool says that the shell stands.
func (n *names) tell(dir string) {
	n.dir, n.told, n.root = dir, dir, cmp.Or(n.root, dir)
}

// away returns the folder in which the shell stands where that is outside of the one of which names are, ""
// for there.
func (n *names) away() string {
	if n.told == "" || isWithin(n.told, n.root) {
		return ""
	}
	return n.told
}

// isWithin reports whether a path is a folder or lies in it.
func isWithin(name, folder string) bool {
	return folder != "" && (name == folder || strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/"))
}

// folder returns a folder that a line changed to as names tell it, "" for the one of which names are.
func (n *names) folder(in string) string {
	if in = oneline.Of(in); !path.IsAbs(in) || !isWithin(in, n.root) {
		return in
	}
	return strings.TrimPrefix(strings.TrimPrefix(in, n.root), "/")
}

// nameIn is name for a path of a folder that a line changed to, "" for none. A file of another folder
// than those of other names is named from there, so that it is not taken for one of them.
func (n *names) nameIn(in, p string) string {
	p = oneline.Of(p)
	switch {
	case in == "" || path.IsAbs(p):
		return n.name(p)
	case !path.IsAbs(in):
		return n.name(path.Join(oneline.Of(in), p))
	}
	full := path.Join(oneline.Of(in), p)
	if !isWithin(full, n.root) {
		return n.name(full)
	}
	name := n.known(strings.TrimPrefix(full, strings.TrimSuffix(n.root, "/")+"/"), full)
	n.locate(full, name)
	return name
}

// placed returns a path as names tell it, whether or not it is known.
func (n *names) placed(in, p string) string {
	if p = oneline.Of(p); in == "" || path.IsAbs(p) {
		return p
	}
	return path.Join(n.folder(in), p)
}

// name returns the name under which a file is known already, however it is spelled; where
// it is not sure which is meant, the path as it is.
func (n *names) name(p string) string {
	if p = strings.TrimPrefix(p, "./"); len(p) > 1 {
		p = strings.TrimSuffix(p, "/")
	}
	return n.known(p, n.absolute(p))
}

// known is name for a path whose absolute one is full, "" where that is not known.
func (n *names) known(p, full string) string {
	if known := n.full[full]; known != "" {
		return known
	}
	if n.told != "" && full != "" && !isWithin(full, n.root) { // its end may be the name of another
		return full
	}
	if n.named[p] {
		return p
	}
	found := n.byEnd[p]
	full = cmp.Or(full, p)
	for i := range len(full) {
		q := full[i+1:]
		if full[i] == '/' && n.named[q] && strings.Contains(q, "/") {
			found = found.with(q)
		}
	}
	if found.more {
		return p
	}
	return cmp.Or(found.name, p)
}

// ending is a name that ends in some way, and whether more do.
type ending struct {
	name string
	more bool
}

func (e ending) with(name string) ending {
	return ending{cmp.Or(e.name, name), e.more || e.name != "" && e.name != name}
}

// know notes a name by which a file is known.
func (n *names) know(name string) {
	if !n.named[name] {
		n.named[name], n.all = true, append(n.all, name)
		n.index(name)
	}
	if p := n.absolute(name); p != "" {
		n.locate(p, name)
	}
}

// index makes a name be found by what it ends in, by the folders above it and by its extension.
func (n *names) index(name string) {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		n.in[name[:i]] = append(n.in[name[:i]], name)
		if end := name[i+1:]; strings.Contains(end, "/") {
			n.byEnd[end] = n.byEnd[end].with(name)
		}
	}
	n.byExt[path.Ext(name)] = append(n.byExt[path.Ext(name)], name)
	if base := path.Base(name); path.IsAbs(name) {
		n.byBase[base] = n.byBase[base].with(name)
	}
}

// locate notes the absolute path of a name.
func (n *names) locate(full, name string) {
	if n.full[full] != name {
		n.full[full] = name
		n.places[name] = append(n.places[name], full)
	}
}

// place returns the absolute path of a name, the last of several in their alphabet, "" where it is not known.
func (n *names) place(name string) (last string) {
	for _, p := range n.places[name] {
		if n.full[p] == name {
			last = max(last, p)
		}
	}
	return last
}

// under lists the names that lie in a folder at any depth, in the order they came.
func (n *names) under(folder string) []string { return n.in[strings.TrimSuffix(folder, "/")] }

// like lists the names that may match a pattern: those of its extension, where it has one without marks.
func (n *names) like(pattern string) []string {
	ext := path.Ext(pattern)
	if ext == "" || strings.ContainsAny(pattern, `[\`) || strings.ContainsAny(ext, "*?") {
		return n.all
	}
	return n.byExt[ext]
}

// absolute returns the absolute path of a file that is named now, "" if it is not known.
func (n *names) absolute(name string) string {
	slashed, rooted := tool.Rooted(name)
	switch {
	case rooted:
		return path.Clean(slashed)
	case n.dir != "":
		return path.Join(n.dir, name)
	}
	return ""
}

// fits reports whether a pattern holds for a file, as far as it is known where the shell stands and
// what the absolute path of the file is.
func (n *names) fits(pattern, name string) bool {
	pattern = strings.TrimPrefix(pattern, "./")
	full, below := n.place(name), !path.IsAbs(pattern) && !strings.HasPrefix(pattern, "..")
	if full != "" && n.dir != "" && below && !isWithin(full, n.dir) {
		return false
	}
	last := cmp.Or(n.absolute(name), name)
	if !path.IsAbs(pattern) {
		if n.dir != "" && path.IsAbs(name) && !strings.HasPrefix(name, n.dir+"/") {
			return false
		}
		parts, levels := strings.Split(name, "/"), strings.Count(pattern, "/")+1
		last = strings.Join(parts[max(0, len(parts)-levels):], "/")
	}
	ok, err := path.Match(pattern, last)
	return ok && err == nil
}
