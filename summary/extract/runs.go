package extract

import (
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/program"
	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// runs are what is kept of the commands that ran.
type runs struct {
	byKey   map[summary.CommandKey]*summary.Command
	order   []summary.CommandKey        // in which the commands first ran
	tested  map[summary.CommandKey]bool // commands that ended with a verdict of tests
	fresh   []*summary.Command          // runs since the agent last spoke or called
	newest  *summary.Command            // the newest run, nil where a file was changed since or it failed
	denials map[string][]denial         // what the agent said of runs, by the verb of what it denies
}

// newRuns starts from those of an earlier summary: of the messages up to active, the agent has seen what
// came of them.
func newRuns(old *summary.Structured, active int) runs {
	l := runs{byKey: map[summary.CommandKey]*summary.Command{}, tested: map[summary.CommandKey]bool{}, denials: map[string][]denial{}}
	for i := range old.Commands {
		c := &old.Commands[i]
		if testrun.IsVerdict(c.Tail) {
			l.tested[c.Key()] = true
		}
		if c.From.N > active {
			c = uncounted(c)
			l.keep(c)
			if line := program.Read(c.Line); !line.HandsIn() {
				l.fresh = append(l.fresh, c)
			}
		}
	}
	l.believedBefore(old)
	l.deniedBefore(old)
	return l
}

// uncounted returns a command of an earlier summary to be told once more: its runs are counted there.
func uncounted(old *summary.Command) *summary.Command {
	c := *old
	c.Times, c.Failed, c.Filtered = 0, 0, 0
	return &c
}

// before returns what is kept of the runs of a command of an earlier summary, or that command.
func (l *runs) before(old *summary.Command) *summary.Command {
	if known, ok := l.byKey[old.Key()]; ok {
		return known
	}
	return uncounted(old)
}

// keep adds a command, unless its runs are kept already.
func (l *runs) keep(c *summary.Command) {
	if _, ok := l.byKey[c.Key()]; !ok {
		l.byKey[c.Key()] = c
		l.order = append(l.order, c.Key())
	}
}

// entry returns what is kept of the runs of a command.
func (l *runs) entry(line, in string) *summary.Command {
	if c, ok := l.byKey[summary.CommandKey{In: in, Line: line}]; ok {
		return c
	}
	c := &summary.Command{Line: line, In: in}
	l.keep(c)
	return c
}

// showed returns the newest run of a command where that is the one that showed an error, nil for none.
func (l *runs) showed(f *summary.Failure) *summary.Command {
	if c := l.byKey[f.Key()]; c != nil && c.From == f.From {
		return c
	}
	return nil
}

// add keeps a run of a line in a folder; of several the last counts.
func (l *runs) add(e *tool.Reading, line, in string, at summary.Source) run {
	c := l.entry(line, in)
	*c = summary.Command{
		Line: c.Line, In: c.In, Outcome: string(e.Outcome), Exit: e.Exit, Error: oneline.Of(e.Error), Tail: oneline.Kept(e.Telling()),
		Times: c.Times + 1, Failed: c.Failed, Filtered: c.Filtered, From: at,
	}
	failed := hasFailed(e, c)
	if e.HidesExit() {
		c.Exit = nil
	}
	tested := testrun.IsVerdict(c.Tail)
	filtered := !failed && !tested && e.Filtered()
	switch {
	case failed:
		c.Failed++
	case filtered:
		c.Filtered++
	}
	if (failed || filtered) && e.Outcome == tool.Success {
		c.Outcome = string(tool.Partial)
	}
	if tested {
		l.tested[c.Key()] = true
	}
	if !e.HandsIn() {
		l.fresh = append(l.fresh, c)
	}
	l.believed(c)
	return run{c, programOf(c.Line), failed, filtered || e.Silences(), e.Writes()}
}

// addStep keeps a run of a command that went well within a line, where the command ran by itself before
// or tests end it.
func (l *runs) addStep(ran *summary.Command) {
	if l.byKey[ran.Key()] == nil && ran.Tail == "" {
		return
	}
	c := l.entry(ran.Line, ran.In)
	ran.Times, ran.Failed, ran.Filtered = c.Times+1, c.Failed, c.Filtered
	*c = *ran
}

// spokenOf notes what the agent says right after it saw how one command ended.
func (l *runs) spokenOf(note *summary.Note) {
	if len(l.fresh) == 1 && l.fresh[0].Said == nil {
		l.fresh[0].Said = note
		l.denied(l.fresh[0])
	}
	l.fresh = l.fresh[:0]
}

// written returns the newest commands, in the order in which they first ran.
func (l *runs) written() (all []summary.Command) {
	for _, key := range lastOf(l.order, maxPerKind) {
		all = append(all, *l.byKey[key])
	}
	return all
}
