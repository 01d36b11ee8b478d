package extract

import (
	"cmp"
	"slices"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// maxCommandText is how much of a command line is kept, in bytes: scripts given in one share
// long heads.
const maxCommandText = 1000

// lineText returns a command line as it is kept: without marks where it is cut, as it is compared and
// looked up as it was written.
func lineText(line string) string { return oneline.Of(oneline.Start(line, maxCommandText)) }

// command keeps commands that do something. It returns a run of none for others.
func (w *work) command(e *tool.Reading, at summary.Source) run {
	w.effect(e, at)
	line := lineText(e.Action())
	if line == "" {
		return run{}
	}
	w.files.stand(e)
	now := w.runs.add(e, line, w.files.names.folder(cmp.Or(e.RunsIn(), w.files.names.away())), at)
	now.Aside = w.files.areAside(e)
	if !now.failed && exitedZero(now.Exit) {
		now.tells(e, w.files.alwaysPrinted(e))
	}
	w.errors.ran(now, e.Output, w.files.changed)
	w.errors.installed(now.installing(e.Installing()), e)
	if !now.failed {
		w.errors.ranWithin(&now, e.Output)
		w.lineSteps(e, now)
	}
	return now
}

// lineSteps reads the commands of a line that went well as runs of their own, where each must have
// succeeded: by the exit code, or because tests say that they passed.
func (w *work) lineSteps(e *tool.Reading, whole run) {
	verdict := ""
	if testrun.IsVerdict(whole.Tail) && !testrun.Fails(whole.Tail) {
		verdict = whole.Tail
	}
	if verdict == "" && !exitedZero(e.Exit) {
		return
	}
	for _, s := range slices.Backward(e.Steps()) {
		ran := summary.Command{Line: lineText(s.Line), In: w.files.names.folder(s.In)}
		if ran.Line == whole.Line {
			continue
		}
		ran.Outcome, ran.Exit, ran.From, ran.Within = string(tool.Success), e.Exit, whole.From, true
		ran.Aside = whole.Aside
		if w.runs.tested[ran.Key()] { // the last tests end with the verdict
			ran.Tail, verdict = verdict, ""
		}
		w.runs.addStep(&ran)
		w.errors.ran(run{&ran, programOf(ran.Line), false, whole.quiet, whole.writes}, e.Output, w.files.changed)
	}
}
