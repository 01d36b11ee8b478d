package tool

import (
	"encoding/json"
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
	var r Reading
	r.parse(call, result)
	r.KeyFields = r.keyFields(policyOf(r.Tool, overrides).Preserve)
	return r.Envelope
}

// Reading is a call and its result taken apart, for those who need a part only:
// the envelope is that of Of without key fields.
type Reading struct {
	Envelope
	args, out []member
	stated    *int            // exit code that the form of the result states
	declared  json.RawMessage // key fields that the tool declared
	line      string          // lexed last
	commands  []simple        // of line
}

// Parse reads a call and its result; result may be nil.
func Parse(call message.Part, result *message.Part) *Reading {
	r := new(Reading)
	r.parse(call, result)
	return r
}

func (r *Reading) parse(call message.Part, result *message.Part) {
	r.Envelope = Envelope{Tool: call.Name, CallID: call.CallID, Class: ClassOf(call.Name), Outcome: Partial}
	r.args = members(call.Args)
	if result != nil {
		r.Text = result.Body()
		if r.Structured = structured(r.Text); r.Structured != nil {
			r.out = membersOf(jsontext.Value(r.Structured))
		}
		r.decode()
	}
	r.readArgs(call.Args)
	if result == nil {
		return
	}
	if r.judge(result.Failed); r.sedFailed() {
		r.Touched = nil
	}
	r.shown()
	d := declaredOn(result)
	r.declare(d)
	r.declared = d.KeyFields
}

// NoResult stands where a call has no result. Whether the call was made is not known.
const NoResult = "[no result recorded]"

// lex is a command line taken apart; that of one line is kept. Lines that an editor is to
// write are no commands, and of what a shell refused none was run.
func (r *Reading) lex(line string) []simple {
	if r.line != line {
		r.line, r.commands = line, nil
		if !isLineEdit(line) && !isRefused(line, r.Output) {
			r.commands = lex(line)
		}
	}
	return r.commands
}

// readArgs finds the command and the paths.
func (r *Reading) readArgs(raw string) {
	if isEditor(r.Tool) {
		r.Class = editorClass(r.args)
	}
	if r.args == nil {
		r.readRaw(raw)
		return
	}
	r.moved()
	for i := range r.args {
		m := &r.args[i]
		key := strings.ToLower(m.name)
		switch {
		case isCommandKey(key) && (r.Class == Shell || r.Class == Other):
			r.command(m)
		case isPathKey(key):
			r.touchValue(m.raw, r.access())
		case key == "input" || key == "patch" || key == "diff":
			r.patch(m.text)
		case m.raw.Kind() == '[' && (key == "edits" || key == "files" || key == "changes" || key == "replacements"):
			for _, v := range elements(m.raw) {
				r.touchNested(v)
			}
		}
	}
}

func (r *Reading) readRaw(raw string) {
	if r.patch(raw); len(r.Touched) > 0 || raw == "" {
		return
	}
	if r.Class == Shell {
		if r.Command = raw; isLineEdit(raw) {
			r.Class = Edit
			return
		}
		r.shell(r.lex(raw), 0)
	}
}

func (e *Envelope) patch(text string) {
	patchTouches(text, e.touched)
}

// command reads a command line, or the words of one.
func (r *Reading) command(m *member) {
	line := m.text
	if values := elements(m.raw); len(values) > 0 {
		words := make([]string, 0, len(values))
		for _, v := range values {
			words = append(words, memberOf("", v).text)
		}
		line = lineOf(words)
	}
	if r.Command == "" {
		r.Command = line
	}
	switch {
	case isLineEdit(line):
		r.Class = Edit
	case r.Class == Shell:
		r.shell(r.lex(line), 0)
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
	for _, m := range membersOf(v) {
		if isPathKey(strings.ToLower(m.name)) {
			e.touchValue(m.raw, e.access())
		}
	}
}

// touch adds a path; a change of a path seen before replaces a mere reading.
func (e *Envelope) touch(path string, a Access) { e.touched(Touch{Path: path, Access: a}) }

func (e *Envelope) touched(t Touch) {
	path, a := t.Path, t.Access
	if path == "" || a == "" || len(path) > 1024 || strings.ContainsAny(path, "\n\x00") || e.Class == Shell && a.Changes() && isDenied(path, e.Output) {
		return
	}
	if !strings.HasPrefix(path, "/") {
		t.In = e.in
	}
	i := slices.IndexFunc(e.Touched, func(x Touch) bool {
		return x.Path == path && x.In == t.In && !(t.Aside && x.Access.Changes()) // what is put aside may be put back
	})
	switch {
	case i < 0 && len(e.Touched) < maxTouched:
		e.Touched = append(e.Touched, t)
	case i >= 0 && a.Changes():
		e.Touched[i] = t
	}
}

// maxTouched bounds the paths of one call: beyond it they are a listing.
const maxTouched = 64

func (e *Envelope) access() Access { return accessOf(e.Class, e.Tool) }

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
	switch strings.ToLower(bare(name)) {
	case "str_replace_editor", "str_replace_based_edit_tool", "text_editor":
		return true
	}
	return false
}

func editorClass(args []member) Class {
	for i := range args {
		if args[i].name == "command" {
			switch args[i].text {
			case "view":
				return Read
			case "create", "write":
				return Write
			}
		}
	}
	return Edit
}

// declare puts what a tool declared over what was read. Key fields come later:
// they depend on the outcome.
func (e *Envelope) declare(d declared) {
	e.Durability, e.Determinism, e.Started, e.Completed = d.Durability, d.Determinism, d.Started, d.Completed
	if d.Outcome == "" || d.Outcome == e.Outcome {
		return
	}
	e.Outcome = d.Outcome
	switch {
	case e.Outcome == Success:
		e.Error = ""
	case e.Outcome == Failure && e.Error == "":
		e.Error = firstLine(e.Text)
	}
}
