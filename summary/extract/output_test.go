package extract_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. What a result in JSON says of files counts as it does in plain text.
func TestOutputInJSON(t *testing.T) {
	round := func(line, output string, exit int) string {
		args, _ := json.Marshal(map[string]string{"command": line})
		out, _ := json.Marshal(map[string]any{"output": output, "metadata": map[string]any{"exit_code": exit}})
		return "call bash " + string(args) + "\n---\nresult: " + string(out)
	}
	for _, c := range []struct {
		name          string
		rounds        []string
		want, without string
	}{
		{"a file that a commit deletes", []string{round("echo x > old.go", "", 0), round("go run gen.go && git add -A && git commit -m x", "[main 1234567] x\n delete mode 100644 old.go\n", 0)}, "- deleted old.go", "created"},
		{"a copy shows nothing", []string{round("cp a.go b.go", "", 0)}, "- created b.go", "read"},
	} {
		text := wording.Text(summarize(t, script(t, strings.Join(c.rounds, "\n---\n"))), 0, nil)
		if !strings.Contains(text, c.want) || strings.Contains(text, c.without) {
			t.Errorf("%s: want %q, not %q in\n%s", c.name, c.want, c.without, text)
		}
	}
}
