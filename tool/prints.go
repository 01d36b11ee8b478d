package tool

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printers begin a statement that prints a text, at the beginning of a line of a script.
var printers = []string{"print(", "console.log(", "echo "}

// leaving are signs that a script may end before its last line: what it prints then tells that it did not.
var leaving = []string{"assert ", "assert(", "raise ", "throw ", "exit(", "exit ", "set -e"}

// AlwaysPrints returns the lines that a script prints whatever it finds: those of texts without variables
// in statements that stand in no other. It returns none where the script may end before one of them.
func AlwaysPrints(script string) (always []string) {
	if slices.ContainsFunc(leaving, func(sign string) bool { return strings.Contains(script, sign) }) || callsTest(script) {
		return nil
	}
	within, goesOn := 0, false
	for s := script; s != ""; {
		line, rest, _ := strings.Cut(s, "\n")
		for _, p := range printers {
			if args, ok := strings.CutPrefix(line, p); ok && within == 0 && !goesOn {
				always = append(always, textLines(args, s[len(p):])...)
			}
		}
		within = max(0, within+nesting(line))
		goesOn = slices.ContainsFunc(joints, func(j string) bool { return strings.HasSuffix(strings.TrimRight(line, " \r"), j) })
		s = rest
	}
	return always
}

// joints end a line whose statement goes on in the next one.
var joints = []string{"&&", "||", "|", "\\"}

// nesting returns by how many statements the lines behind one of a shell or of JavaScript stand deeper than it.
func nesting(line string) (deeper int) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return 0
	}
	first, last := strings.TrimRight(words[0], ";"), words[len(words)-1]
	if first == "fi" || first == "done" || first == "esac" || strings.HasPrefix(first, "}") {
		deeper--
	}
	switch last {
	case "{":
		deeper++
	case "then", "do":
		if slices.Contains([]string{"if", "for", "while", "until", "select", "then", "do"}, first) {
			deeper++
		}
	case "in":
		if first == "case" {
			deeper++
		}
	}
	return deeper
}

// callsTest reports whether a script calls a function that is by its name a test, which may end it.
func callsTest(script string) bool {
	for line := range strings.SplitSeq(script, "\n") {
		for rest := line; ; {
			before, behind, ok := strings.Cut(rest, "test_")
			if !ok {
				break
			}
			rest = strings.TrimLeftFunc(behind, isNameRune)
			last, _ := utf8.DecodeLastRuneInString(before)
			if strings.HasPrefix(rest, "(") && !isNameRune(last) && !strings.HasSuffix(before, "def ") {
				return true
			}
		}
	}
	return false
}

// isNameRune reports whether a character may stand in a name of a program.
func isNameRune(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }

// textLines returns the lines of the one text that a statement prints, which begins a line and may go on
// behind it.
func textLines(line, onwards string) (lines []string) {
	format := strings.HasPrefix(line, "f")
	if format {
		line, onwards = line[1:], onwards[1:]
	}
	text, rest := "", ""
	if whole, ok := strings.CutPrefix(onwards, `"""`); ok {
		if text, rest, ok = strings.Cut(whole[:min(len(whole), maxPrinted)], `"""`); !ok {
			return nil
		}
	} else {
		text, rest = quotedText(line)
	}
	rest, _, _ = strings.Cut(rest, "\n")
	if rest = strings.Trim(rest, " \r;"); text == "" || rest != "" && rest != ")" || strings.ContainsAny(text, "$`") || format && strings.Contains(text, "{") {
		return nil
	}
	for said := range strings.SplitSeq(printed.Replace(text), "\n") {
		if said = strings.TrimSpace(said); said != "" {
			lines = append(lines, said)
		}
	}
	return lines
}

// maxPrinted is the most bytes of a text over several lines that are read.
const maxPrinted = 4 << 10

// printed reads the escapes of a text that is printed.
var printed = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, `'`, `\\`, `\`)

// quotedText reads a text between quotes, which it ends with, and what follows.
func quotedText(s string) (text, rest string) {
	if s == "" || s[0] != '\'' && s[0] != '"' {
		return "", s
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return s[1:i], s[i+1:]
		}
	}
	return "", s
}
