package tool

import (
	"path"
	"slices"
	"strings"
)

// maxNest bounds shells called from shells.
const maxNest = 3

// shell finds the files that the commands of a line touch.
func (e *Envelope) shell(line []simple, depth int) {
	before := e.in
	for i := range line {
		c := &line[i]
		for _, r := range c.redir {
			e.redirected(r)
		}
		if words := Program(c.words); len(words) > 0 {
			e.run(words, c.body, depth)
		}
		e.in = c.folderAfter(e.in)
	}
	e.in = before
}

// folderAfter returns the folder in which a line goes on after a command, "" where it is not known: so it is
// after a subshell, as where that began is not.
func (c *simple) folderAfter(in string) string {
	words := Program(c.words)
	if c.op == ')' {
		return ""
	}
	if len(words) == 0 || words[0] != "cd" {
		return in
	}
	if len(words) != 2 || words[1] == "" || strings.ContainsAny(words[1][:1], "-~") || strings.ContainsAny(words[1], "$`*?{") {
		return ""
	}
	if path.IsAbs(words[1]) {
		in = ""
	}
	if in = path.Join(in, words[1]); in == "/" || in == "." {
		return ""
	}
	return in
}

func (e *Envelope) redirected(r redirect) {
	switch {
	case strings.HasPrefix(r.path, "/dev/") || strings.ContainsAny(r.path, "$`*{") || isDigits(r.path):
	case r.op == ">":
		e.touch(r.path, Creates)
	case r.op == ">>":
		e.touch(r.path, Edits)
	case r.op == "<":
		e.touch(r.path, Reads)
	}
}

// run interprets one program call. A flat switch over program names.
func (e *Envelope) run(words []string, body string, depth int) {
	args := words[1:]
	switch name := path.Base(words[0]); name {
	case "open": // of SWE-agent: a file and a line
		e.touchArgs(args[:min(len(args), 1)], Reads)
	case "cat", "head", "tail", "less", "more", "nl", "bat", "od", "xxd", "strings", "diff", "cmp", "jq":
		e.touchArgs(args, Reads)
	case "ls", "tree", "du", "fd", "wc", "file", "stat", "md5sum", "sha256sum":
		e.touchArgs(args, Lists)
	case "mkdir":
		e.touchArgs(args, Makes)
	case "find":
		e.touchArgs(untilOption(args), Lists)
	case "grep", "egrep", "fgrep", "rg", "ag", "ack":
		e.touchArgs(afterPattern(args), Lists)
	case "sed", "perl", "awk", "gawk":
		e.stream(name, args)
	case "sort":
		e.sorted(args)
	case "tee":
		e.touchArgs(args, appendOr(args, Creates))
	case "touch", "truncate", "create":
		e.touchArgs(args, Creates)
	case "rm", "unlink":
		e.touchArgs(args, Deletes)
	case "cp", "mv", "ln", "install":
		e.move(name, args)
	case "patch":
		e.patched(args, body)
	case "apply_patch", "applypatch":
		e.patch(body + strings.Join(args, "\n"))
	case "git":
		e.git(words, body)
	case "python", "python3", "node", "ruby":
		e.scripted(args, body)
	case "curl", "wget":
		e.download(args)
	case "sh", "bash", "zsh", "dash":
		e.nested(args, body, depth)
	}
}

func (e *Envelope) nested(args []string, body string, depth int) {
	if depth >= maxNest {
		return
	}
	if script := scriptIn(args, body); script != "" {
		e.shell(lex(script), depth+1)
	}
}

// isRefused reports whether a shell says that it did not understand the first line of a
// script, where the line starts no other shell that may have said so.
func isRefused(line, output string) bool {
	if !strings.Contains(output[:min(len(output), 256)], "-c: line 1: ") || strings.Contains(line, "sh -c") {
		return false
	}
	for l := range strings.SplitSeq(output, "\n") {
		l = strings.TrimSpace(l)
		if l == "" || isMarkup(l) || exitLine(l) != nil {
			continue
		}
		shell, said, ok := strings.Cut(l, ": -c: line 1: ")
		return ok && isShell(shell) && (strings.HasPrefix(said, "syntax error near unexpected token") || strings.HasPrefix(said, "unexpected EOF while looking for matching"))
	}
	return false
}

func appendOr(args []string, a Access) Access {
	for _, w := range args {
		if w == "-a" || w == "--append" {
			return Edits
		}
	}
	return a
}

func (e *Envelope) touchArgs(args []string, a Access) {
	for _, w := range args {
		if isPathArg(w) {
			e.touch(w, a)
		}
	}
}

// isPathArg is true for an argument that names one file: no option, number,
// pattern or expansion.
func isPathArg(w string) bool {
	if w == "" || w[0] == '-' || w[0] == '+' || w == "." || w == ".." || isDigits(w) || strings.HasPrefix(w, "/dev/") {
		return false
	}
	if strings.Contains(w, "://") || strings.ContainsAny(w, "*?$`{}[]()|;&<>=\"' \n") {
		return false
	}
	return strings.ContainsAny(w, "/.") || isBareName(w)
}

// isBareName is true for well-known file names without a dot, and for names
// that are all capitals.
func isBareName(w string) bool {
	return w == "Makefile" || w == "Dockerfile" || (len(w) > 3 && strings.ToUpper(w) == w)
}

// untilOption returns what stands before the first option.
func untilOption(args []string) []string {
	for i, a := range args {
		if strings.HasPrefix(a, "-") {
			return args[:i]
		}
	}
	return args
}

// afterPattern drops options and the pattern of a search.
func afterPattern(args []string) []string {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-e" || a == "-f":
			return args[min(i+2, len(args)):]
		case a == "-A" || a == "-B" || a == "-C" || a == "-m" || a == "-g" || a == "-t" || a == "--include" || a == "--type":
			i++
		case a == "" || a[0] != '-':
			return args[i+1:]
		}
	}
	return nil
}

// sorted finds the file that sort writes, which may be one that it reads.
func (e *Envelope) sorted(args []string) {
	for i, a := range args {
		if !isSortOutput(a) || strings.HasPrefix(a, "--") || !strings.HasSuffix(a, "o") || i+1 >= len(args) {
			continue
		}
		if access := Creates; isPathArg(args[i+1]) {
			if slices.Contains(args[i+2:], args[i+1]) || slices.Contains(args[:i], args[i+1]) {
				access = Edits
			}
			e.touch(args[i+1], access)
		}
	}
}

// stream reads sed, perl and awk.
func (e *Envelope) stream(name string, args []string) {
	files, access := streamed(name, args)
	e.touchArgs(files, access)
}

// streamed returns what sed, perl or awk reads or edits: the first plain argument is the program
// unless an option gave it; in place means edited.
func streamed(name string, args []string) (files []string, access Access) {
	access, script, text := Reads, false, ""
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-e" || a == "-f" || a == "--expression":
			script = true
			i++
		case a == "-F" || a == "-v":
			i++
		case isInPlace(a):
			access = Edits
		case len(a) > 1 && a[0] == '-':
			if name == "perl" {
				access, script = perlOption(a, access, script)
				if strings.HasSuffix(a, "e") {
					i++
				}
			}
		case a == "":
		case !script:
			script, text = true, a
		default:
			files = append(files, a)
		}
	}
	if access == Edits && name == "sed" && putsSame(text) {
		access = Reads
	}
	return files, access
}

// isInPlace reports whether an option of sed's says that it edits in place; short ones may stand
// together.
func isInPlace(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	return name == "--in-place" || len(option) > 1 && option[0] == '-' && strings.HasPrefix(strings.TrimLeft(option[1:], "nErsuz"), "i")
}

// putsSame reports whether a sed script is one substitution that puts what was there in its place.
func putsSame(script string) bool {
	if len(script) < 4 || script[0] != 's' {
		return false
	}
	parts := strings.Split(script[2:], script[1:2])
	return len(parts) == 3 && strings.ReplaceAll(parts[0], `\.`, ".") == parts[1] && !strings.ContainsAny(parts[1], `\&`) && strings.Trim(parts[2], "gI") == ""
}

func perlOption(a string, access Access, script bool) (Access, bool) {
	if strings.Contains(a, "i") {
		access = Edits
	}
	return access, script || strings.HasSuffix(a, "e")
}

func (e *Envelope) move(name string, args []string) {
	var files []string
	for _, a := range args {
		if isPathArg(a) || a == "." && len(files) > 0 {
			files = append(files, a)
		}
	}
	if len(files) < 2 {
		return
	}
	last := len(files) - 1
	to, from := files[last], Reads
	if name == "mv" {
		from = Deletes
	}
	e.touchArgs(files[:last], from)
	into := last > 1 || to == "." || strings.HasSuffix(to, "/")
	for _, f := range files[:last] {
		t := Touch{Path: to, Access: Creates, Restored: !into && isCopyOf(f, to)}
		if into {
			t.Path = path.Join(to, path.Base(f))
		}
		switch {
		case t.Restored:
			t.Copy = f
		case name == "mv":
			t.From = f
		}
		e.touched(t)
	}
}

// patched finds the files that the program patch changes. Its output tells better than its
// input: it changed the files it names but for those of which every part failed, and nothing
// is known where it gave up.
func (e *Envelope) patched(args []string, body string) {
	o := patchOptionsOf(args)
	if o.dry {
		return
	}
	names, accesses := []string(nil), map[string]Access{}
	patchTouches(body, func(t Touch) { names, accesses[t.Path] = append(names, t.Path), reversed(t.Access, o.reverse) })
	done, told := patchedFiles(e.Output)
	if told {
		names = done
	}
	for _, name := range names {
		a, named := accesses[name]
		if !named {
			a = Edits
		}
		at := o.in(name)
		e.touched(Touch{Path: at, Access: a, Restored: o.reverse && a == Edits, Shown: told && !named || at != name})
	}
}

// applied finds the files of a patch that git applies or takes back.
func (e *Envelope) applied(args []string, body string) {
	back := slices.Contains(args, "-R") || slices.Contains(args, "--reverse")
	patchTouches(body, func(t Touch) {
		a := reversed(t.Access, back)
		e.touched(Touch{Path: t.Path, Access: a, Restored: back && a == Edits})
	})
}

// reversed is what a patch does to a file that is applied, or taken back.
func reversed(a Access, back bool) Access {
	switch {
	case back && a == Creates:
		return Deletes
	case back && a == Deletes:
		return Creates
	}
	return a
}

func (e *Envelope) download(args []string) {
	for i, a := range args {
		if (a == "-o" || a == "-O" || a == "--output") && i+1 < len(args) && isPathArg(args[i+1]) {
			e.touch(args[i+1], Creates)
		}
	}
}

// scripted finds the files that a script of -c or a here-document opens by name.
func (e *Envelope) scripted(args []string, body string) {
	for i, a := range args {
		if (a == "-c" || a == "-e") && i+1 < len(args) {
			body = args[i+1]
		}
	}
	for name, mode := range opens(body) {
		e.opened(name, mode)
	}
}

// OpenedBy returns the files that a script opens by name, and what for.
func OpenedBy(script string) []Touch {
	var e Envelope
	e.scripted(nil, script)
	return e.Touched
}

// opened notes that a script opens a file. What it reads first was there.
func (e *Envelope) opened(name, mode string) {
	read := slices.ContainsFunc(e.Touched, func(t Touch) bool { return t.Path == name && t.Access == Reads })
	switch {
	case strings.HasPrefix(mode, "w") && read:
		e.touch(name, Edits)
	case strings.HasPrefix(mode, "w") || strings.HasPrefix(mode, "x"):
		e.touch(name, Creates)
	case strings.HasPrefix(mode, "a") || strings.HasPrefix(mode, "r+"):
		e.touch(name, Edits)
	default:
		e.touch(name, Reads)
	}
}
