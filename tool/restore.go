package tool

import (
	"path"
	"slices"
	"strings"
)

// isCopyOf reports whether a file is by its name the copy that somebody kept of another.
func isCopyOf(name, of string) bool {
	end, ok := strings.CutPrefix(path.Base(name), path.Base(of))
	if !ok {
		return false
	}
	switch strings.TrimLeft(end, "._-") {
	case "~", "bak", "backup", "orig", "original", "old", "save", "saved":
		return true
	}
	return false
}

// Whole is the effect of a command line on all files that had been changed.
type Whole int

// The ways of changing all of them.
const (
	Nothing Whole = iota
	TakesBack
	PutsBack // what was taken back before
)

// OnAll reports whether a command line takes all changes that were not committed back, or
// puts them back again.
func (r *Reading) OnAll() (did Whole) {
	some := false // was put aside in this line
	for _, c := range r.lex(r.Command) {
		args := gitArgs(c.words)
		if len(args) == 0 {
			continue
		}
		c := gitCommandOf(args[0], args[1:])
		if _, paths := c.stashes(); args[0] == "stash" && len(paths) > 0 {
			some = true
			continue
		}
		switch now := onAll(args[0], &c); {
		case now == PutsBack && some:
			some = false
		case now == PutsBack && did == TakesBack:
			did = Nothing
		case now != Nothing:
			did = now
		}
	}
	return did
}

func onAll(sub string, c *gitCommand) Whole {
	switch all := slices.Contains(c.named(), "."); {
	case sub == "stash":
		did, _ := c.stashes()
		return did
	case sub == "reset" && c.has("--hard"),
		sub == "checkout" && all && !c.onBranch(),
		sub == "restore" && all && c.restoresFiles():
		return TakesBack
	}
	return Nothing
}
