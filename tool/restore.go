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
	for _, c := range r.lex(r.Command) {
		args := gitArgs(c.words)
		if len(args) == 0 {
			continue
		}
		switch now := onAll(args[0], args[1:]); {
		case now == PutsBack && did == TakesBack:
			did = Nothing
		case now != Nothing:
			did = now
		}
	}
	return did
}

func onAll(sub string, args []string) Whole {
	has := func(words ...string) bool {
		return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(words, a) })
	}
	switch {
	case sub == "stash" && has("pop", "apply"):
		return PutsBack
	case sub == "stash" && (len(args) == 0 || has("push", "save", "-u")),
		sub == "reset" && has("--hard"),
		(sub == "checkout" || sub == "restore") && has("."):
		return TakesBack
	}
	return Nothing
}
