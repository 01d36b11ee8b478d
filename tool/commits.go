package tool

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
)

// Commits reports whether a command line makes a commit.
func (r *Reading) Commits() bool {
	for _, c := range r.lex(r.Command) {
		if isGit(c.words, "commit") {
			return true
		}
	}
	return false
}

// CommitsAll reports whether a command line commits all changes of files that git knows.
func (r *Reading) CommitsAll() bool {
	for _, c := range r.lex(r.Command) {
		if args := gitArgs(c.words); len(args) > 0 && args[0] == "commit" {
			if g := gitCommandOf("commit", args[1:]); g.has("-a", "--all") {
				return true
			}
		}
	}
	return false
}

// Committed returns the line in which git names the commit that a command line made, and the
// command line without what the commit was called, and without the folder and what git was to
// add where nothing else is done before. The first is "" where no commit is named, and the
// second then the whole line, as it is where more is done after the commit.
func (r *Reading) Committed() (named, line string) {
	if !r.Commits() {
		return "", r.Command
	}
	for l := range strings.SplitSeq(r.Output, "\n") {
		rest, ok := strings.CutPrefix(l, "[")
		if branch, _, closed := strings.Cut(rest, "] "); ok && closed && isHash(branch[strings.LastIndexByte(branch, ' ')+1:]) && strings.Contains(branch, " ") {
			named = clip(strings.TrimRight(l, "\r "), maxError)
		}
	}
	at, alone := r.lastCommit()
	switch {
	case named == "" || at < 0:
		return named, r.Command
	case alone:
		at = 0
	}
	return named, r.Command[:at] + gitCommit + oneline.Ellipsis
}

const gitCommit = "git commit"

// lastCommit returns where the one commit of a command line begins, -1 where there are more,
// or something that is not known to look only comes after it; alone says that nothing else
// than that and what git adds comes before it.
func (r *Reading) lastCommit() (at int, alone bool) {
	at, alone = -1, true
	for _, c := range r.lex(r.Command) {
		switch {
		case isGit(c.words, "commit") && at < 0:
			at = c.start
		case at >= 0 && !c.looks():
			return -1, false
		case at < 0 && !isGit(c.words, "add") && !c.looks():
			alone = false
		}
	}
	return at, alone && !strings.ContainsAny(r.Command[:max(at, 0)], "`$>")
}

// isHash reports whether a word is the short name of a commit.
func isHash(word string) bool {
	return len(word) >= 7 && strings.Trim(word, "0123456789abcdef") == ""
}

// Stages returns what a command line has git take into its next commit: the paths, or all.
func (r *Reading) Stages() (paths []string, all bool) {
	for _, c := range r.lex(r.Command) {
		if !isGit(c.words, "add") {
			continue
		}
		added := gitArgs(c.words)[1:]
		folders := slices.ContainsFunc(added, func(w string) bool { return w != "." && w != "" && w[0] != '-' })
		for _, w := range added {
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
