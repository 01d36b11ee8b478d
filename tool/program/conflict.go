package program

import "github.com/seed-3db51b0e/precis/tool/shell"

// mayStop are the commands of git's that stop at a conflict, to be carried on or given up.
var mayStop = map[string]bool{"rebase": true, "merge": true, "cherry-pick": true, "revert": true, "am": true}

// Stops returns the command of git's that a line runs and that may stop halfway, and Ends the one that
// it carries on or gives up; "" for none.
func Stops(line string) string { return stopping(line, false) }

// Ends: see Stops.
func Ends(line string) string { return stopping(line, true) }

// stopping returns the last such command of a line that begins one, or that ends one.
func stopping(line string, ends bool) (found string) {
	for _, c := range shell.Lex(line) {
		g, ok := GitOf(c.Words)
		if ok && mayStop[g.Name] && g.Has("--continue", "--abort", "--skip", "--quit") == ends {
			found = g.Name
		}
	}
	return found
}
