package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/program"
	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// work collects what tool calls did: files, commands, errors, outcomes.
type work struct {
	files    files
	commands map[summary.CommandKey]*summary.Command
	tested   map[summary.CommandKey]bool // commands that ended with a verdict of tests
	lines    []summary.CommandKey        // of commands, in the order first run
	fresh    []*summary.Command          // runs since the agent last spoke or called
	newest   *summary.Command            // the newest run, nil where a file was changed since or it failed
	denials  map[string][]denial         // what the agent said of runs, by the verb of what it denies
	errors   failures
	outcomes []outcome
	held     []*lookup // the newest, oldest first
	effects  []summary.Effect
	lists    checklists
	edited   summary.Source // the last call that changed files
}

// newWork starts from the errors of an earlier summary that are still open, or whose command was
// not run since something was done about them, so that a later run in the new messages says
// what came of them. active is the number of the last message before them in which it called or
// somebody spoke: what came earlier it has seen.
func newWork(old *summary.Structured, active int) *work {
	w := &work{files: newFiles(old), commands: map[summary.CommandKey]*summary.Command{}, tested: map[summary.CommandKey]bool{}, denials: map[string][]denial{}, lists: newChecklists(old.Open)}
	for _, c := range old.Commands {
		if testrun.IsVerdict(c.Tail) {
			w.tested[c.Key()] = true
		}
		if c.From.N > active {
			c.Times, c.Failed, c.Filtered = 0, 0, 0 // they are counted already
			w.commands[c.Key()] = &c
			w.lines = append(w.lines, c.Key())
			if line := program.Read(c.Line); !line.HandsIn() {
				w.fresh = append(w.fresh, &c)
			}
		}
	}
	for _, f := range old.Errors {
		if f.Stands() && f.Command != "" {
			w.errors.open(f)
			w.meant(&f)
			if f.From.N > active {
				w.errors.come(len(w.errors.all)-1, w.runOf(&f))
			}
		}
	}
	w.believedBefore(old)
	w.deniedBefore(old)
	for _, x := range old.Effects { // told as they were written, and cut
		if did := program.Read(strings.TrimSuffix(x.Text, oneline.Ellipsis)); x.Commit != "" || did.Commits() {
			w.files.committed = x.From
		}
	}
	return w
}

// runOf returns the newest run of a command where that is the one that showed an error, nil for none.
func (w *work) runOf(f *summary.Failure) *summary.Command {
	if c := w.commands[f.Key()]; c != nil && c.From == f.From {
		return c
	}
	return nil
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
		return ""
	}
	var command *summary.Command
	switch e.Class {
	case tool.Todo:
		return e.Outcome
	case tool.Shell:
		command = w.command(e, at)
	case tool.Other, tool.HTTP, tool.Web:
		w.outcome(e, call, p, at)
	}
	if e.Outcome != tool.Failure || e.Class == tool.Shell {
		changed := w.files.touch(e, at, by)
		w.files.wrote(e, call.Args)
		changed = append(changed, w.files.ran(e, at)...)
		w.lists.read(e, call.Args, changed, by.call)
		if len(changed) > 0 {
			w.edited = by.call
		}
		w.resolve(changed, e.Outcome != tool.Failure, at)
		switch {
		case command != nil:
			w.meant(&summary.Failure{Command: command.Line, Ran: command.In, From: at})
			if script := scriptOf(command.Line); script != "" {
				written := w.files.names.nameIn(e.RunsIn(), script) // by the same call, not by the run
				w.errors.replaced(command, w.files.touched.made(written))
				w.errors.rewritten(command, w.files.touched.made(written))
				changed = slices.DeleteFunc(changed, func(name string) bool { return name == written })
			}
			if len(changed) <= maxChanged {
				command.Changed = changed
			}
		case len(changed) > 0:
			w.believed(nil)
		}
	}
	return e.Outcome
}

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
				w.errors.edits(name, at)
			}
		}
	}
}

// write hands over what was collected, in the order it last happened.
func (w *work) write(out *summary.Structured) {
	out.Files, out.Folder, out.Stands = append(out.Files, w.files.touched.all()...), w.files.names.root, w.files.names.told
	for _, l := range lastOf(w.lines, maxPerKind) {
		out.Commands = append(out.Commands, *w.commands[l])
	}
	out.Effects = lastOf(w.effects, maxPerKind)
	out.Errors = lastOf(w.errors.all, maxPerKind)
	all := lastOf(w.outcomes, maxPerKind)
	for _, o := range all {
		if told := o.written(); o.says(&told) && !passedOver(all, &o) {
			out.Outcomes = append(out.Outcomes, told)
		}
	}
	sortByN(out.Files, func(f *summary.File) int { return f.From.N })
	sortByN(out.Commands, func(c *summary.Command) int { return c.From.N })
	sortByN(out.Errors, func(f *summary.Failure) int { return f.From.N })
}

// maxPerKind is how many commands, effects, errors and outcomes a reading keeps of each: the newest.
const maxPerKind = 400

// seen forgets the runs and errors that the agent did not speak of: it goes on, or is asked
// something else.
func (w *work) seen() { w.errors.fresh, w.fresh = w.errors.fresh[:0], w.fresh[:0] }

// spokenOf notes what the agent says right after it saw how one command ended.
func (w *work) spokenOf(note *summary.Note) {
	if len(w.fresh) == 1 && w.fresh[0].Said == nil {
		w.fresh[0].Said = note
		w.denied(w.fresh[0])
	}
	w.fresh = w.fresh[:0]
}
