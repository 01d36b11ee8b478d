package tool_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
)

func ran(command, output string) *tool.Reading {
	return tool.Parse(
		message.Part{Kind: message.Call, CallID: "1", Name: "bash", Args: `{"command":"` + command + `"}`},
		&message.Part{Kind: message.Result, CallID: "1", Parts: []message.Part{{Kind: message.Text, Text: output}}})
}

// SPEC: B18. The telling line is the verdict of the tests, else the last line that
// says something; markup is none, and a heading or an error that was expected is no error.
func TestTelling(t *testing.T) {
	for _, c := range []struct{ output, telling, failure string }{
		{"<returncode>0</returncode>\n<output>\nmy_id: 9 spaces (expected: 8)\nStill broken\n</output>", "Still broken", ""},
		{"<returncode>1</returncode>\n<output>\n</output>", "", ""},
		{"<returncode>2</returncode>\n<output>\npatching file L003.py\npatch: **** malformed patch at line 39\n</output>", "patch: **** malformed patch at line 39", "patch: **** malformed patch at line 39"},
		{"collected 18 items\n==== 1 failed, 17 passed in 0.3s ====\n\nCommand exited with code 1", "1 failed, 17 passed in 0.3s", "==== 1 failed, 17 passed in 0.3s ===="},
		{"Ran 3 tests in 0.1s\n\nFAILED (failures=1)\n", "FAILED (failures=1)", "FAILED (failures=1)"},
		{"<returncode>0</returncode>\n=== Testing the fix for TypeError: 'x' is None ===\nSingle value failed as expected\ndone", "done", ""},
		{`{"output":"3 passed\n","metadata":{"exit_code":0}}`, "3 passed", ""},
		{"All Finished!", "All Finished!", ""},
		{"", "", ""},
	} {
		r := ran("python x.py", c.output)
		if got := r.Telling(); got != c.telling {
			t.Errorf("%q: telling line %q, want %q", c.output, got, c.telling)
		}
		if r.Error != c.failure {
			t.Errorf("%q: error %q, want %q", c.output, r.Error, c.failure)
		}
	}
}
