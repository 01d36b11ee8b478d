package program

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/tool/shell"
)

// Inspects reports whether a command line only looks: every program in it reads,
// lists or searches and nothing is written. Their output is a file's own
// content and says nothing about failure.
func Inspects(command string) bool { return inspects(shell.Lex(command)) }

func inspects(line []shell.Simple) bool {
	for _, c := range line {
		for _, r := range c.Redirects {
			if r.Writes() {
				return false
			}
		}
		if !looks(&c) {
			return false
		}
	}
	return len(line) > 0
}

// looks reports whether a simple command only looks, with all that it runs.
func looks(c *shell.Simple) bool {
	return !c.RunsAny(func(x shell.Command) bool { return !isReadOnly(x.Words) })
}

func isReadOnly(words []string) bool {
	switch shell.Name(words[0]) {
	case "open", "goto", "scroll_up", "scroll_down", "set_cursors", "find_file", "search_file", "search_dir": // of SWE-agent
		return true
	case "cat", "head", "tail", "less", "more", "nl", "bat", "wc", "ls", "tree", "du", "df", "fd", "grep", "egrep", "fgrep", "rg", "ag",
		"uniq", "seq", "date", "cut", "tr", "echo", "cd", "pwd", "which", "command", "file", "stat", "diff", "jq", "true", "printf", "column", "test", "[":
		return true
	case "sed", "awk":
		return !slices.ContainsFunc(words[1:], isInPlace)
	case "find":
		return !slices.ContainsFunc(words[1:], writesFound)
	case "sort":
		return !slices.ContainsFunc(words[1:], IsSortOutput)
	case "git":
		g, ok := GitOf(words)
		return ok && g.onlyLooks()
	}
	return false
}

// writesFound reports whether a word has find delete what it finds, or write its list to a file.
func writesFound(w string) bool {
	return w == "-delete" || strings.HasPrefix(w, "-fprint") || w == "-fls"
}

// IsSortOutput reports whether an option of sort's names the file to write; short ones may stand
// together.
func IsSortOutput(w string) bool {
	short := strings.HasPrefix(w, "-") && strings.HasPrefix(strings.TrimLeft(w[1:], "bcCdfghiMmnRrsuVz"), "o")
	return short || strings.HasPrefix(w, "--output")
}

// Runs reports whether a simple command runs something: a program that neither only looks nor
// moves text into files.
func Runs(c *shell.Simple) bool {
	return c.RunsAny(func(x shell.Command) bool { return !isReadOnly(x.Words) && !movesText(shell.Name(x.Words[0])) })
}

// movesText reports whether a program that does not only look writes files and does no more.
func movesText(name string) bool {
	switch name {
	case "create", "tee", "cp", "mv", "mkdir", "rmdir", "touch", "chmod", "rm", "ln", "sed", "awk", "sort", "find", "export", "source", ".", "set", "for", "done", "fi", "sleep":
		return true
	}
	return false
}

// IsInline reports whether a command line holds the program that it has an interpreter run, as
// python -c does.
func IsInline(line string) bool {
	words := strings.Fields(line)
	for i, w := range words[:min(len(words), 4)] {
		switch strings.TrimRight(path.Base(w), "0123456789.") {
		case "python", "node", "tsx", "ts-node", "bun", "ruby", "perl", "php":
			next := words[i+1:]
			return len(next) > 0 && (next[0] == "-c" || next[0] == "-e" || next[0] == "-" || strings.HasPrefix(next[0], "<<"))
		}
	}
	return false
}
