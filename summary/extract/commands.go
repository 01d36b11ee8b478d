package extract

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// maxCommandText is how much of a command line is kept, in bytes: scripts given in one share
// long heads.
const maxCommandText = 1000

// maxChanged is the most files that a command is known to have changed.
const maxChanged = 8

// command keeps commands that do something; the last run of a line counts. It returns nil
// for others.
func (w *work) command(e *tool.Reading, at summary.Source) *summary.Command {
	w.effect(e, at)
	// unmarked: a command line is compared and looked up as it was written
	line := oneline.Of(oneline.Start(e.Action(), maxCommandText))
	if line == "" {
		return nil
	}
	w.files.names.stand(e)
	c := w.entry(&summary.Command{Line: line, In: w.files.names.folder(cmp.Or(e.RunsIn(), w.files.names.away()))})
	*c = summary.Command{
		Line: c.Line, In: c.In, Outcome: string(e.Outcome), Exit: e.Exit, Error: oneline.Of(e.Error), Tail: oneline.Kept(e.Telling()),
		Times: c.Times + 1, Failed: c.Failed, Filtered: c.Filtered, From: at,
	}
	failed := hasFailed(e, c)
	if e.HidesExit() {
		c.Exit = nil
	}
	filtered := !failed && !testrun.IsVerdict(c.Tail) && e.Filtered()
	switch {
	case failed:
		c.Failed++
	case filtered:
		c.Filtered++
	}
	if (failed || filtered) && e.Outcome == tool.Success {
		c.Outcome = string(tool.Partial)
	}
	if testrun.IsVerdict(c.Tail) {
		w.tested[c.Key()] = true
	}
	if !e.HandsIn() {
		w.fresh = append(w.fresh, c)
	}
	w.believed(c)
	now := run{c, failed, filtered || e.Silences(), e.Writes()}
	w.errors.ran(now, e.Output, w.files.changed)
	w.installed(now, e)
	if !failed {
		w.errors.ranWithin(&now, e.Output)
		w.lineSteps(e, now)
	}
	return c
}

// installed notes what a line installed, which may stand apart from what it ran.
func (w *work) installed(now run, e *tool.Reading) {
	if line := oneline.Of(e.Installing()); !now.failed && !strings.Contains(now.Line, line) {
		by := *now.Command
		by.Line, now.Command = line, &by
	}
	w.errors.installed(&now, e)
}

// entry returns what is kept of the runs of a command.
func (w *work) entry(ran *summary.Command) *summary.Command {
	c, ok := w.commands[ran.Key()]
	if !ok {
		c = &summary.Command{Line: ran.Line, In: ran.In}
		w.commands[ran.Key()] = c
		w.lines = append(w.lines, ran.Key())
	}
	return c
}

// lineSteps reads the commands of a line that went well as runs of their own, where each must have
// succeeded: by the exit code, or because tests say that they passed.
func (w *work) lineSteps(e *tool.Reading, whole run) {
	verdict := ""
	if testrun.IsVerdict(whole.Tail) && !testrun.Fails(whole.Tail) {
		verdict = whole.Tail
	}
	if verdict == "" && (e.Exit == nil || *e.Exit != 0) {
		return
	}
	for _, s := range slices.Backward(e.Steps()) {
		ran := summary.Command{Line: oneline.Of(oneline.Start(s.Line, maxCommandText)), In: w.files.names.folder(s.In)}
		if ran.Line == whole.Line {
			continue
		}
		ran.Outcome, ran.Exit, ran.From, ran.Within = string(tool.Success), e.Exit, whole.From, true
		if w.tested[ran.Key()] { // the last tests end with the verdict
			ran.Tail, verdict = verdict, ""
		}
		if old := w.commands[ran.Key()]; old != nil || ran.Tail != "" {
			c := w.entry(&ran)
			ran.Times, ran.Failed, ran.Filtered = c.Times+1, c.Failed, c.Filtered
			*c = ran
		}
		w.errors.ran(run{&ran, false, whole.quiet, whole.writes}, e.Output, w.files.changed)
	}
}

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
