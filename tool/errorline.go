package tool

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// maxError is the most bytes of an error line.
const maxError = 300

// errorLine is the first line of a text that reports an error, "" when none
// does: the message that ends a traceback, of several errors that led to one another the
// last, a failed assertion, a compiler's file:line:col, what stands below such a place, "error:", "FAILED", "panic:" and
// their kin. What unittest puts over an error stands for it only where that does not follow, and
// the line of source that pytest marks for an assertion without a text.
func errorLine(s string) string {
	inTrace, names, heading, source, marked := false, mayName(s), "", "", ""
	below := diagnosticsIn(s)
	for line := range strings.SplitSeq(s, "\n") {
		told := below.read(line)
		switch {
		case told != "":
			return clip(told, maxError)
		case line == "", strings.HasPrefix(line, pipWarns):
		case inTrace && !isException(line):
			source = sourceIn(line, source)
		case inTrace && isChained(s):
			return raised(s)
		case inTrace:
			return exception(line, source)
		case strings.HasPrefix(line, "Traceback (most recent call last)"):
			inTrace = true
		case isTestHeading(line):
			heading = cmp.Or(heading, clip(strings.TrimSpace(line), maxError))
		case isError(line, names):
			return asserted(strings.TrimSpace(line), marked)
		case line[0] == '>':
			marked = line[1:]
		}
	}
	return heading
}

// asserted returns an error line, or that of a failed assertion without a text as the exception of the
// line of source that pytest marked before it. One that raises tells no more.
func asserted(line, marked string) string {
	text, ok := strings.CutPrefix(line, "E   ")
	marked = strings.TrimSpace(marked)
	if ok && strings.TrimRight(strings.TrimSpace(text), ":") == failedAssertion && !strings.HasPrefix(marked, "raise") {
		return exception(failedAssertion, marked)
	}
	return clip(line, maxError)
}

// isTestHeading reports whether a line is one that unittest puts over the account of an error in a test.
func isTestHeading(line string) bool {
	if strings.HasPrefix(line, "ImportError: Failed to import test module: ") {
		return true
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "ERROR: ")
	_, in, named := strings.Cut(rest, " (")
	return ok && named && strings.HasSuffix(in, ")") && !strings.Contains(in, " ")
}

// sourceIn returns the line of source that stands in a line of an account of an error, or the one before.
func sourceIn(line, before string) string {
	if source := strings.TrimSpace(line); strings.HasPrefix(line, "    ") && strings.Trim(source, "^~ ") != "" {
		return source
	}
	return before
}

// exception returns the line that names an exception: of an assertion without a text with its source.
func exception(line, source string) string {
	line = strings.TrimRight(line, "\r")
	if line == failedAssertion && source != "" {
		line += ": " + source
	}
	return clip(line, maxError)
}

// failedAssertion is the name of the exception by which an assertion fails.
const failedAssertion = "AssertionError"

// isChained reports whether Python tells of an error that came of another.
func isChained(s string) bool {
	return strings.Contains(s, "During handling of the above exception, another exception occurred") ||
		strings.Contains(s, "The above exception was the direct cause of the following exception")
}

// raised returns the error that ends the last of Python's accounts of errors in a text, "" for
// none.
func raised(s string) string {
	i := strings.LastIndex(s, traceback)
	if i < 0 {
		return ""
	}
	source := ""
	for line := range strings.SplitSeq(s[i+len(traceback):], "\n") {
		if isException(line) {
			return exception(line, source)
		}
		source = sourceIn(line, source)
	}
	return ""
}

// isException reports whether a line names an exception as Python does: "pkg.Error: text", or the
// name alone. What a program prints may stand inside an account.
func isException(line string) bool {
	name, _, _ := strings.Cut(strings.TrimRight(line, "\r"), ": ")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	return !strings.ContainsFunc(strings.TrimSuffix(name, ":"), func(c rune) bool {
		return c != '.' && c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
}

// pipWarns begins the line in which pip, which has installed what it was to, says that packages do
// not fit each other; which ones is told below it.
const pipWarns = "ERROR: pip's dependency resolver does not currently take into account"

// timeout returns what a text says of a program that took too long: "timed out after 60
// seconds", "" for nothing.
func timeout(s string) string {
	const unit = " seconds"
	i := strings.Index(s, tookLong)
	if i < 0 {
		return ""
	}
	if n := strings.Index(s[i:], unit); n == digitsEnd(s[i:], len(tookLong)) {
		return s[i : i+n+len(unit)]
	}
	return ""
}

// tookLong begins what is told of a program that took too long.
const tookLong = "timed out after "

// IsTimeout reports whether an error is that a program took too long.
func IsTimeout(failure string) bool { return strings.HasPrefix(failure, tookLong) }

// stopped returns what a text that begins so says of a command that did not end by itself: that it
// took too long, or else the end of what is told of it, as the command stands before that. It is ""
// for another text.
func stopped(s string) string {
	said, ok := strings.CutPrefix(s, "<exception>")
	if !ok {
		return ""
	}
	if said, _, ok = strings.Cut(said, "</exception>"); !ok {
		return ""
	}
	if long := timeout(said); long != "" {
		return long
	}
	if said = oneline.Of(said); len(said) <= maxError {
		return said
	}
	_, end, _ := strings.Cut(said[len(said)-maxError+len(oneline.Ellipsis):], " ") // a word is not cut
	return oneline.Ellipsis + " " + end
}

// isError looks at one line. The first byte tests keep the common line cheap;
// names says that a line may name an error inside.
func isError(line string, names bool) bool {
	t := strings.TrimLeft(line, " \t>")
	if t == "" {
		return false
	}
	if isExpected(t) {
		return false
	}
	if hasErrorPrefix(t) {
		return strings.TrimRight(t, " \r") != "Error:" && t != "Error: (none)" // how a script says that there was none
	}
	if len(t) > 2000 {
		t = t[:2000]
	}
	return names && hasErrorWord(t) || isDiagnostic(t)
}

// isExpected reports whether a line is a heading between marks, a warning, or speaks of an error
// that was to come; "FAIL (expected: PASS)" is none of these.
func isExpected(t string) bool {
	return isHeading(t) || strings.HasPrefix(t, "Warning: ") || wasToCome(t)
}

// wasToCome reports whether a line says of what it tells that it was to come.
func wasToCome(t string) bool {
	return strings.Contains(t, "xpected") && (strings.Contains(t, "as expected") || strings.Contains(t, "(expected") && !strings.Contains(t, "(expected: ") || strings.HasPrefix(t, "Expected "))
}

// isHeading reports whether a line is a heading between marks, and no verdict, as
// "=== 1 skipped in 0.3s ===" is.
func isHeading(t string) bool {
	for _, mark := range [...]string{"===", "---"} {
		if rest, framed := strings.CutPrefix(t, mark); framed && strings.HasSuffix(strings.TrimRight(rest, " \r"), mark) {
			said := strings.TrimLeft(rest, "=- ")
			counts := strings.Contains(said, " in ") && (said[0] >= '0' && said[0] <= '9' || strings.HasPrefix(said, "no tests ran in "))
			return !counts && !testrun.IsVerdict(t)
		}
	}
	return false
}

var errorPrefixes = []string{
	"panic:", "FAILED", "FAIL:", "FAIL\t", "--- FAIL", "fatal:", "Fatal:", "FATAL", "E   ", "npm ERR!", "npm error", "error[", "error:", "Error:",
	"ERROR:", "ERROR ", "✗ ", "Segmentation fault", "Killed", "make: ***", "Caused by:", "AssertionError", "not ok ", "patch: ****", "CRASH",
}

func hasErrorPrefix(t string) bool {
	switch t[0] {
	case 'p', 'F', '-', 'f', 'E', 'n', 'e', 'S', 'K', 'm', 'C', 'A':
	default:
		if t[0] < 0x80 {
			return false
		}
	}
	for _, p := range errorPrefixes {
		if strings.HasPrefix(t, p) {
			return p != "E   " || strings.TrimSpace(t[4:]) != ""
		}
	}
	return false
}

// mayName reports whether a text holds a word that hasErrorWord looks for.
func mayName(s string) bool {
	for _, w := range [...]string{"rror", "xception: ", "not found", "No such file", "Permission", " failed", "No module named ", "Hunk #", "... ERROR: "} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// hasErrorWord finds an error named inside a line: "SyntaxError: …", "x.c:3:
// error: …", "bash: foo: command not found".
func hasErrorWord(t string) bool {
	for at := 0; ; {
		i := strings.Index(t[at:], "rror")
		if i < 0 {
			break
		}
		end := at + i + 4
		if rest := t[end:]; strings.HasPrefix(rest, ": ") || strings.HasPrefix(rest, " TS") || strings.HasPrefix(rest, " CS") {
			return end < 5 || !strings.HasPrefix(t[:end-4], "no ")
		}
		at = end
	}
	return strings.Contains(t, "xception: ") || strings.Contains(t, "... ERROR: ") || strings.Contains(t, ": No module named ") || strings.Contains(t, ": command not found") ||
		strings.HasPrefix(t, "Hunk #") && strings.Contains(t, " FAILED") || strings.Contains(t, ": No such file or directory") || strings.Contains(t, "can't open file '") && strings.Contains(t, ": [Errno ") || strings.Contains(t, "Permission denied") ||
		testrun.CountsFailed(t)
}

// isDiagnostic is true for a compiler's "file.ext:12:5: message".
func isDiagnostic(t string) bool {
	i := strings.IndexByte(t, ':')
	if i < 3 || i > 300 || strings.IndexByte(t[:i], '.') < 0 || strings.IndexByte(t[:i], ' ') >= 0 {
		return false
	}
	k := placeEnd(t)
	return k > 0 && k+1 < len(t) && t[k] == ':' && t[k+1] == ' ' && !strings.Contains(t[k:], "warning")
}

func digitsEnd(s string, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

func isDigits(s string) bool { return s != "" && digitsEnd(s, 0) == len(s) }
