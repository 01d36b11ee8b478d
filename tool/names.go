package tool

import (
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"
	"unicode"
)

// bare returns a tool's name without the prefix of a server ("mcp__files__read_file",
// "files.read").
func bare(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// eachNameWord yields the words of a tool's name without the server's, in lower case: parted by
// marks, and by capitals that follow small letters.
func eachNameWord(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		name, start, small := bare(name), 0, false
		for i, c := range name {
			mark := c == '_' || c == '-' || c == ' '
			if mark || small && unicode.IsUpper(c) {
				if i > start && !yield(strings.ToLower(name[start:i])) {
					return
				}
				if start = i; mark {
					start++
				}
			}
			small = unicode.IsLower(c)
		}
		if start < len(name) {
			yield(strings.ToLower(name[start:]))
		}
	}
}

// nameWords returns the words of a tool's name: see eachNameWord.
func nameWords(name string) []string { return slices.Collect(eachNameWord(name)) }

// accessOf returns what a call does to the files that it names: as the class of its tool says, or
// its name, "" where nothing does. What is moved or copied is not told here, but by moved.
func accessOf(class Class, name string) Access {
	switch class {
	case Read:
		return Reads
	case List, Search:
		return Lists
	}
	words := nameWords(name)
	named := accessByName(words)
	switch {
	case slices.ContainsFunc(words, isMove) || slices.Contains(words, "copy"):
		return ""
	case class == Write:
		return Creates
	case class == Edit && named != Deletes:
		return Edits
	}
	isFolder := slices.ContainsFunc(words, isFolderWord)
	switch {
	case isFolder && named == Creates:
		return Makes
	case isFolder && named == Reads:
		return Lists
	}
	return named
}

func isMove(word string) bool { return word == "move" || word == "rename" }

func isFolderWord(word string) bool { return word == "directory" || word == "folder" || word == "dir" }

// accessByName goes by the first word of a name that says it. What is searched or found may be to
// be replaced.
func accessByName(words []string) Access {
	for i, w := range words {
		switch w {
		case "read", "view", "cat", "open":
			return Reads
		case "search", "find":
			if slices.ContainsFunc(words[i:], func(w string) bool { return w == "replace" || w == "edit" || w == "update" }) {
				return Edits
			}
			return Lists
		case "list", "grep", "glob", "get", "check", "show", "describe":
			return Lists
		case "create", "write", "save":
			return Creates
		case "edit", "replace", "insert", "update", "modify", "patch", "append", "apply":
			return Edits
		case "delete", "remove":
			return Deletes
		}
	}
	return ""
}

// moved finds the two files of a call that by its name moves or copies one to the other.
func (r *Reading) moved() {
	if r.Class == Shell {
		return
	}
	words := nameWords(r.Tool)
	moves := slices.ContainsFunc(words, isMove)
	if !moves && !slices.Contains(words, "copy") {
		return
	}
	ofFiles := slices.ContainsFunc(words, func(w string) bool { return w == "file" || w == "path" || isFolderWord(w) })
	from, to := r.fromAndTo(ofFiles)
	switch {
	case from == "" || to == "":
	case !ofFiles && (!saysPath(from) || !saysPath(to)): // cards, pieces of a game
	case moves:
		r.files.path(from, Deletes)
		r.files.add(Touch{Path: to, Access: Creates, From: from})
	default:
		r.files.path(from, Reads)
		r.files.path(to, Creates)
	}
}

// fromAndTo returns what a call moves or copies, and where. The name of a tool may say that it is a
// file: then its path may be given as of any other file, and a new name is one in its folder.
func (r *Reading) fromAndTo(ofFiles bool) (from, to string) {
	file, name := "", ""
	for i := range r.args {
		m := &r.args[i]
		key := strings.ToLower(m.name)
		switch {
		case !m.quoted:
		case isSourceKey(key):
			from = m.text
		case isTargetKey(key):
			to = m.text
		case ofFiles && isPathKey(key):
			file = m.text
		case ofFiles && (key == "new_name" || key == "newname"):
			name = m.text
		}
	}
	if from = cmp.Or(from, file); to == "" && name != "" {
		if to = name; !strings.Contains(name, "/") {
			to = path.Join(path.Dir(from), name)
		}
	}
	if strings.HasSuffix(to, "/") && from != "" {
		to = path.Join(to, path.Base(from))
	}
	return from, to
}

func isSourceKey(key string) bool {
	switch key {
	case "source", "source_path", "sourcepath", "src", "from", "old_path", "oldpath":
		return true
	}
	return false
}

func isTargetKey(key string) bool {
	switch key {
	case "destination", "destination_path", "destinationpath", "dest", "dst", "to", "new_path", "newpath":
		return true
	}
	return false
}

// saysPath reports whether a value can only be the path of a file: a word in capitals may be a state,
// and what has an "@" an address.
func saysPath(value string) bool {
	return isPathArg(value) && strings.ContainsAny(value, "/.") && !strings.Contains(value, "@")
}
