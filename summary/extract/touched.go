package extract

import (
	"path"

	"github.com/seed-3db51b0e/precis/summary"
)

// touched are the files that calls touched, with what came of each.
type touched struct {
	byPath map[string]*summary.File
	order  []string       // paths, in the order first touched
	old    []summary.File // those of an earlier summary
	oldAt  map[string]int // where the first of each path stands among them
}

func newTouched(old []summary.File) touched {
	t := touched{byPath: map[string]*summary.File{}, old: old, oldAt: make(map[string]int, len(old))}
	for i := range old {
		if _, ok := t.oldAt[old[i].Path]; !ok {
			t.oldAt[old[i].Path] = i
		}
	}
	return t
}

// at returns a file, and whether anything was known of it; one of an earlier summary
// begins as that has it.
func (t *touched) at(name string) (x *summary.File, known bool) {
	if x = t.byPath[name]; x != nil {
		return x, true
	}
	x = &summary.File{Path: name}
	if old := t.get(name); old != nil {
		x.State, x.From, x.Of, x.Tracked, x.Made, x.First, x.Swept, known = old.State, old.From, old.Of, old.Tracked, old.Made, old.First, old.Swept, true
		x.Opens, x.Prints, x.Alone = old.Opens, old.Prints, old.Alone
	}
	t.byPath[name] = x
	t.order = append(t.order, name)
	return x, known
}

// get returns what is known of a file, of an earlier summary too, nil for nothing.
func (t *touched) get(name string) *summary.File {
	if x := t.byPath[name]; x != nil {
		return x
	}
	if i, ok := t.oldAt[name]; ok {
		return &t.old[i]
	}
	return nil
}

// was returns the state of a file so far, "" if nothing is known of it.
func (t *touched) was(name string) summary.FileState {
	if x := t.get(name); x != nil {
		return x.State
	}
	return ""
}

// first returns the number of the message in which a file was first changed, 0 for none.
func (t *touched) first(name string) int {
	if x := t.get(name); x != nil {
		return x.First.N
	}
	return 0
}

// stands reports whether a file is as a call wrote it, as far as that is known.
func (t *touched) stands(name string) bool {
	was := t.was(name)
	return was == summary.FileCreated || was == summary.FileEdited
}

// made returns the number of the message in which a file was last written whole, 0 for none.
func (t *touched) made(name string) int {
	if x := t.get(name); x != nil {
		return x.Made.N
	}
	return 0
}

// madeFiles are the files that were written whole.
type madeFiles struct {
	last map[string]summary.File // the last of each name, and in each folder by its name
	in   map[int]bool            // the messages in which one was made, or moved to where it is
}

// deleted reports whether a file was deleted, and no other made of it as it went.
func (m *madeFiles) deleted(x *summary.File) bool {
	return (x.State == summary.FileDeleted || x.State == summary.FileGone) && !m.in[x.From.N]
}

// madeLast returns the files that were written whole.
func (t *touched) madeLast() *madeFiles {
	made := &madeFiles{last: map[string]summary.File{}, in: map[int]bool{}}
	add := func(x *summary.File) {
		made.in[x.Made.N] = true
		for _, name := range [...]string{path.Base(x.Path), path.Base(path.Dir(x.Path))} {
			if x.Made.N > made.last[name].Made.N {
				made.last[name] = *x
			}
		}
	}
	for i := range t.old {
		add(&t.old[i])
	}
	for _, name := range t.order {
		add(t.byPath[name])
	}
	return made
}

// from returns where a file was changed or read last, the zero Source if it is not known.
func (t *touched) from(name string) summary.Source {
	if x := t.get(name); x != nil {
		return x.From
	}
	return summary.Source{}
}

// all lists them in the order first touched.
func (t *touched) all() []summary.File {
	out := make([]summary.File, 0, len(t.order))
	for _, p := range t.order {
		out = append(out, *t.byPath[p])
	}
	return out
}
