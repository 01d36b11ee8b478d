package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// run is a run of a command.
type run struct {
	*summary.Command
	program string // see programOf
	failed  bool
	quiet   bool     // it would not tell of an error
	writes  []string // files to which its output goes
}

// tells takes for the line of a run the last one that is not always printed, where there is one.
func (c *run) tells(e *tool.Reading, always []string) {
	tail := oneline.Kept(e.TellingBeside(always))
	c.Always = tail == "" && c.Tail != ""
	if !c.Always {
		c.Tail = tail
	}
}

// installing returns a run as one of what its line installed, which may stand apart from what it ran.
func (c run) installing(line string) run {
	if line = oneline.Of(line); !c.failed && !strings.Contains(c.Line, line) {
		by := *c.Command
		by.Line, c.Command, c.program = line, &by, programOf(line)
	}
	return c
}

// failure returns the error of a run, without a text where there is none or nothing tells of it.
func (c *run) failure(output string) summary.Failure {
	x := summary.Failure{Command: c.Line, Ran: c.In, Aside: c.Aside, From: c.From}
	if c.failed && !tool.IsCut(c.Tail) {
		x.Text = tellingOf(c.Command)
	}
	if x.Text != "" {
		x.In, x.Test = blamed(x.Text, output), failedTest(output)
	}
	return x
}

// resolution says in which way a run shows that an error is resolved.
func (c *run) resolution(x *summary.Failure) string {
	if x.Command == c.Line {
		return c.Resolution()
	}
	return inFix(c.Line) + " ran without an error line"
}

// writesElse reports whether an error is that a file was not to be written, which a run does not write.
func (c *run) writesElse(x *summary.Failure) bool {
	name := tool.Denied(x.Command, x.Text)
	return name != "" && !slices.Contains(c.writes, name)
}

// omits reports whether a run that hides no errors does not show one.
func (c *run) omits(x *summary.Failure, shown string) bool {
	told := strings.TrimPrefix(x.Text, "AssertionError: ") // what follows may be its source, which stands before it
	return !c.quiet && !strings.Contains(shown, strings.TrimSuffix(told, oneline.Ellipsis))
}

// exitedZero reports whether it is known that a command ended with exit code 0.
func exitedZero(exit *int) bool { return exit != nil && *exit == 0 }

// hasFailed reports whether a run failed: by its exit code, by the verdict of a test
// runner, by an account of an error that is cut off or that the output ends with, or by an error line
// where the exit code is that of another program.
func hasFailed(e *tool.Reading, c *summary.Command) bool {
	switch {
	case e.Outcome == tool.Failure, tool.IsCut(c.Tail), c.Error != "" && e.EndsRaised():
		return true
	case e.Outcome == tool.Partial:
		return c.Error != "" && (e.Exit == nil || testrun.IsVerdict(c.Error) && testrun.Fails(c.Error) || testrun.IsVerdict(c.Tail) && testrun.Fails(c.Tail) || e.HidesExit())
	}
	return false
}
