package llm

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// field is one member of an answer: its JSON schema, and how the prompt shows it
// to models whose provider ignores schemas.
type field struct {
	name, schema, form string
}

const (
	str = `{"type":"string"}`
	num = `{"type":"integer"}`
)

func object(props ...string) string {
	var names, members []string
	for i := 0; i < len(props); i += 2 {
		names = append(names, `"`+props[i]+`"`)
		members = append(members, `"`+props[i]+`":`+props[i+1])
	}
	return `{"type":"object","properties":{` + strings.Join(members, ",") + `},"required":[` + strings.Join(names, ",") + `],"additionalProperties":false}`
}

func list(item string) string { return `{"type":"array","items":` + item + `}` }

func oneOf(words ...string) string {
	return `{"type":"string","enum":["` + strings.Join(words, `","`) + `"]}`
}

var fields = []field{
	{
		"narrative", str,
		`"…"`,
	},
	{
		"facts", list(object("kind", oneOf("constraint", "preference", "fact", "finding"), "text", str, "message", num)),
		`[{"kind": "constraint|preference|fact|finding", "text": "…", "message": 12}]`,
	},
	{
		"decisions", list(object("text", str, "why", str, "message", num)),
		`[{"text": "…", "why": "… or empty", "message": 12}]`,
	},
	{
		"open_items", list(object("text", str, "context", str, "priority", oneOf("high", "medium", "low"), "status", oneOf("pending", "doing", "done"), "message", num)),
		`[{"text": "…", "context": "… or empty", "priority": "high|medium|low", "status": "pending|doing|done", "message": 12}]`,
	},
	{
		"tool_outcomes", list(object("tool", str, "outcome", oneOf("success", "failure", "partial"), "fields", list(object("name", str, "value", str)), "error", str, "message", num)),
		`[{"tool": "…", "outcome": "success|failure|partial", "fields": [{"name": "…", "value": "…"}], "error": "… or empty", "message": 12}]`,
	},
	{
		"task", object("text", str, "message", num),
		`{"text": "… or empty", "message": 12}`,
	},
	{
		"plan", list(object("text", str, "status", oneOf("pending", "doing", "done"), "message", num)),
		`[{"text": "…", "status": "pending|doing|done", "message": 12}]`,
	},
	{
		"files", list(object("path", str, "action", oneOf("created", "edited", "deleted", "read"), "about", str, "message", num)),
		`[{"path": "…", "action": "created|edited|deleted|read", "about": "…", "message": 12}]`,
	},
	{
		"last_completed", object("text", str, "message", num),
		`{"text": "… or empty", "message": 12}`,
	},
	{
		"errors", list(object("text", str, "command", str, "message", num, "fix", str, "fixed_in", num)),
		`[{"text": "…", "command": "… or empty", "message": 12, "fix": "… or empty", "fixed_in": 14}]`,
	},
}

func fieldOf(name string) field {
	for _, f := range fields {
		if f.name == name {
			return f
		}
	}
	return field{}
}

// schema returns the JSON schema of an answer of these fields.
func schema(names []string) json.RawMessage {
	var props []string
	for _, n := range names {
		props = append(props, n, fieldOf(n).schema)
	}
	return json.RawMessage(object(props...))
}

// form shows the same to a reader.
func form(names []string) string {
	var lines []string
	for _, n := range names {
		lines = append(lines, `  "`+n+`": `+fieldOf(n).form)
	}
	return "{\n" + strings.Join(lines, ",\n") + "\n}"
}

// answer holds what a model wrote, of all parts.
type answer struct {
	Narrative string `json:"narrative"`
	Facts     []struct {
		Kind    string `json:"kind"`
		Text    string `json:"text"`
		Message number `json:"message"`
	} `json:"facts"`
	Decisions []struct {
		Text    string `json:"text"`
		Why     string `json:"why"`
		Message number `json:"message"`
	} `json:"decisions"`
	Open []struct {
		Text     string `json:"text"`
		Context  string `json:"context"`
		Priority string `json:"priority"`
		Status   string `json:"status"`
		Message  number `json:"message"`
	} `json:"open_items"`
	Outcomes []struct {
		Tool    string      `json:"tool"`
		Outcome string      `json:"outcome"`
		Fields  []namedText `json:"fields"`
		Error   string      `json:"error"`
		Message number      `json:"message"`
	} `json:"tool_outcomes"`
	Task note `json:"task"`
	Plan []struct {
		Text    string `json:"text"`
		Status  string `json:"status"`
		Message number `json:"message"`
	} `json:"plan"`
	Files []struct {
		Path    string `json:"path"`
		Action  string `json:"action"`
		About   string `json:"about"`
		Message number `json:"message"`
	} `json:"files"`
	LastDone note `json:"last_completed"`
	Errors   []struct {
		Text    string `json:"text"`
		Command string `json:"command"`
		Message number `json:"message"`
		Fix     string `json:"fix"`
		FixedIn number `json:"fixed_in"`
	} `json:"errors"`
}

type note struct {
	Text    string `json:"text"`
	Message number `json:"message"`
}

type namedText struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// number is a message's number. Models write 12, "12", "#12" or nothing; what is
// no number is 0, and its place is looked up by its words.
type number int

// UnmarshalJSON never fails.
func (n *number) UnmarshalJSON(data []byte) error {
	s := strings.Trim(string(bytes.TrimSpace(data)), `"#[] `)
	i, err := strconv.Atoi(s)
	if err != nil {
		i = 0
	}
	*n = number(i)
	return nil
}
