package program

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/tool/shell"
)

// Swept returns the patterns of files that sed or perl edits in place, as they are written: which
// of those files it changes is not known. Where another program names the files, they are the
// patterns by which that finds them, "*" where it goes by none.
func (l *Line) Swept() (patterns []string) {
	line := l.commands
	var around loops
	for i := range line {
		around.next(line[:i+1])
		for c := range line[i].Commands() {
			name := path.Base(c.Words[0])
			if name != "sed" && name != "perl" {
				continue
			}
			files, inPlace := Streamed(name, c.Words[1:])
			switch {
			case !inPlace:
				continue
			case c.Fed:
				patterns = append(patterns, feeding(line[:i+1])...)
			}
			for _, f := range files {
				switch {
				case strings.Contains(f, "$"):
					patterns = append(patterns, around.files()...)
				case strings.ContainsAny(f, "*?["):
					patterns = append(patterns, f)
				}
			}
		}
	}
	return patterns
}

// mostPiped is how many commands of a pipe are asked for the files that they name.
const mostPiped = 8

// feeding returns the patterns of the files that the last of some commands is run on: those of
// its own, or of what is piped into it.
func feeding(line []shell.Simple) (patterns []string) {
	for n := 1; n <= min(len(line), mostPiped) && (n == 1 || line[len(line)-n].Op == '|'); n++ {
		patterns = append(patterns, found(shell.Program(line[len(line)-n].Words))...)
	}
	if len(patterns) == 0 {
		return []string{"*"}
	}
	return patterns
}

// found returns the patterns by which a program finds files, as far as they say all.
func found(words []string) (patterns []string) {
	if len(words) == 0 {
		return nil
	}
	lists := words[0] == "ls" || isGit(words, "ls-files")
	for i, w := range words[1:] {
		before := words[i]
		value, included := strings.CutPrefix(w, "--include=")
		switch {
		case before == "-name" || before == "-iname":
			if not := words[max(i-1, 0)]; not != "!" && not != "-not" {
				patterns = append(patterns, w)
			}
		case included:
			patterns = append(patterns, value)
		case before == "--include" || lists && strings.ContainsAny(w, "*?["):
			patterns = append(patterns, w)
		}
	}
	return patterns
}

// loops are those that a command stands in, the innermost last: of each the patterns of the files
// that it goes over.
type loops [][]string

// next goes on to the last of some commands, which may begin a loop or end one.
func (l *loops) next(line []shell.Simple) {
	c := &line[len(line)-1]
	words := shell.Program(c.Words)
	switch {
	case len(words) == 0:
	case words[0] == "for":
		*l = append(*l, looped(words[min(3, len(words)):]))
	case c.Loops && words[0] == "read":
		*l = append(*l, feeding(line))
	case c.Loops:
		*l = append(*l, l.files())
	case words[0] == "done" && len(*l) > 0:
		*l = (*l)[:len(*l)-1]
	}
}

// files returns the patterns of the innermost loop, nil outside of all.
func (l *loops) files() []string {
	if len(*l) == 0 {
		return nil
	}
	return (*l)[len(*l)-1]
}

// looped returns the patterns of the files that a loop goes over by such words: "*" where they are
// not written there.
func looped(words []string) []string {
	if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "$") }) {
		return []string{"*"}
	}
	return words
}

// Moving returns the words of the commands by which a line moves, deletes or patches files, or
// runs a program that does not only look on files that are named elsewhere, with what names them
// and what changes the folder. There are none where it does none of this.
func (l *Line) Moving() (words []string) {
	line, moves := l.commands, false
	for i := range line {
		for c := range line[i].Commands() {
			switch {
			case c.Words[0] == "cd":
				words = append(words, c.Words...)
			case mayMove(c):
				moves = true
				for n := i - 1; c.Fed && n >= max(0, i-mostPiped) && line[n].Op == '|'; n-- {
					words = append(words, line[n].Words...)
				}
				words = append(append(words, line[i].Words...), c.Words...)
			}
		}
	}
	if !moves {
		return nil
	}
	return words
}

// mayMove reports whether a command may change files that the line does not name where it says so.
func mayMove(c shell.Command) bool {
	switch path.Base(c.Words[0]) {
	case "rm", "mv", "patch", "rsync":
		return true
	case "find":
		return !isReadOnly(c.Words)
	}
	return c.Fed && !isReadOnly(c.Words)
}
