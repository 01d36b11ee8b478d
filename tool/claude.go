package tool

import (
	"strings"

	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// claudeShell is the shell of Claude Code, which states the exit code of a command where it failed, and
// only there.
const claudeShell = "Bash"

// saysNoFailure reports whether the result of a command tells by what is not in it that the command ended
// with exit code 0: not of one that does not end by itself, and of which something else tells that it failed.
func (r *Reading) saysNoFailure(failed bool) bool {
	text := strings.TrimSpace(r.Text)
	switch {
	case r.Tool != claudeShell || failed || text == NoResult || r.Structured != nil:
		return false
	case hasPrefixOf(text, unendedStarts), timeout(text) != "", raised(r.Output) != "":
		return false
	}
	for line := range strings.SplitSeq(r.Output, "\n") {
		if isComplaint(strings.ToLower(line)) || brokeOff(line) {
			return false
		}
	}
	return true
}

// brokeOff reports whether a line says that a program failed: a compiler, make, git or a runner of tests.
// Other agents, whose results state no exit code at all, have a tool of that name, too.
func brokeOff(line string) bool {
	return strings.Contains(line, ": error: ") || strings.Contains(line, ": fatal error: ") || strings.Contains(line, ": error TS") ||
		strings.HasPrefix(line, "fatal: ") || strings.Contains(line, "*** [") && strings.Contains(line, "] Error ") ||
		testrun.CountsFailed(line) || testrun.IsVerdict(line) && testrun.Fails(line)
}

// unendedStarts begin what Claude Code says of a command that did not run, or did not end.
var unendedStarts = []string{
	"<tool_use_error>", "<error>", "[Request interrupted", "Command running in background", "Command was ", "Error: ",
	"The user doesn't want to ", "Permission ", "This command requires approval",
}
