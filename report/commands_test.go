package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// Commands that left the prompt are counted like paths and numbers: each by its first line,
// once, unless the prompt shows it in a call or in a text.
//
// SPEC: B12
func TestCommandsThatLeft(t *testing.T) {
	run := func(commands ...string) (ms []message.Message) {
		for n, c := range commands {
			args := fmt.Sprintf(`{"command":%q}`, c)
			ms = append(ms, message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: fmt.Sprint(n), Name: "bash", Args: args}}},
				message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: fmt.Sprint(n), Parts: []message.Part{{Kind: message.Text, Text: "ok"}}}}})
		}
		return ms
	}
	logged := run("go test ./...", "cat > a <<'E'\nx\nE", `grep "x y" a`, "make", "make", "\n  ls -l\nls", "")
	for name, c := range map[string]struct {
		prompt []message.Message
		lost   string // what the examples say
	}{
		"none is left":   {nil, "make (#8) · go test ./... (#2) · cat > a <<'E' (#4) · grep \"x y\" a (#6) · ls -l (#12)"},
		"all are left":   {logged, ""},
		"one in a call":  {run("make"), "go test ./... (#2) · cat > a <<'E' (#4) · grep \"x y\" a (#6) · ls -l (#12)"},
		"some in a text": {[]message.Message{message.TextOf(message.User, "- `grep \"x y\" a`: ok\n- `go test ./...`: FAIL\n- cat > a <<'E'")}, "make (#8) · ls -l (#12)"},
	} {
		th, err := thread.New(thread.Extend("", append([]message.Message{message.TextOf(message.User, "Go.")}, logged...)))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, l := range lost(&precis.Turn{Thread: th, Messages: c.prompt, Plan: &plan.Plan{Records: []plan.Record{{}}}}) {
			if l.Kind != "command" {
				continue
			}
			got = strings.Join(l.Examples, " · ")
			if l.Of != 5 || l.Lost != strings.Count(got, " · ")+1 {
				t.Errorf("%s: %+v", name, l)
			}
		}
		if got != c.lost {
			t.Errorf("%s: %q, want %q", name, got, c.lost)
		}
	}
}
