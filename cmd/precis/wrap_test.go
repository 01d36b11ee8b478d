package main

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestAgent is no test but the agent that TestWrap runs: it sends what its
// environment says, and ends with a code of its own.
func TestAgent(t *testing.T) {
	if os.Getenv("PRECIS_TEST_AGENT") == "" {
		t.Skip("not run as an agent")
	}
	if db := os.Getenv("PRECIS_TEST_BREAKS"); db != "" {
		breakDatabase(t, db)
	}
	for _, rounds := range []int{1, 3, 20, 21} {
		if got := send(t, os.Getenv("ANTHROPIC_BASE_URL")+"/v1/messages", asks(rounds)); got != `{"ok":true}` {
			os.Exit(1)
		}
	}
	_, _ = os.Stdout.WriteString("the agent speaks\n")
	os.Exit(7)
}

// breakDatabase takes a table out of a database that is in use.
func breakDatabase(t *testing.T, path string) {
	db, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = db.ExecContext(t.Context(), "DROP TABLE variants; DROP TABLE entries")
	}
	if err != nil {
		t.Log(err)
		os.Exit(3)
	}
	_ = db.Close()
}

// What Précis could not do while the agent ran stands on standard error, in a few lines,
// and the exit code is the agent's all the same.
//
// SPEC: B6, V11
func TestWrapTellsWhatFailed(t *testing.T) {
	t.Setenv("PRECIS_TEST_AGENT", "1")
	for name, c := range map[string]struct {
		flags  []string
		breaks bool
		want   []string
	}{
		"the store":        {breaks: true, want: []string{"precis: 4 requests", "warning", "not logged", "no such table"}},
		"the end of a run": {flags: []string{"--events", "/dev/full"}, want: []string{"precis: 4 requests", "no space left"}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat("/dev/full"); err != nil && len(c.flags) > 0 {
				t.Skip("no device that is always full")
			}
			db := filepath.Join(t.TempDir(), "p.db")
			if c.breaks {
				t.Setenv("PRECIS_TEST_BREAKS", db)
			}
			var out, stderr bytes.Buffer
			args := append([]string{"wrap", "--db", db, "--budget", "6k", "--json", "--upstream-anthropic", newProvider(t).url}, c.flags...)
			code := run(t.Context(), append(args, "--", os.Args[0], "-test.run", "^TestAgent$"), strings.NewReader(""), &out, &stderr)
			if text := out.String(); code != 7 || text != "the agent speaks\n" {
				t.Errorf("exit code %d, output %q", code, text)
			}
			for _, w := range c.want {
				if !strings.Contains(stderr.String(), w) {
					t.Errorf("no %q in %q", w, stderr.String())
				}
			}
			if n := strings.Count(stderr.String(), "\n"); n > 12 {
				t.Errorf("%d lines: %s", n, &stderr)
			}
		})
	}
}

// An agent runs behind the proxy, with the program's streams and its own exit
// code, and the summary says what was measured.
//
// SPEC: B6, B7, V11
func TestWrap(t *testing.T) {
	t.Setenv("PRECIS_TEST_AGENT", "1")
	for mode, want := range map[string][]string{
		"compact": {"4 requests, 1 compaction\n", "in 4 requests, as counted here", "1 caused by a new plan, of 4 requests"},
		"observe": {"4 requests, 1 compaction\n", "compacted they would have been"},
		"off":     nil,
	} {
		t.Run(mode, func(t *testing.T) {
			up := newProvider(t)
			dir := t.TempDir()
			log := filepath.Join(dir, "log")
			var out, stderr bytes.Buffer
			code := run(t.Context(), []string{
				"wrap", "--db", filepath.Join(dir, "p.db"), "--budget", "6k", "--mode", mode, "--log", log,
				"--upstream-anthropic", up.url, "--", os.Args[0], "-test.run", "^TestAgent$",
			}, strings.NewReader(""), &out, &stderr)
			if code != 7 || !strings.Contains(out.String(), "the agent speaks") {
				t.Errorf("exit code %d, output %q, errors %q", code, out.String(), stderr.String())
			}
			for _, w := range want {
				if !strings.Contains(stderr.String(), w) {
					t.Errorf("no %q in %s", w, stderr.String())
				}
			}
			if whole := up.bodies[2] == asks(20); up.bodies[0] != asks(1) || whole != (mode != "compact") {
				t.Errorf("sent as it came is %t", whole)
			}
			if b, err := os.ReadFile(log); err != nil || len(want) > 0 && strings.Count(string(b), "msg=call") != 4 || strings.Contains(string(b), "secret") {
				t.Errorf("%v: log %s", err, b)
			}
		})
	}
}

// What each agent is told.
//
// SPEC: B6
func TestWrapCommand(t *testing.T) {
	t.Setenv("OPENCODE_CONFIG_CONTENT", `{"model":"anthropic/x","provider":{"openai":{"options":{"apiKey":"k"}}}}`)
	for name, want := range map[string]string{
		"gemini":   "GOOGLE_GEMINI_BASE_URL=http://here",
		"claude":   "ANTHROPIC_BASE_URL=http://here",
		"codex":    `model_providers.precis.base_url="http://here/v1"`,
		"opencode": `OPENCODE_CONFIG_CONTENT={"model":"anthropic/x","provider":{"anthropic":{"options":{"baseURL":"http://here/v1"}},"google":{"options":{"baseURL":"http://here/v1beta"}},"openai":{"options":{"apiKey":"k","baseURL":"http://here/v1"}}}}`,
	} {
		c, err := command("http://here", []string{name, "--resume", "-x"}, false)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(c.Args); !slices.Contains(append(c.Env, c.Args...), want) || c.Args[n-2] != "--resume" || c.Args[n-1] != "-x" {
			t.Errorf("%s: %q", name, c.Args)
		}
	}
	t.Setenv("OPENCODE_CONFIG_CONTENT", "{")
	if _, err := command("http://here", []string{"opencode"}, false); err == nil {
		t.Error("a broken configuration is taken")
	}
	if c, err := command("http://here", []string{"codex"}, true); err != nil || len(c.Args) != 1 || !slices.Contains(c.Env, "OPENAI_BASE_URL=http://here/v1") {
		t.Errorf("%v: %q", err, c)
	}
}

// An agent that is killed by a signal ends the program as a shell would; a signal
// that the program is sent reaches the agent.
//
// SPEC: B6
func TestWrapSignals(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no shell")
	}
	wrapped := func(script string) (int, string) {
		var stderr bytes.Buffer
		code := run(t.Context(), []string{"wrap", "--db", filepath.Join(t.TempDir(), "p.db"), "--", "/bin/sh", "-c", script}, strings.NewReader(""), &bytes.Buffer{}, &stderr)
		return code, stderr.String()
	}
	if code, text := wrapped("kill -TERM $$"); code != 128+int(syscall.SIGTERM) || text != "" {
		t.Errorf("exit code %d: %s", code, text)
	}
	if code, text := wrapped(`trap 'exit 9' HUP; kill -HUP $PPID; while :; do sleep 0.05; done`); code != 9 || text != "" {
		t.Errorf("exit code %d: %s", code, text)
	}
}
