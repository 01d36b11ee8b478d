package tool

import (
	"iter"
	"path"
	"slices"
	"strings"
)

// isKeyword reports whether a word stands before a command in the shell's grammar.
func isKeyword(w string) bool {
	switch w {
	case "then", "do", "else", "elif", "if", "while", "until", "!", "{", "}":
		return true
	}
	return false
}

// wrappers are the programs that run another, each with the options of its own that take the
// next word.
var wrappers = func() map[string][]string {
	m := map[string][]string{}
	for _, line := range []string{
		"sudo -u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir", "doas -u -C", "env -u -C --unset --chdir", "time -f -o --format --output",
		"nohup", "nice -n --adjustment", "ionice -c -n -p --class --classdata", "stdbuf -i -o -e --input --output --error", "setsid", "command", "exec -a",
		"timeout -k -s --kill-after --signal", "xargs -n -I -P -L -d -a -E -s --max-args --max-procs --max-lines --delimiter --arg-file --max-chars",
	} {
		words := strings.Fields(line)
		m[words[0]] = words[1:]
	}
	return m
}()

// Program drops what stands before the program of a command: assignments, and sudo, timeout and the like
// with their options.
func Program(words []string) []string {
	words, _ = unwrap(words)
	return words
}

// unwrap drops the same as Program, and reports whether xargs stood there: it names the files that
// the program is run on.
func unwrap(words []string) (program []string, fed bool) {
	for len(words) > 0 {
		w := words[0]
		valued, wraps := wrappers[w]
		switch {
		case w == "command" && len(words) > 1 && strings.HasPrefix(strings.ToLower(words[1]), "-v"): // it only looks
			return words, fed
		case wraps:
			words = pastOptions(words[1:], valued)
			if fed = fed || w == "xargs"; w == "timeout" && len(words) > 0 { // how long
				words = words[1:]
			}
		case isAssignment(w):
			words = words[1:]
		default:
			return words, fed
		}
	}
	return nil, fed
}

// pastOptions drops the options before the first other word, with the values of those that take
// the next word.
func pastOptions(words, valued []string) []string {
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' {
		w := words[0]
		if words = words[1:]; w == "--" {
			break
		}
		if slices.Contains(valued, w) && len(words) > 0 {
			words = words[1:]
		}
	}
	return words
}

// nameOf returns the name of a program that is given in a folder of the system's; one in any other
// folder may be the project's own, of any name.
func nameOf(program string) string {
	if dir, name := path.Split(program); path.IsAbs(dir) && strings.HasSuffix(dir, "bin/") {
		return name
	}
	return program
}

func isAssignment(w string) bool {
	i := strings.IndexByte(w, '=')
	return i > 0 && w[0] != '-' && !strings.ContainsAny(w[:i], "/.-$ ")
}

func isShell(w string) bool {
	switch path.Base(w) {
	case "sh", "bash", "zsh", "dash":
		return true
	}
	return false
}

// lineOf returns the line that runs some words: of a shell's "-c" only the script. Words stay words:
// what means more to a shell is quoted.
func lineOf(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	if run := Program(words); len(run) > 0 && isShell(run[0]) {
		if script := scriptIn(run[1:], ""); script != "" {
			return script
		}
	}
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w == "" || strings.ContainsAny(w, " \t\r\n;|&()<>'\"\\#$`*?[") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		b.WriteString(w)
	}
	return b.String()
}

// command is a program with its arguments. fed says that the files it is run on are named
// elsewhere, as xargs and find do.
type command struct {
	words []string
	fed   bool
}

// commands yields all that a simple command runs: its program, and what that runs for each
// file, or as a script.
func (c *simple) commands() iter.Seq[command] {
	return func(yield func(command) bool) { c.each(false, 0, yield) }
}

// each passes on what commands yields, and reports whether all of it was asked for.
func (c *simple) each(fed bool, depth int, yield func(command) bool) bool {
	words, given := unwrap(c.words)
	if len(words) == 0 || depth > maxNest {
		return true
	}
	fed = fed || given
	if !yield(command{words, fed}) {
		return false
	}
	if isShell(words[0]) {
		for _, inner := range lex(scriptIn(words[1:], c.body)) {
			if !inner.each(fed, depth+1, yield) {
				return false
			}
		}
	}
	for _, run := range executed(words) {
		if inner := (&simple{words: run}); !inner.each(true, depth+1, yield) {
			return false
		}
	}
	return true
}

// runsAny reports whether something holds for a command that a simple one runs.
func (c *simple) runsAny(holds func(x command) bool) bool {
	for x := range c.commands() {
		if holds(x) {
			return true
		}
	}
	return false
}

// scriptIn returns the script that a shell is to run: what stands behind a "-c" among its
// options, or what it reads where no file is named; "" for that of a file.
func scriptIn(args []string, body string) string {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "/dev/stdin":
			return body
		case a == "-" || a == "--":
		case len(a) < 2 || a[0] != '-' && a[0] != '+':
			return ""
		case a == "--rcfile" || a == "--init-file" || a[1] != '-' && strings.ContainsAny(a[len(a)-1:], "oO"):
			i++ // its value
		case a[:2] != "--" && a[0] == '-' && strings.HasSuffix(a, "s"): // the words behind it are for the script
			return body
		case a[:2] != "--" && a[0] == '-' && strings.HasSuffix(a, "c"):
			return strings.Join(args[i+1:min(i+2, len(args))], "")
		}
	}
	return body
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
