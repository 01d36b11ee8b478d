package agents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/fakeprovider"
)

type fakeReply = fakeprovider.Reply

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// pathOf is the last PATH of an environment.
func pathOf(env []string) (path string) {
	for _, v := range env {
		if rest, ok := strings.CutPrefix(v, "PATH="); ok {
			path = rest
		}
	}
	return path
}

// same wants the files that were there to be as they were; what an agent wrote beside them
// is its own.
func same(t *testing.T, before, after map[string]string) {
	t.Helper()
	for path, was := range before {
		if after[path] != was {
			t.Errorf("%s is %s", path, after[path])
		}
	}
	for path := range after {
		if strings.Contains(filepath.Base(path), "precis") {
			t.Errorf("%s is left", path)
		}
	}
}

// Codex and opencode know the server, and their files are what they were afterwards.
//
// SPEC: B25
func TestServers(t *testing.T) {
	for _, c := range []struct{ program, agent, file, text, says string }{
		{"codex", "codex", ".codex/config.toml", "# mine\nmodel = \"gpt-5\"\n", "enabled"},
		{"opencode", "opencode", ".config/opencode/opencode.json", "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n", "connected"},
	} {
		t.Run(c.agent, func(t *testing.T) {
			h := newHome(t, c.program)
			h.put(c.file, c.text)
			h.run(h.precis, "install", c.agent)
			if out, notes := h.run(h.agent, "mcp", "list"); !strings.Contains(out+notes, "precis") || !strings.Contains(out+notes, c.says) {
				t.Errorf("servers: %s", out+notes)
			}
			h.run(h.precis, "uninstall", c.agent)
			if got := h.read(c.file); got != c.text {
				t.Errorf("the file is %s", got)
			}
		})
	}
}

// broken are programs in the place of precis that do not do what it does.
var broken = map[string]string{
	"hangs": "exec sleep 300",
	"dies":  "echo '[precis] This conversation'; exit 3",
	"junk":  "head -c 100000 /dev/urandom",
	"empty": "exit 0",
}

// breaks puts a program that is broken in some way in the place of precis.
func (h *home) breaks(script string) {
	h.t.Helper()
	if err := os.WriteFile(h.precis+".new", []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Rename(h.precis+".new", h.precis); err != nil {
		h.t.Fatal(err)
	}
}

// Where precis hangs, dies, prints junk or nothing, each agent compacts by itself.
//
// SPEC: B25
func TestOwnCompaction(t *testing.T) {
	for name, script := range broken {
		t.Run("claude/"+name, func(t *testing.T) {
			h, up := newClaude(t, said)
			h.run(h.precis, "install", "claude-code")
			h.claude(false, task)
			h.claude(true, "Go on with part 1")
			h.breaks(script)
			h.claude(true, "/compact")
			h.claude(true, "What is the rule?")
			if last := up.last(); up.summaries() == 0 || !strings.Contains(last, "A summary of the agent's own model.") || strings.Contains(last, "[precis]") {
				t.Errorf("%d summaries; %.3000s", up.summaries(), last)
			}
		})
		t.Run("pi/"+name, func(t *testing.T) {
			h, up := newPi(t, 200_000, 3000, said)
			h.run(h.precis, "install", "pi")
			p := h.startPi()
			defer p.end()
			p.prompt(task)
			p.prompt("Go on with part 1")
			h.breaks(script)
			if got := p.compact(); up.summaries() == 0 || !strings.Contains(got, "A summary of the agent's own model.") {
				t.Errorf("%d summaries: %s", up.summaries(), got)
			}
		})
		t.Run("opencode/"+name, func(t *testing.T) {
			if name != "hangs" {
				t.Skip("its runs take long: the slowest of these is tried")
			}
			h, up := newOpenCode(t, 32_000, said)
			h.run(h.precis, "install", "opencode")
			h.breaks(script)
			h.openCode(false, task)
			for range 5 {
				h.openCode(true, "Go on")
			}
			if up.summaries() == 0 {
				t.Errorf("%d requests, none of a compaction", up.count())
			}
		})
	}
}
