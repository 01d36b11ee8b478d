package tool

import "strings"

// Committed returns the line in which git names the commit that a command line made, and the
// command line without what the commit was called, and without the folder and what git was to
// add where nothing else is done before. The first is "" where no commit is named, and the
// second then the whole line, as it is where more is done after the commit.
func (r *Reading) Committed() (named, line string) {
	if !r.Commits() {
		return "", r.Command
	}
	for l := range strings.SplitSeq(r.Output, "\n") {
		rest, ok := strings.CutPrefix(l, "[")
		if branch, _, closed := strings.Cut(rest, "] "); ok && closed && isHash(branch[strings.LastIndexByte(branch, ' ')+1:]) && strings.Contains(branch, " ") {
			named = clip(strings.TrimRight(l, "\r "), maxError)
		}
	}
	if named == "" && r.LogsCommit() {
		named = newestLogged(r.Output)
	}
	if named == "" {
		return "", r.Command
	}
	return named, r.CommitLine()
}

// newestLogged returns the first line of an output that begins with the short name of a commit, "" for none.
func newestLogged(output string) string {
	for l := range strings.SplitSeq(output, "\n") {
		if name, said, ok := strings.Cut(l, " "); ok && isHash(name) && strings.TrimSpace(said) != "" {
			return clip(strings.TrimRight(l, "\r "), maxError)
		}
	}
	return ""
}

// isHash reports whether a word is the short name of a commit.
func isHash(word string) bool {
	return len(word) >= 7 && strings.Trim(word, "0123456789abcdef") == ""
}
