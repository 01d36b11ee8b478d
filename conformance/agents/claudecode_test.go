package agents_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const claudeSettings = "{\n  \"theme\": \"dark\"\n}\n"

// newClaude is Claude Code with a folder of its own, before precis is installed.
func newClaude(t *testing.T, next func(n int, body string) fakeReply) (*home, *provider) {
	t.Helper()
	h := newHome(t, "claude")
	h.put(".claude/settings.json", claudeSettings)
	up := newProvider(t, "anthropic", next)
	h.env = append(h.env, "CLAUDE_CONFIG_DIR="+h.folder+"/.claude", "IS_SANDBOX=1", "ANTHROPIC_BASE_URL="+up.url, "ANTHROPIC_API_KEY=sk-test",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1")
	return h, up
}

// claude says something in the session, or begins one.
func (h *home) claude(again bool, prompt string) string {
	h.t.Helper()
	args := []string{"-p", "--dangerously-skip-permissions", "--model", "claude-opus-4-6"}
	if again {
		args = append(args, "--continue")
	}
	out, _ := h.run(h.agent, append(args, prompt)...)
	return out
}

// replaces reports whether this Claude Code lets a plugin make its compactions.
func (h *home) replaces() bool {
	v := regexp.MustCompile(`(\d+)\.(\d+)\.(\d+)`).FindStringSubmatch(h.version)
	if v == nil {
		h.t.Fatalf("no version: %s", h.version)
	}
	n := 0
	for _, part := range v[1:] {
		i, err := strconv.Atoi(part)
		if err != nil {
			h.t.Fatal(err)
		}
		n = n*1000 + i
	}
	return n >= 2_001_287
}

// Claude Code: after a compaction the next request has the user's rule, word for word, and
// where its plugins may, precis made the compaction and no model was asked. Undo brings
// back what was said, the commands answer, and uninstalling leaves its files as they were.
//
// SPEC: B25
func TestClaudeCode(t *testing.T) {
	h, up := newClaude(t, said)
	h.run(h.precis, "install", "claude-code", "--statusline")
	if out, _ := h.run(h.agent, "mcp", "list"); !strings.Contains(out, "Connected") {
		t.Errorf("servers: %s", out)
	}
	h.claude(false, task)
	for n := range 3 {
		h.claude(true, fmt.Sprint("Go on with part ", n))
	}
	whole := up.last()
	h.claude(true, "/compact")
	h.claude(true, "What is the rule?")
	last := up.last()
	if !strings.Contains(last, `The user said, word for word (#1):\n`+task) || strings.Count(last, "[precis] This conversation") != 1 || len(last) > len(whole) {
		t.Errorf("the request after the compaction, %d bytes after %d: %.3000s", len(last), len(whole), last)
	}
	if own := up.summaries(); own > 0 == h.replaces() {
		t.Errorf("the model was asked for %d summaries", own)
	}
	if out, _ := h.run(h.precis, "grep", "migrations"); !strings.Contains(out, task) {
		t.Errorf("grep: %s", out)
	}
	if h.replaces() {
		claudeCommands(t, h, up)
	} else {
		h.claude(true, "/precis:left")
		if last := up.last(); !strings.Contains(last, "plan 1 of thread") {
			t.Errorf("what left: %.2000s", last)
		}
	}
	h.run(h.precis, "uninstall", "claude-code")
	if got := h.read(".claude/settings.json"); got != claudeSettings {
		t.Errorf("settings are %s", got)
	}
	if left := h.files(".claude/skills"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// claudeCommands tries /precis, which asks no model, and /compact undo.
func claudeCommands(t *testing.T, h *home, up *provider) {
	t.Helper()
	for _, c := range [][2]string{
		{"/precis", "plan 1 of thread"},
		{"/precis why #3", "#3"},
		{"/precis find migrations", task},
		{"/precis undo", "/compact undo"},
		{"/precis nothing", "there are left, why"},
		{"/precis pin #2", "keeps #2 word for word"},
		{"/precis unpin #2", "may leave out #2 again"},
	} {
		asked, out := up.count(), ""
		for range 5 { // headless, a prompt may come before the plugin has its command
			if out = h.claude(true, c[0]); up.count() == asked {
				break
			}
			asked = up.count()
		}
		if !strings.Contains(out, c[1]) {
			t.Errorf("%s: %.500s", c[0], out)
		}
	}
	h.claude(true, "/compact undo")
	h.claude(true, "Go on")
	if last := up.last(); !strings.Contains(last, "it fails with E37. ") || strings.Contains(last, "[precis] This conversation") || !strings.Contains(last, "What is the rule?") {
		t.Errorf("after the compaction was taken back: %s", outline(last))
	}
	h.claude(true, "/compact undo") // there is nothing to take back
	h.claude(true, "/compact")      // and again
	h.claude(true, "Go on")
	if last := up.last(); strings.Count(last, "[precis] This conversation") != 1 || strings.Contains(last, strings.Repeat("Step 1. I checked src/part1.ts and it fails with E37. ", 100)) {
		t.Errorf("after the second compaction: %s", outline(last))
	}
}

// The folder that is published is a plugin of a marketplace, as Claude Code checks and
// installs both.
//
// SPEC: B25
func TestClaudeCodeMarketplace(t *testing.T) {
	h, up := newClaude(t, said)
	for _, path := range []string{"../..", "../../plugins/claude-code"} {
		if out, notes := h.run(h.agent, "plugin", "validate", "--strict", absolute(t, path)); !strings.Contains(out+notes, "Validation passed") {
			t.Errorf("%s: %s%s", path, out, notes)
		}
	}
	h.env = append(h.env, "PATH="+h.folder+"/bin:"+pathOf(h.env))
	h.run(h.agent, "plugin", "marketplace", "add", absolute(t, "../.."))
	h.run(h.agent, "plugin", "install", "precis@precis")
	h.claude(false, task)
	for n := range 3 {
		h.claude(true, fmt.Sprint("Go on with part ", n))
	}
	h.claude(true, "/compact")
	h.claude(true, "What is the rule?")
	if last := up.last(); !strings.Contains(last, `The user said, word for word (#1):\n`+task) {
		t.Errorf("the request after the compaction: %.3000s", last)
	}
	h.run(h.agent, "plugin", "uninstall", "precis@precis")
	h.run(h.agent, "plugin", "marketplace", "remove", "precis")
	if got := h.read(".claude/settings.json"); strings.Contains(got, "precis@precis\": true") {
		t.Errorf("settings are %s", got)
	}
}

// outline is the beginning of every text in a request.
func outline(body string) string {
	var r struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, m := range r.Messages {
		var text string
		blocks := []struct{ Type, Text string }{{"text", ""}}
		if json.Unmarshal(m.Content, &text) == nil {
			blocks[0].Text = text
		} else if err := json.Unmarshal(m.Content, &blocks); err != nil {
			return err.Error()
		}
		for _, x := range blocks {
			fmt.Fprintf(&b, "%s %s: %.100q\n", m.Role, x.Type, x.Text)
		}
	}
	return b.String()
}
