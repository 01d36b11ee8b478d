package provider

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// request is what the provider reads of a body, whatever its API.
type request struct {
	api    string
	body   []byte
	Model  string
	Stream bool
	thinks bool // the model is to think
	tools  []tool
	all    string // every string that a model reads
	last   string // those of the last message
	user   string // those of the users' messages
	values int    // messages and blocks
	// lookedUp reports whether the last message answers a call of a recall tool.
	lookedUp bool
}

// tool is a tool that a request declares, at its top or among its messages.
type tool struct {
	name     string
	required []string
	props    map[string]any
}

// read reads a body.
func read(api string, body []byte) *request {
	q := &request{api: api, body: body}
	var v map[string]any
	if json.Unmarshal(body, &v) != nil {
		return q
	}
	q.Model, _ = v["model"].(string)
	q.Stream, _ = v["stream"].(bool)
	if o, ok := v["thinking"].(map[string]any); ok {
		q.thinks = o["type"] == "enabled" || o["type"] == "adaptive"
	}
	if list, ok := v["include"].([]any); ok {
		q.thinks = slices.Contains(list, any("reasoning.encrypted_content"))
	}
	q.find(v["tools"])
	list, _ := v["messages"].([]any)
	if api == "responses" {
		if list, _ = v["input"].([]any); list == nil {
			list = []any{v["input"]}
		}
	}
	var b strings.Builder
	for _, name := range []string{"system", "instructions", "tools"} {
		q.text(v[name], &b)
	}
	var user strings.Builder
	calls := map[string]string{}
	for i, m := range list {
		q.find(m)
		var one strings.Builder
		q.text(m, &one)
		named(m, calls)
		if o, ok := m.(map[string]any); ok && o["role"] == "user" {
			user.WriteString(one.String())
		}
		if i == len(list)-1 {
			q.last = one.String()
			q.lookedUp = slices.ContainsFunc(answered(m), func(id string) bool { return strings.HasPrefix(calls[id], "precis_") })
		}
		b.WriteString(one.String())
	}
	q.all, q.user = b.String(), user.String()
	return q
}

// find collects the tools declared in a value, at any depth.
func (q *request) find(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			q.find(x)
		}
	case map[string]any:
		name, _ := v["name"].(string)
		for _, at := range []string{"input_schema", "parameters"} {
			if s, ok := v[at].(map[string]any); ok && name != "" {
				t := tool{name: name}
				t.props, _ = s["properties"].(map[string]any)
				req, _ := s["required"].([]any)
				for _, r := range req {
					if r, ok := r.(string); ok {
						t.required = append(t.required, r)
					}
				}
				q.tools = append(q.tools, t)
			}
		}
		for _, at := range []string{"tools", "function", "additional_tools"} {
			q.find(v[at])
		}
	}
}

// skipped are members that a model does not read.
var skipped = map[string]bool{
	"type": true, "id": true, "role": true, "signature": true, "encrypted_content": true, "cache_control": true,
	"data": true, "image_url": true, "metadata": true, "status": true, "tool_use_id": true, "call_id": true, "tool_call_id": true,
}

// text writes every string of a value, in an order that does not change.
func (q *request) text(v any, b *strings.Builder) {
	switch v := v.(type) {
	case string:
		b.WriteString(v)
		b.WriteByte('\n')
	case []any:
		for _, x := range v {
			q.values++
			q.text(x, b)
		}
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if skipped[name] {
				continue
			}
			if _, ok := v[name].(string); !ok {
				b.WriteString(name)
				b.WriteByte(' ')
			}
			q.text(v[name], b)
		}
	}
}

// named notes the names of the calls in a message by their ids.
func named(v any, calls map[string]string) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			named(x, calls)
		}
	case map[string]any:
		name, _ := v["name"].(string)
		for _, at := range []string{"id", "call_id"} {
			if id, ok := v[at].(string); ok && name != "" {
				calls[id] = name
			}
		}
		if f, ok := v["function"].(map[string]any); ok {
			if id, ok := v["id"].(string); ok {
				calls[id], _ = f["name"].(string)
			}
		}
		named(v["content"], calls)
		named(v["tool_calls"], calls)
	}
}

// answered are the ids of the calls that a message answers.
func answered(v any) (ids []string) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			ids = append(ids, answered(x)...)
		}
	case map[string]any:
		for _, at := range []string{"tool_use_id", "tool_call_id"} {
			if id, ok := v[at].(string); ok {
				ids = append(ids, id)
			}
		}
		if kind, _ := v["type"].(string); strings.HasSuffix(kind, "_output") {
			if id, ok := v["call_id"].(string); ok {
				ids = append(ids, id)
			}
		}
		ids = append(ids, answered(v["content"])...)
	}
	return ids
}

func (q *request) has(name string) bool {
	return slices.ContainsFunc(q.tools, func(t tool) bool { return t.name == name })
}

// shells are the names that clients give the tool which runs commands.
var shells = []string{"Bash", "bash", "exec_command", "shell_command", "shell", "local_shell", "run_shell_command", "execute_command", "run_commands"}

// shell is the client's tool that runs commands, nil if it has none.
func (q *request) shell() *tool {
	for _, name := range shells {
		if i := slices.IndexFunc(q.tools, func(t tool) bool { return t.name == name }); i >= 0 {
			return &q.tools[i]
		}
	}
	return nil
}

// run are the arguments that make a shell tool run a command.
func (t *tool) run(command string) string {
	args := map[string]any{}
	for _, name := range []string{"command", "cmd", "commands"} {
		p, ok := t.props[name].(map[string]any)
		if !ok {
			continue
		}
		args[name] = command
		if p["type"] == "array" {
			args[name] = []string{"bash", "-lc", command}
			if name == "commands" {
				args[name] = []string{command}
			}
		}
		break
	}
	for _, name := range t.required {
		if _, ok := args[name]; ok {
			continue
		}
		p, _ := t.props[name].(map[string]any)
		switch p["type"] {
		case "boolean":
			args[name] = false
		case "number", "integer":
			args[name] = 1000
		default:
			args[name] = "read a note"
		}
	}
	return quoted(args)
}

var (
	endOfNote = regexp.MustCompile(`\(end of note (\d+)\)`)
	questions = regexp.MustCompile(`\[\[ask ([a-z-]+)\]\]`)
	refs      = regexp.MustCompile(`(?m)^(?:[a-z0-9]+:)?#\d+(?:/\d+)?`)
)

// lastNote is the highest note that the request shows to be read.
func (q *request) lastNote() (n int) {
	for _, m := range endOfNote.FindAllStringSubmatch(q.all, -1) {
		if i, err := strconv.Atoi(m[1]); err == nil {
			n = max(n, i)
		}
	}
	return n
}

// question is the name of the fact that a user asked for last.
func (q *request) question() string {
	all := questions.FindAllStringSubmatch(q.user, -1)
	if len(all) == 0 {
		all = questions.FindAllStringSubmatch(q.all, -1)
	}
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

// found is the first reference of what was looked up last.
func (q *request) found() string { return refs.FindString(q.last) }

// asksForSummary are words of the clients' own prompts for a compaction, in lower case.
var asksForSummary = []string{"create a detailed summary", "context checkpoint", "continuing our conversation", "state_snapshot", "create a structured", "handoff summary", "conversation so far", "create a concise checkpoint"}

// summarizes reports whether the client asks for a summary of the conversation. One that
// declares no shell may quote the conversation, with its questions, in the same message.
func (q *request) summarizes() bool {
	last := strings.ToLower(q.last)
	return (q.shell() == nil || !strings.Contains(last, "[[ask")) && slices.ContainsFunc(asksForSummary, func(s string) bool { return strings.Contains(last, s) })
}

// aside is what the model says to a request that is none of the script's: a title, or a
// summary, which names none of the facts.
func (q *request) aside(n int) string {
	if q.summarizes() {
		return fmt.Sprintf("<summary>\nSummary %d. The user had the agent read the notes of the harbour log one by one with the shell, and asked a question about them, which was answered. All notes were read from the first to the last; nothing was written, and no file was changed. The agent waits for the next question about what the notes say.\n</summary>", n)
	}
	return `{"title":"Reading notes"}`
}
