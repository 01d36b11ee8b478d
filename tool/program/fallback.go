package program

import (
	"slices"
	"strings"
	"unicode"

	"github.com/seed-3db51b0e/precis/tool/shell"
)

// Fallback returns what "echo" prints as the last command of a line where what the line runs before it
// fails, "" for nothing. That a search or a check before it finds nothing is no failure.
func (l *Line) Fallback() string {
	last := len(l.commands) - 1
	if last < 1 || len(l.commands[last].Redirects) > 0 || !failsBefore(l.commands[:last]) {
		return ""
	}
	words := l.commands[last].Words
	if len(words) < 2 || words[0] != "echo" {
		return ""
	}
	text := strings.TrimSpace(strings.Join(words[1:], " "))
	if slices.Contains(values[:], strings.ToLower(text)) || !strings.ContainsFunc(text, unicode.IsLetter) {
		return ""
	}
	return text
}

// values are words that programs print, too: one of them does not tell where it comes from.
var values = [...]string{"ok", "done", "none", "null", "nil", "true", "false", "yes", "no", "unknown", "passed", "success"}

// failsBefore reports whether the list that commands end with goes on where something that it runs fails,
// and for nothing else.
func failsBefore(commands []shell.Simple) bool {
	runs := false
	for at, c := range slices.Backward(commands) {
		switch {
		case at == len(commands)-1 && c.Op != 'o':
			return false
		case c.Op == '|': // its exit code is not the line's
			continue
		case c.Op != '&' && c.Op != 'o':
			return runs
		case answers(&c):
			return false
		}
		runs = runs || Runs(&c)
	}
	return runs
}

// answers reports whether a command only looks, or tells by its exit code what it was asked.
func answers(c *shell.Simple) bool {
	return c.RunsAny(func(x shell.Command) bool {
		switch shell.Name(x.Words[0]) {
		case "cd", "echo", "printf", "pwd", "true", "date":
			return false
		case "cmp", "pgrep", "pkill", "killall", "lsof", "ps", "[[", "!":
			return true
		case "git":
			return len(x.Words) > 1 && asks(x.Words[1]) || isReadOnly(x.Words)
		}
		return isReadOnly(x.Words)
	})
}

// asks reports whether a command of git tells by its exit code what it was asked.
func asks(command string) bool {
	switch command {
	case "merge-base", "rev-parse", "show-ref", "ls-files", "ls-remote", "check-ignore", "cat-file":
		return true
	}
	return false
}
