package tool

import (
	"path"
	"slices"
)

// ChangesTree reports whether git may change files of a repository that a command line does not
// name. committed says that the files in question are as they were committed last: what takes
// changes back leaves them so.
func (r *Reading) ChangesTree(committed bool) bool {
	return r.runsAny(func(c command) bool {
		args := gitArgs(c.words)
		if len(args) == 0 {
			return false
		}
		g := gitCommandOf(args[0], args[1:])
		return g.changesTree(args[0]) && !(committed && g.takesBack(args[0]))
	})
}

// ChecksOut reports whether a command line has git take files as they were committed or staged.
func (r *Reading) ChecksOut() bool {
	return r.runsAny(func(c command) bool { return isGit(c.words, "checkout") || isGit(c.words, "restore") })
}

// runsAny reports whether something holds for a command that a line runs.
func (r *Reading) runsAny(holds func(c command) bool) bool {
	return slices.ContainsFunc(r.lex(r.Command), func(c simple) bool { return c.runsAny(holds) })
}

func (c *gitCommand) changesTree(sub string) bool {
	switch sub {
	case "reset", "clean", "mv", "am", "pull", "merge", "rebase", "switch", "revert", "cherry-pick":
		return true
	case "stash":
		return !isGitReadOnly(append([]string{sub}, c.names...))
	case "restore":
		return c.restoresFiles()
	case "rm":
		return !c.has("--cached", "-n", "--dry-run")
	case "apply":
		return !c.onlyChecks()
	case "checkout": // a branch that is made here leaves all files
		return !c.onBranch() || len(c.names) > 0
	}
	return false
}

// takesBack reports whether the command makes files as they were committed last, and no more.
func (c *gitCommand) takesBack(sub string) bool {
	atHead := len(c.names) == 0 || len(c.names) == 1 && c.names[0] == "HEAD"
	switch sub {
	case "checkout":
		all := len(c.names) == 1 && c.names[0] == "." && !c.parted
		return len(c.options) == 0 && (atHead && c.parted || all)
	case "restore":
		return len(c.options) == 0
	case "reset":
		return c.has("--hard") && atHead
	}
	return false
}

// Moving returns the words of the commands by which a line moves, deletes or patches files, or
// runs a program that does not only look on files that are named elsewhere, with what names them
// and what changes the folder. There are none where it does none of this.
func (r *Reading) Moving() (words []string) {
	line, moves := r.lex(r.Command), false
	for i := range line {
		for c := range line[i].commands() {
			switch {
			case c.words[0] == "cd":
				words = append(words, c.words...)
			case c.moves():
				moves = true
				for n := i - 1; c.fed && n >= max(0, i-mostPiped) && line[n].op == '|'; n-- {
					words = append(words, line[n].words...)
				}
				words = append(append(words, line[i].words...), c.words...)
			}
		}
	}
	if !moves {
		return nil
	}
	return words
}

func (c *command) moves() bool {
	switch path.Base(c.words[0]) {
	case "rm", "mv", "patch", "rsync":
		return true
	case "find":
		return !isReadOnly(c.words)
	}
	return c.fed && !isReadOnly(c.words)
}
