package tool

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// maxTold is the most bytes at the end of an output that are read for its telling line.
const maxTold = 16 << 10

// Telling returns the line of an output that says most about how it ended, "" for an output without
// one. It is the first of these that there is:
//   - where an account of an error was cut off, that there was one;
//   - the last verdict of a test runner; of "go test", that of a package that failed before that of
//     one that passed;
//   - what pytest says last of a single test, of one that failed before one that passed;
//   - the last line that says something;
//   - the last warning, or line of what was expected;
//   - the first line of a program that it shows at the end.
//
// Markup around an output, headings, exit codes and asides are no such lines, nor is what the command
// line prints where its program fails.
func (r *Reading) Telling() string { return r.TellingBeside(nil) }

// TellingBeside is Telling for an output of which some lines tell nothing, as they are printed whatever
// happens.
func (r *Reading) TellingBeside(always []string) string {
	output, _ := r.fellBack()
	output = withoutNote(output)
	output = r.withoutLogged(output[max(0, len(output)-maxTold):])
	if isCutTraceback(output) {
		return traceback
	}
	last, weak, code, tested, passed := "", "", "", "", ""
	var program listing
	for s := output; s != ""; {
		i := strings.LastIndexByte(s, '\n')
		raw := s[i+1:]
		whole := strings.TrimSpace(raw)
		program.mark(whole)
		line := cmp.Or(stopped(whole), strings.Trim(whole, "= "))
		s = s[:max(i, 0)]
		if tests := testrun.Ran(line, s); tests != "" {
			return clip(tests, maxError)
		}
		if how := testrun.Result(line); how != "" && (tested == "" || how == "FAILED") {
			tested = clip(line, maxError)
		}
		if line == "" || isHeading(whole) || cmp.Or(last, passed) != "" && !testrun.IsVerdict(line) || isMarkup(line) || exitLine(line) != nil || !says(line) || IsAside(line) || slices.Contains(always, whole) {
			continue
		}
		switch {
		case testrun.IsPackageVerdict(line) && !testrun.Fails(line):
			passed = cmp.Or(passed, clip(line, maxError)) // another may have failed
		case passed != "" && !testrun.IsPackageVerdict(line):
		case testrun.IsVerdict(line):
			return clip(line, maxError)
		case strings.HasPrefix(line, "WARNING") || strings.HasPrefix(line, "Expected") || strings.HasPrefix(line, "expected"):
			weak = cmp.Or(weak, clip(line, maxError))
		case last == "" && program.isAccount(whole):
			last = clip(program.end, maxError)
		case last == "" && program.takes(raw):
			code = clip(line, maxError)
		default:
			last = clip(line, maxError)
		}
	}
	return cmp.Or(passed, tested, last, weak, code)
}

// EndsRaised reports whether an output ends with an account of an error, or with a line that tells that
// error once more, as a program does that caught it; not where a line of it, wherever it stands as it is
// written beside the account, says that this was to come.
func (r *Reading) EndsRaised() bool {
	failure := raised(r.withoutLogged(r.Output))
	if failure == "" || tellsToCome(r.Output, failure) {
		return false
	}
	name, said, _ := strings.Cut(failure, ": ")
	last := r.Telling()
	return isError(last, true) && strings.Contains(last, cmp.Or(said, name)) || last == failure || last == name
}

// tellsToCome reports whether a line of an output says of an error that it was to come.
func tellsToCome(output, failure string) bool {
	if !strings.Contains(output, "xpected") { // nearly always
		return false
	}
	for line := range strings.SplitSeq(output, "\n") {
		if strings.Contains(line, failure) && wasToCome(strings.TrimSpace(line)) {
			return true
		}
	}
	return false
}

// IsCut reports whether what is told of a failure is no more than that an account of an error began.
func IsCut(failure string) bool { return failure == traceback }

// withoutNote returns an output behind what a client says of it at its head.
func withoutNote(output string) string {
	head, rest, noted := strings.Cut(output, "<warning>\n")
	if head = strings.TrimSpace(head); !noted || head != "" && exitLine(head) == nil {
		return output
	}
	if _, rest, noted = strings.Cut(rest, "\n</warning>"); noted {
		return rest
	}
	return output
}

// traceback begins Python's account of an error, which ends with the error.
const traceback = "Traceback (most recent call last):"

// isCutTraceback reports whether an output ends within such an account.
func isCutTraceback(output string) bool {
	if !strings.Contains(output, traceback) { // nearly always, and faster found out
		return false
	}
	i := strings.LastIndex(output, traceback)
	for l := range strings.SplitSeq(output[i+len(traceback):], "\n") {
		if l = strings.TrimRight(l, "\r "); l != "" && l[0] != ' ' && l[0] != '\t' && !isMarkup(l) && exitLine(l) == nil {
			return false
		}
	}
	return true
}

// says reports whether a line holds a letter or a digit.
func says(line string) bool {
	for i := range len(line) {
		if c := line[i]; c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' {
			return true
		}
	}
	return false
}

// mostClosing and longestClosing are the most words and bytes of a line that tells only
// that a program is done.
const mostClosing, longestClosing = 5, 60

// asides begin what stands beside any output: pip's lines about root and versions, npm's
// echo of the script that it runs, the prompt of SWE-agent's shell, what Django's tests clean up.
var asides = []string{"Destroying test database for alias ", "WARNING: Running pip as", "[notice] ", "> ", "(Open file: ", "(Interactive session: ", "(Current directory: ", "bash-$", "(no output)"}

// IsAside reports whether a line says only that a program is done, or that there is an error,
// or stands beside any output of it.
func IsAside(line string) bool {
	if line == "Error:" || slices.ContainsFunc(asides, func(p string) bool { return strings.HasPrefix(line, p) }) {
		return true
	}
	if isElision(line) {
		return true
	}
	if len(line) > longestClosing || strings.ContainsAny(line, "0123456789:=") {
		return false
	}
	words := strings.Fields(strings.ToLower(line))
	if len(words) > 0 && words[0] == "done." {
		return true
	}
	if len(words) > mostClosing {
		return false
	}
	done := false
	for _, w := range words {
		switch w = strings.TrimRight(w, ".!"); w {
		case "done", "finished", "complete", "completed":
			done = true
		case "not", "never", "unable", "cannot", "failed", "nothing":
			return false
		}
		if strings.HasSuffix(w, "n't") {
			return false
		}
	}
	return done
}

// isElision reports whether a line says only how much of an output was left out: "18173 characters elided".
func isElision(line string) bool {
	said := strings.Fields(strings.Trim(strings.ToLower(line), "[]().…- "))
	if len(said) != 3 || strings.Trim(said[0], "0123456789,") != "" {
		return false
	}
	return slices.Contains([]string{"characters", "chars", "bytes", "lines", "tokens"}, said[1]) && slices.Contains([]string{"elided", "truncated", "omitted", "skipped"}, said[2])
}

// isMarkup reports whether a line is a tag, or several.
func isMarkup(line string) bool {
	return len(line) > 2 && line[0] == '<' && line[len(line)-1] == '>' && strings.IndexByte(line, ' ') < 0 && strings.Count(line, "<") == 1+strings.Count(line, "><")
}
