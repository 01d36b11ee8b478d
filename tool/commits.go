package tool

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
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

// Committed returns the line in which git names the commit that a command line made, and the
// command line without what it was called, which the other tells. The first is "" where no
// commit is named, and the second then the whole line, as it is where more is done after it.
func (r *Reading) Committed() (named, line string) {
	if !r.Commits() {
		return "", r.Command
	}
	for l := range strings.SplitSeq(r.output(), "\n") {
		rest, ok := strings.CutPrefix(l, "[")
		if branch, _, closed := strings.Cut(rest, "] "); ok && closed && isHash(branch[strings.LastIndexByte(branch, ' ')+1:]) && strings.Contains(branch, " ") {
			named = clip(strings.TrimRight(l, "\r "), maxError)
		}
	}
	if at := r.lastCommit(); named != "" && at >= 0 {
		return named, r.Command[:at] + gitCommit + oneline.Ellipsis
	}
	return named, r.Command
}

const gitCommit = "git commit"

// lastCommit returns where the one commit of a command line begins, -1 where there are more,
// or something that acts comes after it.
func (r *Reading) lastCommit() int {
	at := -1
	for _, c := range r.lex(r.Command) {
		switch {
		case len(c.words) == 0:
		case len(c.words) > 1 && c.words[0] == "git" && c.words[1] == "commit" && at < 0:
			at = c.start
		case at >= 0 && !isReadOnly(program(c.words)):
			return -1
		}
	}
	return at
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
