// Package mutation is a list of small faults, each with the test that must notice
// it: it tests the tests.
//
// Use: Parse the list; Fault.Apply gives the faulty source. The package's own
// test builds each with an overlay and runs the named test, which must fail.
// Law: the working tree is never touched. Promise: a fault whose text is no
// longer there, or no longer there once, is an error and no success.
package mutation

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
)

// List is the text of all faults, for Parse.
//
//go:embed mutations.txt
var List string

// Errors callers branch on.
var (
	ErrMalformed = errors.New("malformed list of faults")
	ErrStale     = errors.New("stale fault")
)

// Fault is one change that a test must notice.
type Fault struct {
	Name    string
	File    string // from the module's root, slashes
	Package string // folder of the test
	Test    string // its name
	Old     string // must occur in File once
	New     string
}

// Parse reads a list. A fault is a line "# name", a line "in FILE", a line
// "fails PACKAGE TEST", and the lines that go, each after a "-", and that come,
// each after a "+". Blank lines, and lines before the first "# ", say nothing.
func Parse(list string) ([]Fault, error) {
	var all []Fault
	for i, line := range strings.Split(list, "\n") {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			all = append(all, Fault{Name: name})
			continue
		}
		if len(all) == 0 || line == "" {
			continue
		}
		if err := all[len(all)-1].read(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	for _, f := range all {
		if f.File == "" || f.Test == "" || f.Old == "" || f.Old == f.New {
			return nil, fmt.Errorf("fault %q is not complete: %w", f.Name, ErrMalformed)
		}
	}
	return all, nil
}

func (f *Fault) read(line string) error {
	words := strings.Fields(line)
	switch {
	case line[0] == '-':
		f.Old = joined(f.Old, line[1:])
	case line[0] == '+':
		f.New = joined(f.New, line[1:])
	case words[0] == "in" && len(words) == 2:
		f.File = words[1]
	case words[0] == "fails" && len(words) == 3:
		f.Package, f.Test = words[1], words[2]
	default:
		return fmt.Errorf("%q: %w", line, ErrMalformed)
	}
	return nil
}

func joined(text, line string) string {
	if text == "" {
		return line
	}
	return text + "\n" + line
}

// Apply is the source with the fault in it. ErrStale where the text to replace
// does not occur exactly once.
func (f Fault) Apply(source string) (string, error) {
	if n := strings.Count(source, f.Old); n != 1 {
		return "", fmt.Errorf("fault %q: %s holds its text %d times: %w", f.Name, f.File, n, ErrStale)
	}
	return strings.Replace(source, f.Old, f.New, 1), nil
}
