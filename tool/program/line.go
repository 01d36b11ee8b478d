// Package program knows what programs do: which only look, which act, what git does with a
// repository, and which files sed changes. It tells of a command line what it does as a whole.
//
// Use: Read for a Line, and its methods for what is asked of it; Inspects, Brief, IsInline, Stops and Ends
// for a line of which no more is asked; GitOf and Streamed for one command. Law: a program that is not
// known may do anything, so it runs something and does not only look. Promise: a line alone decides,
// no output and no files; every line has an answer.
//
// Files:
//
//   - of a whole line: line.go what it runs and where, fallback.go what it prints where that fails,
//     brief.go how it is told in few words, commits.go and conflict.go what git keeps of it, tree.go
//     and swept.go which files it may change without naming them;
//   - of one command: inspect.go whether it only looks, acts.go whether it acts or installs, git.go
//     the options of git, stream.go the files of sed, perl and awk, filter.go what a filter leaves out.
package program

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/tool/shell"
)

// Line is a command line taken apart. The zero value runs nothing.
type Line struct {
	text     string
	commands []shell.Simple
}

// Read takes a line apart.
func Read(text string) Line { return Line{text, shell.Lex(text)} }

// Refused returns a line of which nothing was run, or that is no command.
func Refused(text string) Line { return Line{text: text} }

// Commands returns the commands of the line in order. They are not to be changed.
func (l *Line) Commands() []shell.Simple { return l.commands }

// Inspects reports whether the line only looks: see the function of that name.
func (l *Line) Inspects() bool { return inspects(l.commands) }

// Action is the part of the command line that runs something: the programs joined by
// "&&", "||" or ";" that neither look nor move text into files. It is "" for a line
// that only looks or writes files. What stands before them ("cd /repo &&", a
// here-document) and what filters the output of the last are left out, so that the same
// run gives the same text; what is piped into them stays.
func (l *Line) Action() string { return action(l.text, l.commands) }

// Beside returns the commands of the line that its Action leaves out.
func (l *Line) Beside() []shell.Simple {
	from, to := acted(l.commands)
	if from < 0 {
		return l.commands
	}
	return slices.Concat(l.commands[:from], l.commands[to+1:])
}

// RunsIn returns the folder that the command line changed to before its Action, "" where it changed to none, or to one that is not known.
func (l *Line) RunsIn() (in string) {
	if !strings.Contains(l.text, "cd") { // most lines change to none
		return ""
	}
	line := l.commands
	from, _ := acted(line)
	for i := range max(from, 0) {
		in = line[i].Folder(in)
	}
	return in
}

// Enters returns the first folder that the command line changes to by its absolute path, "" for none.
func (l *Line) Enters() string {
	if !strings.Contains(l.text, "cd") {
		return ""
	}
	line := l.commands
	for i := range line {
		if to := line[i].Folder(""); path.IsAbs(to) {
			return to
		}
	}
	return ""
}

func action(command string, line []shell.Simple) string {
	from, to := acted(line)
	if from < 0 {
		return ""
	}
	for from > 0 && line[from-1].Op == '|' && len(line[from-1].Words) > 0 {
		from-- // what it reads
	}
	return command[line[from].Start:line[to].End]
}

// acted returns the first and the last command of those that Action tells, -1 for none: an
// installation that stands apart from what else is run only prepares it.
func acted(line []shell.Simple) (from, to int) {
	from = -1
	for next := 0; next < len(line); {
		first, last, after := stretch(line, next)
		if first < 0 {
			break
		}
		if from, to, next = first, last, after; !onlyInstalls(line[from : to+1]) {
			break
		}
	}
	return from, to
}

// stretch returns the first and the last of the next commands that run something one after another,
// -1 for none, and where the line goes on behind them and what filters their output.
func stretch(line []shell.Simple, next int) (from, to, after int) {
	for from = next; from < len(line) && !Runs(&line[from]); {
		from++
	}
	if from == len(line) {
		return -1, 0, from
	}
	for after = from; after < len(line) && Runs(&line[after]); after++ {
		to = after
		for line[after].Op == '|' && after+1 < len(line) { // what filters its output
			after++
		}
		if op := line[after].Op; op != '&' && op != ';' && op != 'o' {
			return from, to, after + 1
		}
	}
	return from, to, after
}

// onlyInstalls reports whether each of some commands that run something, but for those behind a pipe,
// installs something.
func onlyInstalls(ran []shell.Simple) bool {
	for i := range ran {
		if _, found := installed(shell.Program(ran[i].Words)); !found && (i == 0 || ran[i-1].Op != '|') {
			return false
		}
	}
	return true
}

// HidesExit reports whether the exit code of a command line may be that of another program
// than one that it runs: of the next in a pipe, or in a list that goes on after a failure.
func (l *Line) HidesExit() bool {
	line := l.commands
	for i, c := range line {
		if Runs(&c) && slices.ContainsFunc(line[i:len(line)-1], func(x shell.Simple) bool { return x.Op != '&' }) {
			return true
		}
	}
	return false
}

// Step is one command of a line, with the folder that it ran in, "" where it changed to none, or to one that is not known.
type Step struct{ Line, In string }

// Steps returns the commands of a line that run something and have succeeded where the line has:
// those of the last list that "&&" joins, without those of a pipe, which hides how they ended.
func (l *Line) Steps() (steps []Step) {
	line, in := l.commands, ""
	for i := range line {
		c := &line[i]
		if i > 0 && (line[i-1].Op == ';' || line[i-1].Op == '\n') {
			steps = nil // it runs however those before it end
		}
		switch piped := i > 0 && line[i-1].Op == '|' || c.Op == '|'; {
		case c.Op == 'o', c.Op == ')', c.Op == '(':
			return nil
		case Runs(c) && !piped:
			steps = append(steps, Step{Line: l.text[c.Start:c.End], In: in})
		}
		in = c.Folder(in)
	}
	return steps
}

// Writes returns the files to which a command line has the output of a program that it runs go.
func (l *Line) Writes() (names []string) {
	if !strings.Contains(l.text, ">") { // most lines have none
		return nil
	}
	for _, c := range l.commands {
		for _, to := range c.Redirects {
			if to.Writes() && Runs(&c) {
				names = append(names, to.Path)
			}
		}
	}
	return names
}

// Silences reports whether a command of the line sends what it writes nowhere.
func (l *Line) Silences() bool {
	return slices.ContainsFunc(l.commands, func(c shell.Simple) bool {
		return slices.ContainsFunc(c.Redirects, func(r shell.Redirect) bool { return r.Op != "<" && r.Path == "/dev/null" })
	})
}

// Mentions reports whether a command of the line has a word, or writes one, that holds a name; "git add"
// and "git diff", which leave all files as they are, do not count.
func (l *Line) Mentions(name string) bool {
	holds := func(w string) bool { return strings.Contains(w, name) }
	return slices.ContainsFunc(l.commands, func(c shell.Simple) bool {
		if isGit(c.Words, "add") || isGit(c.Words, "diff") {
			return false
		}
		return slices.ContainsFunc(c.Words, holds) || holds(c.Body) || slices.ContainsFunc(c.Redirects, func(r shell.Redirect) bool { return holds(r.Path) })
	})
}

// runsAny reports whether something holds for a command that a line runs.
func (l *Line) runsAny(holds func(c shell.Command) bool) bool {
	return slices.ContainsFunc(l.commands, func(c shell.Simple) bool { return c.RunsAny(holds) })
}

// HandsIn reports whether the line hands in the agent's work, as SWE-agent's command does.
func (l *Line) HandsIn() bool { return l.RunsOnly("submit") }

// RunsOnly reports whether the line runs a program once, and else goes to folders at most.
func (l *Line) RunsOnly(name string) bool {
	ran := 0
	for _, c := range l.commands {
		switch words := shell.Program(c.Words); {
		case len(words) == 0 || words[0] == "cd":
		case shell.Name(words[0]) != name:
			return false
		default:
			ran++
		}
	}
	return ran == 1
}
