package tool

import (
	"strings"

	"github.com/seed-3db51b0e/precis/tool/shell"
)

// shown adds the file that only the result of a call names: the one of which SWE-agent
// writes lines.
func (r *Reading) shown() {
	if r.Class != Edit || !isLineEdit(r.Command) {
		return
	}
	if name := openFile(r.Output); name != "" {
		r.files.add(Touch{Path: name, Access: Edits, Shown: true})
	}
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
		name, said, ok := strings.Cut(l, ": -c: line 1: ")
		return ok && shell.IsShell(name) && (strings.HasPrefix(said, "syntax error near unexpected token") || strings.HasPrefix(said, "unexpected EOF while looking for matching"))
	}
	return false
}

// Folder returns the folder in which a shell stands after a call, as SWE-agent's prompt
// at the end of a result names it, "" where the result does not.
func (r *Reading) Folder() string {
	const lead, end = standsIn, ")\nbash-$"
	text, ok := strings.CutSuffix(strings.TrimRight(r.Output, " \r\n"), end)
	i := strings.LastIndexByte(text, '\n')
	if !ok || i < 0 {
		return ""
	}
	name, ok := strings.CutPrefix(text[i:], lead)
	if !ok {
		return ""
	}
	return name
}

// standsIn begins the line of SWE-agent's prompt that names the folder of the shell.
const standsIn = "\n(Current directory: "

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
