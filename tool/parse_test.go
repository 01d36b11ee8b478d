package tool_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/program"
)

// SPEC: L7. What is asked for later is what Of and Action say at once.
func TestParse(t *testing.T) {
	for _, c := range []struct{ name, args, text string }{
		{"bash", `{"command":"cd /repo && go test ./... | tail -5"}`, "<returncode>1</returncode>\nFAIL x"},
		{"bash", `{"command":["bash","-c","make all"],"cmd":"ls"}`, "ok"},
		{"shell", "make -j2", `{"output":"x","metadata":{"exit_code":2}}`},
		{"get_order", `{"order_id":"A1","note":"caf\u00e9 \"x\""}`, `{"id":"A1","status":"open","items":[1,2]}`},
		{"edit", `{"path":"a.go","edits":[{"path":"b.go"}]}`, "done"},
		{"", "", ""},
	} {
		call, res := message.Part{Name: c.name, Args: c.args}, result(c.text)
		e, r := tool.Of(call, res), tool.Parse(call, res)
		if r.Tool != e.Tool || r.Outcome != e.Outcome || r.Command != e.Command || r.KeyFields != nil {
			t.Errorf("%s %s: read %+v, not %+v", c.name, c.args, r.Envelope, e)
		}
		fresh := program.Read(e.Command)
		if got, want := r.Action(), fresh.Action(); got != want {
			t.Errorf("%s %s: acts %q, want %q", c.name, c.args, got, want)
		}
	}
}

// An exit code is found in any case of its word, where a result begins or ends: a program may print that of
// another.
func TestExitWords(t *testing.T) {
	for text, want := range map[string]int{
		"Exit code: 3": 3, "EXIT STATUS 4": 4, "[The command completed with exit code 5.]": 5, "ReturnCode=6": 6, "process exited with code 7": 7,
		"<returncode>8</returncode>": 8, "x\nReturn code 9": 9, "e\u0307x\u0130t 1": 0, "extra tuition return": 0,
		"a\n\nb\nReturn code: 1\nc\nd": 0, "a\nReturn code: 1\nb": 1, "a\nb\nc\n\nCommand exited with code 9\n</output>": 9,
	} {
		e := tool.Of(message.Part{Name: "bash", Args: `{"command":"make"}`}, result(text))
		if e.Exit == nil != (want == 0) || e.Exit != nil && *e.Exit != want {
			t.Errorf("%q: exit %v, want %d", text, e.Exit, want)
		}
	}
}
