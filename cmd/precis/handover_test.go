package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/testsessions"
)

// The handover of a session is made for the conversation alone, also where the file holds
// system prompt and tools that are larger than its budget; it holds the newest messages
// where the agent keeps none, and is smaller than a third of the session.
//
// SPEC: B25
func TestHandover(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("CLAUDE_CONFIG_DIR", filepath.Join(home, "c"))
	text := testsessions.ClaudeCode(testsessions.Session(1, testsessions.Options{Messages: 400}).Messages)
	shape := fmt.Sprintf(`{"type":"api-request-shape","shapeHash":"h","shape":{"system":[{"type":"text","text":%q}],"tools":[{"name":"Bash","input_schema":{"type":"object"}}]}}`+"\n", strings.Repeat("You are an agent. ", 5000))
	call := `{"type":"api-request","shapeHash":"h","params":{"model":"claude-opus-4-5"}}` + "\n"
	folder := filepath.Join(home, "c", "projects", "-w")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "5f2c.jsonl"), append([]byte(shape+call), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	precis := func(stdin string, args ...string) (int, string, string) {
		var o, e bytes.Buffer
		code := run(t.Context(), append(args, "--db", filepath.Join(home, "p.db")), strings.NewReader(stdin), &o, &e)
		return code, o.String(), e.String()
	}
	code, some, told := precis("", "handover", "--session", "5f2c")
	if code != exitOK || !strings.HasPrefix(some, "[precis] ") || strings.Contains(some, "You are an agent.") {
		t.Fatalf("exit code %d: %.500s %s", code, some, told)
	}
	code, all, told := precis("", "handover", "--session", "5f2c", "--whole")
	if code != exitOK || !strings.Contains(all, "\n> ") || !strings.Contains(all, "Go on where this ends.") || len(all) > len(text)/3 {
		t.Errorf("exit code %d: %d bytes of %d: %.500s %s", code, len(all), len(text), all, told)
	}
	for version, plans := range map[string]int{"2.1.286": 1, "2.1.287": 0} { // the hook of an older version plans for less
		file := filepath.Join(home, "v"+version+".jsonl")
		named := bytes.ReplaceAll(text, []byte(`"sessionId":"`), []byte(`"sessionId":"v`+version))
		named = regexp.MustCompile(`"version":"[^"]*"`).ReplaceAll(named, []byte(`"version":"`+version+`"`))
		if err := os.WriteFile(file, named, 0o600); err != nil {
			t.Fatal(err)
		}
		made := func() (v struct {
			Version int `json:"version"`
		},
		) {
			_, out, told := precis("", "plan", "show", "--json")
			if err := json.Unmarshal([]byte(out), &v); err != nil {
				t.Fatalf("%v: %s%s", err, out, told)
			}
			return v
		}
		precis("", "handover", file, "--whole")
		before := made().Version
		_, out, told := precis(fmt.Sprintf(`{"hook_event_name":"SessionStart","transcript_path":%q}`, file), "handover", "--hook")
		var said struct {
			Hook struct {
				Text string `json:"additionalContext"`
			} `json:"hookSpecificOutput"`
		}
		if err := json.Unmarshal([]byte(out), &said); err != nil || len(said.Hook.Text) > 10_000 || !strings.HasPrefix(said.Hook.Text, "[precis] ") {
			t.Errorf("%s: %v: %d bytes %s", version, err, len(said.Hook.Text), told)
		}
		if n := made().Version - before; n != plans {
			t.Errorf("%s: the hook made %d plans", version, n)
		}
	}
	if _, _, told := precis("", "handover", "--session", "5f2c"); told != "" {
		t.Error(told)
	}
	for _, args := range [][]string{{"--session", "none"}, {"--session", "../-w/5f2c"}, {"--session", "5f2c", "--before"}} {
		if code, out, _ := precis("", append([]string{"handover"}, args...)...); code != exitFailed || out != "" {
			t.Errorf("%s: exit code %d: %s", args, code, out)
		}
	}
	var th struct{ Thread string }
	if _, out, _ := precis("", "plan", "show", "--json"); json.Unmarshal([]byte(out), &th) != nil || th.Thread == "" {
		t.Fatal(out)
	}
	status := func(used string) string {
		_, out, told := precis(fmt.Sprintf(`{"session_id":%q,"context_window":{"used_percentage":%s}}`, th.Thread, used), "statusline")
		return out + told
	}
	if got := status("42.4"); !strings.HasPrefix(got, "précis: ") || !strings.Contains(got, "left out") || !strings.HasSuffix(got, " · context 42 %\n") {
		t.Errorf("status line: %s", got)
	}
	if _, got, _ := precis(`{"session_id":"other"}`, "statusline"); got != "précis\n" {
		t.Errorf("status line of a session that is not known: %s", got)
	}
	if code, got, told := precis("junk", "statusline"); code != exitOK || got+told != "" {
		t.Errorf("status line of junk: %d %s", code, got+told)
	}
	if code, got, _ := precis("", "pin", "#2", "--thread", th.Thread); code != exitOK || !strings.Contains(got, "keeps #2 word for word") {
		t.Errorf("exit code %d: %s", code, got)
	}
	if code, got, _ := precis("", "unpin", "#2"); code != exitOK || !strings.Contains(got, "may leave out #2 again") {
		t.Errorf("exit code %d: %s", code, got)
	}
	if code, _, told := precis("", "pin", "#99999"); code != exitFailed || told == "" {
		t.Errorf("exit code %d: %s", code, told)
	}
}

// What stands before the first message that the agent keeps is written, also where the
// agent names an entry before it that is no message; of one that is nowhere, nothing is.
//
// SPEC: B25
func TestHandoverKept(t *testing.T) {
	dir := t.TempDir()
	lines := []string{`{"type":"session","version":3,"id":"s","cwd":"/w"}`}
	add := func(format string, of ...any) {
		n := len(lines)
		lines = append(lines, fmt.Sprintf(`{"id":"e%d","parentId":%q,"timestamp":"2026-01-01T00:00:00Z",`, n, map[bool]string{true: fmt.Sprintf("e%d", n-1)}[n > 1])+fmt.Sprintf(format, of...)+"}")
	}
	for i := range 200 {
		if i == 196 {
			add(`"type":"model_change","provider":"p","modelId":"claude-opus-4-5"`) // e197
		}
		role := []string{"user", "assistant"}[i%2]
		add(`"type":"message","message":{"role":%q,"content":[{"type":"text","text":"said-%d. %s"}]}`, role, i, strings.Repeat("Words of the harbour. ", 15))
	}
	file := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	precis := func(kept string) (int, string, string) {
		var o, e bytes.Buffer
		code := run(t.Context(), []string{"handover", file, "--kept", kept, "--db", filepath.Join(dir, "p.db")}, strings.NewReader(""), &o, &e)
		return code, o.String(), e.String()
	}
	code, want, told := precis("e198") // the message behind the change
	if code != exitOK || !strings.Contains(want, "said-195.") || strings.Contains(want, "said-196.") {
		t.Fatalf("exit code %d: %s %s", code, want, told)
	}
	if code, got, told := precis("e197"); code != exitOK || got != want {
		t.Errorf("exit code %d: %s %s", code, got, told)
	}
	if code, got, told := precis("undefined"); code != exitFailed || got != "" || !strings.Contains(told, "undefined") {
		t.Errorf("exit code %d: %s %s", code, got, told)
	}
}

// All that the user said in the example stands in its handover, word for word, also what is
// newest; where the budget has no room for it, the text says so.
//
// SPEC: B25
func TestHandoverOfUser(t *testing.T) {
	const file, first, middle, newest = "../../examples/session.jsonl", "6. A hold lives 8 minutes.", "Keep the tests honest, no sleeping in tests.", "That was the list. Before I merge:"
	for flag, all := range map[string]bool{"--whole": true, "--budget=8k": true, "--budget=1k": false} {
		var o, e bytes.Buffer
		if code := run(t.Context(), []string{"handover", file, flag, "--db", filepath.Join(t.TempDir(), "p.db")}, strings.NewReader(""), &o, &e); code != exitOK {
			t.Fatalf("%s: exit code %d: %s", flag, code, &e)
		}
		text := o.String()
		head, _, _ := strings.Cut(text, "\n")
		if !strings.Contains(text, newest) || strings.Contains(head, "What the user said stands word for word") != all || strings.Contains(head, "Of the user's 17 messages") == all {
			t.Errorf("%s: %s", flag, text)
		}
		if all && (!strings.Contains(text, first) || !strings.Contains(text, middle) || strings.Count(text, "The user said, word for word") != 17) {
			t.Errorf("%s: %s", flag, text)
		}
	}
}

// A session that starts otherwise than after a compaction has its messages: nothing says that
// it was compacted.
//
// SPEC: B25
func TestHookAfterCompactionOnly(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "s.jsonl")
	if err := os.WriteFile(file, testsessions.ClaudeCode(testsessions.Session(1, testsessions.Options{Messages: 400}).Messages), 0o600); err != nil {
		t.Fatal(err)
	}
	for source, answered := range map[string]bool{"compact": true, "startup": false, "resume": false, "clear": false, "fork": false} {
		var o, e bytes.Buffer
		asked := fmt.Sprintf(`{"hook_event_name":"SessionStart","source":%q,"transcript_path":%q}`, source, file)
		code := run(t.Context(), []string{"handover", "--hook", "--db", filepath.Join(home, "p.db")}, strings.NewReader(asked), &o, &e)
		if code != exitOK || o.Len() > 0 != answered {
			t.Errorf("%s: exit code %d: %.200s%s", source, code, &o, &e)
		}
	}
}
