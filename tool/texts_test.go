package tool_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
)

// The texts of a call are told in order, those that an edit takes out by their names.
//
// SPEC: B18
func TestTextsOfACall(t *testing.T) {
	for args, want := range map[string][]tool.Text{
		`{"path":"a","content":"x\ny"}`:                          {{"a", false}, {"x\ny", false}},
		`{"file_path":"a","old_string":"x","new_string":"y"}`:    {{"a", false}, {"x", true}, {"y", false}},
		`{"edits":[{"oldText":"x","newText":"y"},{"find":"z"}]}`: {{"x", true}, {"y", false}, {"z", true}},
		`{"command":["sh","-c"],"n":3,"deep":{"search":["q"]}}`:  {{"sh", false}, {"-c", false}, {"q", true}},
		`not JSON`: nil,
	} {
		got := tool.Parse(message.Part{Kind: message.Call, Name: "edit", Args: args}, nil).Texts()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
	}
}
