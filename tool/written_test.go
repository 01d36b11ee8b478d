package tool_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/tool"
)

// A call that is written as an element in a text is read with its fields, one of which may hold
// elements itself; what an agent only says so is said, and other elements are text.
//
// SPEC: B18
func TestWrittenCalls(t *testing.T) {
	for _, c := range []struct {
		text, said string
		calls      []string // name and arguments
	}{
		{"I look.\n\n<read_file>\n<path>a.go</path>\n</read_file>", "I look.\n\n", []string{`read_file {"path":"a.go"}`}},
		{"<read_file>\n<args>\n<file>\n<path>a.go</path>\n</file>\n</args>\n</read_file>", "", []string{`read_file {"path":"a.go"}`}},
		{"<write_to_file><path>a</path><content>\n<p>x</p>\n<content></content>\n</content></write_to_file>", "", []string{`write_to_file {"content":"\u003cp\u003ex\u003c/p\u003e\n\u003ccontent\u003e\u003c/content\u003e","path":"a"}`}},
		{"<list_files>\n<path>a</path>\n</list_files>\n<list_files>\n<path>b</path>\n</list_files>\nThen I go on.", "\n\nThen I go on.\n", []string{`list_files {"path":"a"}`, `list_files {"path":"b"}`}},
		{"<ask_followup_question>\n<question>Which port?</question>\n<follow_up>\n<suggest>80</suggest>\n</follow_up>\n</ask_followup_question>", "Which port?\n", nil},
		{"Done.\n<attempt_completion>\n<result>\nIt is fixed.\n</result>\n</attempt_completion>", "Done.\nIt is fixed.\n", nil},
		{"```\n<read_file>\n<path>a</path>\n</read_file>\n```", "```\n<read_file>\n<path>a</path>\n</read_file>\n```", nil},
		{"<execute_command>\n<command>ls", "<execute_command>\n<command>ls", nil},
		{"<execute_command>\n<command>ls</command>", "<execute_command>\n<command>ls</command>", nil},
		{"<my_file>\n<path>a</path>\n</my_file>", "<my_file>\n<path>a</path>\n</my_file>", nil},
		{"Use <read_file><path>a</path></read_file> for it.", "Use <read_file><path>a</path></read_file> for it.", nil},
	} {
		said, calls := tool.WrittenCalls(c.text)
		if said != c.said {
			t.Errorf("%q says %q, want %q", c.text, said, c.said)
		}
		if len(calls) != len(c.calls) {
			t.Errorf("%q makes %d calls, want %d", c.text, len(calls), len(c.calls))
			continue
		}
		for i, call := range calls {
			if got := call.Name + " " + call.Args; got != c.calls[i] {
				t.Errorf("%q calls %s, want %s", c.text, got, c.calls[i])
			}
		}
	}
}

// Reading is linear in the lines of a text: one that looked at the rest of it for every line would not end.
func TestWrittenCallsAreLinear(t *testing.T) {
	const lines = 300_000
	for name, text := range map[string]string{
		"nothing closes":  strings.Repeat("<read_file>\n", lines) + "</list_files>",
		"in a fence":      "```\n" + strings.Repeat("<read_file>\n", lines) + "</read_file>",
		"many calls":      strings.Repeat("<read_file><path>a</path></read_file>\n", lines),
		"in one line":     strings.Repeat("<read_file><path>a</path></read_file>", lines),
		"fields in a row": "<read_file>\n" + strings.Repeat("<a></a><content>\n", lines) + "</read_file>",
	} {
		if said, calls := tool.WrittenCalls(text); said == "" && calls == nil {
			t.Errorf("%s: nothing is read", name)
		}
	}
}
