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
// that state exit code, time and folder, or remind the model of something.
func TestOutputOfAProgram(t *testing.T) {
	const codex = "Exit code: 1\nWall time: 0.2 seconds\nOutput:\n"
	const openHands = "[The command completed with exit code 1.]\n[Current working directory: /w]\n[Python interpreter: /usr/bin/python]\n[Command finished with exit code 1]"
	const gemini = "Error: (none)\nExit Code: 1\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 45"
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
		{"a\nb\n" + openHands, "a\nb"},
		{openHands, ""},
		{"[The command has no new output after 30 seconds.]\n" + openHands, "[The command has no new output after 30 seconds.]"},
		{"Command: make\nDirectory: (root)\nOutput: a\nb\n" + gemini, "a\nb"},
		{"Command: make\nDirectory: (root)\nOutput: (empty)\n" + gemini, ""},
		{"Command: make\nDirectory: src\nStdout: a\nb\nStderr: (empty)\n" + gemini, "a\nb"},
		{"Output: a\nb\nProcess Group PGID: 45", "a\nb"},
		{"Output: a\nError: it\nExit Code: 2\nProcess Group PGID: 45", "a\nError: it"},
		{"Output: a\nb", "Output: a\nb"},
		{"Command: make\nOutput: a\nExit Code: 1", "Command: make\nOutput: a\nExit Code: 1"},
		{"a\nb\n\n<system-reminder>\nUse the list.\n</system-reminder>\n", "a\nb"},
		{"a\n<system-reminder>b</system-reminder>\n\n<system-reminder>\nc\n</system-reminder>", "a"},
		{"a <system-reminder>b</system-reminder>", "a <system-reminder>b</system-reminder>"},
		{"<system-reminder>a</system-reminder>\nb", "<system-reminder>a</system-reminder>\nb"},
		{"a\n" + openHands + "\n\n<system-reminder>c</system-reminder>", "a"},
	} {
		r := tool.Parse(message.Part{Name: "shell", Args: `{"command":"make"}`}, result(c.text))
		if r.Output != c.output {
			t.Errorf("%q: %q, want %q", c.text, r.Output, c.output)
		}
	}
}

// SPEC: B20, L7. Of a result stands what a program wrote, where all that is around it is known; other JSON
// stands as it came.
func TestWritten(t *testing.T) {
	for text, want := range map[string]string{
		`{"output":"a\nb\tc","metadata":{"exit_code":0,"duration_seconds":0.1}}`: "a\nb\tc",
		`{"stdout":"a","stderr":"b","exit_code":1}`:                              "a\nb",
		`{"output":"","metadata":{"exit_code":0}}`:                               "",
		`{"output":"a","order":"W17"}`:                                           `{"output":"a","order":"W17"}`,
		`{"order":"W17"}`:                                                        `{"order":"W17"}`,
		`{"output":"a"} and b`:                                                   `{"output":"a"} and b`,
		"{\"order\":\"W17\"}\n\n<system-reminder>\nb\n</system-reminder>":        `{"order":"W17"}`,
		`{"output":"a`: `{"output":"a`,
		`{}`:           `{}`,
		"Exit code: 1\nWall time: 0.2 seconds\nOutput:\na\nb": "a\nb",
		"a\n\n<system-reminder>\nb\n</system-reminder>":       "a",
		"a\nb": "a\nb",
	} {
		if got := tool.Written(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
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
		forms := []string{
			fmt.Sprintf("Exit code: %d\nWall time: 0 seconds\nOutput:\n%s", c.exit, c.output), string(out), fmt.Sprintf("<returncode>%d</returncode>\n%s", c.exit, c.output),
			fmt.Sprintf("%s\n[The command completed with exit code %d.]\n[Command finished with exit code %[2]d]", c.output, c.exit),
			fmt.Sprintf("Command: x\nDirectory: (root)\nOutput: %s\nError: (none)\nExit Code: %d\nSignal: (none)\nProcess Group PGID: 45", c.output, c.exit),
		}
		if c.exit == 0 {
			forms = append(forms, "Output: "+c.output+"\nProcess Group PGID: 45")
		}
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
