package tool

import (
	"slices"
	"strings"
)

// standardModules are modules of Python itself by which a script reaches no other code.
var standardModules = func() map[string]bool {
	known := map[string]bool{}
	for _, m := range strings.Fields(`__future__ abc base64 bisect calendar cmath collections contextlib copy csv dataclasses datetime decimal difflib enum fractions
		functools hashlib heapq io itertools json math numbers operator os pprint random re statistics string struct sys textwrap time traceback types typing
		unicodedata urllib uuid warnings weakref`) {
		known[m] = true
	}
	return known
}()

// reaching are signs that a script opens a file, runs a program, or loads code by its name.
var reaching = []string{"open(", "exec", "eval(", "system(", "spawn", "import_module", "__import__", "sys.modules", "urlopen", "read_text", "listdir", "walk("}

// StandsAlone reports whether a script in Python reaches nothing but itself: it imports only what Python brings
// along, and opens, runs and loads nothing.
func StandsAlone(script string) bool {
	if strings.TrimSpace(script) == "" || slices.ContainsFunc(reaching, func(sign string) bool { return strings.Contains(script, sign) }) {
		return false
	}
	for line := range strings.SplitSeq(script, "\n") {
		if !importsStandard(strings.Fields(line)) {
			return false
		}
	}
	return true
}

// importsStandard reports whether a line, by its words, imports nothing but modules of Python itself.
func importsStandard(words []string) bool {
	if len(words) < 2 || words[0] != "import" && words[0] != "from" {
		return true
	}
	if words[0] == "from" {
		return isStandard(words[1])
	}
	for i := 1; i < len(words); i++ {
		if words[i] == "as" {
			i++
			continue
		}
		if !isStandard(strings.TrimRight(words[i], ",;")) {
			return false
		}
	}
	return true
}

func isStandard(module string) bool {
	first, _, _ := strings.Cut(module, ".")
	return standardModules[first]
}
