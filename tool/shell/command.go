package shell

import (
	"iter"
	"path"
	"slices"
	"strings"
)

// MaxNest bounds shells called from shells.
const MaxNest = 3

// Command is a program with its arguments. Fed says that the files it is run on are named
// elsewhere, as xargs and find do.
type Command struct {
	Words []string
	Fed   bool
}

// Commands yields all that a simple command runs: its program, and what that runs for each
// file, or as a script.
func (c *Simple) Commands() iter.Seq[Command] {
	return func(yield func(Command) bool) { c.each(false, 0, yield) }
}

// each passes on what Commands yields, and reports whether all of it was asked for.
func (c *Simple) each(fed bool, depth int, yield func(Command) bool) bool {
	words, given := unwrap(c.Words)
	if len(words) == 0 || depth > MaxNest {
		return true
	}
	fed = fed || given
	if !yield(Command{words, fed}) {
		return false
	}
	if IsShell(words[0]) {
		for _, inner := range Lex(Script(words[1:], c.Body)) {
			if !inner.each(fed, depth+1, yield) {
				return false
			}
		}
	}
	for _, run := range executed(words) {
		if inner := (&Simple{Words: run}); !inner.each(true, depth+1, yield) {
			return false
		}
	}
	return true
}

// RunsAny reports whether something holds for a command that a simple one runs.
func (c *Simple) RunsAny(holds func(x Command) bool) bool {
	for x := range c.Commands() {
		if holds(x) {
			return true
		}
	}
	return false
}

// executed returns the commands that find or fd runs for what it finds.
func executed(words []string) (all [][]string) {
	var marks []string
	switch path.Base(words[0]) {
	case "find":
		marks = []string{"-exec", "-execdir", "-ok", "-okdir"}
	case "fd":
		marks = []string{"-x", "-X", "--exec", "--exec-batch"}
	}
	for i := 1; i < len(words) && marks != nil; i++ {
		if !slices.Contains(marks, words[i]) {
			continue
		}
		rest := words[i+1:]
		end := slices.IndexFunc(rest, func(w string) bool { return w == ";" || w == "+" })
		if end < 0 {
			end = len(rest)
		}
		all = append(all, rest[:end])
		i += end
	}
	return all
}

// Folder returns the folder in which a line goes on after a command, "" where it is not known: so it is
// after a subshell, as where that began is not.
func (c *Simple) Folder(in string) string {
	words := Program(c.Words)
	if c.Op == ')' {
		return ""
	}
	if len(words) == 0 || words[0] != "cd" {
		return in
	}
	if len(words) != 2 || words[1] == "" || strings.ContainsAny(words[1][:1], "-~") || strings.ContainsAny(words[1], "$`*?{") {
		return ""
	}
	if path.IsAbs(words[1]) {
		in = ""
	}
	if in = path.Join(in, words[1]); in == "/" || in == "." {
		return ""
	}
	return in
}
