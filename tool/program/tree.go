package program

import (
	"slices"

	"github.com/seed-3db51b0e/precis/tool/shell"
)

// ChangesTree reports whether git may change files of a repository that a command line does not
// name. committed says that the files in question are as they were committed last: what takes
// changes back leaves them so.
func (l *Line) ChangesTree(committed bool) bool {
	return l.runsAny(func(c shell.Command) bool {
		g, ok := GitOf(c.Words)
		return ok && g.changesTree() && !(committed && g.takesBack())
	})
}

// ChecksOut reports whether a command line has git take files as they were committed or staged.
func (l *Line) ChecksOut() bool {
	return l.runsAny(func(c shell.Command) bool { return isGit(c.Words, "checkout") || isGit(c.Words, "restore") })
}

func (c *Git) changesTree() bool {
	switch c.Name {
	case "reset", "clean", "mv", "am", "pull", "merge", "rebase", "switch", "revert", "cherry-pick":
		return true
	case "stash":
		return !c.onlyLooks()
	case "restore":
		return c.RestoresFiles()
	case "rm":
		return !c.Has("--cached", "-n", "--dry-run")
	case "apply":
		return !c.OnlyChecks()
	case "checkout": // a branch that is made here leaves all files
		return !c.OnBranch() || len(c.Names) > 0
	}
	return false
}

// takesBack reports whether the command makes files as they were committed last, and no more.
func (c *Git) takesBack() bool {
	atHead := len(c.Names) == 0 || len(c.Names) == 1 && c.Names[0] == "HEAD"
	switch c.Name {
	case "checkout":
		all := len(c.Names) == 1 && c.Names[0] == "." && !c.Parted
		return len(c.options) == 0 && (atHead && c.Parted || all)
	case "restore":
		return len(c.options) == 0
	case "reset":
		return c.Has("--hard") && atHead
	}
	return false
}

// Whole is the effect of a command line on all files that had been changed.
type Whole int

// The ways of changing all of them.
const (
	Nothing Whole = iota
	TakesBack
	PutsAside
	PutsBack // what was put aside before
	GivesUp  // what was put aside before
)

// OnAll reports whether a command line takes all changes that were not committed back, or puts them
// aside, and what it does to those that were put aside before.
func (l *Line) OnAll() (did Whole) {
	some := false // was put aside in this line
	for _, c := range l.commands {
		g, ok := GitOf(c.Words)
		if !ok {
			continue
		}
		if _, paths := g.Stashes(); g.Name == "stash" && len(paths) > 0 {
			some = true
			continue
		}
		switch now := g.onAll(); {
		case now == PutsBack && some:
			some = false
		case now == PutsBack && (did == TakesBack || did == PutsAside):
			did = Nothing
		case now == GivesUp && did == PutsAside:
			did = TakesBack
		case now == GivesUp && did != Nothing: // of those before this line
		case now != Nothing:
			did = now
		}
	}
	return did
}

// RunsAside reports whether all that a command line runs beside git, it runs while changes are put aside.
func (l *Line) RunsAside() bool {
	aside, ran := false, false
	for _, c := range l.commands {
		g, ok := GitOf(c.Words)
		switch all, paths := g.Stashes(); {
		case !ok && len(c.Words) > 0 && c.Words[0] == "cd":
		case !ok && !aside:
			return false
		case !ok:
			ran = true
		case g.Name != "stash":
		case all == PutsAside || len(paths) > 0:
			aside = true
		case all != Nothing:
			aside = false
		}
	}
	return ran
}

func (c *Git) onAll() Whole {
	switch all := slices.Contains(c.Named(), "."); {
	case c.Name == "stash":
		did, _ := c.Stashes()
		return did
	case c.Name == "reset" && c.Has("--hard"),
		c.Name == "checkout" && all && !c.OnBranch(),
		c.Name == "restore" && all && c.RestoresFiles():
		return TakesBack
	}
	return Nothing
}
