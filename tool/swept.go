package tool

import (
	"path"
	"slices"
	"strings"
)

// Swept returns the patterns of files that sed or perl edits in place, as they are written: which
// of those files it changes is not known. Where another program names the files, they are the
// patterns by which that finds them, "*" where it goes by none.
func (r *Reading) Swept() (patterns []string) {
	line := r.lex(r.Command)
	var around loops
	for i := range line {
		around.next(line[:i+1])
		for c := range line[i].commands() {
			name := path.Base(c.words[0])
			if name != "sed" && name != "perl" {
				continue
			}
			files, access := streamed(name, c.words[1:])
			switch {
			case access != Edits:
				continue
			case c.fed:
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
func feeding(line []simple) (patterns []string) {
	for n := 1; n <= min(len(line), mostPiped) && (n == 1 || line[len(line)-n].op == '|'); n++ {
		patterns = append(patterns, found(Program(line[len(line)-n].words))...)
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
func (l *loops) next(line []simple) {
	c := &line[len(line)-1]
	words := Program(c.words)
	switch {
	case len(words) == 0:
	case words[0] == "for":
		*l = append(*l, looped(words[min(3, len(words)):]))
	case c.loops && words[0] == "read":
		*l = append(*l, feeding(line))
	case c.loops:
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
