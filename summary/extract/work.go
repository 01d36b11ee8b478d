package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/program"
)

// work collects what tool calls did.
type work struct {
	files    files
	runs     runs
	errors   failures
	outcomes outcomes
	effects  []summary.Effect
	lists    checklists
	edited   summary.Source // the last call that changed files
}

// newWork starts from the errors of an earlier summary that are still open, or whose command was
// not run since something was done about them, so that a later run in the new messages says
// what came of them. active is the number of the last message before them in which it called or
// somebody spoke: what came earlier it has seen.
func newWork(old *summary.Structured, active int) *work {
	w := &work{files: newFiles(old), runs: newRuns(old, active), lists: newChecklists(old.Open)}
	w.outcomes.before = old.Outcomes
	for i := range old.Errors {
		f := &old.Errors[i]
		switch {
		case f.Aside && f.From.N > active:
			w.errors.wasBefore(*f, w.runs.showed(f))
		case !f.Aside && f.Stands() && f.Command != "":
			w.errors.open(*f)
			w.errors.wasToEdit(f, w.files.toEdit(f.Command, f.Ran, scriptOf(f.Command, programOf(f.Command))))
			if f.From.N > active {
				w.errors.come(len(w.errors.all)-1, w.runs.showed(f))
			}
		}
	}
	for _, x := range old.Effects { // told as they were written, and cut
		if did := program.Read(strings.TrimSuffix(x.Text, oneline.Ellipsis)); x.Commit != "" || did.Commits() {
			w.files.committed = x.From
		}
	}
	return w
}

// cause is the message that made a call: its number, and what the agent said as it did so.
type cause struct {
	call summary.Source
	said *told // nil for nothing
}

// result reads a call and its result, and returns how it ended, "" where that is not known.
func (w *work) result(call message.Part, p *message.Part, at summary.Source, by cause) tool.Outcome {
	e := tool.Parse(call, p)
	if strings.TrimSpace(e.Text) == tool.NoResult {
		w.lists.unrecorded(e, &w.files.names)
		return ""
	}
	var command run
	switch e.Class {
	case tool.Todo:
		return e.Outcome
	case tool.Shell:
		command = w.command(e, at)
	case tool.Other, tool.HTTP, tool.Web:
		w.outcomes.add(e, call, p, at)
	}
	if e.Outcome == tool.Failure && e.Class != tool.Shell {
		return e.Outcome
	}
	changed := w.change(e, call.Args, at, by)
	switch {
	case command.Command != nil:
		w.changedBy(command, e, changed)
	case len(changed) > 0:
		w.runs.believed(nil)
	}
	return e.Outcome
}

// change reads what a call did to files, and returns those that it changed.
func (w *work) change(e *tool.Reading, args string, at summary.Source, by cause) []string {
	changed := w.files.touch(e, at, by)
	w.files.wrote(e, args)
	changed = append(changed, w.files.ran(e, at)...)
	w.lists.read(e, args, changed, by.call)
	if len(changed) > 0 {
		w.edited = by.call
	}
	w.resolve(changed, e.Outcome != tool.Failure, at)
	return changed
}

// changedBy notes which files a command changed, or was to change, by running. A script that the same call
// wrote is none of them, and may do what another version of it did not.
func (w *work) changedBy(c run, e *tool.Reading, changed []string) {
	script := scriptOf(c.Line, c.program)
	byScript := w.files.toEdit(c.Line, c.In, script)
	w.errors.wasToEdit(&summary.Failure{Command: c.Line, Ran: c.In, From: c.From}, byScript)
	if script != "" {
		written := w.files.names.nameIn(e.RunsIn(), script)
		c.Own, c.Alone = w.files.touched.was(written) == summary.FileCreated, w.files.standsAlone(written)
		w.errors.replaced(c.Command, w.files.touched.made(written))
		w.errors.rewritten(c.Command, w.files.touched.made(written))
		changed = slices.DeleteFunc(changed, func(name string) bool { return name == written })
	}
	if len(changed) > 0 {
		changed = w.byRunning(e, changed, byScript)
	}
	if lasting := slices.DeleteFunc(slices.Clone(changed), isTemporary); len(lasting) > 0 {
		changed = lasting // what stands beside it is put back by nobody
	}
	if len(changed) <= maxChanged {
		c.Changed = changed
	}
}

// byRunning returns those of some files that a line changed by what it runs: not what other commands of it changed,
// but for what its script edits.
func (w *work) byRunning(e *tool.Reading, changed, byScript []string) []string {
	for _, t := range e.ChangedBeside() {
		if name := w.files.names.nameIn(t.In, t.Path); !slices.Contains(byScript, name) {
			changed = slices.DeleteFunc(changed, func(c string) bool { return c == name })
		}
	}
	return changed
}

// isTemporary reports whether a path is one of a temporary file.
func isTemporary(name string) bool { return strings.HasPrefix(name, "/tmp/") }

// maxChanged is the most files that a command is known to have changed.
const maxChanged = 8

// resolve resolves errors by the files that a call changed; well says that it did not fail.
func (w *work) resolve(names []string, well bool, at summary.Source) {
	for _, name := range names {
		switch w.files.touched.was(name) {
		case summary.FileRestored:
			w.errors.lifted(name, summary.FileRestored, at, w.files.touched.first(name))
		case summary.FileDeleted, summary.FileGone:
			w.errors.lifted(name, summary.FileDeleted, at, 0)
		default:
			w.errors.touched(name, summary.FileEdited, at)
			if well {
				w.errors.editedOtherwise(name, at)
			}
		}
	}
}

// write hands over what was collected, in the order it last happened.
func (w *work) write(out *summary.Structured) {
	out.Files, out.Folder, out.Stands = append(out.Files, w.files.touched.all()...), w.files.names.root, w.files.names.told
	out.Commands = w.runs.written()
	out.Effects = lastOf(w.effects, maxPerKind)
	out.Errors = lastOf(w.errors.all, maxPerKind)
	out.Outcomes = w.outcomes.written()
	sortByN(out.Files, func(f *summary.File) int { return f.From.N })
	sortByN(out.Commands, func(c *summary.Command) int { return c.From.N })
	sortByN(out.Errors, func(f *summary.Failure) int { return f.From.N })
}

// maxPerKind is how many commands, effects, errors and outcomes a reading keeps of each: the newest.
const maxPerKind = 400

// seen forgets the runs and errors that the agent did not speak of: it goes on, or is asked
// something else.
func (w *work) seen() { w.errors.fresh, w.runs.fresh = w.errors.fresh[:0], w.runs.fresh[:0] }
