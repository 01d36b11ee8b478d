package tool

import "strings"

// unframed returns what a program wrote, of a text in which an agent's program put lines of its own around
// it, and the exit code that those lines state. ok says whether there are such lines.
func unframed(text string) (output string, code *int, ok bool) {
	text, reminded := withoutReminders(text)
	if head, output, ok := cutHead(text); ok {
		return output, headExit(head), true
	}
	if strings.TrimSpace(text) == ranHead+"." {
		return "", nil, true
	}
	if output, code, ok = cutReport(text); ok {
		return output, code, true
	}
	if output, foot := cutFoot(text, footLines); foot != "" {
		return output, exitOf(foot), true
	}
	return text, nil, reminded
}

const reminder, reminderEnd = "<system-reminder>", "</system-reminder>"

// withoutReminders returns a text without the reminders to the model that Claude Code puts behind a result,
// and reports whether there are any.
func withoutReminders(text string) (rest string, found bool) {
	for {
		body, ok := strings.CutSuffix(strings.TrimRight(text, " \r\n"), reminderEnd)
		if !ok {
			return text, found
		}
		i := strings.LastIndex(body, reminder)
		if i < 0 || i > 0 && body[i-1] != '\n' {
			return text, found
		}
		text, found = strings.TrimRight(body[:i], "\n"), true
	}
}

// footLines begin the lines that OpenHands puts behind an output.
var footLines = []string{"[The command completed with exit code ", "[Current working directory: ", "[Python interpreter: ", "[Command finished with exit code "}

// reportLines begin the lines that Gemini CLI puts behind an output: an error is there always or, in newer
// versions, where there is one.
var reportLines = []string{"Stderr: (empty)", "Error: (none)", "Exit Code: ", "Signal: ", "Background PIDs: ", processGroup}

// processGroup begins the last line of such a report.
const processGroup = "Process Group PGID: "

// cutReport splits a report of Gemini CLI: of newer versions it names no exit code of 0.
func cutReport(text string) (output string, code *int, ok bool) {
	output, begins := strings.CutPrefix(text, "Output: ")
	if !begins && strings.HasPrefix(text, "Command: ") {
		for _, label := range []string{"\nOutput: ", "\nStdout: "} {
			if head, rest, found := strings.Cut(text, label); found && strings.Contains(head, "\nDirectory: ") {
				output, begins = rest, true
				break
			}
		}
	}
	if !begins {
		return "", nil, false
	}
	output, foot := cutFoot(output, reportLines)
	if foot == "" {
		return "", nil, false
	}
	if code = exitOf(foot); code == nil && strings.HasPrefix(foot, processGroup) {
		code = new(int)
	}
	if output == "(empty)" {
		output = ""
	}
	return output, code, true
}

// cutFoot splits a text before the lines at its end that begin in one of some ways.
func cutFoot(text string, begins []string) (rest, foot string) {
	end := strings.TrimRight(text, "\r\n")
	at := len(end)
	for at > 0 {
		i := strings.LastIndexByte(end[:at], '\n')
		if !hasPrefixOf(end[i+1:at], begins) {
			break
		}
		at = max(i, 0)
	}
	if at == len(end) {
		return text, ""
	}
	return end[:at], strings.TrimPrefix(end[at:], "\n")
}

// headExit returns the exit code that the lines above an output state; Roo Code ends one with it.
func headExit(lines string) *int {
	if _, code, ok := strings.Cut(lines, ". Exit code: "); ok && strings.HasPrefix(lines, ranHead) {
		return leadingInt(code)
	}
	return exitOf(lines)
}

// exitOf returns the exit code that such lines state.
func exitOf(lines string) *int { return exitIn(strings.SplitSeq(lines, "\n"), len(lines)) }
