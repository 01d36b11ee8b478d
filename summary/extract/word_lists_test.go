package extract_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/summary/internal/testspan"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. A command that a client gives as a list of words is told as the line that they make,
// and the summary that tells it is verified against the list.
func TestCommandsGivenAsWords(t *testing.T) {
	for _, c := range []struct{ name, args, want string }{
		{"words", `{"command":["make","part0"]}`, "part0 failed — from `make part0`"},
		{"with blanks", `{"command":["git","commit","-m","two words"]}`, "git commit -m"},
		{"written over lines", "{\"command\": [\n  \"make\",\n  \"part0\"\n]}", "part0 failed — from `make part0`"},
		{"of a shell", `{"command":["bash","-lc","make part0"]}`, "part0 failed — from `make part0`"},
	} {
		call := message.Part{Kind: message.Call, CallID: "c", Name: "shell", Args: c.args}
		result := message.Part{Kind: message.Result, CallID: "c", Parts: []message.Part{{Kind: message.Text, Text: `{"output":"Error: part0 failed\n","metadata":{"exit_code":2}}`}}}
		th, span := testspan.Of(t, []message.Message{
			{Role: message.User, Parts: []message.Part{{Kind: message.Text, Text: "Build it."}}},
			{Role: message.Assistant, Parts: []message.Part{call}},
			{Role: message.Tool, Parts: []message.Part{result}},
		})
		made, err := summary.Ask(t.Context(), extract.Summarizer{}, summary.Input{Thread: th, Span: span})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if text := wording.Text(made, 0, nil); !strings.Contains(text, c.want) {
			t.Errorf("%s: want %q in\n%s", c.name, c.want, text)
		}
	}
}
