package tool

import (
	"path"
	"slices"
	"strings"
)

// isGit reports whether words run a command of git's.
func isGit(words []string, command string) bool {
	args := gitArgs(words)
	return len(args) > 0 && args[0] == command
}

// gitArgs returns the command of git's that words run, with its arguments and without the
// options of git before it, nil where another program runs.
func gitArgs(words []string) []string {
	words = Program(words)
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

// gitCommand is a command of git's taken apart.
type gitCommand struct {
	options []string
	names   []string // that are no options, before "--"
	paths   []string // behind it
	parted  bool     // there is a "--"
}

// gitValued are the options of a command of git's that take the next word.
var gitValued = map[string][]string{
	"restore":  {"-s", "--source", "--pathspec-from-file"},
	"checkout": {"-b", "-B", "--orphan", "--conflict", "--pathspec-from-file"},
	"stash":    {"-m", "--message", "--pathspec-from-file"},
	"commit":   {"-m", "-F", "-C", "-c", "-t", "--message", "--file", "--author", "--date", "--fixup", "--squash"},
}

// gitCommandOf takes the arguments of a command of git's apart.
func gitCommandOf(sub string, args []string) (c gitCommand) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			c.paths, c.parted = args[i+1:], true
			return c
		case len(a) > 1 && a[0] == '-':
			option, takesNext := gitOption(sub, a)
			if c.options = append(c.options, option); takesNext {
				i++
			}
		default:
			c.names = append(c.names, a)
		}
	}
	return c
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

// has reports whether the command has one of some options; short ones may stand together.
func (c *gitCommand) has(options ...string) bool {
	return slices.ContainsFunc(c.options, func(given string) bool {
		name, _, _ := strings.Cut(given, "=")
		return slices.ContainsFunc(options, func(o string) bool {
			short := len(o) == 2 && len(given) > 1 && given[1] != '-'
			return name == o || short && strings.Contains(given[1:], o[1:])
		})
	})
}

// named are the files and folders that the command names.
func (c *gitCommand) named() []string { return slices.Concat(c.names, c.paths) }

// git finds the files that a command of git's touches.
func (e *Envelope) git(words []string, body string) {
	args := gitArgs(words)
	if len(args) == 0 {
		return
	}
	c := gitCommandOf(args[0], args[1:])
	switch args[0] {
	case "apply", "am":
		if !c.onlyChecks() {
			e.applied(args[1:], body)
		}
	case "rm":
		if !c.has("--cached", "-n", "--dry-run") {
			e.touchArgs(c.named(), Deletes)
		}
	case "mv":
		if !c.has("-n", "--dry-run") {
			e.move("mv", c.named())
		}
	case "restore":
		if c.restoresFiles() {
			e.restored(c.named())
		}
	case "stash":
		e.stashed(&c)
	case "checkout":
		e.checkedOut(&c)
	}
}

// onlyChecks reports whether git apply tries or tells a patch only, or changes what is staged.
func (c *gitCommand) onlyChecks() bool {
	return c.has("--check", "--cached", "--stat", "--numstat", "--summary")
}

// restoresFiles reports whether git restore changes files, and not only what is staged.
func (c *gitCommand) restoresFiles() bool {
	return (!c.has("-S", "--staged") || c.has("-W", "--worktree")) && !c.takesSide()
}

// takesSide reports whether git takes one side of a conflict: the file is not as it was before.
func (c *gitCommand) takesSide() bool { return c.has("--ours", "--theirs", "-2", "-3") }

// onBranch reports whether git checkout makes a branch or follows one: what it names are no
// files.
func (c *gitCommand) onBranch() bool {
	return c.has("-b", "-B", "--orphan", "-t", "--track", "-d", "--detach")
}

// stashes returns what git stash does to all files that had been changed, or the paths of which
// alone it puts the changes aside.
func (c *gitCommand) stashes() (all Whole, paths []string) {
	does, names := "push", c.names
	if len(names) > 0 {
		does, names = names[0], names[1:]
	}
	switch does {
	case "pop", "apply":
		return PutsBack, nil
	case "save":
		names = nil // they are what it is called
	case "push":
	default:
		return Nothing, nil
	}
	paths = slices.Concat(names, c.paths)
	switch {
	case c.has("-S", "--staged", "-p", "--patch", "--pathspec-from-file"):
		return Nothing, nil
	case len(paths) == 0 || slices.Contains(paths, "."):
		return TakesBack, nil
	}
	return Nothing, paths
}

// stashed finds the files whose changes git stash puts aside; those that it puts back in the same
// line are as they were.
func (e *Envelope) stashed(c *gitCommand) {
	all, paths := c.stashes()
	if all == PutsBack {
		e.Touched = slices.DeleteFunc(e.Touched, func(t Touch) bool { return t.Aside })
	}
	for _, p := range paths {
		if isPathArg(p) {
			e.touched(Touch{Path: p, Access: Edits, Restored: true, Aside: true})
		}
	}
}

func (e *Envelope) restored(args []string) {
	for _, a := range args {
		if isPathArg(a) {
			e.touched(Touch{Path: a, Access: Edits, Restored: true})
		}
	}
}

// checkedOut finds the files that git checkout takes back: those after "--", and else
// what looks like a file and not like a branch, if git does not say that it went to a branch.
func (e *Envelope) checkedOut(c *gitCommand) {
	switch {
	case c.onBranch() || c.takesSide():
	case c.parted:
		e.restored(c.paths)
	case !wentToBranch(e.Output):
		for _, name := range c.names {
			if looksLikeFile(name) {
				e.restored([]string{name})
			}
		}
	}
}

// looksLikeFile reports whether a name ends like a file's, and not like a version's ("3.x").
func looksLikeFile(name string) bool {
	end := path.Ext(name)
	before := strings.TrimSuffix(name, end)
	isVersion := end == ".x" && before != "" && isDigits(before[len(before)-1:])
	return len(end) > 1 && !isDigits(end[1:2]) && !isVersion
}

// mostSaid is the most bytes of an output in which git tells what it did.
const mostSaid = 4 << 10

// wentToBranch reports whether git says that it went to a branch, and not that it took files
// from anywhere.
func wentToBranch(output string) bool {
	went := false
	for line := range strings.SplitSeq(clip(output, mostSaid), "\n") {
		if strings.HasPrefix(line, "Updated ") && strings.Contains(line, " path") {
			return false
		}
		went = went || hasPrefixOf(line, []string{"Switched to ", "Already on ", "Note: switching to "})
	}
	return went
}
