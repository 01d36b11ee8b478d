package tool

import (
	"cmp"
	"path"
	"strings"
)

// patchTouches reports what a patch does to the files it names: by "*** Update File: p" and its
// kin, or by the "---" and "+++" lines of a unified diff.
func patchTouches(text string, f func(Touch)) {
	if !strings.Contains(text, "*** ") && !strings.Contains(text, "+++ ") {
		return
	}
	old, updated := "", ""
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, "\r")
		before := old
		if old = ""; strings.HasPrefix(line, "*** ") {
			updated = patchHead(line, updated, f)
			continue
		}
		if strings.HasPrefix(line, "--- ") {
			old = diffName(line[4:])
		} else if strings.HasPrefix(line, "+++ ") && before != "" {
			f(diffTouch(before, diffName(line[4:])))
		}
	}
}

// PatchedBy returns the files that a patch names, and what it does to them.
func PatchedBy(patch string) (list []Touch) {
	patchTouches(patch, func(x Touch) { list = append(list, x) })
	return list
}

// Adds returns the lines that the patch of a call, which names files by "*** Add File: p" and its
// kin, adds to a file; "" for none.
func (r *Reading) Adds(file string) string {
	var added strings.Builder
	adds := false
	for line := range strings.Lines(r.files.patchText) {
		if head, ok := strings.CutPrefix(line, "*** "); ok {
			what, name, _ := strings.Cut(head, ": ")
			adds = (what == "Add File" || what == "Update File") && strings.TrimSpace(name) == file
		} else if text, ok := strings.CutPrefix(line, "+"); ok && adds {
			added.WriteString(text)
		}
	}
	return added.String()
}

// patchHead reads a line that names a file, and returns the one that the patch updates there. That
// file goes where the next such line moves it.
func patchHead(line, updated string, f func(Touch)) (updates string) {
	what, name, _ := strings.Cut(strings.TrimPrefix(line, "*** "), ": ")
	switch name = strings.TrimSpace(name); {
	case name == "":
	case what == "Add File":
		f(Touch{Path: name, Access: Creates})
	case what == "Update File":
		f(Touch{Path: name, Access: Edits})
		return name
	case what == "Delete File":
		f(Touch{Path: name, Access: Deletes})
	case what == "Move to" && updated != "" && updated != name:
		f(Touch{Path: updated, Access: Deletes})
		f(Touch{Path: name, Access: Creates, From: updated})
	}
	return ""
}

func diffTouch(old, now string) Touch {
	switch {
	case now == "/dev/null":
		return Touch{Path: old, Access: Deletes}
	case old == "/dev/null":
		return Touch{Path: now, Access: Creates}
	}
	return Touch{Path: now, Access: Edits}
}

// diffName strips the time stamp and the a/ or b/ of a diff header.
func diffName(s string) string {
	if i := strings.IndexByte(s, '\t'); i >= 0 {
		s = s[:i]
	}
	s = strings.TrimSpace(s)
	if len(s) > 2 && (s[:2] == "a/" || s[:2] == "b/") {
		return s[2:]
	}
	return s
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
