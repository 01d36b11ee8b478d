package extract

import (
	"path"
	"strings"

	"github.com/seed-3db51b0e/precis/tool/shell"
)

// programOf returns what two runs of a program share however their options differ: its
// name, and the first file it is given, without the part of it that is picked.
func programOf(line string) string {
	words := shell.Program(strings.Fields(line))
	if len(words) == 0 {
		return ""
	}
	name := path.Base(words[0])
	words = words[1:]
	if len(words) > 1 && words[0] == "-m" {
		name, words = words[1], words[2:]
	}
	for _, w := range words {
		if w = strings.Trim(w, `'"`); w != "" && w[0] != '-' && strings.ContainsAny(w, "/.") {
			w, _, _ = strings.Cut(w, "::")
			return name + " " + strings.TrimPrefix(w, "./")
		}
	}
	if len(words) > 0 && words[0] != "" && words[0][0] != '-' {
		return name + " " + words[0]
	}
	return name
}

// nameOf returns the name of the program that a line runs.
func nameOf(line string) string {
	name, _, _ := strings.Cut(programOf(line), " ")
	return name
}

// scriptOf returns the script that a line of a program runs, by itself or by an interpreter, "" for none.
func scriptOf(line, program string) string {
	if rest, ok := strings.CutPrefix(line, "./"); ok {
		script, _, _ := strings.Cut(rest, " ")
		return script
	}
	interpreter, script, _ := strings.Cut(program, " ")
	switch strings.TrimRight(interpreter, "0123456789.") {
	case "python", "node", "bash", "sh", "ruby", "perl", "php", "deno", "bun", "tsx", "ts-node", "Rscript", "julia":
		return script
	}
	return ""
}

// stemOf returns what the versions of a script share: "python test_fix.py" of
// "python test_fix_v2.py" and, as it tests, of "python test_fix2.py".
func stemOf(key string) string {
	ext := path.Ext(key)
	stem := strings.TrimSuffix(key, ext)
	for i := strings.LastIndexAny(stem, "_-"); i >= 0 && isVersion(stem[i+1:]); i = strings.LastIndexAny(stem, "_-") {
		stem = stem[:i]
	}
	if strings.Contains(stem, "test") || strings.Contains(stem, "repro") || strings.Contains(stem, "verify") {
		stem = strings.TrimRight(stem, "0123456789")
	}
	return stem + ext
}

// isVersion reports whether a part of a file's name tells only which attempt it is.
func isVersion(s string) bool {
	switch s {
	case "final", "fixed", "correct", "corrected", "new", "simple", "proper":
		return true
	}
	return len(s) > 1 && s[0] == 'v' && strings.Trim(s[1:], "0123456789") == ""
}

// isCopy reports whether two lines run versions of one script.
func isCopy(line, other string) bool {
	return unnumbered(programOf(line)) == unnumbered(programOf(other))
}

// unnumbered returns the name of a script without the number of its version.
func unnumbered(key string) string {
	stem := stemOf(key)
	ext := path.Ext(stem)
	return strings.TrimRight(strings.TrimSuffix(stem, ext), "0123456789_-") + ext
}

// missingIn returns the name of what an error says is not there, "" for another error.
func missingIn(text string) string {
	for _, lead := range [...]string{"No module named ", "Cannot find module ", "Cannot find package "} {
		if _, rest, ok := strings.Cut(text, lead); ok {
			name := strings.TrimLeft(rest, `'"`)
			if i := strings.IndexAny(name, "'\" ;:,.)"); i >= 0 {
				name = name[:i]
			}
			return moduleOf(name)
		}
	}
	if before, _, ok := strings.Cut(text, ": command not found"); ok {
		return moduleOf(before[strings.LastIndexAny(before, " :")+1:])
	}
	return ""
}

// moduleOf returns the name that an error gives a package: without version or quotes.
func moduleOf(word string) string {
	word = strings.ToLower(strings.Trim(word, `'"`))
	if i := strings.IndexAny(word, "=<>~!["); i > 0 {
		word = word[:i]
	}
	if i := strings.LastIndexByte(word, '@'); i > 0 {
		word = word[:i]
	}
	return strings.ReplaceAll(word, "-", "_")
}
