package tool

import (
	"slices"
	"strings"
)

// Commits reports whether a command line makes a commit.
func (r *Reading) Commits() bool {
	for _, c := range r.lex(r.Command) {
		if len(c.words) > 1 && c.words[0] == "git" && c.words[1] == "commit" {
			return true
		}
	}
	return false
}

// Committed returns the line in which git names the commit that a command line made, "" where
// there is none.
func (r *Reading) Committed() string {
	if !r.Commits() {
		return ""
	}
	for line := range strings.SplitSeq(r.output(), "\n") {
		named, _, ok := strings.Cut(strings.TrimPrefix(line, "["), "] ")
		if ok && named != line && isHash(named[strings.LastIndexByte(named, ' ')+1:]) {
			return clip(strings.TrimRight(line, "\r "), maxError)
		}
	}
	return ""
}

// isHash reports whether a word is the short name of a commit.
func isHash(word string) bool {
	return len(word) >= 7 && strings.Trim(word, "0123456789abcdef") == ""
}

// Stages returns what a command line has git take into its next commit: the paths, or all.
func (r *Reading) Stages() (paths []string, all bool) {
	for _, c := range r.lex(r.Command) {
		if len(c.words) < 3 || c.words[0] != "git" || c.words[1] != "add" {
			continue
		}
		folders := slices.ContainsFunc(c.words[2:], func(w string) bool { return w != "." && w != "" && w[0] != '-' })
		for _, w := range c.words[2:] {
			switch {
			case w == "-A" || w == "--all" || w == ".":
				all = all || !folders
			case w != "" && w[0] != '-':
				paths = append(paths, w)
			}
		}
	}
	return paths, all
}
