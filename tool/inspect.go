package tool

import (
	"path"
	"slices"
	"strings"
)

// Inspects reports whether a command line only looks: every program in it reads,
// lists or searches and nothing is written. Their output is a file's own
// content and says nothing about failure.
func Inspects(command string) bool { return inspects(lex(command)) }

func inspects(line []simple) bool {
	for _, c := range line {
		for _, r := range c.redir {
			if r.op != "<" && !strings.HasPrefix(r.path, "/dev/") {
				return false
			}
		}
		words := program(c.words)
		if len(words) > 0 && !isReadOnly(words) {
			return false
		}
	}
	return len(line) > 0
}

func isReadOnly(words []string) bool {
	switch words[0] {
	case "open", "goto", "scroll_up", "scroll_down", "set_cursors", "find_file", "search_file", "search_dir": // of SWE-agent
		return true
	case "cat", "head", "tail", "less", "more", "nl", "bat", "wc", "ls", "tree", "du", "df", "find", "fd", "grep", "egrep", "fgrep", "rg", "ag",
		"sort", "uniq", "cut", "tr", "awk", "echo", "cd", "pwd", "which", "file", "stat", "diff", "jq", "xargs", "true", "printf", "column", "test", "[":
		return true
	case "sed":
		for _, w := range words[1:] {
			if strings.HasPrefix(w, "-i") || w == "--in-place" {
				return false
			}
		}
		return true
	case "git":
		args := gitArgs(words)
		return len(args) > 0 && isGitReadOnly(args[0])
	}
	return false
}

// Action is the part of the command line that runs something: the programs joined by
// "&&", "||" or ";" that neither look nor move text into files. It is "" for a line
// that only looks or writes files. What stands before them ("cd /repo &&", a
// here-document) and what filters the output of the last are left out, so that the same
// run gives the same text; what is piped into them stays.
func (r *Reading) Action() string { return action(r.Command, r.lex(r.Command)) }

func action(command string, line []simple) string {
	start, end := -1, 0
	for i := 0; i < len(line); i++ {
		c := line[i]
		ran := runs(program(c.words))
		switch {
		case !ran && start < 0:
			continue
		case !ran:
			return command[start:end]
		case start < 0:
			start = c.start
			for n := i - 1; n >= 0 && line[n].op == '|' && len(line[n].words) > 0; n-- {
				start = line[n].start // what it reads
			}
		}
		end = c.end
		for line[i].op == '|' && i+1 < len(line) { // what filters its output
			i++
		}
		if op := line[i].op; op != '&' && op != ';' && op != 'o' {
			return command[start:end]
		}
	}
	if start < 0 {
		return ""
	}
	return command[start:end]
}

// HidesExit reports whether the exit code of a command line may be that of another program
// than one that it runs: of the next in a pipe, or in a list that goes on after a failure.
func (r *Reading) HidesExit() bool {
	line := r.lex(r.Command)
	for i, c := range line {
		if runs(program(c.words)) && slices.ContainsFunc(line[i:len(line)-1], func(x simple) bool { return x.op != '&' }) {
			return true
		}
	}
	return false
}

// sedFailed reports whether a command line runs one sed over one file, wherever it goes before, and
// that failed: then it changed nothing.
func (r *Reading) sedFailed() bool {
	if r.Exit == nil || *r.Exit == 0 || len(r.Touched) != 1 {
		return false
	}
	ran := 0
	for _, c := range r.lex(r.Command) {
		switch words := program(c.words); {
		case len(words) == 0 || words[0] == "cd":
		case words[0] != "sed":
			return false
		default:
			ran++
		}
	}
	return ran == 1
}

// runs reports whether words run something: a program that neither only looks nor moves text
// into files.
func runs(words []string) bool {
	return len(words) > 0 && !isReadOnly(words) && !movesText(words[0])
}

func movesText(name string) bool {
	switch name {
	case "create", "tee", "cp", "mv", "mkdir", "touch", "chmod", "rm", "ln", "sed", "export", "source", ".", "set", "for", "done", "fi", "sleep":
		return true
	}
	return false
}

func isGitReadOnly(sub string) bool {
	switch sub {
	case "log", "show", "diff", "status", "blame", "branch", "grep", "ls-files":
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
