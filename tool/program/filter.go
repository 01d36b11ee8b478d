package program

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/tool/shell"
)

// LeavesOut returns how many lines the output of a line must have for a filter to have left out some of
// what a command that the line runs printed: 0 where one picks lines. It is false where none does.
func (l *Line) LeavesOut() (from int, ok bool) {
	fed := false // by a command that runs something
	for i := range l.commands {
		c := &l.commands[i]
		if fed {
			if n, leaves := leavesOut(shell.Program(c.Words)); leaves && (!ok || n < from) {
				from, ok = n, true
			}
		}
		fed = (fed || Runs(c)) && c.Op == '|'
	}
	return from, ok
}

// headLines is how many lines head leaves where it is not told.
const headLines = 10

// leavesOut returns how many lines a filter leaves that may leave lines out before the end of what it
// reads, 0 where it picks them; it is false for another program.
func leavesOut(words []string) (from int, ok bool) {
	if len(words) == 0 {
		return 0, false
	}
	switch shell.Name(words[0]) {
	case "grep", "egrep", "fgrep", "rg", "ag", "awk", "wc", "cut", "jq":
		return 0, true
	case "sed":
		return 0, slices.Contains(words[1:], "-n")
	case "head":
		from = headLines
		for _, w := range words[1:] {
			if n, err := strconv.Atoi(strings.TrimLeft(w, "-n")); err == nil {
				from = n
			}
		}
		return from, true
	}
	return 0, false
}
