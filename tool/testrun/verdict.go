// Package testrun knows test runners: what a line of their output says of the tests, and which tests a
// command line picks.
//
// Use: IsVerdict and Fails for a line about all tests, Result for one about a single test; Covers and
// Picks for a later run. Law: a run of another selection says nothing of the tests that it did not pick.
// Promise: a line alone decides; what no runner is known to write is no verdict.
//
// Files: verdict.go what runners say, selection.go what they are told to run.
package testrun

import (
	"slices"
	"strings"
)

// counts are the words behind a number of tests, and whether those failed.
var counts = []struct {
	word string
	bad  bool
}{{" passed", false}, {" failed", true}, {" passing", false}, {" failing", true}, {" tests ok", false}}

// runners are how test runners begin the line that they say of all their tests, and what tells in it
// that one failed: words, or words before a number that is not 0.
var runners = []struct {
	start  string
	words  []string
	counts []string
}{
	{start: "FAILED ("}, // it tells of failures only, as all that begins so
	{start: "test result: ", words: []string{"test result: FAILED"}},
	{start: "BUILD ", words: []string{"BUILD FAIL"}},
	{start: "Tests: ", counts: []string{"Failures: ", "Errors: "}},
	{start: "Tests run: ", counts: []string{"Failures: ", "Errors: "}},
}

// IsVerdict reports whether a line is what a test runner says of all its tests.
func IsVerdict(line string) bool {
	if hasCount(line) || IsPackageVerdict(line) || isTestCount(line) && strings.Contains(line, ": ") { // as Ran tells it
		return true
	}
	for _, r := range runners {
		if strings.HasPrefix(line, r.start) {
			return true
		}
	}
	return false
}

// hasCount reports whether one of the words of counts stands in a line right behind a number.
func hasCount(line string) bool {
	for at := 1; at < len(line); at++ {
		if line[at] != ' ' || line[at-1] < '0' || line[at-1] > '9' {
			continue
		}
		for i := range counts {
			if strings.HasPrefix(line[at:], counts[i].word) {
				return true
			}
		}
	}
	return false
}

// Fails reports whether a verdict tells of a test that failed.
func Fails(verdict string) bool {
	for _, c := range counts {
		if _, some := counted(verdict, c.word); some && c.bad {
			return true
		}
	}
	if strings.HasPrefix(verdict, "FAIL") || isTestCount(verdict) && strings.Contains(verdict, ": FAILED (") {
		return true
	}
	for _, r := range runners {
		if !strings.HasPrefix(verdict, r.start) {
			continue
		}
		says := func(w string) bool { return strings.Contains(verdict, w) }
		if slices.ContainsFunc(r.words, says) || slices.ContainsFunc(r.counts, func(w string) bool { return countsSome(verdict, w) }) {
			return true
		}
	}
	return false
}

// counted reports whether a word stands in a line right behind a number, and whether one of these
// numbers is not 0.
func counted(line, word string) (found, some bool) {
	for at := 0; ; {
		i := strings.Index(line[at:], word)
		if i < 0 {
			return found, some
		}
		number := line[at : at+i]
		number = number[len(strings.TrimRight(number, "0123456789")):]
		found, some = found || number != "", some || strings.Trim(number, "0") != ""
		at += i + len(word)
	}
}

// countsSome reports whether a number that is not 0 stands right behind a word.
func countsSome(line, word string) bool {
	_, rest, _ := strings.Cut(line, word)
	number := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	return strings.Trim(number, "0") != ""
}

// IsPackageVerdict reports whether a line is what "go test" says of one package, also where its blanks
// became one.
func IsPackageVerdict(line string) bool {
	if !strings.HasPrefix(line, "ok") && !strings.HasPrefix(line, "FAIL") {
		return false
	}
	var words [3]string
	n := 0
	for w := range strings.FieldsSeq(line) {
		if words[n], n = w, n+1; n == len(words) {
			break
		}
	}
	if n < len(words) || words[0] != "ok" && words[0] != "FAIL" {
		return false
	}
	took := words[2]
	if took == "(cached)" || took == "[build" || took == "[setup" {
		return true
	}
	timed, _ := counted(took, "s")
	return timed && strings.HasSuffix(took, "s")
}

// Result returns how a single test went, PASSED or FAILED, where a line is what pytest says of
// it, "" otherwise.
func Result(line string) string {
	if strings.HasSuffix(line, "%]") { // how far it came
		if i := strings.LastIndex(line, " ["); i > 0 {
			line = line[:i]
		}
	}
	test, how, ok := strings.Cut(strings.TrimSpace(line), " ")
	if !ok || how != "PASSED" && how != "FAILED" || !strings.Contains(test, "::") {
		return ""
	}
	return how
}

// testsEnd begin the line in which Python's unittest, or trial, says how its tests ended.
var testsEnd = []string{"OK (", "FAILED (", "PASSED ("}

// Ran returns what unittest says of all its tests where a line says how they ended and the
// text above it ends with their number: "Ran 3 tests in 0.1s: OK". It is "" otherwise.
func Ran(line, above string) string {
	if line != "OK" && line != "NO TESTS RAN" && !slices.ContainsFunc(testsEnd, func(p string) bool { return strings.HasPrefix(line, p) }) {
		return ""
	}
	above = strings.TrimRight(above, "\r\n \t")
	if ran := above[strings.LastIndexByte(above, '\n')+1:]; isTestCount(ran) {
		return ran + ": " + line
	}
	return ""
}

// isTestCount reports whether a line begins as the one in which unittest counts its tests.
func isTestCount(line string) bool {
	rest, ok := strings.CutPrefix(line, "Ran ")
	if !ok {
		return false
	}
	n := strings.TrimLeft(rest, "0123456789")
	return n != rest && strings.HasPrefix(n, " test")
}

// RanNone reports whether pytest says in its last line that it ran no test.
func RanNone(line string) bool {
	deselected, _ := counted(line, " deselected in ")
	return deselected || strings.HasPrefix(line, "no tests ran in ")
}

// CountsFailed reports whether a line counts tests that failed: "2 failed, 3 passed".
func CountsFailed(line string) bool {
	_, some := counted(line, " failed")
	return some
}
