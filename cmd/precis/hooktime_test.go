package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/internal/testsessions"
)

// What an agent waits for ends in time with nothing said, also where it would wait for what
// does not end: standard input that stays open, or a session that is read from it.
//
// SPEC: B25
func TestHookEndsInTime(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	old, oldLine := handoverTime, statuslineTime
	t.Cleanup(func() { handoverTime, statuslineTime = old, oldLine })
	handoverTime, statuslineTime = 20*time.Millisecond, 20*time.Millisecond
	for name, asked := range map[string]string{"nothing": "", "half": `{"transcript_`, "itself": `{"hook_event_name":"SessionStart","transcript_path":"-"}`} {
		for _, args := range [][]string{{"handover", "--hook"}, {"statusline"}} {
			if name == "itself" && args[0] == "statusline" {
				continue
			}
			stdin, agent := io.Pipe()
			go func() { _, _ = io.WriteString(agent, asked) }()
			var o, e bytes.Buffer
			ended := make(chan int, 1)
			go func() {
				ended <- run(t.Context(), append(args, "--db", filepath.Join(home, "p.db")), stdin, &o, &e)
			}()
			select {
			case code := <-ended:
				if code != exitOK || o.Len() > 0 {
					t.Errorf("%s, %s: exit code %d: %s", args, name, code, &o)
				}
			case <-time.After(20 * time.Second):
				t.Errorf("%s, %s: it waits", args, name)
			}
			_ = agent.Close()
		}
	}
	handoverTime = time.Hour
	file := filepath.Join(home, "s.jsonl")
	if err := os.WriteFile(file, testsessions.ClaudeCode(testsessions.Session(1, testsessions.Options{Messages: 400}).Messages), 0o600); err != nil {
		t.Fatal(err)
	}
	stdin, agent := io.Pipe() // a hook is answered when its JSON is whole
	go func() {
		_, _ = fmt.Fprintf(agent, `{"hook_event_name":"SessionStart","transcript_path":%q}`, file)
	}()
	var o, e bytes.Buffer
	if code := run(t.Context(), []string{"handover", "--hook", "--db", filepath.Join(home, "p.db")}, stdin, &o, &e); code != exitOK || o.Len() == 0 {
		t.Errorf("exit code %d: %s%s", code, &o, &e)
	}
	_ = agent.Close()
}
