package wording

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool/program"
	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// fileStates are the states in the order shown. What the agent created and deleted again
// is left out.
var fileStates = []summary.FileState{
	summary.FileEdited, summary.FileCreated, summary.FileMoved, summary.FileRestored, summary.FileStashed, summary.FileDeleted, summary.FileRead,
}

func fileLines(s *summary.Structured) []line {
	var ls []line
	for group, state := range fileStates {
		for _, f := range s.Files {
			if f.State != state {
				continue
			}
			l := line{section: files, group: group + 1, rank: rankChanged, worth: float64(f.From.N), lead: "- " + string(f.State) + " ", text: oneline.Of(f.Path) + numbered(f.From)}
			switch {
			case f.State == summary.FileRead:
				l.rank, l.worth = rankRead, l.worth+1000*float64(f.Times)
			case f.State == summary.FileMoved && f.Of != "":
				l.text = oneline.Of(f.Of) + " to " + oneline.Of(f.Path) + " (" + changesOf(&f) + ")"
			default:
				l.text = oneline.Of(f.Path) + " (" + changesOf(&f) + ")"
				if changesOf(&f) == ref.Message(f.From.N).String() {
					l.short, l.shortLead = oneline.Of(f.Path), "- "+string(f.State)+asWell
				}
			}
			switch f.State {
			case summary.FileEdited: // what is worked on, before what was tried once
				l.worth += ahead + float64(10*min(f.Edits, 20))
			case summary.FileRead, summary.FileCreated:
			default: // it was there before, too
				l.worth += ahead
			}
			if why(&f) != "" { // in a line of its own
				l.lead, l.text = "", l.lead+l.text
			}
			ls = append(ls, l)
		}
	}
	return ls
}

// changesOf says where a file was changed last, how often, and after what.
func changesOf(f *summary.File) string {
	text := ref.Message(f.From.N).String()
	if f.Reworked() {
		text = ref.Message(f.Made.N).String() + ", changed last in " + text
	}
	if f.Swept.N > f.From.N {
		text += ", perhaps again in " + ref.Message(f.Swept.N).String()
	}
	if f.Edits > 2 {
		text += ", " + Count(f.Edits, "change")
	}
	if f.State == summary.FileEdited && f.Undone != nil {
		text += ", after it was restored in " + ref.Message(f.Undone.In.N).String()
	}
	return text + why(f)
}

// why says what the agent said as it took changes of a file back, where the state of the
// file is still of that.
func why(f *summary.File) string {
	if f.Undone == nil || f.Undone.Why == nil || f.State != summary.FileEdited && f.State != summary.FileRestored {
		return ""
	}
	return "; the agent before that: " + oneline.Clip(oneline.Of(f.Undone.Why.Text), maxSaid)
}

func commandLines(s *summary.Structured) []line {
	var ls []line
	failed, acted, past := unresolved(s), map[int]bool{}, overtaken(s)
	again := s.EffectsAgain()
	for i, x := range s.Effects {
		acted[x.From.N] = true
		l := line{section: commands, rank: rankEffect, worth: float64(x.From.N), lead: "- ran ", text: "`" + oneline.Of(x.Text) + "`" + inFolder(x.In) + committed(&x) + numbered(x.From)}
		if again[i] || x.OfFiles {
			l.worth /= 1 << 20 // below all that are like nothing newer, and that nothing else tells of
		}
		ls = append(ls, l)
	}
	tested, old, shown := lastTested(s.Commands), aged{files: changed(s.Files, unchanged)}, shownLines(s.Commands)
	for _, c := range s.Commands {
		amongErrors := c.Error != "" && (failed[c.Key()] || past[failure{c.Line, c.From.N}].NotRun)
		above := c.Error == "" && acted[c.From.N] && !c.Within && acts(&c)
		if amongErrors || above || showsNothing(&c) {
			continue
		}
		text := item(toldApart(&c, shown)+" → "+ending(c), c.From)
		if n := undone(s, &c); n > 0 {
			text += ", undone in " + ref.Message(n).String()
		}
		if f := past[failure{c.Line, c.From.N}]; c.Error != "" && f.Fixed.N > c.From.N && !f.ByWord() {
			text += ", superseded in " + ref.Message(f.Fixed.N).String()
		}
		l := line{section: commands, rank: rankCommand, worth: commandWorth(c), text: text}
		if testrun.IsVerdict(c.Tail) && c.From.N >= tested {
			l.rank = rankTested
		}
		if testrun.IsVerdict(c.Tail) {
			l.text += beforeChange(s.Files, c.From.N)
		} else {
			old.ran(c.From.N, l.worth)
		}
		ls = append(ls, l)
	}
	return append(ls, old.lines()...)
}

// showsNothing reports whether filters left nothing of what the runs of a command showed: it is not known
// that it ran.
func showsNothing(c *summary.Command) bool {
	return c.Filtered > 0 && c.Filtered == c.Times && c.Exit == nil && c.Error == "" && c.Tail == "" && c.Said == nil
}

// acts reports whether the run of a command is told as its effect.
func acts(c *summary.Command) bool {
	l := program.Read(c.Line)
	return l.Acts()
}

// shownLines counts the commands that are shown alike.
func shownLines(commands []summary.Command) map[string]int {
	shown := map[string]int{}
	for i := range commands {
		shown[shownLine(&commands[i])]++
	}
	return shown
}

// shownLine is a command line as it is shown, with its folder.
func shownLine(c *summary.Command) string {
	return "`" + oneline.Clip(oneline.Of(c.Line), maxCommand) + "`" + inFolder(c.In)
}

// mostEnd is how much is shown of the end of a command line that reads as another where its end is
// cut, in bytes.
const mostEnd = 80

// toldApart is shownLine, with the end of the line in the place of its middle where several are shown
// alike.
func toldApart(c *summary.Command, shown map[string]int) string {
	line := oneline.Of(c.Line)
	if len(line) <= maxCommand || shown[shownLine(c)] < 2 {
		return shownLine(c)
	}
	return "`" + oneline.Clip(line, maxCommand-mostEnd) + line[oneline.RuneStart(line, len(line)-mostEnd):] + "`" + inFolder(c.In)
}

// failure is a run of a command that failed.
type failure struct {
	command string
	message int // in which it did
}

// overtaken returns the errors after which something came that may have resolved them, by the runs that
// showed them.
func overtaken(s *summary.Structured) map[failure]summary.Failure {
	past := map[failure]summary.Failure{}
	for _, f := range s.Errors {
		if f.Fixed.N > 0 {
			past[failure{f.Command, f.From.N}] = f
		}
	}
	return past
}

// mostTested is of how many of the newest runs of tests the verdict stands before other things.
const mostTested = 3

// lastTested returns the number of the message from which on runs of tests are among these.
func lastTested(commands []summary.Command) int {
	left := mostTested
	for _, c := range slices.Backward(commands) {
		if testrun.IsVerdict(c.Tail) {
			if left--; left == 0 {
				return c.From.N
			}
		}
	}
	return 0
}

// committed names the commit that a command made.
func committed(x *summary.Effect) string {
	if x.Commit == "" {
		return ""
	}
	return " → " + oneline.Clip(oneline.Of(x.Commit), maxCommit)
}

// undone returns the number of the message after which all that a command changed was taken
// back, 0 for none.
func undone(s *summary.Structured, c *summary.Command) (n int) {
	for _, name := range c.Changed {
		i := slices.IndexFunc(s.Files, func(f summary.File) bool { return f.Path == name })
		if i < 0 {
			return 0
		}
		restores := s.Files[i].Restores
		first := slices.IndexFunc(restores, func(r summary.Restore) bool { return c.From.N > r.After.N && c.From.N < r.In.N })
		if first < 0 {
			return 0
		}
		n = max(n, restores[first].In.N)
	}
	return n
}

// unresolved returns the keys of commands whose last error nothing resolved.
func unresolved(s *summary.Structured) map[summary.CommandKey]bool {
	failed := map[summary.CommandKey]bool{}
	for _, f := range s.Errors {
		failed[f.Key()] = failed[f.Key()] || f.Fixed.N == 0
	}
	return failed
}

// commandWorth ranks a command: the newer and the more often run, the higher.
func commandWorth(c summary.Command) float64 { return float64(c.From.N) + 50*float64(min(c.Times, 20)) }

// inFolder says where a command ran, "" where it was in the folder of the others.
func inFolder(in string) string {
	if in == "" {
		return ""
	}
	return " in " + oneline.Of(in)
}

// commandText tells a command with how its last run ended.
func commandText(c summary.Command) string { return shownLine(&c) + " → " + ending(c) }

// ending tells how the last run of a command ended by what its output shows: the exit
// code where one is stated, and the telling line, or what the agent made of the output. A line
// of a script that tries several things tells only of the last; a verdict of tests tells of all.
func ending(c summary.Command) string {
	text := ""
	shown := oneline.Clip(cmp.Or(oneline.Of(c.Error), oneline.Kept(c.Tail)), maxError)
	then := ""
	if c.Said != nil && !testrun.IsVerdict(c.Tail) {
		then = theAgentThen(c.Said)
		if c.Error == "" {
			shown = ""
		}
	}
	switch {
	case c.Exit != nil && c.Always && shown != "":
		text += "exit " + strconv.Itoa(*c.Exit) + "; the agent's script always prints: " + shown
	case c.Exit != nil && c.Alone && claims(shown):
		text += "exit " + strconv.Itoa(*c.Exit) + "; the agent's script, without the project's code, prints: " + shown
	case c.Exit != nil && c.Own && claimsAll(shown):
		text += "exit " + strconv.Itoa(*c.Exit) + "; the agent's script prints: " + shown
	case c.Exit != nil && shown != "":
		text += "exit " + strconv.Itoa(*c.Exit) + ": " + shown
	case c.Exit != nil:
		text += "exit " + strconv.Itoa(*c.Exit)
	case shown != "":
		text += shown
	case c.Outcome == "failure":
		text += "failed"
	default:
		text += "ran"
	}
	if c.Aside {
		text += ", with the changes stashed"
	}
	return text + runs(&c, false) + then
}

// claimsAll reports whether a line that a program printed says that all went well, and is no verdict of a test
// runner.
func claimsAll(shown string) bool {
	low := " " + strings.ToLower(shown)
	return strings.Contains(low, " all ") && strings.Contains(low, " pass") && !testrun.IsVerdict(shown)
}

// claims reports whether a line that a program printed says that something went well, or works.
func claims(shown string) bool {
	if strings.HasPrefix(shown, "✓") || strings.HasPrefix(shown, "✅") {
		return true
	}
	return slices.ContainsFunc(strings.Fields(strings.ToLower(shown)), func(w string) bool {
		switch strings.Trim(w, ".,:;!()") {
		case "works", "passed", "passes", "pass", "success", "successful", "successfully", "correct", "correctly", "fixed":
			return true
		}
		return false
	})
}

// theAgentThen quotes what the agent said next of what it saw.
func theAgentThen(said *summary.Note) string {
	return "; the agent then: " + oneline.Clip(oneline.Of(said.Text), maxSaid)
}

// runs counts the runs of a command that was run more than once, and those that failed, or, where no
// exit code says so, showed an error. last says that it tells of the last of them, which did.
func runs(c *summary.Command, last bool) string {
	switch {
	case c.Times < 2:
		return ""
	case c.Failed == 0:
		return " (run " + strconv.Itoa(c.Times) + " times)"
	}
	how := " failed"
	if c.Exit == nil {
		how = " with errors"
	}
	if last && c.Failed > 1 {
		how += ", the last so"
	}
	if c.Filtered > 0 {
		how += ", " + strconv.Itoa(c.Filtered) + " filtered"
	}
	return " (run " + strconv.Itoa(c.Times) + " times, " + strconv.Itoa(c.Failed) + how + ")"
}

// staleAfter is how many messages an error may be old before it is no longer called open:
// its command was not run again. One resolved that long ago is told last. That of a program written in
// the command line is open only until another command ran: it tries something once.
const staleAfter = 30

func failureLines(s *summary.Structured) []line {
	ran, newest := map[summary.CommandKey]*summary.Command{}, s.To.N-staleAfter
	for i := range s.Commands {
		ran[s.Commands[i].Key()] = &s.Commands[i]
		newest = max(newest, s.Commands[i].From.N)
	}
	var ls []line
	for _, f := range s.Errors {
		text := oneline.Clip(oneline.Of(f.Text), maxError)
		if f.Command != "" {
			text += " — from `" + oneline.Clip(oneline.Of(f.Command), 120) + "`" + inFolder(f.Ran)
		}
		l := line{section: failures, rank: rankFailure, worth: float64(f.From.N)}
		if c := ran[f.Key()]; c != nil && c.From == f.From {
			text += runs(c, true)
			l.worth += 10 * float64(min(max(c.Failed-1, 0), 20))
		}
		if f.Why != nil {
			text += theAgentThen(f.Why)
		}
		switch {
		case f.Fixed.N > 0:
			l.rank = rankFixed
			if f.Fixed.N < s.To.N-staleAfter && f.Why == nil {
				l.rank = rankDone
			}
			l.text = item("earlier: "+text+numbered(f.From)+" → "+fixText(&f), f.Fixed)
		case f.Aside:
			l.rank = rankFixed
			l.text = item("with the changes stashed: "+text, f.From)
		case program.IsInline(f.Command) && f.From.N < newest:
			l.text = item("of a probe, not run again: "+text, f.From)
		case f.From.N >= s.To.N-staleAfter:
			l.text = item("open: "+text, f.From)
		default:
			l.text = item("not run again: "+text, f.From)
		}
		ls = append(ls, l)
	}
	return ls
}

// fixText says what came after an error that may have resolved it.
func fixText(f *summary.Failure) string {
	text := oneline.Clip(oneline.Of(cmp.Or(f.Fix, "resolved")), maxStep)
	if f.NotRun {
		text += ", not run since"
	}
	return text
}
