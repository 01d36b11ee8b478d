package extract

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// failedTest returns the test that pytest says failed, "" where it was none or more than one.
func failedTest(output string) (test string) {
	for line := range strings.SplitSeq(output, "\n") {
		name, ok := strings.CutPrefix(line, "FAILED ")
		if !ok || !strings.Contains(name, "::") {
			continue
		}
		name, _, _ = strings.Cut(name, " - ")
		if name = oneline.Of(name); test != "" && test != name {
			return ""
		}
		test = name
	}
	return test
}

// passes reports whether the output of a run says that the test of an error passed.
func passes(x *summary.Failure, output string) bool {
	return x.Test != "" && strings.Contains(output, x.Test+" PASSED")
}

// noPath, noTest, noScript and noProgram tell of a call that named what is not there: nothing else is wrong.
const (
	noPath    = "file or directory not found: "
	noTest    = "ERROR: not found: "
	noScript  = ": can't open file '"
	noProgram = ": command not found"
)

// isMisnamed reports whether an error is that of a call which named a path, a test or a program that is
// not there, or ran in the wrong folder.
func isMisnamed(x *summary.Failure) bool {
	return slices.ContainsFunc([]string{noPath, noTest, noScript, noProgram}, func(said string) bool { return strings.Contains(x.Text, said) }) || ranInside(x)
}

// ranInside reports whether an error is that a module is missing in whose own folder the command ran.
func ranInside(x *summary.Failure) bool {
	return x.Ran != "" && missingIn(x.Text) == moduleOf(path.Base(x.Ran))
}

// runsOutside reports whether a run in another folder, of a program that stands in the line of an error,
// names the module in whose folder that came up. text is the error of the run, "" for none.
func runsOutside(c *run, x *summary.Failure, text string) bool {
	return c.In != x.Ran && slices.Contains(strings.Fields(x.Command), nameOf(c.Line)) && strings.Contains(c.Line, path.Base(x.Ran)) && missingIn(text) != missingIn(x.Text)
}

// holdsTest reports whether a line runs all that a command was to run which named a test that is not there,
// or others of that file. text is the error of the run, "" for none.
func holdsTest(line string, x *summary.Failure, text string) bool {
	_, test, _ := strings.Cut(x.Text, noTest)
	file, _, _ := strings.Cut(test, "::")
	return !strings.Contains(text, noTest) && x.Command != line && nameOf(line) == nameOf(x.Command) && (x.CoveredBy(line) || file != "" && strings.Contains(line, path.Base(file)))
}

// mostMisnamed is how many such errors a later run is held against.
const mostMisnamed = 8

// replacedCall resolves the errors of calls that named what is not there, where the program was run
// on another path, in another folder or with other tests, or another program on the same file. text is the error of the run, "" for none.
func (f *failures) replacedCall(c *run, text string) {
	f.misnamed = slices.DeleteFunc(f.misnamed, func(i int) bool {
		x := &f.all[i]
		if x.Fixed.N > 0 {
			return true
		}
		instead := false
		switch {
		case strings.Contains(x.Text, noProgram):
			instead = !c.failed && sharesFile(c.Line, x.Command)
		case strings.Contains(x.Text, noTest):
			instead = holdsTest(c.Line, x, text)
		case ranInside(x):
			instead = runsOutside(c, x, text)
		case strings.Contains(x.Text, noScript): // what an interpreter runs later is another script
			instead = x.Command != c.Line && !strings.Contains(text, noScript) && nameOf(c.Line) == nameOf(x.Command) && c.From.N <= x.From.N+nextCall
		default:
			instead = x.Command != c.Line && !strings.Contains(text, noPath) && nameOf(c.Line) == nameOf(x.Command)
		}
		if instead {
			x.Settle(inFix(c.Line)+" was run in its place", c.From, false)
		}
		return instead
	})
}

// nextCall is how many messages after the result of a call that of the next one comes.
const nextCall = 2

// mostSlips is how many of the newest errors may be slips that another script has put right.
const mostSlips = 8

// ownFault reports whether the agent said of an error that it lies in something of its own.
func ownFault(x *summary.Failure) bool { return x.Why != nil && strings.Contains(x.Why.Text, " my ") }

// endedWell reports whether the exit code of a run is 0 and nothing tells of an error.
func endedWell(c *summary.Command) bool {
	return exitedZero(c.Exit) && c.Outcome == string(tool.Success) && c.Error == ""
}

// rewritten resolves the errors of a script where the agent wrote another with its next call, at message
// made, or a copy of it later, and ran that, as far as it put right what was wrong. Where the same came
// again in a copy, the error is that of the copy.
func (f *failures) rewritten(c *summary.Command, made int) {
	if made == 0 {
		return
	}
	said, ran := tellingOf(c), inFix(c.Line)
	recent := lastOf(f.all, mostSlips)
	for i := range recent {
		x := &recent[i]
		copied := isCopy(x.Command, c.Line)
		switch {
		case x.Fixed.N > 0, x.From.N >= made, x.From.N+nextCall < made && !copied, programOf(x.Command) == programOf(c.Line):
		case said == x.Text && copied:
			x.Settle(ran+" ran into the same", c.From, false)
		case said != x.Text && putRight(x, c, copied):
			x.Settle(ran+" was written after it, and run", c.From, false)
		}
	}
}

// putRight reports whether a script that does not run into an error was written to be without it: the
// error was a slip in the script before it, or it is a copy of that and the error lay in the script, no
// check of which failed, or the agent called it its own, or the copy ended well. What is missing is missing
// still where a copy does not ask for it.
func putRight(x *summary.Failure, c *summary.Command, copied bool) bool {
	script := scriptOf(x.Command, programOf(x.Command))
	inScript := script != "" && tool.SameFile(x.In, script)
	switch {
	case script == "":
		return false
	case !copied:
		name, _, _ := strings.Cut(x.Text, ": ")
		return inScript && slips[name]
	case inScript && !strings.HasPrefix(x.Text, "AssertionError"), ownFault(x):
		return true
	}
	return missingIn(x.Text) == "" && endedWell(c)
}

// slips are the errors of a script that was written wrongly, which say nothing of what it looks at.
var slips = wordSet(`NameError UnboundLocalError ImportError SyntaxError IndentationError FileNotFoundError`)

// sharesFile reports whether a line names a file that another is given.
func sharesFile(line, other string) bool {
	return slices.ContainsFunc(strings.Fields(other), func(w string) bool {
		w = strings.Trim(w, `'"`)
		return w != "" && w[0] != '-' && path.Ext(w) != "" && strings.Contains(line, w)
	})
}

// touched notes that a file was changed in which errors lie: where the text of an error begins with it,
// as compilers have it, that change may be what resolves it. What was deleted and is there again is not
// deleted.
func (f *failures) touched(name string, state summary.FileState, at summary.Source) {
	base := path.Base(name)
	if len(f.inFile[base]) == 0 {
		return
	}
	f.inFile[base] = lastOf(f.inFile[base], mostOpenErrors)
	for _, i := range f.inFile[base] {
		x := &f.all[i]
		switch {
		case !tool.SameFile(x.In, name):
		case x.NotRun && x.Fix == string(summary.FileDeleted)+" "+name:
			x.Settle(x.Fix+" and wrote it anew", at, true)
		case x.Fixed.N == 0 && strings.HasPrefix(x.Text, x.In):
			f.edited[i] = string(state) + " " + name
		}
	}
}

// doneBefore says what was done about an error before a run that no longer shows it: changed is the
// file that was changed last.
func (f *failures) doneBefore(i int, changed summary.File) string {
	x := &f.all[i]
	did := f.edited[i]
	if changed.State != "" && changed.From.N > x.From.N && (x.In == "" || !strings.HasPrefix(x.Text, x.In)) {
		did = string(changed.State) + " " + changed.Path
	}
	if did != "" {
		did += ", then "
	}
	return did
}
