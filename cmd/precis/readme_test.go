package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const repository = "../.."

// Every command that the README prints runs as it is printed, in its order, in a folder with
// the example, where Claude Code is a program that only asks whether a proxy is named.
//
// SPEC: B29
func TestReadmeCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the program a dozen times")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	here := newReader(t)
	ran := 0
	for _, line := range printedIn(t, filepath.Join(repository, "README.md")) {
		words := strings.Fields(line)
		switch {
		case line == "make demo":
			here.shell(recipe(t, "demo"))
		case words[0] == "make":
			recipe(t, words[1])
		case words[0] == "go":
			theProgramIsThere(t, words)
		case line == "precis serve &": // it would stay
			here.shell("precis serve --check")
		default:
			here.shell(line)
		}
		ran++
	}
	if ran < 20 {
		t.Errorf("%d commands found", ran)
	}
}

// printedIn are the command lines in the blocks of a page that begin with one, and those of
// precis in the others, which the program prints itself.
func printedIn(t *testing.T, page string) (lines []string) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`^(?:precis|make|go|[A-Z_]+=\S+) `)
	for i, block := range strings.Split(string(text), "```") {
		language, code, _ := strings.Cut(block, "\n")
		if i%2 == 0 || language != "" {
			continue
		}
		all := strings.Split(strings.TrimSpace(code), "\n")
		for _, line := range all {
			printed := strings.HasPrefix(strings.TrimSpace(line), "bin/precis ")
			if line, _, _ = strings.Cut(strings.TrimSpace(line), "  "); printed || command.MatchString(line) {
				lines = append(lines, line)
			} else if command.MatchString(all[0]) {
				t.Errorf("the README prints %q, and this test does not know how to run it", line)
			}
		}
	}
	return lines
}

// recipe is what a target of the Makefile runs of the program.
func recipe(t *testing.T, target string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	_, rule, ok := strings.Cut("\n"+string(text), "\n"+target+":")
	if !ok {
		t.Errorf("the README prints make %s, and there is no such target", target)
	}
	rule, _, _ = strings.Cut(rule, "\n\n")
	for line := range strings.Lines(rule) {
		if run, ok := strings.CutPrefix(strings.TrimSpace(line), "@bin/precis"); ok {
			return "bin/precis" + run
		}
	}
	return ""
}

// theProgramIsThere wants the main package or the tests of a go command; building and
// running them is what other jobs do.
func theProgramIsThere(t *testing.T, words []string) {
	t.Helper()
	dir := repository
	if i := slices.Index(words, "-C"); i > 0 {
		dir = filepath.Join(dir, words[i+1])
	}
	for _, w := range words {
		if strings.HasPrefix(w, "./") {
			dir = filepath.Join(dir, w)
		}
	}
	want := "main.go"
	if slices.Contains(words, "test") {
		want = "*_test.go"
	}
	if found, err := filepath.Glob(filepath.Join(dir, want)); err != nil || len(found) == 0 {
		t.Errorf("the README prints %q: no %s in %s (%v)", strings.Join(words, " "), want, dir, err)
	}
}

// reader is somebody who has a clone, the program and an agent.
type reader struct {
	t    *testing.T
	dir  string
	vars []string
}

func newReader(t *testing.T) reader {
	dir, home := t.TempDir(), t.TempDir()
	program, err := exec.LookPath("precis")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs(filepath.Join(repository, "examples"))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "bin"), 0o700),
		os.Symlink(program, filepath.Join(dir, "bin", "precis")),
		os.Symlink(examples, filepath.Join(dir, "examples")),
		os.Mkdir(filepath.Join(home, "bin"), 0o700),
		os.WriteFile(filepath.Join(home, "bin", "claude"), []byte("#!/bin/sh\ntest -n \"$ANTHROPIC_BASE_URL\"\n"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	path := fmt.Sprintf("PATH=%s%c%s", filepath.Join(home, "bin"), os.PathListSeparator, os.Getenv("PATH"))
	return reader{t, dir, append(os.Environ(), path, "HOME="+home, "XDG_DATA_HOME="+filepath.Join(home, "data"))}
}

func (r reader) shell(line string) {
	r.t.Helper()
	c := exec.CommandContext(r.t.Context(), "sh", "-c", line)
	c.Dir, c.Env = r.dir, r.vars
	if out, err := c.CombinedOutput(); err != nil || line == "" {
		r.t.Errorf("%q: %v\n%s", line, err, out)
	}
}
