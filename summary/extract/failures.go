package extract

import (
	"iter"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// failures are the errors of commands, in the order they came. The zero value is empty.
type failures struct {
	all       []summary.Failure
	fresh     []freshFailure       // the newest since the agent last spoke or called
	byProgram map[programRun][]int // open errors of a program
	byStem    map[string][]int     // open errors of a script and those that replace it
	missing   map[string][]int     // open errors for want of a module or program of that name
	inFile    map[string][]int     // errors by the last element of the path of the file they lie in
	edited    map[int]string       // what was done to the file in which an open error lies
	meant     map[string][]int     // errors of scripts by the files that these were to edit
	misnamed  []int                // open errors of calls that named what is not there
	stopped   []int                // open errors of git commands that may be carried on
}

// freshFailure is an error that the agent may yet speak of.
type freshFailure struct {
	at    int              // position in failures.all
	words []string         // by which the agent may name it
	told  bool             // the agent spoke since, but not of an error
	run   *summary.Command // that showed it, nil where that is not known
}

// mostFresh is how many errors of calls made side by side the agent may speak of.
const mostFresh = 8

// come notes an error that the agent has not spoken of.
func (f *failures) come(at int, run *summary.Command) {
	if len(f.fresh) == mostFresh {
		f.fresh = append(f.fresh[:0], f.fresh[1:]...)
	}
	f.fresh = append(f.fresh, freshFailure{at: at, words: namesIn(f.all[at].Text), run: run})
}

// programRun tells runs of a program in one folder from those in another.
type programRun struct{ in, program string }

func (f *failures) open(x summary.Failure) {
	if f.byProgram == nil {
		f.byProgram, f.byStem, f.missing, f.inFile = map[programRun][]int{}, map[string][]int{}, map[string][]int{}, map[string][]int{}
		f.edited, f.meant = map[int]string{}, map[string][]int{}
	}
	program := programOf(x.Command)
	key := programRun{x.Ran, program}
	f.byProgram[key] = append(f.byProgram[key], len(f.all))
	f.byStem[stemOf(program)] = append(f.byStem[stemOf(program)], len(f.all))
	if x.In != "" {
		f.inFile[path.Base(x.In)] = append(f.inFile[path.Base(x.In)], len(f.all))
	}
	if isMisnamed(&x) {
		f.misnamed = append(lastOf(f.misnamed, mostMisnamed-1), len(f.all))
	}
	f.all = append(f.all, x)
	f.lacks(len(f.all) - 1)
	f.stops(len(f.all) - 1)
}

// explained notes what a lowered sentence of the agent says of the errors since it last spoke
// or called: one at the head of its text, or one that names a word of the error. At the head, one
// that accounts for an error stands before one that may speak of something else.
func (f *failures) explained(low string, head bool, note func() *summary.Note) {
	if len(f.fresh) == 0 {
		return
	}
	said := map[string]bool{}
	for w := range wordsIn(low) {
		said[w] = true
	}
	names := func(w string) bool {
		return said[w] || w[len(w)-1] >= utf8.RuneSelf && strings.Contains(low, w) // it may stand in a longer run of letters
	}
	kept := f.fresh[:0]
	for _, x := range f.fresh {
		sure := slices.ContainsFunc(x.words, names) || head && accounts(low)
		if sure || head && !x.told {
			f.all[x.at].Why = note()
		}
		if !sure {
			x.told = x.told || head
			kept = append(kept, x)
		}
	}
	f.fresh = kept
}

// namesIn returns the words of an error that are no common ones, in lower case.
func namesIn(text string) (names []string) {
	for w := range wordsIn(strings.ToLower(text)) {
		if len(w) > 3 && !commonWords[w] && !slices.Contains(names, w) && len(names) < mostErrorWords {
			names = append(names, w)
		}
	}
	return names
}

// mostErrorWords is how many words of an error it may be named by.
const mostErrorWords = 64

// wordsIn parts a text at all but letters, digits and low lines.
func wordsIn(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}

// commonWords are words of many errors.
var commonWords = wordSet(`error errors failed failure exception line file test tests with from that this have been does must should cannot there which object type value name none true false traceback method function class code`)

// rerun is one more run of a program, against which its open errors are held.
type rerun struct {
	run
	output  string
	shown   string          // the output on one line
	left    summary.Failure // the error that it leaves, without a text for none
	known   bool            // that is an error that was open
	changed summary.File    // the file changed last before it
}

// ran reads one more run of a command: what it resolves, what it no longer shows, and
// the error it leaves. changed is the file changed last before it.
func (f *failures) ran(c run, output string, changed summary.File) {
	r := rerun{run: c, output: output, left: c.failure(output), changed: changed}
	if c.Aside {
		f.wasBefore(r.left, c.Command)
		return
	}
	f.replacedCall(&c, r.left.Text)
	f.ended(&c)
	key := programRun{c.In, c.program}
	if open := f.byProgram[key]; len(open) > 0 {
		r.shown = oneline.Of(output)
		still := slices.DeleteFunc(open, func(i int) bool { return !f.stays(i, &r) })
		f.byProgram[key] = lastOf(still, mostOpenErrors)
	}
	if r.left.Text != "" && !r.known {
		f.open(r.left)
		f.come(len(f.all)-1, c.Command)
	}
}

// wasBefore notes an error that came up while the changes were put aside: a run with them tells nothing of it,
// nor it of those. One without a text is none.
func (f *failures) wasBefore(x summary.Failure, run *summary.Command) {
	if x.Text != "" {
		f.all = append(f.all, x)
		f.come(len(f.all)-1, run)
	}
}

// hides reports whether it is a run of the command of an error about which something was done, which may
// hide it, and does not show it.
func (r *rerun) hides(x *summary.Failure) bool {
	return r.quiet && !r.failed && x.NotRun && (x.Command == r.Line || x.CoveredBy(r.Line)) && !strings.Contains(r.shown, x.Text)
}

// stays reports whether an error of a program is still to be held against its runs after one more of them.
func (f *failures) stays(i int, r *rerun) bool {
	x := &f.all[i]
	done := "" // about it, before this run
	if x.NotRun {
		done = x.Fix + ", then "
	}
	switch {
	case x.Fixed.N > 0 && done == "":
		return false
	case r.writesElse(x): // the program may have been well
		return true
	case r.left.Text != "" && !r.known && x.Again(&r.left):
		*x, r.known = r.left, true
		delete(f.edited, i)
		f.lies(i)
		f.lacks(i)
		f.come(i, r.Command)
		return true
	case !r.failed && (!r.quiet || r.Exit != nil) && (x.Command == r.Line || x.CoveredBy(r.Line) || x.TestedBy(r.Line)):
		if done == "" {
			done = f.doneBefore(i, r.changed)
		}
		x.Settle(done+r.resolution(x), r.From, false)
		return false
	case passes(x, r.output):
		x.Settle(done+"a later run shows the test pass", r.From, false)
		return false
	case r.failed && r.left.Text == "" && x.Command == r.Line: // nothing tells why
	case r.hides(x):
		x.Settle(done+"a filtered run does not show it", r.From, false)
		return false
	case r.quiet && x.NotRun, x.Command != r.Line && !x.CoveredBy(r.Line) && missingIn(x.Text) == "": // it may not show it, or not run it
		return true
	case r.omits(x, r.shown) && r.failed && x.Command != r.Line: // for another reason, which may have come first
		if done != "" {
			x.Settle(done+"a later run of the program, which failed otherwise, does not show it", r.From, false)
		}
		return true
	case r.omits(x, r.shown):
		x.Settle(done+"a later run of the program does not show it", r.From, false)
		return false
	}
	f.reopen(i)
	return true
}

// replaced resolves the errors of a script that another version of it no longer has: one that
// the agent wrote after they came, at message made; 0 is none. What is missing is missing still
// where the other version does not ask for it.
func (f *failures) replaced(c *summary.Command, made int) {
	if made == 0 || !exitedZero(c.Exit) {
		return
	}
	key := programOf(c.Line)
	stem := stemOf(key)
	if len(f.byStem[stem]) == 0 {
		return
	}
	f.byStem[stem] = slices.DeleteFunc(f.byStem[stem], func(i int) bool {
		x := &f.all[i]
		if x.Fixed.N == 0 && x.From.N < made && programOf(x.Command) != key && missingIn(x.Text) == "" {
			x.Settle(inFix(c.Line)+" ended with exit 0", c.From, false)
		}
		return x.Fixed.N > 0
	})
}

// blamed returns the file in which an error lies as far as it is told: the one that a traceback
// names last, or that the error begins with, as compilers have it; "" for none.
func blamed(text, output string) string {
	if file := traced(output); file != "" {
		return file
	}
	i := strings.IndexAny(text, "(: ")
	if i <= 0 || text[i] == ' ' || i+1 == len(text) || !isDigit(text[i+1]) || path.Ext(text[:i]) == "" {
		return ""
	}
	return text[:i]
}

// traced returns the file that a traceback names last, "" for none.
func traced(output string) string {
	const frame = `File "`
	i := strings.LastIndex(output, frame)
	if i < 0 {
		return ""
	}
	rest := output[i+len(frame):]
	name, _, ok := strings.Cut(rest[:min(len(rest), maxTracedPath)], `", line `)
	if !ok {
		return ""
	}
	return name
}

// maxTracedPath is how many bytes the path of a file has that a traceback names.
const maxTracedPath = 512

// mostOpenErrors is how many open errors of a program a later run is held against.
const mostOpenErrors = 64

// reopen takes back that something was done about an error.
func (f *failures) reopen(i int) {
	if x := &f.all[i]; x.Fixed.N > 0 {
		x.Settle("", summary.Source{}, false)
		f.lacks(i)
	}
}

// lacks notes what an error says is not there.
func (f *failures) lacks(i int) {
	if name := missingIn(f.all[i].Text); name != "" && !slices.Contains(f.missing[name], i) {
		f.missing[name] = append(lastOf(f.missing[name], mostOpenErrors-1), i)
	}
}

// lies notes the file in which an error lies that came again.
func (f *failures) lies(i int) {
	if name := f.all[i].In; name != "" && !slices.Contains(f.inFile[path.Base(name)], i) {
		f.inFile[path.Base(name)] = append(f.inFile[path.Base(name)], i)
	}
}

// lifted resolves the errors that lie in a file which was put back as it had been, or deleted, since they
// came up; before the file was first changed, in a message of a number, its changes caused none.
func (f *failures) lifted(name string, now summary.FileState, at summary.Source, first int) {
	base := path.Base(name)
	if len(f.inFile[base]) == 0 {
		return
	}
	f.inFile[base] = slices.DeleteFunc(f.inFile[base], func(i int) bool {
		x := &f.all[i]
		switch {
		case !x.Stands():
			return true
		case tool.SameFile(x.In, name) && (now != summary.FileRestored || first <= x.From.N):
			x.Settle(string(now)+" "+name, at, true)
		}
		return false
	})
}

// maxFixText is how many bytes of a command line, or of what the agent said, stand in a fix.
const maxFixText = 80

// inFix returns a command line as it stands in a fix.
func inFix(line string) string { return "`" + oneline.Clip(line, maxFixText) + "`" }

// tellingOf returns the line that tells of a failed run.
func tellingOf(c *summary.Command) string {
	if c.Error != "" {
		return c.Error
	}
	return oneline.Of(c.Tail)
}

// installed resolves what was missing and what the command installs: what it names, and what
// pip says that it installed. Of a line that goes on and fails, what it does not show is no
// longer missing; one that took too long may have installed nothing.
func (f *failures) installed(c run, e *tool.Reading) {
	if len(f.missing) == 0 || c.failed && tool.IsTimeout(c.Error) {
		return
	}
	names, ok := e.Installs()
	if !ok {
		return
	}
	if _, said, ok := strings.Cut(e.Output, "Successfully installed "); ok {
		said, _, _ = strings.Cut(said, "\n")
		for w := range strings.FieldsSeq(said) {
			if i := strings.LastIndexByte(w, '-'); i > 0 {
				names = append(names, w[:i])
			}
		}
	}
	for _, w := range names {
		name := moduleOf(w)
		f.missing[name] = slices.DeleteFunc(f.missing[name], func(i int) bool {
			x := &f.all[i]
			switch {
			case x.Fixed.N > 0:
			case c.failed && (x.From == c.From || strings.Contains(e.Output, x.Text)):
				return false
			case c.failed:
				x.Settle(inFix(c.Line)+" failed otherwise", c.From, false)
			default:
				x.Settle(inFix(c.Line), c.From, true)
			}
			return true
		})
	}
}
