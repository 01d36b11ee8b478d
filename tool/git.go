package tool

import (
	"path"
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
	words = program(words)
	if len(words) == 0 || path.Base(words[0]) != "git" {
		return nil
	}
	words = words[1:]
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		n := 1
		if words[0] == "-C" || words[0] == "-c" {
			n = 2
		}
		words = words[min(n, len(words)):]
	}
	return words
}
