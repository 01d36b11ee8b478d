package tool

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool/program"
	"github.com/seed-3db51b0e/precis/tool/shell"
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
	program.Line // of Command
	args, out    []member
	stated       *int            // exit code that the form of the result states
	declared     json.RawMessage // key fields that the tool declared
	files        touches
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
	r.files.output = r.Output
	r.readArgs(call.Args)
	if r.Class == Shell && r.HandsIn() {
		r.Output = cmp.Or(promptOf(r.Output), r.Output)
	}
	r.Touched = r.files.list
	if result == nil {
		return
	}
	if r.judge(result.Failed); r.sedFailed() {
		r.files.list = nil
	}
	r.shown()
	r.Touched = r.files.list
	d := declaredOn(result)
	r.declare(d)
	r.declared = d.KeyFields
}

// NoResult stands where a call has no result. Whether the call was made is not known.
const NoResult = "[no result recorded]"

// lineOf takes a command line apart. Lines that an editor is to write are no commands, and of what a
// shell refused none was run.
func (r *Reading) lineOf(text string) program.Line {
	if isLineEdit(text) || isRefused(text, r.Output) {
		return program.Refused(text)
	}
	return program.Read(text)
}

// sedFailed reports whether a command line runs one sed over one file, wherever it goes before, and
// that failed: then it changed nothing.
func (r *Reading) sedFailed() bool {
	return r.Exit != nil && *r.Exit != 0 && len(r.Touched) == 1 && r.RunsOnly("sed")
}

// readArgs finds the command and the paths.
func (r *Reading) readArgs(raw string) {
	if r.is(r.Class); isEditor(r.Tool) {
		r.is(editorClass(r.args))
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
		case key == "commands" && r.Class == Shell:
			r.commands(m)
		case isPathKey(key):
			r.files.named(m.raw, r.access())
		case key == "input" || key == "patch" || key == "diff":
			r.files.patch(m.text)
		case m.raw.Kind() == '[' && (key == "edits" || key == "files" || key == "changes" || key == "replacements"):
			for _, v := range elements(m.raw) {
				r.files.nested(v, r.access())
			}
		}
	}
}

func (r *Reading) readRaw(raw string) {
	if r.files.patch(raw); len(r.files.list) > 0 || raw == "" {
		return
	}
	if r.Class == Shell {
		r.run(raw)
	}
}

// command reads a command line, or the words of one.
func (r *Reading) command(m *member) {
	line := m.text
	if values := elements(m.raw); len(values) > 0 {
		words := make([]string, 0, len(values))
		for _, v := range values {
			words = append(words, memberOf("", v).text)
		}
		line = shell.Join(words)
	}
	r.run(line)
}

// commands reads several command lines, which run one after the other.
func (r *Reading) commands(m *member) {
	var lines []string
	for _, v := range elements(m.raw) {
		lines = append(lines, memberOf("", v).text)
	}
	if len(lines) > 0 {
		r.run(strings.Join(lines, "\n"))
	}
}

// run reads one command line of a call: the first is its command.
func (r *Reading) run(text string) {
	line := r.lineOf(text)
	if r.Command == "" {
		r.Command, r.Line = text, line
	}
	switch {
	case isLineEdit(text):
		r.is(Edit)
	case r.Class == Shell:
		if r.files.commands(line.Commands(), 0); line.RunsOnly("apply_patch") || line.RunsOnly("applypatch") {
			r.is(Edit)
		}
	}
}

// is sets the class, which the files that are touched go by.
func (r *Reading) is(class Class) {
	r.Class, r.files.ofShell = class, class == Shell
}

func (r *Reading) access() Access { return accessOf(r.Class, r.Tool) }

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
func (r *Reading) declare(d declared) {
	r.Durability, r.Determinism, r.Started, r.Completed = d.Durability, d.Determinism, d.Started, d.Completed
	if d.Outcome == "" || d.Outcome == r.Outcome {
		return
	}
	r.Outcome = d.Outcome
	switch {
	case r.Outcome == Success:
		r.Error = ""
	case r.Outcome == Failure && r.Error == "":
		r.Error = firstLine(r.Text)
	}
}
