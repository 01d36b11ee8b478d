package tool

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/message"
)

// Of reads a call and its result. result may be nil: the call is then Partial.
// Arguments that are not JSON are taken as the command or patch they hold.
func Of(call message.Part, result *message.Part) Envelope {
	e := Envelope{Tool: call.Name, CallID: call.CallID, Class: ClassOf(call.Name), Outcome: Partial}
	args := members(call.Args)
	e.readArgs(args, call.Args)
	if result == nil {
		e.KeyFields = e.keyFields(args, nil)
		return e
	}
	e.Text = result.Body()
	e.Structured = structured(e.Text)
	var out []member
	if e.Structured != nil {
		out = members(e.Text)
	}
	e.judge(result.Failed, out)
	e.KeyFields = e.keyFields(args, out)
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

// keyFields collects what a placeholder must keep: the fields the table names,
// or, for a tool the table does not know, its short arguments and the members
// of its result that look like identity or state.
func (e *Envelope) keyFields(args, out []member) json.RawMessage {
	f := fieldList{}
	if names := known(e.Tool).policy.Preserve; names != nil {
		for _, n := range names {
			e.keyField(&f, n, args, out)
		}
		return f.object()
	}
	if e.Class == Todo {
		return nil
	}
	for i := range args {
		f.scalar(&args[i])
	}
	for i := range out {
		if isIdentity(out[i].name) {
			f.scalar(&out[i])
		}
	}
	return f.object()
}

func (e *Envelope) keyField(f *fieldList, name string, args, out []member) {
	switch {
	case name == "exit_code" && e.Exit != nil:
		f.add(name, strconv.AppendInt(nil, int64(*e.Exit), 10))
	case name == "success" && e.Outcome != Partial:
		f.add(name, strconv.AppendBool(nil, e.Outcome == Success))
	case name == "command" && e.Command != "":
		f.add(name, quote(clip(e.Command, maxField)))
	case name == "path" && len(e.Touched) > 0:
		f.add(name, quote(e.Touched[0].Path))
	default:
		for _, ms := range [][]member{args, out} {
			for i := range ms {
				if strings.EqualFold(ms[i].name, name) {
					f.scalar(&ms[i])
				}
			}
		}
	}
}

// isIdentity is true for names of members that say which thing, or in which state.
func isIdentity(name string) bool {
	n := strings.ToLower(name)
	if i := strings.LastIndexByte(n, '_'); i >= 0 {
		n = n[i+1:]
	}
	switch n {
	case "id", "status", "state", "total", "number", "code", "count", "name", "url", "email", "date", "error", "amount", "price", "version", "key":
		return true
	}
	return strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")
}

const (
	maxField  = 200 // bytes of one key field
	maxFields = 12
)

type fieldList struct {
	names []string
	vals  [][]byte
}

func (f *fieldList) add(name string, v []byte) {
	if len(f.names) < maxFields && !slices.Contains(f.names, name) {
		f.names, f.vals = append(f.names, name), append(f.vals, v)
	}
}

func (f *fieldList) scalar(m *member) {
	switch k := m.raw.Kind(); {
	case m.quoted && m.text != "" && len(m.text) <= maxField:
		f.add(m.name, quote(m.text))
	case k == '0' || k == 't' || k == 'f':
		f.add(m.name, m.raw)
	}
}

func (f *fieldList) object() json.RawMessage {
	if len(f.names) == 0 {
		return nil
	}
	b := []byte{'{'}
	for i, n := range f.names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, quote(n)...), ':'), f.vals[i]...)
	}
	return append(b, '}')
}

// clip cuts s to at most n bytes at a rune boundary.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
