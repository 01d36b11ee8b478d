package testrun

import (
	"slices"
	"strings"
)

// selection is what a command line picks of the tests that its program could run. The zero value
// is all of them.
type selection struct {
	ids     []string // tests and groups of tests by name, as "a.py::test_x"
	filters []string // values of the options that choose tests by a pattern, sorted
}

// selectionOf reads the selection of a command line.
func selectionOf(line string) (s selection) {
	for line != "" {
		var w string
		w, line = cutWord(line)
		option, value, assigned := strings.Cut(w, "=")
		switch {
		case isSelector(option):
			if !assigned {
				value, line = cutWord(line)
			}
			s.filters = append(s.filters, value)
		case strings.Contains(w, "::"):
			s.ids = append(s.ids, strings.TrimPrefix(w, "./"))
		}
	}
	slices.Sort(s.filters)
	return s
}

// isSelector reports whether an option of a test runner chooses tests by the pattern that is its
// value.
func isSelector(option string) bool {
	switch option {
	case "-k", "-run", "-t", "-g", "--grep", "--testNamePattern", "--tests", "--filter", "-Dtest":
		return true
	}
	return false
}

// cutWord returns the first word of a line without its quotes, and what stands behind it.
func cutWord(line string) (word, rest string) {
	line = strings.TrimLeft(line, " \t\n")
	quote := byte(0)
	for i := range len(line) {
		switch c := line[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '\'' || c == '"':
			quote = c
		case c == ' ' || c == '\t' || c == '\n':
			return unquoted.Replace(line[:i]), line[i:]
		}
	}
	return unquoted.Replace(line), ""
}

var unquoted = strings.NewReplacer(`'`, "", `"`, "")

// picks reports whether a test, or a group of tests, is among those picked by name.
func (s selection) picks(test string) bool {
	return slices.ContainsFunc(s.ids, func(id string) bool {
		rest, ok := strings.CutPrefix(test, id)
		return ok && (rest == "" || rest[0] == '[' || strings.HasPrefix(rest, "::"))
	})
}

// holds reports whether all that another selection picks is picked here too.
func (s selection) holds(other selection) bool {
	if len(s.filters) > 0 && !slices.Equal(s.filters, other.filters) {
		return false
	}
	if len(s.ids) == 0 {
		return true
	}
	return len(other.ids) > 0 && !slices.ContainsFunc(other.ids, func(id string) bool { return !s.picks(id) })
}

// Covers reports whether a run of a command line runs all that an earlier one ran, where both run the
// same program.
func Covers(line, earlier string) bool { return selectionOf(line).holds(selectionOf(earlier)) }

// Picks reports whether a command line picks a test by its name.
func Picks(line, test string) bool {
	if test == "" || !strings.Contains(line, "::") {
		return false
	}
	now := selectionOf(line)
	return len(now.filters) == 0 && now.picks(test)
}
