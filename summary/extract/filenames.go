package extract

import (
	"cmp"
	"path"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/tool"
)

// stand notes the folder that a command line changes to. The first is the one that names start from.
func (f *files) stand(e *tool.Reading) {
	if dir := oneline.Of(e.Enters()); dir != "" {
		f.dir, f.root = dir, cmp.Or(f.root, dir)
	}
}

// isWithin reports whether a path is a folder or lies in it.
func isWithin(name, folder string) bool {
	return folder != "" && (name == folder || strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/"))
}

// folder returns a folder that a line changed to as names tell it, "" for the one of which names are.
func (f *files) folder(in string) string {
	if in = oneline.Of(in); !path.IsAbs(in) || !isWithin(in, f.root) {
		return in
	}
	return strings.TrimPrefix(strings.TrimPrefix(in, f.root), "/")
}

// nameIn is name for a path of a folder that a line changed to, "" for none. A file of another folder
// than those of other names is named from there, so that it is not taken for one of them.
func (f *files) nameIn(in, p string) string {
	p = oneline.Of(p)
	switch {
	case in == "" || path.IsAbs(p):
		return f.name(p)
	case !path.IsAbs(in):
		return f.name(path.Join(oneline.Of(in), p))
	}
	full := path.Join(oneline.Of(in), p)
	if !isWithin(full, f.root) {
		return f.name(full)
	}
	name := f.known(strings.TrimPrefix(full, strings.TrimSuffix(f.root, "/")+"/"), full)
	f.full[full] = name
	return name
}

// placed returns a path as names tell it, whether or not it is known.
func (f *files) placed(in, p string) string {
	if p = oneline.Of(p); in == "" || path.IsAbs(p) {
		return p
	}
	return path.Join(f.folder(in), p)
}

// name returns the name under which a file is known already, however it is spelled; where
// it is not sure which is meant, the path as it is.
func (f *files) name(p string) string {
	if p = strings.TrimPrefix(p, "./"); len(p) > 1 {
		p = strings.TrimSuffix(p, "/")
	}
	return f.known(p, f.absolute(p))
}

// known is name for a path whose absolute one is full, "" where that is not known.
func (f *files) known(p, full string) string {
	if known := f.full[full]; known != "" {
		return known
	}
	if f.named[p] {
		return p
	}
	found := f.byEnd[p]
	full = cmp.Or(full, p)
	for i := range len(full) {
		q := full[i+1:]
		if full[i] == '/' && f.named[q] && strings.Contains(q, "/") {
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
func (f *files) know(name string) {
	f.named[name] = true
	for i := range len(name) {
		if name[i] == '/' && strings.Contains(name[i+1:], "/") {
			f.byEnd[name[i+1:]] = f.byEnd[name[i+1:]].with(name)
		}
	}
	if p := f.absolute(name); p != "" {
		f.full[p] = name
	}
}

// absolute returns the absolute path of a file that is named now, "" if it is not known.
func (f *files) absolute(name string) string {
	slashed, rooted := tool.Rooted(name)
	switch {
	case rooted:
		return path.Clean(slashed)
	case f.dir != "":
		return path.Join(f.dir, name)
	}
	return ""
}
