package program

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/tool/shell"
)

// isGit reports whether words run a command of git's.
func isGit(words []string, command string) bool {
	args := gitArgs(words)
	return len(args) > 0 && args[0] == command
}

// gitArgs returns the command of git's that words run, with its arguments and without the
// options of git before it, nil where another program runs.
func gitArgs(words []string) []string {
	words = shell.Program(words)
	if len(words) == 0 || path.Base(words[0]) != "git" {
		return nil
	}
	words = words[1:]
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		n := 1
		switch words[0] {
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace":
			n = 2
		}
		words = words[min(n, len(words)):]
	}
	return words
}

// Git is a command of git's taken apart.
type Git struct {
	Name    string   // "commit"
	Args    []string // all of its words
	Names   []string // that are no options, before "--"
	Paths   []string // behind it
	Parted  bool     // there is a "--"
	options []string
}

// gitValued are the options of a command of git's that take the next word.
var gitValued = map[string][]string{
	"restore":  {"-s", "--source", "--pathspec-from-file"},
	"checkout": {"-b", "-B", "--orphan", "--conflict", "--pathspec-from-file"},
	"stash":    {"-m", "--message", "--pathspec-from-file"},
	"commit":   {"-m", "-F", "-C", "-c", "-t", "--message", "--file", "--author", "--date", "--fixup", "--squash"},
}

// GitOf takes the command of git's that words run apart. ok is false where another program runs.
func GitOf(words []string) (c Git, ok bool) {
	args := gitArgs(words)
	if len(args) == 0 {
		return c, false
	}
	c.Name, c.Args = args[0], args[1:]
	c.read()
	return c, true
}

// read tells options, names and paths apart.
func (c *Git) read() {
	args := c.Args
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			c.Paths, c.Parted = args[i+1:], true
			return
		case len(a) > 1 && a[0] == '-':
			option, takesNext := gitOption(c.Name, a)
			if c.options = append(c.options, option); takesNext {
				i++
			}
		default:
			c.Names = append(c.Names, a)
		}
	}
}

// gitOption returns an option without the value that stands in the same word, and whether it takes
// the next word.
func gitOption(sub, word string) (option string, takesNext bool) {
	valued := gitValued[sub]
	if word[1] == '-' {
		return word, slices.Contains(valued, word)
	}
	for i := 1; i < len(word); i++ {
		if slices.Contains(valued, "-"+word[i:i+1]) {
			return word[:i+1], i+1 == len(word)
		}
	}
	return word, false
}

// Has reports whether the command has one of some options; short ones may stand together.
func (c *Git) Has(options ...string) bool {
	return slices.ContainsFunc(c.options, func(given string) bool {
		name, _, _ := strings.Cut(given, "=")
		return slices.ContainsFunc(options, func(o string) bool {
			short := len(o) == 2 && len(given) > 1 && given[1] != '-'
			return name == o || short && strings.Contains(given[1:], o[1:])
		})
	})
}

// Named are the files and folders that the command names.
func (c *Git) Named() []string { return slices.Concat(c.Names, c.Paths) }

// OnlyChecks reports whether git apply tries or tells a patch only, or changes what is staged.
func (c *Git) OnlyChecks() bool {
	return c.Has("--check", "--cached", "--stat", "--numstat", "--summary")
}

// RestoresFiles reports whether git restore changes files, and not only what is staged.
func (c *Git) RestoresFiles() bool {
	return (!c.Has("-S", "--staged") || c.Has("-W", "--worktree")) && !c.TakesSide()
}

// TakesSide reports whether git takes one side of a conflict: the file is not as it was before.
func (c *Git) TakesSide() bool { return c.Has("--ours", "--theirs", "-2", "-3") }

// OnBranch reports whether git checkout makes a branch or follows one: what it names are no
// files.
func (c *Git) OnBranch() bool {
	return c.Has("-b", "-B", "--orphan", "-t", "--track", "-d", "--detach")
}

// Stashes returns what git stash does to all files that had been changed, or the paths of which
// alone it puts the changes aside.
func (c *Git) Stashes() (all Whole, paths []string) {
	does, names := "push", c.Names
	if len(names) > 0 {
		does, names = names[0], names[1:]
	}
	switch does {
	case "pop", "apply":
		return PutsBack, nil
	case "drop", "clear":
		return GivesUp, nil
	case "save":
		names = nil // they are what it is called
	case "push":
	default:
		return Nothing, nil
	}
	paths = slices.Concat(names, c.Paths)
	switch {
	case c.Has("-S", "--staged", "-p", "--patch", "--pathspec-from-file"):
		return Nothing, nil
	case len(paths) == 0 || slices.Contains(paths, "."):
		return PutsAside, nil
	}
	return Nothing, paths
}

// onlyLooks reports whether the command changes nothing.
func (c *Git) onlyLooks() bool {
	switch c.Name {
	case "log", "show", "diff", "status", "blame", "grep", "ls-files":
		return true
	case "branch":
		lists := c.Has("-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "--show-current")
		return (len(c.Names) == 0 || lists) && !c.Has("-d", "-D", "-m", "-M", "-c", "-C", "-f", "-u", "--delete", "--move", "--copy", "--force", "--set-upstream-to", "--unset-upstream", "--edit-description")
	case "stash":
		return len(c.Names) > 0 && (c.Names[0] == "list" || c.Names[0] == "show")
	}
	return false
}
