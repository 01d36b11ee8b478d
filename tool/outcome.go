package tool

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// judge decides outcome, exit code and first error line.
func (r *Reading) judge(failed bool) {
	r.Outcome = Success
	switch r.Class {
	case Shell:
		r.judgeShell(failed)
	case Other, Edit, Write, Todo, HTTP, Web:
		r.judgeReply()
	default:
		r.judgeStart(r.Text)
	}
	if failed && r.Outcome == Success {
		r.Outcome = Failure
	}
	if r.Outcome != Failure || r.Error != "" {
		return
	}
	if r.Error = cmp.Or(firstLine(r.Output), firstLine(r.Text)); r.Class == Shell {
		r.Error = cmp.Or(timeout(r.Text), r.Telling())
	}
}

// judgeShell goes by the exit code first; an error line without a failing code
// (a pipe hides it) makes the outcome partial.
func (r *Reading) judgeShell(failed bool) {
	text := r.Output
	if r.Exit = r.stated; r.Exit == nil {
		r.Exit = exitCode(text)
	}
	if r.Exit == nil && !r.Inspects() && !r.HidesExit() && r.saysNoFailure(failed) {
		r.Exit = new(int)
	}
	if r.Error = stopped(r.Text); r.Error != "" {
		r.Outcome = Failure
		return
	}
	looking := r.Inspects()
	if strings.HasPrefix(r.Text, toolUseError) {
		r.judgeStart(text)
		return
	}
	if r.Exit != nil && *r.Exit != 0 {
		r.Outcome = Failure
		r.Error = cmp.Or(raised(text), errorLine(text))
		if r.Error == "" && *r.Exit > 0 && (*r.Exit == 1 && looking || *r.Exit == noneSelected && testrun.RanNone(r.Telling()) || r.HidesExit()) {
			r.Outcome = Partial // a search without a match, perhaps in what a program printed or among tests
		}
		return
	}
	if looking {
		r.judgeStart(text)
		return
	}
	printed := r.withoutLogged(text)
	if r.Exit == nil {
		printed = withoutTold(printed)
	}
	if r.Error = errorLine(printed); r.Error != "" {
		r.Outcome = Partial
		if r.Exit == nil {
			r.Outcome = Failure
		}
	}
	if _, instead := r.fellBack(); instead {
		r.Outcome = Failure
	}
}

// noneSelected is the exit code of pytest where no test is like what was asked for.
const noneSelected = 5

func number(s string) *int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return nil
	}
	return &n
}

// judgeReply goes by an "error" or "success" member, or how the text begins.
func (r *Reading) judgeReply() {
	for i := range r.out {
		m := &r.out[i]
		switch strings.ToLower(m.name) {
		case "error", "errors":
			if !saysNone(m.text) {
				r.Outcome, r.Error = Failure, m.failure()
			}
		case "success", "ok":
			if m.text == "false" {
				r.Outcome = Failure
			}
		case "status":
			if s := strings.ToLower(m.text); s == "error" || s == "failed" || s == "failure" {
				r.Outcome = Failure
			}
		}
	}
	r.judgeCode()
	if r.out == nil {
		r.judgeStart(r.Output)
	}
}

// failure is what a member says of a failure: of a number also what it counts.
func (m *member) failure() string {
	if number(m.text) != nil {
		return clip(m.name+": "+m.text, maxError)
	}
	return clip(firstLine(m.text), maxError)
}

// saysNone reports whether the value of a member says that there is nothing, as 0 and [] do.
func saysNone(value string) bool {
	switch strings.ToLower(value) {
	case "", "null", "false", "0", "[]", "{}", "none":
		return true
	}
	return false
}

// judgeCode goes by a code that the reply states: an exit code of what ran for
// the tool, an HTTP status.
func (r *Reading) judgeCode() {
	if r.stated != nil && *r.stated != 0 {
		r.Exit, r.Outcome = r.stated, Failure
		r.Error = cmp.Or(r.Error, firstLine(r.Output))
	}
	if r.Class != HTTP {
		return
	}
	if code := httpStatus(r.Text, r.out); code != nil && *code >= 400 {
		r.Outcome = Failure
		r.Error = cmp.Or(r.Error, "HTTP status "+strconv.Itoa(*code))
	}
}

// httpStatus is the status that a reply states: a member of its JSON, or the
// status line it begins with.
func httpStatus(text string, out []member) *int {
	for i := range out {
		switch strings.ToLower(out[i].name) {
		case "status_code", "statuscode", "status":
			if n := number(out[i].text); n != nil {
				return n
			}
		}
	}
	if rest, ok := strings.CutPrefix(text, "HTTP/"); ok {
		if _, rest, ok = strings.Cut(clip(rest, 16), " "); ok {
			return leadingInt(rest)
		}
	}
	return nil
}

// judgeStart looks at the first line only: a file's own content may speak of errors.
func (r *Reading) judgeStart(text string) {
	line := firstLine(text)
	low, refused := strings.CutPrefix(strings.ToLower(clip(line, 120)), toolUseError)
	low = strings.TrimPrefix(low, "<error>")
	isContent := r.Class == Read || r.Class == Shell
	refused = refused || (r.Class == Edit || r.Class == Write) && isRefusal(low)
	if refused || hasPrefixOf(low, failedStarts) || hasPrefixOf(low, topicStarts) && (!isContent || isAlone(line, text)) {
		r.Outcome, r.Error = Failure, clip(line, maxError)
		return
	}
	if len(line) < 200 && isComplaint(low) {
		r.Outcome, r.Error = Failure, clip(line, maxError)
	}
}

var failedStarts = []string{
	"error:", "failed:", "failed to ", "fatal:", "exception:", "traceback", "could not", "couldn't", "cannot ", "can't ",
	"unable to", "no such ", "enoent", "permission denied", "file not found", "file does not exist",
	"string to replace not found", "no replacement was performed", "request failed", "no match found", "unknown tool", "your proposed edit has introduced new syntax",
}

// refusalStarts begin what editors say of a change that they did not make: Claude Code, opencode, Codex, Crush
// and Cline.
var refusalStarts = []string{
	"file has not been read yet", "file has been modified since", "no changes to ", "oldstring ", "old_string ", "old_str ",
	"found multiple matches", "you must read ", "apply_patch verification failed", "the tool execution failed",
}

// isRefusal reports whether a line in lower case says that a file was not changed.
func isRefusal(low string) bool {
	return hasPrefixOf(low, refusalStarts) || strings.HasPrefix(low, "found ") && strings.Contains(low, " matches of the string to replace") ||
		strings.HasPrefix(low, "file ") && strings.Contains(low, " has been modified since it was last read")
}

// toolUseError begins what Claude Code says of a call that it did not make.
const toolUseError = "<tool_use_error>"

// topicStarts begin what tools say of a failure, and what files are about.
var topicStarts = []string{"error ", "failed", "exception", "invalid ", "not found"}

// isAlone reports whether a line is all that a text says, or gives a reason.
func isAlone(line, text string) bool {
	_, rest, _ := strings.Cut(text, line)
	return strings.Contains(line, ": ") || firstLine(rest) == ""
}

// isComplaint is true for a line such as "cat: x: No such file or directory".
func isComplaint(low string) bool {
	return strings.Contains(low, ": no such file") || strings.Contains(low, ": command not found") ||
		strings.Contains(low, ": permission denied") || strings.Contains(low, ": not found") || strings.HasPrefix(low, "error[")
}

// firstLine is the first line that is not blank and not only markup around output.
func firstLine(s string) string {
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || isMarkup(line) || strings.HasPrefix(line, "<returncode>") || strings.HasPrefix(line, "Exit code:") {
			continue
		}
		return clip(line, maxError)
	}
	return ""
}

// exitCode finds an exit code that is stated where a result begins or ends, at the start of a line, so that
// output merely speaking of one does not count.
func exitCode(s string) *int {
	const near, edge = 600, 2
	if !mayExit(s[:min(len(s), near)]) && !mayExit(s[max(0, len(s)-near):]) {
		return nil
	}
	if c := exitIn(strings.SplitSeq(s[:min(len(s), near)], "\n"), edge); c != nil {
		return c
	}
	tail := strings.Split(s[max(0, len(s)-near):], "\n")
	if len(s) > near {
		tail = tail[1:]
	}
	slices.Reverse(tail)
	return exitIn(slices.Values(tail), edge)
}

// exitIn finds an exit code in the first of some lines, of those that are not blank or only markup.
func exitIn(lines iter.Seq[string], first int) *int {
	for line := range lines {
		if c := exitLine(line); c != nil {
			return c
		}
		if line = strings.TrimSpace(line); line != "" && !isMarkup(line) {
			if first--; first == 0 {
				break
			}
		}
	}
	return nil
}

var exitWords = []string{"returncode", "return code", "exit code", "exit_code", "exitcode", "exit status", "exited with code"}

// mayExit reports whether a text may hold one of the exitWords: "ex" and "etu" stand
// in them, and 'x' and 'u' in few others.
func mayExit(s string) bool { return endsAt(s, "e", 'x') || endsAt(s, "et", 'u') }

// endsAt reports whether c stands in s after what stands before it, in any case.
func endsAt(s, before string, c byte) bool {
	for _, c := range [...]byte{c, c &^ 0x20} {
		for at := 0; ; {
			i := strings.IndexByte(s[at:], c)
			if i < 0 {
				break
			}
			if at += i; strings.EqualFold(s[max(at-len(before), 0):at], before) {
				return true
			}
			at++
		}
	}
	return false
}

func exitLine(line string) *int {
	head := clip(strings.TrimLeft(line, " \t<[({\"*"), 64)
	if !mayExit(head) {
		return nil
	}
	low := strings.ToLower(head)
	for _, w := range exitWords {
		i := strings.Index(low, w)
		if i < 0 || i > 20 && line[0] != '[' { // "[The command completed with exit code 0.]"
			continue
		}
		rest := strings.TrimLeft(low[i+len(w):], " :=>\"")
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, "was "), "is ")
		if n := leadingInt(rest); n != nil {
			return n
		}
	}
	return nil
}

func leadingInt(s string) *int {
	j := 0
	if j < len(s) && s[j] == '-' {
		j++
	}
	for j < len(s) && s[j] >= '0' && s[j] <= '9' {
		j++
	}
	return number(s[:j])
}
