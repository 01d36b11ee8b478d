package tool

import "strings"

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
