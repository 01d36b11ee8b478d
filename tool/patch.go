package tool

import (
	"cmp"
	"path"
	"strings"
)

// patchTouches reports the files a patch names: "*** Update File: p" and its
// kin, or the "---" and "+++" lines of a unified diff.
func patchTouches(text string, f func(path string, a Access)) {
	if !strings.Contains(text, "*** ") && !strings.Contains(text, "+++ ") {
		return
	}
	old := ""
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, "\r")
		switch {
		case strings.HasPrefix(line, "*** Add File: "):
			f(strings.TrimSpace(line[len("*** Add File: "):]), Creates)
		case strings.HasPrefix(line, "*** Update File: "):
			f(strings.TrimSpace(line[len("*** Update File: "):]), Edits)
		case strings.HasPrefix(line, "*** Delete File: "):
			f(strings.TrimSpace(line[len("*** Delete File: "):]), Deletes)
		case strings.HasPrefix(line, "*** Move to: "):
			f(strings.TrimSpace(line[len("*** Move to: "):]), Creates)
		case strings.HasPrefix(line, "--- "):
			old = diffName(line[4:])
		case strings.HasPrefix(line, "+++ ") && old != "":
			diffTouch(old, diffName(line[4:]), f)
			old = ""
		default:
			old = ""
		}
	}
}

func diffTouch(old, now string, f func(string, Access)) {
	switch {
	case now == "/dev/null":
		f(old, Deletes)
	case old == "/dev/null":
		f(now, Creates)
	default:
		f(now, Edits)
	}
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
