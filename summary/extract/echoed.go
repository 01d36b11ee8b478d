package extract

import (
	"path"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
)

// echoed is a command that another says it runs.
type echoed struct {
	line  string
	of    string // the package whose script it is, "" where none is named
	outer bool   // it runs where the other does
}

// mostEchoed is how many of them are read of a run.
const mostEchoed = 64

// echoes returns the commands that a run says it runs: npm and its kin name a package and a script above
// the line of the script, make prints the line.
func echoes(c *summary.Command, output string) (all []echoed) {
	makes, of, scripts := nameOf(c.Line) == "make" && !strings.Contains(c.Line, " -C"), "", 0
	for line := range strings.Lines(output) {
		if len(all) == mostEchoed {
			break
		}
		line = strings.TrimSpace(line)
		said, marked := strings.CutPrefix(line, "> ")
		switch name := packageIn(said); {
		case !marked:
			if of = ""; makes && line != "" {
				all = append(all, echoed{line: line, outer: true})
			}
		case name != "":
			of = name
		case of != "":
			scripts++
			all = append(all, echoed{line: said, of: of, outer: scripts == 1})
			of = ""
		}
	}
	return all
}

// packageIn returns the package that a line names with its version and a script, without its scope, "" for
// none.
func packageIn(said string) string {
	named, _, ok := strings.Cut(said, " ")
	i := strings.LastIndexByte(named, '@')
	if !ok || i <= 0 || i+1 == len(named) || !isDigit(named[i+1]) {
		return ""
	}
	return path.Base(named[:i])
}

// runsIn reports whether it runs in a folder, where the other runs in one.
func (x *echoed) runsIn(folder, other string) bool {
	if folder == other {
		return x.outer
	}
	base := path.Base(folder)
	return folder != "" && x.of != "" && (x.of == base || strings.HasSuffix(x.of, "-"+base))
}

// ranWithin resolves the errors of commands that a run which went well says it ran, and of which it does
// not show the error.
func (f *failures) ranWithin(c *run, output string) {
	recent := lastOf(f.all, mostOpenErrors)
	all, shown := []echoed(nil), ""
	for i := range recent {
		x := &recent[i]
		if !x.Stands() || x.From.N >= c.From.N || x.Command == c.Line {
			continue
		}
		if all == nil {
			if all = echoes(c.Command, output); all == nil {
				return
			}
			shown = oneline.Of(output)
		}
		if runsOne(all, x, c.In) && c.omits(x, shown) {
			x.Settle(inFix(c.Line)+" ran it without an error line", c.From, false)
		}
	}
}

// runsOne reports whether one of the commands that a run in a folder says it ran runs what an error is of.
func runsOne(all []echoed, x *summary.Failure, in string) bool {
	for i := range all {
		if all[i].runsIn(x.Ran, in) && (all[i].line == x.Command || all[i].of != "" && x.CoveredBy(all[i].line)) {
			return true
		}
	}
	return false
}
