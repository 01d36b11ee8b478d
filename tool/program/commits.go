package program

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/tool/shell"
)

// Commits reports whether a command line makes a commit.
func (l *Line) Commits() bool {
	for _, c := range l.commands {
		if isGit(c.Words, "commit") {
			return true
		}
	}
	return false
}

// CommitsAll reports whether a command line commits all changes of files that git knows.
func (l *Line) CommitsAll() bool {
	for _, c := range l.commands {
		if g, ok := GitOf(c.Words); ok && g.Name == "commit" && g.Has("-a", "--all") {
			return true
		}
	}
	return false
}

// CommitLine returns the line without what its commit was called, and without the folder and what git
// was to add where nothing else is done before: the whole line, as it is, where more is done after the
// commit.
func (l *Line) CommitLine() string {
	at, alone := l.lastCommit()
	switch {
	case at < 0:
		return l.text
	case alone:
		at = 0
	}
	return l.text[:at] + "git commit" + oneline.Ellipsis
}

// lastCommit returns where the one commit of a command line begins, -1 where there are more,
// or something that is not known to look only comes after it; alone says that nothing else
// than that and what git adds comes before it.
func (l *Line) lastCommit() (at int, alone bool) {
	at, alone = -1, true
	for _, c := range l.commands {
		switch {
		case isGit(c.Words, "commit") && at < 0:
			at = c.Start
		case at >= 0 && !looks(&c):
			return -1, false
		case at < 0 && !isGit(c.Words, "add") && !looks(&c):
			alone = false
		}
	}
	return at, alone && !strings.ContainsAny(l.text[:max(at, 0)], "`$>")
}

// LogsCommit reports whether a command line shows the commit that it made as the first of a log, by its short name.
func (l *Line) LogsCommit() bool {
	at := slices.IndexFunc(l.commands, func(c shell.Simple) bool { return isGit(c.Words, "commit") })
	for i := max(at, 0); at >= 0 && i < len(l.commands) && (i == at || l.commands[i-1].Op == '&'); i++ {
		if g, ok := GitOf(l.commands[i].Words); ok && g.Name == "log" {
			return g.Has("--oneline") && !slices.ContainsFunc(g.Args, limitsLog)
		}
	}
	return false
}

// limitsLog reports whether a word behind "log" may leave out the newest commit, or show another first.
func limitsLog(word string) bool {
	switch word {
	case "--oneline", "-n", "--decorate", "--no-decorate", "--no-color", "--stat":
		return false
	}
	return strings.Trim(strings.TrimPrefix(word, "-"), "0123456789") != ""
}

// Stages returns what a command line has git take into its next commit: the paths, or all.
func (l *Line) Stages() (paths []string, all bool) {
	for _, c := range l.commands {
		if !isGit(c.Words, "add") {
			continue
		}
		added := gitArgs(c.Words)[1:]
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
