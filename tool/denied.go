package tool

import (
	"strings"

	"github.com/seed-3db51b0e/precis/tool/shell"
)

// denials are the words, without their first letter, in which a system says that it did not write a
// file.
var denials = []string{"ermission denied", "ead-only file system", "s a directory", "o space left on device", "peration not permitted", "irectory nonexistent"}

// notThere says it of a file in a folder that is not there, and of one to be read.
const notThere = "o such file or directory"

// isDenied reports whether an output says of a file that it was not written, as
// "sh: a: Permission denied" and "Permission denied: 'a'" do.
func isDenied(name, output string) bool {
	if output = clip(output, mostSaid); !strings.Contains(output, name) { // nearly always
		return false
	}
	for line := range strings.SplitSeq(output, "\n") {
		for _, reason := range denials {
			if tellsOf(line, reason, name) {
				return true
			}
		}
		if who, _, _ := strings.Cut(line, ": "); shell.IsShell(who) && tellsOf(line, notThere, name) { // of what was to be read, another program says it
			return true
		}
	}
	return false
}

// quotes may stand around a name.
const quotes = "'\"`‘’"

// tellsOf reports whether a line gives a reason behind the name of a file, or before it.
func tellsOf(line, reason, name string) bool {
	before, after, ok := strings.Cut(line, reason)
	if !ok || len(before) == 0 {
		return false
	}
	if _, said, ok := strings.Cut(after, ": "); ok && strings.Trim(said, quotes+" \r") == name {
		return true
	}
	before, ok = strings.CutSuffix(before[:len(before)-1], ": ") // the reason's first letter
	if !ok {
		return false
	}
	before, ok = strings.CutSuffix(strings.TrimRight(before, quotes), name)
	return ok && (before == "" || strings.HasSuffix(strings.TrimRight(before, quotes), " "))
}

// Action is that of the Line; the file to which the output was to go stands at its end where it was not
// to be written.
func (r *Reading) Action() string {
	text := r.Line.Action()
	if text == "" {
		return ""
	}
	for _, name := range r.Writes() {
		if isDenied(name, r.Output) {
			return text + writesTo + name
		}
	}
	return text
}

// writesTo stands before that file.
const writesTo = " > "

// Denied returns the file of which an error says that it was not written, where the Action that failed
// ends with it, "" otherwise.
func Denied(action, failure string) string {
	if i := strings.LastIndex(action, writesTo); i >= 0 && isDenied(action[i+len(writesTo):], failure) {
		return action[i+len(writesTo):]
	}
	return ""
}
