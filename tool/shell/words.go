package shell

import (
	"path"
	"slices"
	"strings"
)

// IsKeyword reports whether a word stands before a command in the shell's grammar.
func IsKeyword(w string) bool {
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

// Name returns the name of a program that is given in a folder of the system's; one in any other
// folder may be the project's own, of any name.
func Name(program string) string {
	if dir, name := path.Split(program); path.IsAbs(dir) && strings.HasSuffix(dir, "bin/") {
		return name
	}
	return program
}

func isAssignment(w string) bool {
	i := strings.IndexByte(w, '=')
	return i > 0 && w[0] != '-' && !strings.ContainsAny(w[:i], "/.-$ ")
}

// IsShell reports whether a program is a shell.
func IsShell(w string) bool {
	switch path.Base(w) {
	case "sh", "bash", "zsh", "dash":
		return true
	}
	return false
}

// Join returns the line that runs some words: of a shell's "-c" only the script. Words stay words:
// what means more to a shell is quoted.
func Join(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	if run := Program(words); len(run) > 0 && IsShell(run[0]) {
		if script := Script(run[1:], ""); script != "" {
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

// Script returns the script that a shell is to run: what stands behind a "-c" among its
// options, or what it reads where no file is named; "" for that of a file.
func Script(args []string, body string) string {
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
