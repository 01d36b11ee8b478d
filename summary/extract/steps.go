package extract

import (
	"slices"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// lineSteps reads the commands of a line that went well as runs of their own, where each must have
// succeeded: by the exit code, or because tests say that they passed.
func (w *work) lineSteps(e *tool.Reading, whole run) {
	verdict := ""
	if tool.IsVerdict(whole.Tail) && !tool.Fails(whole.Tail) {
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
			ran.Times, ran.Failed = c.Times+1, c.Failed
			*c = ran
		}
		w.errors.ran(run{&ran, false, whole.quiet, whole.writes}, e.Output, w.files.changed)
	}
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
