package tool_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
)

// SPEC: L7. What a program wrote is read without what the client puts around it: JSON, or lines
// that state exit code and time.
func TestOutputOfAProgram(t *testing.T) {
	const codex = "Exit code: 1\nWall time: 0.2 seconds\nOutput:\n"
	for _, c := range []struct{ text, output string }{
		{"a\nb", "a\nb"},
		{`{"output":"a\nb","metadata":{"exit_code":0}}`, "a\nb"},
		{`{"output":"","metadata":{"exit_code":0}}`, ""},
		{`{"stdout":"a","stderr":"b","exit_code":1}`, "a\nb"},
		{`{"order":7}`, `{"order":7}`},
		{codex + "a\nb", "a\nb"},
		{codex, ""},
		{strings.TrimSuffix(codex, "\n"), ""},
		{"Chunk ID: 1f\nWall time: 0.1 seconds\nProcess exited with code 2\nOriginal token count: 9\nOutput:\na", "a"},
		{"Exit code: 1\nfound\nOutput:\na", "Exit code: 1\nfound\nOutput:\na"},
		{"Output:\na", "Output:\na"},
	} {
		r := tool.Parse(message.Part{Name: "shell", Args: `{"command":"make"}`}, result(c.text))
		if r.Output != c.output {
			t.Errorf("%q: %q, want %q", c.text, r.Output, c.output)
		}
	}
}

// SPEC: L7. A result says the same of a call in each form in which it comes.
func TestEveryFormOfAResult(t *testing.T) {
	for _, c := range []struct {
		line, output string
		exit         int
	}{
		{"sed -i '1c\\ it\\'s (x)' a.py; rm b.py", "bash: -c: line 1: syntax error near unexpected token `)'", 1},
		{"patch -p1 < x.patch", "patching file a.py\nHunk #1 FAILED at 1.\n1 out of 1 hunk FAILED\n", 1},
		{"edit 3:5\n    return 1\nend_of_edit", "[File: /repo/src/a.py (90 lines total)]\n3:    return 1\n(Current directory: /repo)\nbash-$", 0},
		{"cat a.go", "cat: a.go: No such file or directory", 1},
		{"python a.py", "a: 1\nValueError: x", 1},
	} {
		args, _ := json.Marshal(map[string]string{"command": c.line})
		out, _ := json.Marshal(map[string]any{"output": c.output, "metadata": map[string]any{"exit_code": c.exit}})
		forms := []string{fmt.Sprintf("Exit code: %d\nWall time: 0 seconds\nOutput:\n%s", c.exit, c.output), string(out), fmt.Sprintf("<returncode>%d</returncode>\n%s", c.exit, c.output)}
		told := func(text string) string {
			r := tool.Parse(message.Part{Name: "bash", Args: string(args)}, result(text))
			b, _ := json.Marshal([]any{r.Touched, r.Error, r.Outcome, r.Exit, r.Folder(), r.Telling()})
			return string(b)
		}
		for _, form := range forms[1:] {
			if got, want := told(form), told(forms[0]); got != want {
				t.Errorf("%q as %q:\n got  %s\n want %s", c.line, form, got, want)
			}
		}
	}
}

// SPEC: V10. A call and its result are read in one pass, however deep the result goes and however
// many marks stand in a line: twice as much of them takes twice the memory.
func TestOnePass(t *testing.T) {
	for name, of := range map[string]func(n int) (line, text string){
		"levels": func(n int) (string, string) {
			return "make", strings.Repeat(`{"metadata":`, n) + "1" + strings.Repeat("}", n)
		},
		"redirects": func(n int) (string, string) { return strings.Repeat("<", 16*n), "" },
	} {
		size := func(n int) float64 {
			line, text := of(n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			tool.Parse(message.Part{Name: "shell", Args: `{"command":"` + line + `"}`}, result(text))
			runtime.ReadMemStats(&after)
			return float64(after.TotalAlloc - before.TotalAlloc)
		}
		if one, two := size(1000), size(2000); two > 3*one {
			t.Errorf("%s: %.0f bytes, of twice as many %.0f", name, one, two)
		}
	}
}
