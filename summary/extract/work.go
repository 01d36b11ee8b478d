package extract

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// work collects what tool calls did: files, commands, errors, outcomes.
type work struct {
	files    files
	commands map[summary.CommandKey]*summary.Command
	tested   map[summary.CommandKey]bool // commands that ended with a verdict of tests
	lines    []summary.CommandKey        // of commands, in the order first run
	fresh    []*summary.Command          // runs since the agent last spoke or called
	newest   *summary.Command            // the newest run, nil where a file was changed since or it failed
	errors   failures
	outcomes []outcome
	effects  []summary.Effect
	lists    checklists
}

// outcome is a call of any other tool and its result. What it came to is read
// again once it is written: a reading holds its texts a second time.
type outcome struct {
	call   message.Part
	result *message.Part
	from   summary.Source
}

// newWork starts from the errors of an earlier summary that are still open, or whose command was
// not run since something was done about them, so that a later run in the new messages says
// what came of them. active is the number of the last message before them in which it called or
// somebody spoke: what came earlier it has seen.
func newWork(old *summary.Structured, active int) *work {
	w := &work{files: newFiles(old.Files, old.Folder), commands: map[summary.CommandKey]*summary.Command{}, tested: map[summary.CommandKey]bool{}, lists: newChecklists(old.Open)}
	for _, f := range old.Errors {
		if f.Stands() && f.Command != "" {
			w.errors.open(f)
			if f.From.N > active {
				w.errors.come(len(w.errors.all)-1, slices.ContainsFunc(old.Commands, func(c summary.Command) bool {
					return c.Line == f.Command && c.From == f.From && isSoft(&c)
				}))
			}
		}
	}
	for _, c := range old.Commands {
		if tool.IsVerdict(c.Tail) {
			w.tested[c.Key()] = true
		}
		if c.From.N > active {
			c.Times, c.Failed = 0, 0 // they are counted already
			w.commands[c.Key()] = &c
			w.lines = append(w.lines, c.Key())
			w.fresh = append(w.fresh, &c)
		}
	}
	w.believedBefore(old)
	for _, x := range old.Effects { // told as they were written, and cut
		if x.Commit != "" || strings.Contains(x.Text, "git commit") {
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
		for _, name := range changed {
			switch w.files.touched.was(name) {
			case summary.FileRestored:
				w.errors.lifted(name, summary.FileRestored, at)
			case summary.FileDeleted, summary.FileGone:
				w.errors.lifted(name, summary.FileDeleted, at)
			default:
				w.errors.touched(name, summary.FileEdited, at)
			}
		}
		switch {
		case command != nil:
			if script := scriptOf(command.Line); script != "" {
				written := w.files.names.nameIn(e.RunsIn(), script) // by the same call, not by the run
				w.errors.replaced(command, w.files.touched.made(written))
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

// maxCommandText is how much of a command line is kept, in bytes: scripts given in one share
// long heads.
const maxCommandText = 1000

// maxChanged is the most files that a command is known to have changed.
const maxChanged = 8

// maxEffectText is how much of a command line with side effects tells what it did, in bytes. A
// path is not cut: its head may name a folder of which all but a part is as it was.
const maxEffectText = 110

// effect keeps a command line that is not run twice without consequences.
func (w *work) effect(e *tool.Reading, at summary.Source) {
	if succeeded(e) && e.Acts() {
		commit, line := e.Committed()
		did := summary.Effect{Note: summary.Note{Text: headOf(oneline.Of(line), maxEffectText), From: at}, Commit: oneline.Of(commit), OfFiles: e.ActsOnFiles()}
		w.effects = push(w.effects, did, maxPerKind)
	}
}

// headOf returns the words of a line that n bytes hold, with a mark where it is cut: a long
// address may be.
func headOf(line string, n int) string {
	if len(line) <= n {
		return line
	}
	head := line[:oneline.RuneStart(line, n-len(oneline.Ellipsis))]
	i := strings.LastIndexByte(head, ' ')
	if i <= 0 || i < n/2 && strings.Contains(head[i:], "://") {
		return head + oneline.Ellipsis
	}
	return line[:i] + oneline.Ellipsis
}

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
	c := w.entry(&summary.Command{Line: line, In: w.files.names.folder(e.RunsIn())})
	*c = summary.Command{
		Line: c.Line, In: c.In, Outcome: string(e.Outcome), Exit: e.Exit, Error: oneline.Of(e.Error), Tail: oneline.Kept(e.Telling()),
		Times: c.Times + 1, Failed: c.Failed, From: at,
	}
	failed := hasFailed(e, c)
	if e.HidesExit() {
		c.Exit = nil
	}
	if failed {
		c.Failed++
	}
	if tool.IsVerdict(c.Tail) {
		w.tested[c.Key()] = true
	}
	w.fresh = append(w.fresh, c)
	w.believed(c)
	now := run{c, failed, strings.Contains(e.Command, "/dev/null"), e.Writes()}
	w.errors.ran(now, e.Output, w.files.changed)
	w.errors.installed(&now, e)
	if !failed {
		w.lineSteps(e, now)
	}
	return c
}

// hasFailed reports whether a run failed: by its exit code, by the verdict of a test
// runner, or by an error line where the exit code is that of another program.
func hasFailed(e *tool.Reading, c *summary.Command) bool {
	switch e.Outcome {
	case tool.Failure:
		return true
	case tool.Partial:
		return c.Error != "" && (e.Exit == nil || tool.IsVerdict(c.Error) && tool.Fails(c.Error) || tool.IsVerdict(c.Tail) && tool.Fails(c.Tail) || e.HidesExit())
	}
	return false
}

// outcome keeps a call of any other tool.
func (w *work) outcome(e *tool.Reading, call message.Part, p *message.Part, at summary.Source) {
	if tool.Resolve(e.Envelope, nil).Durability == tool.Ephemeral || e.Tool == "" {
		return
	}
	w.outcomes = push(w.outcomes, outcome{call, p, at}, maxPerKind)
}

// shortResult is the most bytes of a result that stands whole with its call.
const shortResult = 60

// written tells an outcome by its key fields, and by the result where it is a few words.
func (o *outcome) written() summary.ToolOutcome {
	e := tool.Of(o.call, o.result)
	told := summary.ToolOutcome{Tool: e.Tool, Outcome: string(e.Outcome), Fields: fields(e.KeyFields), Error: oneline.Of(e.Error), From: o.from}
	if text := inFewWords(tool.Parse(o.call, o.result)); text != "" {
		told.Fields = append(told.Fields, summary.Field{Name: summary.ResultField, Value: text})
	}
	if e.Structured != nil && tool.ActsByName(e.Tool) {
		told.Fields = append(told.Fields, movedAmounts(e.Structured)...)
	}
	return told
}

// inFewWords returns a result that is a few words, or the verdict of tests that it ends with, or the few
// words of the first line of what a change came to; "" for another and for an error, which is told as such.
func inFewWords(e *tool.Reading) string {
	if e.Error != "" || e.Structured != nil {
		return ""
	}
	if verdict := e.Telling(); tool.IsVerdict(verdict) {
		return oneline.Of(verdict)
	}
	text := oneline.Of(e.Text)
	if len(text) > shortResult && tool.ActsByName(e.Tool) { // what came of it stands first
		first, _, _ := strings.Cut(strings.TrimSpace(e.Text), "\n")
		text = oneline.Of(first)
	}
	if len(text) <= shortResult {
		return text
	}
	return ""
}

// says reports whether an outcome tells more than what was asked, of a tool that only looks.
func (o *outcome) says(told *summary.ToolOutcome) bool {
	if told.Outcome != string(tool.Success) || !tool.LooksByName(told.Tool) || len(told.Fields) == 0 {
		return true
	}
	asked := fields([]byte(o.call.Args))
	return slices.ContainsFunc(told.Fields, func(f summary.Field) bool {
		return !slices.Contains(asked, f)
	})
}

// fields reads the values of a JSON object in order, each with the name of the member that it is
// in.
func fields(raw []byte) []summary.Field {
	d := jsontext.NewDecoder(strings.NewReader(string(raw)))
	var fs []summary.Field
	name, around := "", []string(nil)
	for {
		t, err := d.ReadToken()
		if err != nil {
			return fs
		}
		switch t.Kind() {
		case '{', '[':
			around = append(around, name)
		case '}', ']':
			name, around = around[len(around)-1], around[:len(around)-1]
		case '"':
			if tool.WasName(d) {
				name = oneline.Of(t.String())
				continue
			}
			fallthrough
		default:
			fs = append(fs, summary.Field{Name: name, Value: oneline.Of(t.String())})
		}
	}
}

// write hands over what was collected, in the order it last happened.
func (w *work) write(out *summary.Structured) {
	out.Files, out.Folder = append(out.Files, w.files.touched.all()...), w.files.names.root
	for _, l := range lastOf(w.lines, maxPerKind) {
		out.Commands = append(out.Commands, *w.commands[l])
	}
	out.Effects = lastOf(w.effects, maxPerKind)
	out.Errors = lastOf(w.errors.all, maxPerKind)
	for _, o := range lastOf(w.outcomes, maxPerKind) {
		if told := o.written(); o.says(&told) {
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
	}
	w.fresh = w.fresh[:0]
}
