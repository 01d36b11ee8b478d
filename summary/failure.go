package summary

import (
	"strings"

	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// Failure is an error and what resolved it.
type Failure struct {
	Text string `json:"text"`
	// Command is the command line or tool that failed.
	Command string `json:"command,omitempty"`
	// Ran is the folder that the command ran in: see Command.In.
	Ran string `json:"ran_in,omitempty"`
	// In is the file in which the error lies, "" where the output does not say so.
	In string `json:"in,omitempty"`
	// Test is the test that failed, as pytest names it, "" where it is not known or not one.
	Test string `json:"test,omitempty"`
	// Fix says what came after it that may have resolved it, Fixed where; Fixed.N 0 is
	// nothing.
	Fix   string `json:"fix,omitempty"`
	Fixed Source `json:"fixed,omitzero"`
	// NotRun says that the command has not been run since Fixed.
	NotRun bool `json:"not_run,omitempty"`
	// Aside says that it came up while the changes were put aside: it was there before them.
	Aside bool `json:"aside,omitempty"`
	// Why is what the agent said of it next, nil for nothing.
	Why  *Note  `json:"why,omitempty"`
	From Source `json:"from"`
}

// Settle notes what came after the error that may have resolved it. notRun says that its command has
// not been run since.
func (f *Failure) Settle(fix string, at Source, notRun bool) {
	f.Fix, f.Fixed, f.NotRun = fix, at, notRun
}

// byWord begins the resolution of an error by what the agent said of it.
const byWord = "the agent then: "

// SettleBy resolves the error by what the agent said of it, as far as that is told.
func (f *Failure) SettleBy(said string, at Source) { f.Settle(byWord+said, at, false) }

// ByWord reports whether the error was resolved by what the agent said of it, and by no run.
func (f *Failure) ByWord() bool { return strings.HasPrefix(f.Fix, byWord) }

// Stands reports whether a run of its command may yet say what became of the error.
func (f *Failure) Stands() bool { return f.Fixed.N == 0 || f.NotRun }

// Again reports whether a later failure takes the place of this one: it is of the same command, or of the
// same test.
func (f *Failure) Again(later *Failure) bool {
	return f.Command != "" && f.Key() == later.Key() || f.Test != "" && f.Test == later.Test || f.TestedBy(later.Command)
}

// Key is that of its command: see Command.Key.
func (f *Failure) Key() CommandKey { return CommandKey{f.Ran, f.Command} }

// CoveredBy reports whether a run of a command line runs all that the failed command ran, where both
// run the same program.
func (f *Failure) CoveredBy(line string) bool { return testrun.Covers(line, f.Command) }

// TestedBy reports whether a command line picks the test that failed.
func (f *Failure) TestedBy(line string) bool { return testrun.Picks(line, f.Test) }
