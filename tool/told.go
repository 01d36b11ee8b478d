package tool

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// withoutTold returns an output without the lines in which a program tells in words of an exception that it
// caught, or that a test passed: where no exit code is known they are no sign of a failure.
func withoutTold(output string) string {
	if !strings.Contains(output, "rror: ") && !strings.Contains(output, "xception: ") { // nearly always
		return output
	}
	var b strings.Builder
	for line := range strings.Lines(output) {
		if !isPassed(line) && !isTold(line) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// isPassed reports whether a line says of what it tells that it went well.
func isPassed(line string) bool {
	return hasPrefixOf(strings.TrimLeft(line, " \t"), []string{"✓ ", "✔ ", "✅", "PASS: ", "[PASS] "})
}

// uncaught begin the lines in which runtimes tell in words of an exception that ended a program.
var uncaught = []string{"Exception in thread ", "Unhandled ", "Uncaught ", "Caused by"}

// isTold reports whether several words stand before the first exception that a line names with its text.
func isTold(line string) bool {
	line = strings.TrimSpace(line)
	at := strings.Index(line, "rror: ")
	if i := strings.Index(line, "xception: "); at < 0 || i >= 0 && i < at {
		at = i
	}
	if at < 0 || hasPrefixOf(line, uncaught) || hasPrefixOf(line, errorPrefixes) {
		return false
	}
	start := strings.LastIndexFunc(line[:at], func(c rune) bool {
		return c != '.' && c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	}) + 1
	name := line[start:]
	if i := strings.LastIndexByte(line[start:at], '.'); i >= 0 {
		name = name[i+1:]
	}
	first, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(first) && strings.Contains(strings.TrimSpace(line[:start]), " ")
}
