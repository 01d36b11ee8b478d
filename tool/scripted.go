package tool

import (
	"iter"
	"strings"
)

// opens yields the files that a script opens by name, and the mode of each.
func opens(script string) iter.Seq2[string, string] {
	return func(yield func(name, mode string) bool) {
		set := assigned(script)
		for {
			i := strings.IndexByte(script, '(')
			if i < 0 {
				return
			}
			called := dottedEnd(script[:i])
			script = script[i+1:]
			name, mode, ok := "", "", false
			switch called {
			case "open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "tarfile.open", "aiofiles.open", "Image.open", "File.open":
				name, mode, ok = set.openArgs(script)
			case "Path", "pathlib.Path":
				name, mode, ok = set.pathArgs(script)
			}
			if ok && !strings.Contains(name, "://") && !yield(name, mode) {
				return
			}
		}
	}
}

// dottedEnd returns the name at the end of a text, with what it is a part of: "io.open".
func dottedEnd(s string) string {
	i := len(s)
	for i > 0 && (s[i-1] == '.' || s[i-1] == '_' || s[i-1] >= '0' && s[i-1] <= '9' || s[i-1]|0x20 >= 'a' && s[i-1]|0x20 <= 'z') {
		i--
	}
	return s[i:]
}

// constants are the texts that a script gives to variables, "" for one that is given more than one, or
// what is no text as it stands.
type constants map[string]string

// assigned reads them of a script that may open a file.
func assigned(script string) constants {
	if !strings.Contains(script, "open(") && !strings.Contains(script, "Path(") {
		return nil
	}
	set := constants{}
	for line := range strings.SplitSeq(script, "\n") {
		line = strings.TrimSpace(line)
		name, value, ok := strings.Cut(line, " = ")
		if !ok || dottedEnd(name) != name {
			for _, w := range bound(line) {
				set[w] = ""
			}
			continue
		}
		text, rest, _ := literal(value)
		if _, twice := set[name]; twice || strings.TrimSpace(rest) != "" {
			text = ""
		}
		set[name] = text
	}
	return set
}

// bound returns the variables to which a line gives what is not known: of a loop, and of a function.
func bound(line string) []string {
	rest, ok := strings.CutPrefix(line, "for ")
	if ok {
		rest, _, _ = strings.Cut(rest, " in ")
	} else if rest, ok = strings.CutPrefix(line, "def "); !ok {
		return nil
	}
	return strings.FieldsFunc(rest, func(c rune) bool { return strings.ContainsRune(" ,():=*", c) })
}

// text reads a literal text or a variable that holds one.
func (c constants) text(s string) (text, rest string, ok bool) {
	if text, rest, ok = literal(s); ok {
		return text, rest, true
	}
	i := strings.IndexAny(s[:min(len(s), maxVariable)], ",)")
	if i < 0 {
		return "", s, false
	}
	text = c[strings.TrimSpace(s[:i])]
	return text, s[i:], text != ""
}

// maxVariable is how many bytes the name of a variable has.
const maxVariable = 64

// pathArgs reads the name after "Path(", and the mode in which what is called of it next
// opens the file.
func (c constants) pathArgs(s string) (name, mode string, ok bool) {
	name, rest, ok := c.text(s)
	method, isCall := strings.CutPrefix(rest, ").")
	method, args, called := strings.Cut(method[:min(len(method), 64)], "(")
	if !ok || !isCall || !called {
		return "", "", false
	}
	switch method {
	case "write_text", "write_bytes":
		return name, "w", true
	case "read_text", "read_bytes":
		return name, "r", true
	case "open":
		mode, _, _ = literal(strings.TrimPrefix(args, "mode="))
		return name, mode, true
	}
	return "", "", false
}

// openArgs reads the name and the literal mode after "open(".
func (c constants) openArgs(s string) (name, mode string, ok bool) {
	name, rest, ok := c.text(s)
	if !ok {
		return "", "", false
	}
	rest = strings.TrimLeft(rest, " ")
	if strings.HasPrefix(rest, ",") {
		rest = strings.TrimPrefix(strings.TrimLeft(rest[1:], " "), "mode=")
		mode, _, _ = literal(rest)
	}
	return name, mode, true
}

func literal(s string) (text, rest string, ok bool) {
	if s == "" || (s[0] != '\'' && s[0] != '"') {
		return "", s, false
	}
	end := strings.IndexByte(s[1:min(len(s), 512)], s[0])
	if end < 0 || strings.ContainsAny(s[1:1+end], "\n{") {
		return "", s, false
	}
	return s[1 : 1+end], s[end+2:], true
}
