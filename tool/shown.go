package tool

import (
	"slices"
	"strings"
)

// shown adds the files that only the result of a call names.
func (r *Reading) shown() {
	switch {
	case r.Class == Edit && isLineEdit(r.Command):
		if name := openFile(r.Text); name != "" {
			r.touched(Touch{Path: name, Access: Edits, Shown: true})
		}
	case r.Class == Shell && strings.Contains(r.Text, "patch"):
		for _, c := range r.lex(r.Command) {
			if words := program(c.words); len(words) > 0 && words[0] == "patch" {
				r.patched(words[1:])
			}
		}
	}
}

// patched goes by what the program patch says: it changed the files it names, but for
// those of which every part failed, and nothing is known where it gave up.
func (r *Reading) patched(args []string) {
	has := func(short, long string) bool { return slices.Contains(args, short) || slices.Contains(args, long) }
	done, failed := patchedFiles(r.Text)
	r.Touched = slices.DeleteFunc(r.Touched, func(t Touch) bool { return t.Access.Changes() && slices.Contains(failed, t.Path) })
	if has("", "--dry-run") {
		return
	}
	for _, name := range done {
		if !slices.ContainsFunc(r.Touched, func(t Touch) bool { return t.Path == name && t.Access.Changes() }) {
			r.touched(Touch{Path: name, Access: Edits, Restored: has("-R", "--reverse"), Shown: true})
		}
	}
}

// patchedFiles reads what patch says of each file.
func patchedFiles(output string) (done, failed []string) {
	gaveUp := strings.Contains(output, "patch: ****")
	for line := range strings.SplitSeq(output, "\n") {
		if name, ok := strings.CutPrefix(line, "patching file "); ok {
			name, _, _ = strings.Cut(name, " (")
			done = append(done, strings.Trim(name, "'\" \r"))
			continue
		}
		if n := len(done); n > 0 && noneApplied(line) {
			done, failed = done[:n-1], append(failed, done[n-1])
		}
	}
	if gaveUp {
		return nil, append(failed, done...)
	}
	return done, failed
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
// names it, "" where the result does not.
func (r *Reading) Folder() string {
	const prompt = "\n(Current directory: "
	i := strings.LastIndex(r.Text, prompt)
	if i < 0 {
		return ""
	}
	name, _, ok := strings.Cut(r.Text[i+len(prompt):], ")\n")
	if !ok {
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
