package judge

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// Record is a run as the judges of state read it: its calls with what came of them, and
// what users and the agent said. Positions are those of messages.
type Record struct {
	calls []call
	users []uttered
	agent []uttered // texts and arguments of calls
	tools []string  // results, by position, each on one line; "" elsewhere
}

// uttered is a text and where it was said.
type uttered struct {
	at   int
	text string
	one  string // the same on one line; of users only
}

// call is a call and what came of it.
type call struct {
	at, done int // done is -1 where nothing came back
	name     string
	line     string   // the command line, or the tool and its arguments, on one line
	acts     bool     // it changes something outside the conversation
	shell    bool     // line is a command line
	values   []string // short arguments of a tool that is no shell
	whole    string   // all of it as a prompt shows it, on one line
	output   string
	commit   string // branch and hash of the commit that was made and nothing else, "" for none
	failed   bool
	exit     int // unknown where the output states none
	writes   []string
	deletes  []string
	restores []string
	reads    []string
	enters   []string // folders, by their whole paths
}

const unknown = -1 << 30

// RecordOf reads a run.
func RecordOf(ms []message.Message) *Record {
	r := &Record{tools: make([]string, len(ms))}
	open := map[string]int{}
	for at := range ms {
		m := &ms[at]
		for i := range m.Parts {
			switch p := &m.Parts[i]; {
			case p.Kind == message.Call:
				open[p.CallID] = len(r.calls)
				text := SaidOf(message.Message{Parts: []message.Part{*p}}).Text
				c := callOf(at, p)
				c.whole, c.acts, c.line = oneLine(strings.TrimPrefix(text, "<>")), c.changes(), oneLine(c.line)
				r.calls, r.agent = append(r.calls, c), append(r.agent, uttered{at: at, text: text})
			case p.Kind == message.Result:
				r.tools[at] += oneLine(p.Body()) + " "
				if n, ok := open[p.CallID]; ok {
					r.calls[n].came(at, p)
					delete(open, p.CallID)
				}
			case p.Kind == message.Text && m.Role == message.User && !m.Has(message.Result):
				r.users = append(r.users, uttered{at, p.Text, oneLine(p.Text)})
			case p.Kind == message.Text && m.Role == message.Assistant:
				r.agent = append(r.agent, uttered{at: at, text: p.Text})
			}
		}
	}
	return r
}

// callOf reads a call's arguments: a command line under a usual name, else the strings.
func callOf(at int, p *message.Part) call {
	c := call{at: at, done: -1, name: p.Name, exit: unknown}
	var args map[string]any
	if json.Unmarshal([]byte(p.Args), &args) != nil {
		c.line, c.shell = p.Args, true
	}
	if line := commandLine(args); line != "" {
		c.line, c.shell = line, true
	}
	if c.shell && !editors.MatchString(p.Name) {
		c.effects()
		return c
	}
	c.shell, c.line = false, ""
	for _, name := range slices.Sorted(maps.Keys(args)) {
		s, ok := args[name].(string)
		if !ok {
			continue
		}
		if len(s) <= longestValue {
			c.values = append(c.values, s)
		}
		if slices.Contains(pathNames, name) {
			c.touches(s, args)
		}
	}
	c.line = p.Name + " " + strings.Join(c.values, " ")
	return c
}

// commandLine returns the command line among a call's arguments, under the more usual name where
// there are several, "" for none.
func commandLine(args map[string]any) string {
	for _, name := range []string{"command", "cmd", "script", "input"} {
		switch v := args[name].(type) {
		case string:
			if v != "" {
				return v
			}
		case []any:
			words := make([]string, len(v))
			for i := range v {
				words[i], _ = v[i].(string) // what is no word is left out
			}
			if len(words) > 2 && inShell.MatchString(words[0]+" "+words[1]) {
				words = words[2:]
			}
			return strings.Join(words, " ")
		}
	}
	return ""
}

// inShell is how a program asks a shell to run a line.
var inShell = regexp.MustCompile(`^(?:/\S*/)?(?:ba|z|da)?sh -l?c$`)

// longestValue is the longest argument that names what a call was about, in bytes.
const longestValue = 80

var (
	editors   = regexp.MustCompile(`(?i)edit|write|replace|patch|create|notebook|insert`)
	viewers   = regexp.MustCompile(`(?i)^(?:read|view|open|cat|get|list|ls|show|search|grep|find|fetch|look|check|calculate|think|query|describe)`)
	pathNames = []string{"path", "file_path", "filePath", "filename", "file", "target_file", "notebook_path"}

	redirected = regexp.MustCompile(`(?:^|[^\d&>=-])>>?\s*([\w~./][\w./~-]*)|\btee\s+(?:-a\s+)?([\w~./][\w./~-]*)`)
	inPlace    = regexp.MustCompile(`\bsed\s+-i[^\n;|&]*\s([\w./~-]+)\s*(?:$|[\n;|&])`)
	patched    = regexp.MustCompile(`(?m)^\*\*\* (?:Add|Update) File: (\S+)`)
	removed    = regexp.MustCompile(`(?:^|[\n;|&]\s*)rm\s+(?:-\w+\s+)*([\w~./][\w./~-]*)`)
	copied     = regexp.MustCompile(`(?:^|[\n;|&]\s*)(cp|mv)\s+(?:-\w+\s+)*([\w~./][\w./~-]*)\s+([\w~./][\w./~-]*)\s*(?:$|[\n;|&])`)
	restored   = regexp.MustCompile(`\bgit\s+(?:checkout|restore)\s+(?:--\s+|HEAD\s+(?:--\s+)?)?([\w~./][\w./~-]*\.[\w]+)`)
	entered    = regexp.MustCompile(`(?:^|[\n;|&(]\s*)cd\s+["']?(/[\w./~-]+)`)
	shown      = regexp.MustCompile(`(?:^|[\n;|&]\s*)(?:cat|head|tail|less|nl|sed\s+-n)\s+(?:-\S+\s+|'[^']*'\s+|"[^"]*"\s+|\d+\s+)*([\w~./][\w./~-]*)`)
	committed  = regexp.MustCompile(`(?m)^\[[^\]\n]+ [0-9a-f]{7,40}\] `)
	exits      = regexp.MustCompile(`(?i)(?:<returncode>\s*|"?exit[_ ]?code"?[:= ]+|exited? with (?:code|status) |exit status )(-?\d+)`)
	failing    = regexp.MustCompile(`(?i)\btraceback \(most|\b\w*(?:error|exception)\b\s*:|\bfail(?:ed|ure|s)?\b|\bfatal\b|\bpanic:|no such file|not found\b|malformed|still broken|cannot |rejected`)
	harmless   = regexp.MustCompile(`(?i)\b(?:0|no|zero|without) (?:failed|failures?|errors?|tests? failed)|\bfailed[:=] ?0|failures?[:=] ?0|errors?[:=] ?0`)
)

// effects reads what a command line writes, deletes, restores and shows.
func (c *call) effects() {
	head, _, _ := strings.Cut(c.line, "*** Begin Patch")
	if n := strings.Index(head, "<<"); n >= 0 { // what follows is a document
		if end := strings.IndexByte(head[n:], '\n'); end >= 0 {
			head = head[:n+end]
		}
	}
	for _, x := range []struct {
		fit  *regexp.Regexp
		in   string
		into *[]string
	}{
		{redirected, head, &c.writes},
		{inPlace, head, &c.writes},
		{patched, c.line, &c.writes},
		{removed, head, &c.deletes},
		{restored, head, &c.restores},
		{shown, head, &c.reads},
	} {
		for _, m := range x.fit.FindAllStringSubmatch(x.in, -1) {
			for _, path := range m[1:] {
				if strings.ContainsAny(path, "./") && !strings.HasPrefix(path, "/dev/") && strings.Trim(path, "./") != "" {
					*x.into = append(*x.into, path)
				}
			}
		}
	}
	for _, m := range copied.FindAllStringSubmatch(head, -1) {
		c.writes = append(c.writes, m[3])
		if m[1] == "mv" {
			c.deletes = append(c.deletes, m[2])
		}
	}
	for _, m := range entered.FindAllStringSubmatch(head, -1) {
		c.enters = append(c.enters, m[1])
	}
	if len(c.writes) > 0 {
		c.reads = nil
	}
}

// touches notes what a tool does to the file it names.
func (c *call) touches(path string, args map[string]any) {
	verb, _ := args["command"].(string)
	switch {
	case verb == "view" || verb == "" && viewers.MatchString(c.name):
		c.reads = append(c.reads, path)
	case strings.Contains(strings.ToLower(c.name+verb), "delete") || strings.Contains(strings.ToLower(c.name+verb), "remove"):
		c.deletes = append(c.deletes, path)
	case editors.MatchString(c.name + " " + verb):
		c.writes = append(c.writes, path)
	}
}

// came notes the result of a call.
func (c *call) came(at int, p *message.Part) {
	c.done, c.output = at, p.Body()
	if names := committed.FindAllString(c.output, -1); len(names) > 0 && len(acting.FindAllString(c.line, 2)) == 1 {
		c.commit = names[len(names)-1]
	}
	if m := exits.FindStringSubmatch(c.output); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			c.exit = n
		}
	}
	c.failed = p.Failed || c.exit != unknown && c.exit != 0 || c.exit == unknown && fails(c.output)
}

// fails reports whether an output tells of a failure.
func fails(output string) bool {
	return failing.MatchString(harmless.ReplaceAllString(output, ""))
}

// oneLine puts a text on one line, with single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clipped is the beginning of a text, in characters.
func clipped(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
