package tool

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/tool/program"
)

// git finds the files that a command of git's touches.
func (t *touches) git(words []string, body string) {
	c, _ := program.GitOf(words)
	switch c.Name {
	case "apply", "am":
		if !c.OnlyChecks() {
			t.applied(c.Args, body)
		}
	case "rm":
		if !c.Has("--cached", "-n", "--dry-run") {
			t.args(c.Named(), Deletes)
		}
	case "mv":
		if !c.Has("-n", "--dry-run") {
			t.move("mv", c.Named())
		}
	case "restore":
		if c.RestoresFiles() {
			t.restored(c.Named())
		}
	case "stash":
		t.stashed(&c)
	case "checkout":
		t.checkedOut(&c)
	}
}

// stashed finds the files whose changes git stash puts aside; those that it puts back in the same
// line are as they were.
func (t *touches) stashed(c *program.Git) {
	all, paths := c.Stashes()
	if all == program.PutsBack {
		t.list = slices.DeleteFunc(t.list, func(x Touch) bool { return x.Aside })
	}
	for _, p := range paths {
		if isPathArg(p) {
			t.add(Touch{Path: p, Access: Edits, Restored: true, Aside: true})
		}
	}
}

func (t *touches) restored(args []string) {
	for _, a := range args {
		if isPathArg(a) {
			t.add(Touch{Path: a, Access: Edits, Restored: true})
		}
	}
}

// checkedOut finds the files that git checkout takes back: those after "--", and else
// what looks like a file and not like a branch, if git does not say that it went to a branch, or that it
// took back none.
func (t *touches) checkedOut(c *program.Git) {
	switch {
	case c.OnBranch() || c.TakesSide() || tookBackNone(t.output):
	case c.Parted:
		t.restored(c.Paths)
	case !wentToBranch(t.output):
		for _, name := range c.Names {
			if looksLikeFile(name) {
				t.restored([]string{name})
			}
		}
	}
}

// tookBackNone reports whether an output tells of one checkout of files, that all were as they are.
func tookBackNone(output string) bool {
	return strings.Contains(output, "Updated 0 paths from ") && strings.Count(output, "Updated ") == 1
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
