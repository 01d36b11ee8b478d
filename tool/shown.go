package tool

import "strings"

// shown adds the file that only the result of a call names: the one of which SWE-agent
// writes lines.
func (r *Reading) shown() {
	if r.Class != Edit || !isLineEdit(r.Command) {
		return
	}
	if name := openFile(r.Output); name != "" {
		r.touched(Touch{Path: name, Access: Edits, Shown: true})
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

// Folder returns the folder in which a shell stands after a call, as SWE-agent's prompt
// at the end of a result names it, "" where the result does not.
func (r *Reading) Folder() string {
	const lead, end = "\n(Current directory: ", ")\nbash-$"
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
