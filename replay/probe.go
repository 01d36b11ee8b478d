package replay

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// Probe is a question about a prompt that needs no judge: does it hold this
// text, exactly? A policy that says the same in other words fails it.
type Probe int

// The probes, asked at every active step.
const (
	FilesWritten   Probe = iota // path of each file written or edited so far
	LastError                   // line that told of the last failure
	LastConstraint              // sentence in which the user last said what must or must not be
	Decisions                   // each of the last three sentences in which the agent decided
	probes
)

// String names the probe as rows do.
func (p Probe) String() string {
	return [probes]string{"files_written", "last_error", "last_constraint", "decisions"}[p]
}

// question is a text to look for.
type question struct {
	probe Probe
	text  int32 // in Index.asked
}

// asker collects the questions while a run is read.
type asker struct {
	ids        map[string]int32
	texts      []string
	files      []question
	failure    []question
	constraint []question
	decided    []question
}

const mostDecisions = 3

func (a *asker) ask(p Probe, text string) question {
	id, ok := a.ids[text]
	if !ok {
		id = int32(len(a.texts))
		a.ids[text] = id
		a.texts = append(a.texts, text)
	}
	return question{p, id}
}

// questions returns those of a step now.
func (a *asker) questions() []question {
	return slices.Concat(a.files, a.failure, a.constraint, a.decided[max(0, len(a.decided)-mostDecisions):])
}

// read takes the next message of the run.
func (a *asker) read(m message.Message) {
	for i := range m.Parts {
		switch p := &m.Parts[i]; {
		case p.Kind == message.Call:
			a.wrote(p)
		case p.Kind == message.Result:
			if l := errorLine(p); l != "" {
				a.failure = []question{a.ask(LastError, l)}
			}
		case p.Kind == message.Text && m.Role == message.User:
			if s := sentences(p.Text, constraining); len(s) > 0 {
				a.constraint = []question{a.ask(LastConstraint, s[len(s)-1])}
			}
		case p.Kind == message.Text && m.Role == message.Assistant:
			for _, s := range sentences(p.Text, deciding) {
				a.decided = append(a.decided, a.ask(Decisions, s))
			}
		}
	}
}

func (a *asker) wrote(call *message.Part) {
	for _, f := range filesWritten(call) {
		if q := a.ask(FilesWritten, f); !slices.Contains(a.files, q) {
			a.files = append(a.files, q)
		}
	}
}

var (
	writers      = regexp.MustCompile(`(?i)write|edit|create|replace|patch|insert|save`)
	redirected   = regexp.MustCompile(`(?:^|[\s)'"])(?:>>?|tee(?:\s+-a)?)\s*([\w~][\w./~-]*|/[\w./-]+)`)
	inPlace      = regexp.MustCompile(`\bsed\s+-i[^\n;|&]*\s([\w./~-]+)\s*(?:$|[\n;|&])`)
	patched      = regexp.MustCompile(`(?m)^\*\*\* (?:Add|Update) File: (\S+)`)
	failing      = regexp.MustCompile(`(?i)\b(?:\w*error|\w*exception|traceback|failed|fatal|panic|no such file)\b`)
	constraining = regexp.MustCompile(`(?i)\b(?:must|never|always|do not|don't|only|should not|shouldn't|make sure|required)\b`)
	deciding     = regexp.MustCompile(`(?i)\b(?:decided?|i'll use|i will use|let's use|going with|instead of|chose|the fix is|root cause|best approach)\b`)
)

// pathArguments name the file a writing tool writes.
var pathArguments = []string{"path", "file_path", "filePath", "filename", "file", "target_file", "notebook_path"}

// filesWritten are the files that a call writes: by a tool's path argument, or
// by a redirection, an edit in place or a patch in any of its strings.
func filesWritten(call *message.Part) []string {
	var args map[string]any
	if json.Unmarshal([]byte(call.Args), &args) != nil {
		return nil
	}
	var out []string
	if writers.MatchString(call.Name) && args["command"] != "view" {
		for _, name := range pathArguments {
			if s, ok := args[name].(string); ok && s != "" {
				out = append(out, s)
			}
		}
		return out
	}
	names := make([]string, 0, len(args))
	for name := range args {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		s, _ := args[name].(string)
		for _, re := range []*regexp.Regexp{redirected, inPlace, patched} {
			for _, m := range re.FindAllStringSubmatch(s, -1) {
				if isWritten(m[1]) {
					out = append(out, m[1])
				}
			}
		}
	}
	return out
}

// isWritten wants a name with a directory or an extension, and no device.
func isWritten(name string) bool {
	return !strings.HasPrefix(name, "/dev/") && strings.ContainsAny(name, "/.") && strings.Trim(name, "0123456789.") != ""
}

// longestLine and the lengths of sentences bound what is asked for, in bytes.
const longestLine, shortest, longest = 200, 12, 300

// errorLine is the first line of a result that tells of a failure.
func errorLine(result *message.Part) string {
	for l := range strings.Lines(result.Body()) {
		if !failing.MatchString(l) {
			continue
		}
		if l = strings.TrimSpace(l); len(l) <= longestLine {
			return l
		}
	}
	return ""
}

// sentences returns those of a text that a pattern fits.
func sentences(text string, fit *regexp.Regexp) []string {
	var out []string
	for len(text) > 0 {
		n := strings.IndexAny(text, "\n.!?")
		for n >= 0 && text[n] != '\n' && n+1 < len(text) && text[n+1] != ' ' && text[n+1] != '\n' {
			next := strings.IndexAny(text[n+1:], "\n.!?")
			if next < 0 {
				n = -1
				break
			}
			n += 1 + next
		}
		if n < 0 {
			n = len(text) - 1
		}
		s := strings.TrimSpace(text[:n+1])
		if len(s) >= shortest && len(s) <= longest && fit.MatchString(s) {
			out = append(out, s)
		}
		text = text[n+1:]
	}
	return out
}
