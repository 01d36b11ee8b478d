package tool_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
)

// SPEC: L7, B18. What a tool does to files is told by its name and arguments; of a name that says
// nothing, nothing is told.
func TestFilesByTheNameOfATool(t *testing.T) {
	for _, c := range []struct{ name, args, want string }{
		{"delete_file", `{"target_file":"a.go"}`, "delete a.go"},
		{"deleteFile", `{"path":"a.go"}`, "delete a.go"},
		{"mcp__fs__remove_file", `{"path":"a.go"}`, "delete a.go"},
		{"replace_string_in_file", `{"filePath":"a.go","oldString":"a","newString":"b"}`, "edit a.go"},
		{"multi_replace_string_in_file", `{"replacements":[{"filePath":"a.go"},{"filePath":"b.go"}]}`, "edit a.go, edit b.go"},
		{"text_editor", `{"command":"str_replace","path":"a.go"}`, "edit a.go"},
		{"developer__text_editor", `{"command":"view","path":"a.go"}`, "read a.go"},
		{"text_editor", `{"command":"write","path":"a.go"}`, "create a.go"},
		{"mcp__x__str_replace_editor", `{"command":"create","path":"a.go"}`, "create a.go"},
		{"move_file", `{"source":"a.go","destination":"b.go"}`, "delete a.go, create b.go from a.go"},
		{"rename_file", `{"old_path":"a.go","new_path":"b.go"}`, "delete a.go, create b.go from a.go"},
		{"copy_file", `{"source":"a.go","destination":"b.go"}`, "read a.go, create b.go"},
		{"rename_file", `{"file_path":"src/a.py","new_name":"b.py"}`, "delete src/a.py, create src/b.py from src/a.py"},
		{"rename_file", `{"path":"src/a.py","newName":"lib/b.py"}`, "delete src/a.py, create lib/b.py from src/a.py"},
		{"move_file", `{"path":"a.py","destination":"lib/"}`, "delete a.py, create lib/a.py from a.py"},
		{"move_file", `{"file_path":"a.py","target":"b.py"}`, ""},
		{"copy_file", `{"path":"a.py","target":"b.py"}`, ""},
		{"move_directory", `{"source":"src","destination":"lib"}`, "delete src, create lib from src"},
		{"move_files", `{"from":["a.py","b.py"],"to":"lib/"}`, ""},
		{"move", `{"from":"a.py","to":"src/b.py"}`, "delete a.py, create src/b.py from a.py"},
		{"copy", `{"from":"a.py","to":"src/b.py"}`, "read a.py, create src/b.py"},
		{"rename_symbol", `{"path":"a.py","new_name":"run"}`, ""},
		{"move_card", `{"from":"Todo","to":"Done"}`, ""},
		{"move_card", `{"from":"TODO","to":"DONE"}`, ""},
		{"make_move", `{"from":"e2","to":"e4"}`, ""},
		{"copy_message", `{"from":"a@x.org","to":"b@x.org"}`, ""},
		{"search_and_replace", `{"path":"src/a.py","search":"a","replace":"b"}`, "edit src/a.py"},
		{"find_and_replace", `{"path":"src/a.py"}`, "edit src/a.py"},
		{"find_in_file", `{"path":"src/a.py"}`, "list src/a.py"},
		{"fetch_file", `{"path":"a.go"}`, "read a.go"},
		{"create_directory", `{"path":"src/ui"}`, "make src/ui"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: src/old.py\n*** Move to: src/new.py\n@@\n-a\n+b\n*** Update File: c.py\n*** End Patch"}`, "delete src/old.py, create src/new.py from src/old.py, edit c.py"},
		{"append_to_file", `{"path":"a.go"}`, "edit a.go"},
		{"refactor_symbol", `{"path":"a.go"}`, ""},
		{"frobnicate", `{"file":"a.go"}`, ""},
		{"readTextFile", `{"path":"a.go"}`, "read a.go"},
		{"get_file_info", `{"path":"a.go"}`, "list a.go"},
		{"run_shell_command", `{"command":"ls","directory":"src/a"}`, ""},
	} {
		var got []string
		for _, x := range tool.Parse(message.Part{Kind: message.Call, Name: c.name, Args: c.args}, nil).Touched {
			did := string(x.Access) + " " + x.Path
			if x.From != "" {
				did += " from " + x.From
			}
			got = append(got, did)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s %s: %q, want %q", c.name, c.args, s, c.want)
		}
	}
}

// SPEC: B18. A name says what it says without the server's, in words that capitals part, too.
func TestNamesInWords(t *testing.T) {
	for name, want := range map[string]string{
		"mcp__order-service__get_order": "looks", "mcp__search__delete_index": "acts", "orders.cancel": "acts", "cancelOrder": "acts", "getOrder": "looks",
		"CancelOrder": "acts", "files__list": "looks", "precis_note": "", "returnHTTPStatus": "acts", "": "",
	} {
		got := ""
		switch {
		case tool.ActsByName(name):
			got = "acts"
		case tool.LooksByName(name):
			got = "looks"
		}
		if got != want {
			t.Errorf("%s %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]tool.Class{"mcp__files__readFile": tool.Read, "DeleteFile": tool.Edit, "files.write_file": tool.Write, "a__b.read": tool.Read} {
		if got := tool.ClassOf(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]bool{tool.NoteName: true, "mcp__precis__precis_note": true, "precis.precis_note": true, "note": false} {
		if _, _, ok := tool.Note(name, `{"text":"x"}`); ok != want {
			t.Errorf("%s is a note: %v", name, ok)
		}
	}
}
