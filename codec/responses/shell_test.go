package responses_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/message"
)

// What the commands of a shell call printed is text like that of other tools, with the code
// they ended with before it; the JSON of each command's output stays with its text. What
// has another form is not read.
//
// SPEC: V1, V11
func TestShellOutput(t *testing.T) {
	for output, want := range map[string][]string{
		`[{"stdout":"a\n","stderr":"","outcome":{"type":"exit","exit_code":0}}]`:                                                           {"Exit code: 0\nOutput:\na\n"},
		`[{"stderr":"no such file","stdout":"","outcome":{"exit_code":2,"type":"exit"}}]`:                                                  {"Exit code: 2\nOutput:\nno such file"},
		`[{"stdout":"a","stderr":"b","outcome":{"type":"timeout"}},{"stdout":"c\n","stderr":"d","outcome":{"type":"exit","exit_code":1}}]`: {"[timeout]\na\nb", "Exit code: 1\nOutput:\nc\nd"},
		`[{"stdout":"","stderr":""}]`: {""},
		`[{"stdout":5}, {"x":1}]`:     nil,
		`{"stdout":"a","stderr":""}`:  nil,
		`"a"`:                         {"a"},
	} {
		req := decode(t, body(`{"type":"shell_call","call_id":"c","action":{"commands":["ls"]}}`, `{"type":"shell_call_output","call_id":"c","output":`+output+`}`))
		parts := req.Messages[1].Parts[0].Parts
		var got []string
		for _, p := range parts {
			if p.Kind == message.Text {
				got = append(got, p.Text)
			} else if p.Kind != message.Opaque {
				t.Errorf("%s has a part of kind %s", output, p.Kind)
			}
		}
		if len(got) != len(want) || len(parts) == 0 {
			t.Errorf("%s is read as %q, want %q", output, got, want)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s is read as %q, want %q", output, got, want)
			}
		}
	}
}
