package schema_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-3db51b0e/precis/conformance/schema"
)

func TestLines(t *testing.T) {
	in := `{"provider":"openai","body":{"model":"gpt-5","messages":[]}}

{"provider":"openai","body":{"model":"gpt-5"}}
{"provider":"anthropic","body":{"model":"claude-opus-5","max_tokens":1,"messages":[{"role":"user","content":"a"}]}}
not a line
{"provider":"nobody","body":{}}`
	var out strings.Builder
	read, refused, err := schema.Lines(strings.NewReader(in), &out)
	if err != nil || read != 5 || refused != 3 {
		t.Errorf("read %d, refused %d, error %v; want 5, 3, none", read, refused, err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{"3: openai: ", "5: not a line", "6: nobody: "} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Errorf("lines %q, want %q at %d", lines, want, i)
		}
	}
}

func TestLinesReadError(t *testing.T) {
	broken := errors.New("broken")
	if _, _, err := schema.Lines(iotest.ErrReader(broken), &strings.Builder{}); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}
