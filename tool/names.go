package tool

import (
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

// nameWords returns the words of a tool's name without the server's, in lower case: parted by
// marks, and by capitals that follow small letters.
func nameWords(name string) (words []string) {
	var b strings.Builder
	small := false
	for _, c := range bare(name) {
		if small && unicode.IsUpper(c) {
			b.WriteByte('_')
		}
		small = unicode.IsLower(c)
		b.WriteRune(unicode.ToLower(c))
	}
	return strings.FieldsFunc(b.String(), func(c rune) bool { return c == '_' || c == '-' || c == ' ' })
}

// ActsByName reports whether a tool's name says that its calls change something beside files.
func ActsByName(name string) bool { return doing(name) == changes }

// LooksByName reports whether a tool's name says that its calls only look, or compute.
func LooksByName(name string) bool { return doing(name) == looks }

// What a name says that calls do.
const (
	unsaid = iota
	changes
	looks
)

// doing goes by the first word of a name that says it.
func doing(name string) int {
	for _, word := range nameWords(name) {
		switch word {
		case "update", "book", "cancel", "send", "post", "return", "exchange", "refund", "modify", "add", "create", "delete", "remove", "order", "pay", "transfer", "grant", "set", "install":
			return changes
		case "get", "search", "list", "find", "read", "view", "check", "calculate", "query", "fetch", "show", "describe", "think", "lookup", "look", "count", "browse":
			return looks
		}
	}
	return unsaid
}

// accessOf returns what a call does to the files that it names: as the class of its tool says, or
// the first word of its name that says it, "" where nothing does.
func accessOf(class Class, name string) Access {
	words := nameWords(name)
	named := accessByName(words)
	switch class {
	case Read:
		return Reads
	case List, Search:
		return Lists
	case Write:
		return Creates
	case Edit:
		if named != Deletes {
			return Edits
		}
	}
	isFolder := slices.ContainsFunc(words, func(w string) bool { return w == "directory" || w == "folder" || w == "dir" })
	switch {
	case isFolder && named == Creates:
		return Makes
	case isFolder && named == Reads:
		return Lists
	}
	return named
}

func accessByName(words []string) Access {
	for _, w := range words {
		switch w {
		case "read", "view", "cat", "open":
			return Reads
		case "list", "search", "find", "grep", "glob", "get", "check", "show", "describe":
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
	moves, copies := false, false
	for _, w := range nameWords(r.Tool) {
		moves = moves || w == "move" || w == "rename"
		copies = copies || w == "copy"
	}
	if r.Class == Shell || !moves && !copies {
		return
	}
	from, to := "", ""
	for i := range r.args {
		switch m := &r.args[i]; strings.ToLower(m.name) {
		case "source", "source_path", "sourcepath", "src", "from", "old_path", "oldpath":
			from = m.text
		case "destination", "destination_path", "destinationpath", "dest", "dst", "to", "new_path", "newpath":
			to = m.text
		}
	}
	switch {
	case from == "" || to == "":
	case moves:
		r.touch(from, Deletes)
		r.touched(Touch{Path: to, Access: Creates, From: from})
	default:
		r.touch(from, Reads)
		r.touch(to, Creates)
	}
}
