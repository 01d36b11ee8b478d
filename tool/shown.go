package tool

import (
	"cmp"
	"path"
	"strings"
)

// shown adds the file that only the result of a call names: the one of which SWE-agent
// writes lines.
func (r *Reading) shown() {
	if r.Class != Edit || !isLineEdit(r.Command) {
		return
	}
	if name := openFile(r.Text); name != "" {
		r.touched(Touch{Path: name, Access: Edits, Shown: true})
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
	patchTouches(body, func(name string, a Access) { names, accesses[name] = append(names, name), a })
	done, told := patchedFiles(e.Text)
	if told {
		names = done
	}
	for _, name := range names {
		a, named := accesses[name]
		if !named {
			a = Edits
		}
		at := o.in(name)
		e.touched(Touch{Path: at, Access: a, Restored: o.reverse && a == Edits, Shown: told && !(named && at == name)})
	}
}

// patchOptions are those of the program patch that tell which files change how.
type patchOptions struct {
	reverse, dry bool
	folder       string
}

// patchOptionsOf reads short options that stand together, "-Rp1", too.
func patchOptionsOf(args []string) (o patchOptions) {
	for i, a := range args {
		next := ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		if name, ok := strings.CutPrefix(a, "--"); ok {
			name, value, _ := strings.Cut(name, "=")
			switch name {
			case "reverse":
				o.reverse = true
			case "dry-run":
				o.dry = true
			case "directory":
				o.folder = cmp.Or(value, next)
			}
			continue
		}
		if len(a) < 2 || a[0] != '-' {
			continue
		}
		flags := a[1:]
		if n := strings.IndexAny(flags, "BDFVYdgioprxz"); n >= 0 { // the rest is the value of this one
			if flags[n] == 'd' {
				o.folder = cmp.Or(flags[n+1:], next)
			}
			flags = flags[:n]
		}
		o.reverse = o.reverse || strings.Contains(flags, "R")
	}
	return o
}

// in is the path of a file that patch names.
func (o *patchOptions) in(name string) string {
	if o.folder == "" || path.IsAbs(name) {
		return name
	}
	return path.Join(o.folder, name)
}

// patchedFiles reads which files patch says it changed; told is false where it says nothing.
func patchedFiles(output string) (done []string, told bool) {
	current := false // what is said of parts is said of the last file
	for line := range strings.SplitSeq(output, "\n") {
		if name, ok := strings.CutPrefix(line, "patching file "); ok {
			name, _, _ = strings.Cut(name, " (")
			done, told, current = append(done, strings.Trim(name, "'\" \r")), true, true
			continue
		}
		switch {
		case strings.HasPrefix(line, "patch: ****"):
			return nil, true
		case strings.HasPrefix(line, "can't find file to patch"):
			told, current = true, false
		case current && noneApplied(line):
			done, current = done[:len(done)-1], false
		}
	}
	return done, told
}

// noneApplied reports whether a line such as "2 out of 2 hunks FAILED" counts all parts.
func noneApplied(line string) bool {
	f := strings.Fields(line)
	return len(f) > 5 && f[1] == "out" && f[2] == "of" && f[0] == f[3] && strings.HasPrefix(f[4], "hunk")
}

// isLineEdit reports whether a command is SWE-agent's for writing lines of the open file:
// "edit 3:5" or "edit" alone, the lines, and "end_of_edit".
func isLineEdit(command string) bool {
	if strings.HasPrefix(command, "edit\n") {
		return strings.HasSuffix(strings.TrimSpace(command), "\nend_of_edit")
	}
	rest, ok := strings.CutPrefix(command, "edit ")
	if !ok {
		return false
	}
	span, _, _ := strings.Cut(rest, "\n")
	from, to, ok := strings.Cut(strings.TrimSpace(span), ":")
	return ok && isDigits(from) && isDigits(to)
}

// Folder returns the folder in which a shell stands after a call, as SWE-agent's prompt
// at the end of a result names it, "" where the result does not.
func (r *Reading) Folder() string {
	const prompt = "\n(Current directory: "
	i := strings.LastIndex(r.Text, prompt)
	if i < 0 {
		return ""
	}
	name, rest, ok := strings.Cut(r.Text[i+len(prompt):], ")\n")
	if !ok || strings.TrimSpace(rest) != "bash-$" {
		return ""
	}
	return name
}

// openFile returns the file of which SWE-agent shows lines.
func openFile(text string) string {
	_, rest, ok := strings.Cut(text, "[File: ")
	if !ok {
		return ""
	}
	name, _, ok := strings.Cut(rest[:min(len(rest), 1024)], " (")
	if !ok {
		return ""
	}
	return name
}
