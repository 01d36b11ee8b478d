package extract

import (
	"iter"
	"path"
	"slices"
	"strings"
)

// untracked are the files created that git does not have. Those of a folder are found without a look
// at the others.
type untracked struct {
	has map[string]bool
	in  map[string][]string // by each folder above them, in the order they came; some have gone since
}

// scratch is the folder that git add of all files does not take from.
const scratch = "/tmp/"

func newUntracked() untracked {
	return untracked{has: map[string]bool{}, in: map[string][]string{}}
}

func (u *untracked) add(name string) {
	if u.has[name] {
		return
	}
	u.has[name] = true
	for folder := range foldersOf(name) {
		u.in[folder] = append(u.in[folder], name)
	}
}

// foldersOf yields the folders above a file, and "" for all but that for scratch.
func foldersOf(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !strings.HasPrefix(name, scratch) && !yield("") {
			return
		}
		for i := range len(name) {
			if name[i] == '/' && i > 0 && !yield(name[:i]) {
				return
			}
		}
	}
}

// under returns those that lie in a folder at any depth, or all but those for scratch for "".
func (u *untracked) under(folder string) []string {
	names := u.in[folder]
	if len(names) == 0 {
		return nil
	}
	kept, seen := names[:0], make(map[string]bool, len(names))
	for _, name := range names {
		if u.has[name] && !seen[name] { // it may have gone, and come again
			kept, seen[name] = append(kept, name), true
		}
	}
	u.in[folder] = kept
	return slices.Clone(kept)
}

// mostMatched is how many files, the newest, a pattern is held against.
const mostMatched = 256

// like returns those that a pattern matches.
func (u *untracked) like(pattern string) (names []string) {
	i := strings.IndexAny(pattern, `*?[\`)
	if i < 0 {
		return nil
	}
	folder := pattern[:max(strings.LastIndexByte(pattern[:i], '/'), 0)]
	all := u.in[folder]
	for _, name := range all[max(0, len(all)-mostMatched):] {
		if ok, err := path.Match(pattern, name); ok && err == nil && u.has[name] {
			names = append(names, name)
		}
	}
	return names
}
