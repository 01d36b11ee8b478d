package program

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/tool/shell"
)

// Brief returns a command line in so many bytes where that can be, without what only looks, and
// without the middle of what has many words: the program of each command that does something
// stands in it, and what it does it to, which comes last. The mark of an ellipsis stands for what
// is left out.
func Brief(line string, n int) string {
	if whole := oneline.Of(line); len(whole) <= n {
		return whole
	}
	var b strings.Builder
	left, between := false, "" // something was left out; what stands between two commands
	for _, c := range shell.Lex(line) {
		if looks(&c) && !enters(&c) && len(written(&c)) == 0 {
			left = true
			continue
		}
		b.WriteString(between)
		if left && b.Len() > 0 {
			b.WriteString(oneline.Ellipsis + " ")
		}
		b.WriteString(keywordBefore(line[:c.Start]) + brief(&c, line))
		left, between = false, joint(&c)
	}
	if left {
		b.WriteString(oneline.Ellipsis)
	}
	return b.String()
}

// keywordBefore returns the word of a loop or a choice that a line ends with, "" for none.
func keywordBefore(line string) string {
	words := strings.Fields(line[max(0, len(line)-len(" then ")):])
	if len(words) == 0 || !shell.IsKeyword(words[len(words)-1]) {
		return ""
	}
	return words[len(words)-1] + " "
}

// enters reports whether a command changes the folder of those behind it.
func enters(c *shell.Simple) bool { return len(c.Words) > 0 && c.Words[0] == "cd" }

// written returns the files that a command's output goes to.
func written(c *shell.Simple) (files []string) {
	for _, r := range c.Redirects {
		if r.Writes() {
			files = append(files, r.Op+" "+r.Path)
		}
	}
	return files
}

// joint is what stands between a command and the next.
func joint(c *shell.Simple) string {
	switch c.Op {
	case '&':
		return " && "
	case '|':
		return " | "
	case 'o':
		return " || "
	}
	return "; "
}

// How much of a command is told as it is, and of a word that is a text, in bytes.
const (
	mostPlain = 60
	mostText  = 140
)

// fewest is how many words are told of what is copied or moved, or gone through in a loop: the
// program, the first and the last.
const fewest = 3

// brief returns a command in few words, with the files that its output goes to.
func brief(c *shell.Simple, line string) string {
	text := oneline.Of(line[c.Start:c.End])
	if len(text) > mostPlain {
		words := slices.Clone(c.Words)
		switch words[0] {
		case "cp", "mv", "for":
			if len(words) > fewest+1 {
				words = slices.Replace(words, fewest-1, len(words)-1, oneline.Ellipsis)
			}
		}
		for i, w := range words {
			if isText(w) {
				words[i] = "'" + oneline.Clip(oneline.Of(w), mostText) + "'"
			}
		}
		text = strings.Join(words, " ")
	}
	return strings.Join(append([]string{text}, written(c)...), " ")
}

// isText reports whether a word of a command is a text rather than a name.
func isText(w string) bool { return strings.ContainsAny(w, " \n") }
