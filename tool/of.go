package tool

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/message"
)

// Of reads a call and its result, and puts what the tool declared over what it
// read. result may be nil: the call is then Partial. Arguments that are not
// JSON are taken as the command or patch they hold.
func Of(call message.Part, result *message.Part) Envelope { return OfWith(call, result, nil) }

// OfWith is Of where overrides, by tool name as in Resolve, say which fields a
// placeholder keeps.
func OfWith(call message.Part, result *message.Part, overrides map[string]Policy) Envelope {
	e := Envelope{Tool: call.Name, CallID: call.CallID, Class: ClassOf(call.Name), Outcome: Partial}
	args := members(call.Args)
	e.readArgs(args, call.Args)
	preserve := policyOf(e.Tool, overrides).Preserve
	if result == nil {
		e.KeyFields = e.keyFields(preserve, nil, args, nil)
		return e
	}
	e.Text = result.Body()
	e.Structured = structured(e.Text)
	var out []member
	if e.Structured != nil {
		out = members(e.Text)
	}
	e.judge(result.Failed, out)
	d := declaredOn(result)
	e.declare(d)
	e.KeyFields = e.keyFields(preserve, d.KeyFields, args, out)
	return e
}

// readArgs finds the command and the paths.
func (e *Envelope) readArgs(args []member, raw string) {
	if isEditor(e.Tool) {
		e.Class = editorClass(args)
	}
	if args == nil {
		e.readRaw(raw)
		return
	}
	for i := range args {
		m := &args[i]
		key := strings.ToLower(m.name)
		switch {
		case isCommandKey(key) && (e.Class == Shell || e.Class == Other):
			e.command(m)
		case isPathKey(key):
			e.touchValue(m.raw, e.access())
		case key == "input" || key == "patch" || key == "diff":
			e.patch(m.text)
		case m.raw.Kind() == '[' && (key == "edits" || key == "files" || key == "changes"):
			for _, v := range elements(m.raw) {
				e.touchNested(v)
			}
		}
	}
}

func (e *Envelope) readRaw(raw string) {
	if e.patch(raw); len(e.Touched) > 0 || raw == "" {
		return
	}
	if e.Class == Shell {
		e.Command = raw
		e.shell(raw, 0)
	}
}

func (e *Envelope) patch(text string) {
	patchTouches(text, func(p string, a Access) { e.touch(p, a) })
}

// command reads a command line, or the words of one; of a shell's "-c" only
// the script.
func (e *Envelope) command(m *member) {
	line, words := m.text, []string(nil)
	for _, v := range elements(m.raw) {
		words = append(words, memberOf("", v).text)
	}
	switch {
	case len(words) >= 3 && isShell(words[0]) && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c"):
		line, words = words[2], nil
	case len(words) > 0:
		line = strings.Join(words, " ")
	}
	if e.Command == "" {
		e.Command = line
	}
	switch {
	case e.Class != Shell:
	case len(words) > 0:
		e.run(words, "", 0)
	default:
		e.shell(line, 0)
	}
}

func (e *Envelope) touchValue(v jsontext.Value, a Access) {
	if v.Kind() == '[' {
		for _, p := range elements(v) {
			e.touchValue(p, a)
		}
		return
	}
	if m := memberOf("", v); m.quoted {
		e.touch(m.text, a)
	}
}

func (e *Envelope) touchNested(v jsontext.Value) {
	for _, m := range members(string(v)) {
		if isPathKey(strings.ToLower(m.name)) {
			e.touchValue(m.raw, e.access())
		}
	}
}

// touch adds a path; a change of a path seen before replaces a mere reading.
func (e *Envelope) touch(path string, a Access) {
	if path == "" || len(path) > 1024 || strings.ContainsAny(path, "\n\x00") {
		return
	}
	i := slices.IndexFunc(e.Touched, func(t Touch) bool { return t.Path == path })
	switch {
	case i < 0 && len(e.Touched) < maxTouched:
		e.Touched = append(e.Touched, Touch{Path: path, Access: a})
	case i >= 0 && a.Changes():
		e.Touched[i].Access = a
	}
}

// maxTouched bounds the paths of one call: beyond it they are a listing.
const maxTouched = 64

func (e *Envelope) access() Access {
	switch e.Class {
	case Write:
		return Creates
	case Edit:
		return Edits
	case List, Search:
		return Lists
	}
	return Reads
}

func isPathKey(k string) bool {
	switch k {
	case "path", "file_path", "filepath", "filename", "file_name", "file", "absolute_path", "absolutepath", "target_file",
		"notebook_path", "dir_path", "directory", "paths", "file_paths", "relative_workspace_path", "targetfile":
		return true
	}
	return false
}

func isCommandKey(k string) bool {
	switch k {
	case "command", "cmd", "script", "code", "commandline", "bash_command", "chars":
		return true
	}
	return false
}

// isEditor is true for the tools that view and edit by a "command" argument.
func isEditor(name string) bool {
	n := strings.ToLower(name)
	return n == "str_replace_editor" || n == "str_replace_based_edit_tool"
}

func editorClass(args []member) Class {
	for i := range args {
		if args[i].name == "command" {
			switch args[i].text {
			case "view":
				return Read
			case "create":
				return Write
			}
		}
	}
	return Edit
}
