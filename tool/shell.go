package tool

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/tool/program"
	"github.com/seed-3db51b0e/precis/tool/shell"
)

// commands finds the files that the commands of a line touch.
func (t *touches) commands(line []shell.Simple, depth int) {
	before := t.in
	for i := range line {
		c := &line[i]
		for _, r := range c.Redirects {
			t.redirected(r)
		}
		if words := shell.Program(c.Words); len(words) > 0 {
			t.run(words, c.Body, depth)
		}
		t.in = c.Folder(t.in)
	}
	t.in = before
}

func (t *touches) redirected(r shell.Redirect) {
	switch {
	case strings.HasPrefix(r.Path, "/dev/") || strings.ContainsAny(r.Path, "$`*{") || isDigits(r.Path):
	case r.Op == ">":
		t.path(r.Path, Creates)
	case r.Op == ">>":
		t.path(r.Path, Edits)
	case r.Op == "<":
		t.path(r.Path, Reads)
	}
}

// run interprets one program call. A flat switch over program names.
func (t *touches) run(words []string, body string, depth int) {
	args := words[1:]
	switch name := path.Base(words[0]); name {
	case "open": // of SWE-agent: a file and a line
		t.args(args[:min(len(args), 1)], Reads)
	case "cat", "head", "tail", "less", "more", "nl", "bat", "od", "xxd", "strings", "diff", "cmp", "jq":
		t.args(args, Reads)
	case "ls", "tree", "du", "fd", "wc", "file", "stat", "md5sum", "sha256sum":
		t.args(args, Lists)
	case "mkdir":
		t.args(args, Makes)
	case "find":
		t.args(untilOption(args), Lists)
	case "grep", "egrep", "fgrep", "rg", "ag", "ack":
		t.args(afterPattern(args), Lists)
	case "sed", "perl", "awk", "gawk":
		t.stream(name, args)
	case "sort":
		t.sorted(args)
	case "tee":
		t.args(args, appendOr(args, Creates))
	case "touch", "truncate", "create":
		t.args(args, Creates)
	case "rm", "unlink":
		t.args(args, Deletes)
	case "cp", "mv", "ln", "install":
		t.move(name, args)
	case "patch":
		t.patched(args, body)
	case "apply_patch", "applypatch":
		t.patch(body + strings.Join(args, "\n"))
	case "git":
		t.git(words, body)
	case "python", "python3", "node", "ruby":
		t.scripted(args, body)
	case "curl", "wget":
		t.download(args)
	case "sh", "bash", "zsh", "dash":
		t.subshell(args, body, depth)
	}
}

func (t *touches) subshell(args []string, body string, depth int) {
	if depth >= shell.MaxNest {
		return
	}
	if script := shell.Script(args, body); script != "" {
		t.commands(shell.Lex(script), depth+1)
	}
}

func appendOr(args []string, a Access) Access {
	for _, w := range args {
		if w == "-a" || w == "--append" {
			return Edits
		}
	}
	return a
}

func (t *touches) args(args []string, a Access) {
	for _, w := range args {
		if isPathArg(w) {
			t.path(w, a)
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
func (t *touches) sorted(args []string) {
	for i, a := range args {
		if !program.IsSortOutput(a) || strings.HasPrefix(a, "--") || !strings.HasSuffix(a, "o") || i+1 >= len(args) {
			continue
		}
		if access := Creates; isPathArg(args[i+1]) {
			if slices.Contains(args[i+2:], args[i+1]) || slices.Contains(args[:i], args[i+1]) {
				access = Edits
			}
			t.path(args[i+1], access)
		}
	}
}

// stream reads sed, perl and awk.
func (t *touches) stream(name string, args []string) {
	files, inPlace := program.Streamed(name, args)
	access := Reads
	if inPlace {
		access = Edits
	}
	t.args(files, access)
}

func (t *touches) move(name string, args []string) {
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
	t.args(files[:last], from)
	into := last > 1 || to == "." || strings.HasSuffix(to, "/")
	for _, f := range files[:last] {
		x := Touch{Path: to, Access: Creates, Restored: !into && isCopyOf(f, to)}
		if into {
			x.Path = path.Join(to, path.Base(f))
		}
		switch {
		case x.Restored:
			x.Copy = f
		case name == "mv":
			x.From = f
		}
		t.add(x)
	}
}

// isCopyOf reports whether a file is by its name the copy that somebody kept of another, of several
// with a number.
func isCopyOf(name, of string) bool {
	end, ok := strings.CutPrefix(path.Base(name), path.Base(of))
	if !ok {
		return false
	}
	switch strings.TrimRight(strings.TrimLeft(end, "._-"), "._-0123456789") {
	case "~", "bak", "backup", "orig", "original", "old", "save", "saved":
		return true
	}
	return false
}

// patched finds the files that the program patch changes. Its output tells better than its
// input: it changed the files it names but for those of which every part failed, and nothing
// is known where it gave up.
func (t *touches) patched(args []string, body string) {
	o := patchOptionsOf(args)
	if o.dry {
		return
	}
	names, accesses := []string(nil), map[string]Access{}
	patchTouches(body, func(x Touch) { names, accesses[x.Path] = append(names, x.Path), reversed(x.Access, o.reverse) })
	done, told := patchedFiles(t.output)
	if told {
		names = done
	}
	for _, name := range names {
		a, named := accesses[name]
		if !named {
			a = Edits
		}
		at := o.in(name)
		t.add(Touch{Path: at, Access: a, Restored: o.reverse && a == Edits, Shown: told && !named || at != name})
	}
}

// applied finds the files of a patch that git applies or takes back.
func (t *touches) applied(args []string, body string) {
	back := slices.Contains(args, "-R") || slices.Contains(args, "--reverse")
	patchTouches(body, func(x Touch) {
		a := reversed(x.Access, back)
		t.add(Touch{Path: x.Path, Access: a, Restored: back && a == Edits})
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

func (t *touches) download(args []string) {
	for i, a := range args {
		if (a == "-o" || a == "-O" || a == "--output") && i+1 < len(args) && isPathArg(args[i+1]) {
			t.path(args[i+1], Creates)
		}
	}
}

// scripted finds the files that a script of -c or a here-document opens by name.
func (t *touches) scripted(args []string, body string) {
	for i, a := range args {
		if (a == "-c" || a == "-e") && i+1 < len(args) {
			body = args[i+1]
		}
	}
	for name, mode := range opens(body) {
		t.opened(name, mode)
	}
}

// OpenedBy returns the files that a script opens by name, and what for.
func OpenedBy(script string) []Touch {
	var t touches
	t.scripted(nil, script)
	return t.list
}

// ChangedByShell returns the files that a script of a shell makes or edits by name.
func ChangedByShell(script string) []Touch {
	var t touches
	t.commands(shell.Lex(script), 0)
	return changing(t.list)
}

// ChangedBeside returns the files that a command line makes or edits by name beside its Action.
func (r *Reading) ChangedBeside() []Touch {
	var t touches
	t.commands(r.Line.Beside(), 0)
	return changing(t.list)
}

// changing returns those of some files that are made or edited.
func changing(list []Touch) []Touch {
	return slices.DeleteFunc(list, func(x Touch) bool { return x.Access != Creates && x.Access != Edits })
}

// WrittenTo returns what a command line writes to a file from a here-document, "" for nothing.
func WrittenTo(file, line string) (text string) {
	for _, c := range shell.Lex(line) {
		if slices.ContainsFunc(c.Redirects, func(r shell.Redirect) bool { return r.Writes() && r.Path == file }) {
			text = c.Body
		}
	}
	return text
}

// opened notes that a script opens a file. What it reads first was there.
func (t *touches) opened(name, mode string) {
	read := slices.ContainsFunc(t.list, func(x Touch) bool { return x.Path == name && x.Access == Reads })
	switch {
	case strings.HasPrefix(mode, "w") && read:
		t.path(name, Edits)
	case strings.HasPrefix(mode, "w") || strings.HasPrefix(mode, "x"):
		t.path(name, Creates)
	case strings.HasPrefix(mode, "a") || strings.HasPrefix(mode, "r+"):
		t.path(name, Edits)
	default:
		t.path(name, Reads)
	}
}
