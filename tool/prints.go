package tool

import (
	"slices"
	"strings"
)

// printers begin a statement that prints a text, at the beginning of a line of a script.
var printers = []string{"print(", "console.log(", "echo "}

// leaving are signs that a script may end before its last line: what it prints then tells that it did not.
var leaving = []string{"assert ", "assert(", "raise ", "throw ", "exit(", "exit ", "set -e"}

// AlwaysPrints returns the lines that a script prints whatever it finds: those of texts without variables
// in statements that stand in no other. It returns none where the script may end before one of them.
func AlwaysPrints(script string) (always []string) {
	if slices.ContainsFunc(leaving, func(sign string) bool { return strings.Contains(script, sign) }) {
		return nil
	}
	for s := script; s != ""; {
		line, rest, _ := strings.Cut(s, "\n")
		for _, p := range printers {
			if args, ok := strings.CutPrefix(line, p); ok {
				always = append(always, textLines(args, s[len(p):])...)
			}
		}
		s = rest
	}
	return always
}

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
