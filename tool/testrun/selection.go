package testrun

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/tool/program"
	"github.com/seed-3db51b0e/precis/tool/shell"
)

// selection is what one command picks of all that its program could run. Without ids and filters
// that is all of it.
type selection struct {
	program string   // with the command that it is to run, as "cargo test"; with the script of another
	ids     []string // tests, groups of tests, files and packages by name, as "a.py::test_x"
	filters []string // values of the options that choose tests by a pattern, sorted
}

// Covers reports whether a run of a command line runs all that an earlier one ran.
func Covers(line, earlier string) bool {
	now := selectionsOf(line)
	return !slices.ContainsFunc(selectionsOf(earlier), func(before selection) bool {
		return !slices.ContainsFunc(now, func(s selection) bool { return s.program == before.program && s.holds(before) })
	})
}

// Picks reports whether a command line picks a test by its name.
func Picks(line, test string) bool {
	if test == "" || !strings.Contains(line, "::") {
		return false
	}
	return slices.ContainsFunc(selectionsOf(line), func(s selection) bool {
		return len(s.ids) > 0 && len(s.filters) == 0 && s.picks(test)
	})
}

// selectionsOf reads the selections of the commands of a line that run something.
func selectionsOf(text string) (all []selection) {
	line := program.Read(text)
	for i := range line.Commands() {
		c := &line.Commands()[i]
		if words := runner(shell.Program(c.Words)); len(words) > 0 && program.Runs(c) {
			all = append(all, selectionOf(words))
		}
	}
	return all
}

// runner drops what stands before a program to find it: an interpreter before a module, and those that
// run the programs of a project.
func runner(words []string) []string {
	switch {
	case len(words) > 2 && words[1] == "-m" && strings.HasPrefix(path.Base(words[0]), "python"):
		return words[2:]
	case len(words) > 1 && words[0] == "npx":
		return words[1:]
	case len(words) > 2 && (words[1] == "run" && (words[0] == "uv" || words[0] == "poetry") || words[1] == "exec" && words[0] == "bundle"):
		return words[2:]
	}
	return words
}

// commanded are the programs that are told what to run by so many words; what stands behind these picks
// a part of it.
var commanded = map[string]int{
	"pytest": 0, "jest": 0, "vitest": 0, "mocha": 0, "rspec": 0, "phpunit": 0, "unittest": 0,
	"go": 1, "cargo": 1, "npm": 1, "yarn": 1, "pnpm": 1, "bun": 1, "dotnet": 1,
	"make": mostTargets,
}

// mostTargets is more than a line has words that are told to make.
const mostTargets = 1 << 10

// valued are options of theirs whose values pick nothing.
var valued = []string{"-n", "-p", "-j", "-o", "-W", "-C", "-f", "-count", "-timeout", "-tags", "-parallel", "--prefix", "--config", "--manifest-path", "--package", "--features", "--maxfail", "--tb"}

// selectionOf reads the selection of one command.
func selectionOf(words []string) (s selection) {
	s.program = path.Base(words[0])
	commands, known := commanded[s.program]
	if !known {
		commands = 0
	}
	for i := 1; i < len(words); i++ {
		w := words[i]
		option, value, assigned := strings.Cut(w, "=")
		switch {
		case isSelector(option) || known && commands == 0 && option == "-m":
			if !assigned && i+1 < len(words) {
				i++
				value = words[i]
			}
			s.filters = append(s.filters, value)
		case known && slices.Contains(valued, w), w == "-c", w == "-e": // a program in a word is none of a file
			i++
		case w == "" || w[0] == '-' || strings.Trim(w, "0123456789") == "":
		case commands > 0:
			if commands--; w == "run" { // what is run is named next
				commands++
			}
			s.program += " " + w
		case known || strings.Contains(w, "::"):
			s.ids = append(s.ids, strings.TrimPrefix(w, "./"))
		case !strings.Contains(s.program, " ") && strings.ContainsAny(w, "/."):
			s.program += " " + strings.TrimPrefix(w, "./")
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

// picks reports whether a test, or a group of tests, is among those picked by name.
func (s *selection) picks(test string) bool {
	return slices.ContainsFunc(s.ids, func(id string) bool {
		if folder, all := strings.CutSuffix(id, "..."); all {
			return strings.HasPrefix(test+"/", folder)
		}
		rest, ok := strings.CutPrefix(test, id)
		return ok && (rest == "" || rest[0] == '[' || rest[0] == '/' || strings.HasPrefix(rest, "::") || strings.HasSuffix(id, "/"))
	})
}

// holds reports whether all that another selection picks is picked here too.
func (s *selection) holds(other selection) bool {
	if len(s.filters) > 0 && !slices.Equal(s.filters, other.filters) {
		return false
	}
	if len(s.ids) == 0 {
		return true
	}
	return len(other.ids) > 0 && !slices.ContainsFunc(other.ids, func(id string) bool { return !s.picks(id) })
}
