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
		if !c.looks() {
			return false
		}
	}
	return len(line) > 0
}

// looks reports whether a simple command only looks, with all that it runs.
func (c *simple) looks() bool {
	return !c.runsAny(func(x command) bool { return !isReadOnly(x.words) })
}

func isReadOnly(words []string) bool {
	switch nameOf(words[0]) {
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
		return !slices.ContainsFunc(words[1:], isSortOutput)
	case "git":
		return isGitReadOnly(gitArgs(words))
	}
	return false
}

// writesFound reports whether a word has find delete what it finds, or write its list to a file.
func writesFound(w string) bool {
	return w == "-delete" || strings.HasPrefix(w, "-fprint") || w == "-fls"
}

// isSortOutput reports whether an option of sort's names the file to write; short ones may stand
// together.
func isSortOutput(w string) bool {
	short := strings.HasPrefix(w, "-") && strings.HasPrefix(strings.TrimLeft(w[1:], "bcCdfghiMmnRrsuVz"), "o")
	return short || strings.HasPrefix(w, "--output")
}

// Action is the part of the command line that runs something: the programs joined by
// "&&", "||" or ";" that neither look nor move text into files. It is "" for a line
// that only looks or writes files. What stands before them ("cd /repo &&", a
// here-document) and what filters the output of the last are left out, so that the same
// run gives the same text; what is piped into them stays. The file to which the output was to go
// stands at the end where it was not to be written.
func (r *Reading) Action() string {
	text := action(r.Command, r.lex(r.Command))
	if text == "" {
		return ""
	}
	for _, name := range r.Writes() {
		if isDenied(name, r.Output) {
			return text + writesTo + name
		}
	}
	return text
}

// RunsIn returns the folder that the command line changed to before its Action, as Touch.In has it.
func (r *Reading) RunsIn() (in string) {
	if !strings.Contains(r.Command, "cd") { // most lines change to none
		return ""
	}
	line := r.lex(r.Command)
	for i := range line {
		if line[i].runs() {
			return in
		}
		in = line[i].folderAfter(in)
	}
	return ""
}

// Enters returns the first folder that the command line changes to by its absolute path, "" for none.
func (r *Reading) Enters() string {
	if !strings.Contains(r.Command, "cd") {
		return ""
	}
	line := r.lex(r.Command)
	for i := range line {
		if to := line[i].folderAfter(""); path.IsAbs(to) {
			return to
		}
	}
	return ""
}

func action(command string, line []simple) string {
	start, end := -1, 0
	for i := 0; i < len(line); i++ {
		c := line[i]
		ran := c.runs()
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
		if c.runs() && slices.ContainsFunc(line[i:len(line)-1], func(x simple) bool { return x.op != '&' }) {
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
		switch words := Program(c.words); {
		case len(words) == 0 || words[0] == "cd":
		case nameOf(words[0]) != "sed":
			return false
		default:
			ran++
		}
	}
	return ran == 1
}

// runs reports whether a simple command runs something: a program that neither only looks nor
// moves text into files.
func (c *simple) runs() bool {
	return c.runsAny(func(x command) bool { return !isReadOnly(x.words) && !movesText(nameOf(x.words[0])) })
}

// movesText reports whether a program that does not only look writes files and does no more.
func movesText(name string) bool {
	switch name {
	case "create", "tee", "cp", "mv", "mkdir", "touch", "chmod", "rm", "ln", "sed", "awk", "sort", "find", "export", "source", ".", "set", "for", "done", "fi", "sleep":
		return true
	}
	return false
}

// isGitReadOnly reports whether a command of git's, with its arguments, only looks.
func isGitReadOnly(args []string) bool {
	if len(args) == 0 {
		return false
	}
	c := gitCommandOf(args[0], args[1:])
	switch args[0] {
	case "log", "show", "diff", "status", "blame", "grep", "ls-files":
		return true
	case "branch":
		lists := c.has("-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "--show-current")
		return (len(c.names) == 0 || lists) && !c.has("-d", "-D", "-m", "-M", "-c", "-C", "-f", "-u", "--delete", "--move", "--copy", "--force", "--set-upstream-to", "--unset-upstream", "--edit-description")
	case "stash":
		return len(c.names) > 0 && (c.names[0] == "list" || c.names[0] == "show")
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
