package judge

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// statement is a line of a list in a made text.
type statement struct {
	heading string
	text    string
	number  int // of the message where it stands in the log, from 1; 0 for none
	to      int // number of the last message that the text covers, 0 where it does not say
}

var (
	covers    = regexp.MustCompile(`#\d+ to #(\d+)`)
	stands    = regexp.MustCompile(`\(#(\d+)`) // the last: behind it a statement may name what came later
	pointer   = regexp.MustCompile(`\s*\(#\d+[^)]*\)(?:, (?:answered|withdrawn|no answer|the agent at work|in work)\b.*)?$`)
	backticks = regexp.MustCompile("`([^`]+)`")
)

// statementsOf reads a text of headings ("## …") and lists ("- …"). What stands after the
// lists, as lines of the log, is no statement.
func statementsOf(text string) (out []statement) {
	heading, to := "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "#") && strings.HasPrefix(strings.TrimLeft(line, "#"), " "):
			heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
		case heading == "":
			if m := covers.FindStringSubmatch(line); m != nil {
				to, _ = strconv.Atoi(m[1]) // digits
			}
		case strings.HasPrefix(line, "- "):
			s := statement{heading: heading, text: line[2:], to: to}
			if m := stands.FindAllStringSubmatch(line, -1); m != nil {
				s.number, _ = strconv.Atoi(m[len(m)-1][1]) // digits
			}
			out = append(out, s)
		case strings.TrimSpace(line) == "":
			heading = "" // the end of a list
		}
	}
	return out
}

// words is a statement's text without its pointer and its cut.
func (s statement) words() string {
	t := oneLine(pointer.ReplaceAllString(s.text, ""))
	t, _, _ = strings.Cut(t, "…")
	return strings.TrimSpace(strings.Trim(t, `"“”`))
}

// The kinds of statement that Truth looks at.
const (
	Outcomes   = "outcomes"   // what a command came to: its exit code, or that it went well
	Errors     = "errors"     // an error that is open
	Steps      = "steps"      // a step of a plan that is open
	Task       = "task"       // the latest request
	Files      = "files"      // what was done to a file
	Superseded = "superseded" // lines of a file as it stood
)

// Kinds are the kinds of statement, in the order shown.
var Kinds = []string{Outcomes, Errors, Steps, Task, Files, Superseded}

// Checked is a statement that was held against the messages.
type Checked struct {
	Kind, Text string
	Right      bool
}

// Truth checks the statements of made texts that messages before the step can be held
// against. The others it leaves out.
func (r *Record) Truth(at int, made []string) (out []Checked) {
	for i, text := range made {
		for _, s := range statementsOf(text) {
			end := at
			if s.to > 0 {
				end = min(at, s.to)
			}
			r.check(s, at, end, func(kind, text string, right bool) { out = append(out, Checked{kind, text, right}) })
		}
		r.standing(text, stateOf(made[i:]), at, func(line string, right bool) { out = append(out, Checked{Superseded, line, right}) })
	}
	return out
}

// check holds one statement against the messages before end; the task, against all
// before the step.
func (r *Record) check(s statement, at, end int, add func(kind, text string, right bool)) {
	h := strings.ToLower(s.heading)
	switch {
	case strings.Contains(h, "command"):
		r.outcome(s, end, add)
	case strings.Contains(h, "error") && strings.HasPrefix(s.text, "open: "):
		add(Errors, s.text, !r.resolved(s, end))
	case strings.Contains(h, "plan") || strings.Contains(h, "open item") || strings.Contains(h, "pending"):
		if step, ok := strings.CutPrefix(s.words(), "[ ] "); ok {
			add(Steps, s.text, !r.done(step, end))
		}
	case strings.Contains(h, "latest request") || strings.Contains(h, "current task"):
		add(Task, s.text, r.latest(s.words(), at))
	case strings.Contains(h, "file"):
		r.files(s, end, add)
	}
}

var (
	exitClaim    = regexp.MustCompile(`→ exit (-?\d+)`)
	successClaim = regexp.MustCompile(`(?i)→ (?:success|ok\b|passed|succeeded|done\b)`)
)

// outcome checks "`command` → exit 0" and "`command` → success". Where a result states no code,
// some agents say by that that it was 0.
func (r *Record) outcome(s statement, end int, add func(kind, text string, right bool)) {
	line := backticks.FindStringSubmatch(s.text)
	code, well := exitClaim.FindStringSubmatch(s.text), successClaim.MatchString(s.text)
	if line == nil || code == nil && !well {
		return
	}
	c := r.run(line[1], s.number, end)
	switch {
	case c == nil:
		add(Outcomes, s.text, false) // nobody ran it
	case code != nil && (c.exit != unknown || code[1] != "0"):
		add(Outcomes, s.text, strconv.Itoa(c.exit) == code[1])
	default:
		add(Outcomes, s.text, !c.failed)
	}
}

// run is the run of a command line that a statement speaks of: the one whose message it
// names, else the last before end.
func (r *Record) run(line string, number, end int) (found *call) {
	line, _, _ = strings.Cut(oneLine(line), "…")
	for i := range r.calls {
		c := &r.calls[i]
		if c.done < 0 || c.done >= end || !strings.Contains(c.line, line) {
			continue
		}
		found = c
		if number == c.at+1 || number == c.done+1 {
			return c
		}
	}
	return found
}

// resolved reports whether the command of an error ran later, before end, without it.
func (r *Record) resolved(s statement, end int) bool {
	text, from, ok := strings.Cut(strings.TrimPrefix(s.text, "open: "), " — from ")
	line := backticks.FindStringSubmatch(from)
	if !ok || line == nil {
		return false
	}
	said, _, _ := strings.Cut(oneLine(text), "…")
	command, _, _ := strings.Cut(oneLine(line[1]), "…")
	for i := range r.calls {
		c := &r.calls[i]
		if c.at+1 > s.number && c.done >= 0 && c.done < end && strings.Contains(c.line, command) && !c.failed && !strings.Contains(oneLine(c.output), said) {
			return true
		}
	}
	return false
}

var (
	ticked = regexp.MustCompile(`(?i)\[x\]\s*$|✅\s*$|✓\s*$`)
	closed = regexp.MustCompile(`(?i)^[^\n{}]{0,80}"(?:status|state)"\s*:\s*"(?:completed|done)"`)
)

// done reports whether the agent last said of a step, before end, that it was done.
func (r *Record) done(step string, end int) (done bool) {
	step = clipped(step, headLength)
	for _, u := range r.agent {
		if u.at >= end {
			break
		}
		if n := strings.LastIndex(u.text, step); n >= 0 {
			done = ticked.MatchString(strings.TrimRight(u.text[max(0, n-8):n], " *")+" ") || closed.MatchString(u.text[n+len(step):])
		}
	}
	return done
}

// latest reports whether a text stands in the last message of a user before a step.
func (r *Record) latest(text string, at int) bool {
	last := ""
	for _, u := range r.users {
		if u.at < at {
			last = u.one
		}
	}
	return strings.Contains(last, clipped(text, 2*headLength))
}

var fileClaim = regexp.MustCompile(`(?i)^(created|edited|deleted|restored)\s+(.*)$`)

// files checks "created a.go (#4), b.go (#6)".
func (r *Record) files(s statement, end int, add func(kind, text string, right bool)) {
	m := fileClaim.FindStringSubmatch(s.text)
	if m == nil {
		return
	}
	for _, item := range strings.Split(m[2], "), ") {
		path, _, _ := strings.Cut(item, " (#")
		if path = strings.TrimSpace(path); path != "" {
			add(Files, m[1]+" "+path, r.bears(strings.ToLower(m[1]), path, end))
		}
	}
}

// bears reports whether the calls before end leave a file as it is said to be. What no
// call names was done by a program, and is believed.
func (r *Record) bears(state, path string, end int) bool {
	last, since, first := "", -1, end // what was done last; when it went; when it was written first since then
	for i := range r.calls {
		c := &r.calls[i]
		if c.done < 0 || c.done >= end || c.failed {
			continue
		}
		if names(c.deletes, path) {
			last, since, first = "deleted", c.at, end
		}
		if names(c.writes, path) {
			last, first = "written", min(first, c.at)
		}
		if names(c.restores, path) {
			last = "restored"
		}
	}
	switch {
	case last == "":
		return true
	case state == "deleted" || state == "restored":
		return last == state
	case state == "created":
		return last == "written" && !r.read(path, since, first)
	}
	return last == "written"
}

// names reports whether a list of paths has a file.
func names(paths []string, path string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return same(p, path) })
}

// read reports whether a file was shown between two positions.
func (r *Record) read(path string, after, before int) bool {
	return slices.ContainsFunc(r.calls, func(c call) bool {
		return c.at > after && c.done >= 0 && c.done < before && !c.failed && names(c.reads, path)
	})
}

// same reports whether two spellings may be one file: the shorter ends the longer.
func same(a, b string) bool {
	a, b = strings.TrimPrefix(a, "./"), strings.TrimPrefix(b, "./")
	if len(a) < len(b) {
		a, b = b, a
	}
	return a == b || strings.HasSuffix(a, "/"+b)
}

// quoted is a line of a result under its head, which may tell where the result comes from: a command
// or a path there may hold colons.
var quoted = regexp.MustCompile(`(?m)^(#(\d+) tool(, .*? changed since|, .*?|): .*)$`)

// stateOf returns the first of some texts that says which messages it covers, else the first.
func stateOf(texts []string) string {
	for _, text := range texts {
		if covers.MatchString(text) {
			return text
		}
	}
	return texts[0]
}

// standing looks at the lines of files that a text quotes: right are those of files that
// nothing changed between the reading and the end of what the text covers.
// The state is the text that says so.
func (r *Record) standing(text, state string, at int, add func(string, bool)) {
	end := at
	if m := covers.FindStringSubmatch(state); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			end = min(at, n)
		}
	}
	outdated := numbersBehind(state, "Of the lines above, those of files that changed since: ")
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		if strings.HasSuffix(m[3], " changed since") || outdated[m[2]] { // it says so
			continue
		}
		n, _ := strconv.Atoi(m[2]) // digits
		for i := range r.calls {
			if c := &r.calls[i]; c.done == n-1 && len(c.reads) == 1 {
				add(m[1], !r.touched(c.reads[0], c.done, end))
			}
		}
	}
}

var numbered = regexp.MustCompile(`#(\d+)\b`)

// numbersBehind returns the numbers of messages, "12" of "#12", that a line lists behind its beginning.
func numbersBehind(text, beginning string) map[string]bool {
	found := map[string]bool{}
	for line := range strings.SplitSeq(text, "\n") {
		if list, ok := strings.CutPrefix(line, beginning); ok {
			for _, m := range numbered.FindAllStringSubmatch(list, -1) {
				found[m[1]] = true
			}
		}
	}
	return found
}

// touched reports whether a call after one position and before another changed a file, and none
// put it back as it had been.
func (r *Record) touched(path string, after, end int) bool {
	last := r.lastChange(path, after, end)
	return last != nil && !r.putBack(last, path, after)
}

// lastChange returns the last call after one position and before another that changed a file, nil
// for none.
func (r *Record) lastChange(path string, after, end int) (last *call) {
	for i := range r.calls {
		c := &r.calls[i]
		if c.at <= after || c.done < 0 || c.done >= end || c.failed {
			continue
		}
		if names(c.writes, path) || names(c.deletes, path) || names(c.restores, path) {
			last = c
		}
	}
	return last
}

// putBack reports whether a call made a file what it was at a position: by git, where the file had
// not been changed until then and nothing was committed since, or from a copy that was made of it
// as it was then.
func (r *Record) putBack(c *call, path string, then int) bool {
	if names(c.restores, path) {
		return r.lastChange(path, -1, then+1) == nil && !slices.ContainsFunc(r.calls, func(x call) bool { return x.commit != "" && x.at > then && x.at < c.at })
	}
	for _, back := range copied.FindAllStringSubmatch(c.line+"\n", -1) {
		if back[1] != "cp" || !names(back[3:4], path) {
			continue
		}
		for i := range r.calls {
			x := &r.calls[i]
			for _, m := range copied.FindAllStringSubmatch(x.line+"\n", -1) {
				if x.at < c.at && m[1] == "cp" && names(m[2:3], path) && names(m[3:4], back[2]) && r.lastChange(path, min(x.at, then)-1, max(x.at, then)+1) == nil {
					return true
				}
			}
		}
	}
	return false
}
