package tool

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// decode finds what the program of a call wrote, and the exit code that the form of the result
// states.
func (r *Reading) decode() {
	r.Output = r.Text
	if text, code := shellJSON(r.out); code != nil || text != "" {
		r.Output, r.stated = text, code
		return
	}
	if output, code, ok := unframed(r.Text); ok {
		r.Output, r.stated = output, code
	}
}

// Written returns what a program wrote, of the text of a result: without the JSON and the lines
// that agents' programs put around it. Other JSON is as it stands.
func Written(text string) string {
	raw := structured(text)
	if raw == nil {
		output, _, _ := unframed(text)
		return output
	}
	out := membersOf(jsontext.Value(raw))
	if slices.ContainsFunc(out, func(m member) bool { return !ofShell(m.name) }) {
		return text
	}
	if output, code := shellJSON(out); code != nil || output != "" {
		return output
	}
	return text
}

// ofShell reports whether a member of a result is known as one that programs put around the
// output of a command.
func ofShell(name string) bool {
	switch name = strings.ToLower(name); name {
	case "output", "stdout", "stderr", "aggregated_output", "metadata", "duration", "duration_seconds", "wall_time":
		return true
	}
	return isExitKey(name)
}

// shellJSON reads results of the form {"output": …, "metadata": {"exit_code": …}}.
func shellJSON(out []member) (text string, code *int) {
	for i := range out {
		switch m := &out[i]; strings.ToLower(m.name) {
		case "output", "stdout", "aggregated_output":
			text += m.text
		case "stderr":
			text += "\n" + m.text
		case "metadata":
			for _, of := range membersOf(m.raw) {
				if isExitKey(of.name) {
					code = number(of.text)
				}
			}
		default:
			if isExitKey(m.name) {
				code = number(m.text)
			}
		}
	}
	return text, code
}

func isExitKey(name string) bool {
	switch strings.ToLower(name) {
	case "exit_code", "exitcode", "returncode", "return_code":
		return true
	}
	return false
}

// headLines begin the lines that Codex puts before an output.
var headLines = []string{"Exit code: ", "Chunk ID: ", "Wall time: ", "Process exited with code ", "Process running with session ID ", "Original token count: ", "Total output lines: ", ranHead}

// ranHead begins what Cline and Roo Code put above an output; all of it stands for none.
const ranHead = "Command executed"

// cutHead splits a text behind such lines and the one that says where the output begins.
func cutHead(text string) (head, output string, ok bool) {
	for at := 0; at < len(text); {
		line, rest, _ := strings.Cut(text[at:], "\n")
		switch line = strings.TrimRight(line, "\r"); {
		case line == "Output:":
			return text[:at], rest, at > 0
		case !hasPrefixOf(line, headLines):
			return "", "", false
		}
		at = len(text) - len(rest)
	}
	return "", "", false
}

// hasPrefixOf reports whether a text begins with one of some.
func hasPrefixOf(s string, begins []string) bool {
	for _, p := range begins {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// promptOf returns SWE-agent's prompt at the end of an output, "" for none: what stands before it where the
// agent handed in its work is of what comes next.
func promptOf(output string) string {
	if i := strings.LastIndex(output, standsIn); i >= 0 {
		return output[i:]
	}
	return ""
}

// Filtered reports whether a line may hide of what a command that it runs printed: a filter picks lines
// of it, or left as many as it leaves at most.
func (r *Reading) Filtered() bool {
	from, ok := r.LeavesOut()
	return ok && r.printed() >= from
}

// printed counts the lines of the output.
func (r *Reading) printed() (n int) {
	for line := range strings.Lines(r.Output) {
		if line = strings.TrimSpace(line); !isMarkup(line) && exitLine(line) == nil {
			n++
		}
	}
	return n
}

// Silent reports whether the program of the call wrote nothing: blank lines, and what a client puts around
// an output.
func (r *Reading) Silent() bool {
	for line := range strings.Lines(r.Output) {
		if line = strings.TrimSpace(line); line != "" && !isMarkup(line) && exitLine(line) == nil {
			return false
		}
	}
	return true
}
