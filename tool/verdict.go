package tool

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
	for _, c := range counts {
		if found, _ := counted(line, c.word); found {
			return true
		}
	}
	if isPackageVerdict(line) || isTestCount(line) && strings.Contains(line, ": ") { // as testsRun tells it
		return true
	}
	for _, r := range runners {
		if strings.HasPrefix(line, r.start) {
			return true
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
	number := rest[:digitsEnd(rest, 0)]
	return strings.Trim(number, "0") != ""
}
