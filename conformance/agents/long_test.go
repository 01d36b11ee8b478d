package agents_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/fakeprovider"
)

const (
	secret = "4711-tern"
	errand = "The berth is " + secret + ", remember it. Count with the shell until I say stop. Never touch db/migrations."
	asking = "Which berth was it? Answer in one word."
	done   = "All is counted."
)

// steps is how long a long session is.
func steps(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("PRECIS_AGENTS_LONG"))
	if err != nil {
		t.Skip("PRECIS_AGENTS_LONG does not say how many steps a long session takes: 60")
	}
	return n
}

// worker is a model that takes steps with the agent's shell, and answers the question from
// nothing but the request in front of it.
type worker struct {
	t     *testing.T
	steps int
	taken int
}

var shell = regexp.MustCompile(`"name":\s*"(Bash|bash|exec_command|shell_command|shell|run_shell_command)"`)

func (w *worker) next(_ int, body string) fakeprovider.Reply {
	tool := shell.FindStringSubmatch(body)
	switch {
	case asksForSummary(body):
		return fakeprovider.Reply{Text: echo(body)}
	case strings.Contains(body, "unproductive_state_confidence"): // Gemini CLI asks whether it goes in circles
		return fakeprovider.Reply{Text: `{"unproductive_state_analysis":"It counts.","unproductive_state_confidence":0}`}
	case strings.Contains(body, asking):
		if strings.Contains(body, secret) {
			return fakeprovider.Reply{Text: "It was berth " + secret + "."}
		}
		return fakeprovider.Reply{Text: "I do not know."}
	case tool == nil:
		return fakeprovider.Reply{Text: "Counting"}
	case w.taken >= w.steps && strings.Contains(body, secret):
		return fakeprovider.Reply{Text: done + " The berth is " + secret + "."}
	case w.taken >= w.steps:
		return fakeprovider.Reply{Text: done}
	}
	w.taken++
	command := fmt.Sprintf("seq %d00000 %d01499", w.taken, w.taken)
	args := fmt.Sprintf(`{"command":%q,"description":"counts"}`, command)
	switch tool[1] {
	case "exec_command":
		args = fmt.Sprintf(`{"cmd":%q,"max_output_tokens":20000}`, command)
	case "shell":
		args = fmt.Sprintf(`{"command":["bash","-lc",%q]}`, command)
	case "bash":
		if !strings.Contains(body, `"description"`) {
			args = fmt.Sprintf(`{"command":%q}`, command)
		}
	}
	return fakeprovider.Reply{
		Thinking: fmt.Sprint("Step ", w.taken), Signature: base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "signature %d", w.taken)),
		Text:  fmt.Sprintf("Step %d.", w.taken),
		Calls: []fakeprovider.Call{{ID: fmt.Sprint("call_", w.taken), Name: tool[1], Args: args}},
	}
}

// given begins in a request what precis has a model keep.
const given = "[precis] This conversation"

// echo is the summary of a model that writes down what precis tells it to keep, and
// without that, what the summary before it said.
func echo(body string) string {
	at := strings.LastIndex(body, given)
	if at < 0 {
		at = max(strings.Index(body, `<prior-summary>`), 0)
	}
	if at == 0 {
		return "The user had the agent count."
	}
	kept := body[at:min(len(body), at+2000)]
	return "The user had the agent count. " + strings.NewReplacer(given, "The conversation", `\n`, "\n", `\"`, `"`).Replace(kept)
}

// A long session of Claude Code that its window does not hold: precis makes every
// compaction, the session goes on in the middle of its work, and what was said first is
// known at the end.
//
// SPEC: B25
func TestLongClaudeCode(t *testing.T) {
	w := &worker{t: t, steps: steps(t)}
	h, up := newClaude(t, w.next)
	h.run(h.precis, "install", "claude-code")
	if out := h.claude(false, errand); !strings.Contains(out, done) {
		t.Errorf("it ended with %s", out)
	}
	if out := h.claude(true, asking); !strings.Contains(out, secret) {
		t.Errorf("the answer is %s", out)
	}
	if h.replaces() {
		newest := fmt.Sprintf("%d01499", w.taken)
		h.claude(true, "/compact")
		compacted := h.ask(up)
		h.claude(true, "/compact undo")
		if back := h.ask(up); len(back) <= len(compacted) || !strings.Contains(back, newest) {
			t.Errorf("taken back: %d bytes after %d", len(back), len(compacted))
		}
	}
	if own := up.summaries(); own > 0 == h.replaces() {
		t.Errorf("the model was asked for %d summaries", own)
	}
	h.run(h.precis, "uninstall", "claude-code")
	if got := h.read(".claude/settings.json"); got != claudeSettings {
		t.Errorf("settings are %s", got)
	}
	h.tell(up, w, strings.Count(h.session(), `"compact_boundary"`))
}

// ask asks once more, and returns the request.
func (h *home) ask(up *provider) string {
	h.t.Helper()
	if out := h.claude(true, asking); !strings.Contains(out, secret) {
		h.t.Errorf("the answer is %s", out)
	}
	return up.last()
}

// session is all that Claude Code wrote of its sessions.
func (h *home) session() (all string) {
	for path, text := range h.files(".claude/projects") {
		if strings.HasSuffix(path, ".jsonl") {
			all += text
		}
	}
	return all
}

// tell prints the figures of a long session.
func (h *home) tell(up *provider, w *worker, compactions int) {
	h.t.Helper()
	largest := 0
	for _, b := range up.bodies {
		largest = max(largest, len(b))
	}
	h.t.Logf("%s: %d steps, %d requests, %d compactions, %d summaries by the model, largest request %d KB", h.version, w.taken, up.count(), compactions, up.summaries(), largest>>10)
	if compactions == 0 && w.steps >= 60 {
		h.t.Error("nothing was compacted")
	}
}

// A long session of pi, in a window of 32,000 tokens.
//
// SPEC: B25
func TestLongPi(t *testing.T) {
	w := &worker{t: t, steps: steps(t)}
	h, up := newPi(t, 32_000, 6000, w.next)
	before := h.files(".pi")
	h.run(h.precis, "install", "pi")
	p := h.startPi()
	defer p.end()
	p.prompt(errand)
	for w.taken < w.steps { // an overflow ends a turn
		p.prompt("Go on counting.")
	}
	p.prompt(asking)
	if last := up.last(); !strings.Contains(last, asking) || !strings.Contains(last, secret) {
		t.Errorf("the last request: %.3000s", last)
	}
	if got := p.compact(); !strings.Contains(got, secret) {
		t.Errorf("the summary: %s", got)
	}
	if got := p.command("/precis-undo"); !strings.Contains(got, "taken back") {
		t.Errorf("undo: %s", got)
	}
	if own := up.summaries(); own > 0 {
		t.Errorf("the model was asked for %d summaries", own)
	}
	sessions := ""
	for _, text := range h.files(".pi/agent/sessions") {
		sessions += text
	}
	h.run(h.precis, "uninstall", "pi")
	same(t, before, h.files(".pi"))
	h.tell(up, w, strings.Count(sessions, `"type":"compaction"`))
}

// A long session of opencode, in a window of 32,000 tokens: its own model writes the
// summaries, with what precis gave it.
//
// SPEC: B25
func TestLongOpenCode(t *testing.T) {
	w := &worker{t: t, steps: steps(t)}
	h, up := newOpenCode(t, 32_000, w.next)
	before := h.files(".config")
	h.run(h.precis, "install", "opencode")
	h.openCode(false, errand)
	for w.taken < w.steps {
		h.openCode(true, "Go on counting.")
	}
	if out := h.openCode(true, asking); !strings.Contains(out, secret) {
		t.Errorf("the answer is %s", out)
	}
	told := 0
	for _, b := range up.bodies {
		if asksForSummary(b) && strings.Contains(b, given) && strings.Contains(b, `word for word (#1):\n\"`+errand) {
			told++
		}
	}
	if t.Logf("%d prompts of a compaction have the user's words", told); told == 0 {
		t.Error("none has them")
	}
	h.run(h.precis, "uninstall", "opencode")
	same(t, before, h.files(".config"))
	h.tell(up, w, up.summaries())
}

// A long session of opencode behind precis wrap, with a budget of 24,000 tokens.
//
// SPEC: B6, B25
func TestLongOpenCodeWrapped(t *testing.T) {
	w := &worker{t: t, steps: steps(t)}
	h := newHome(t, "opencode")
	up := newProvider(t, "anthropic", w.next)
	h.put(".config/opencode/opencode.json", `{
  "$schema": "https://opencode.ai/config.json", // mine
  "autoupdate": false, "share": "disabled",
  "permission": {"edit": "allow", "bash": "allow"},
  "provider": {"anthropic": {"options": {"apiKey": "k"}}}
}
`)
	h.env = append(h.env, openCodeEnv(h)...)
	before := h.files(".config")
	h.run(h.precis, "install", "opencode")
	wrap := []string{"wrap", "--upstream-anthropic", up.url, "-b", "24k", "opencode", "run", "--model", "anthropic/claude-sonnet-4-5"}
	_, notes := h.run(h.precis, append(wrap, errand)...)
	out, _ := h.run(h.precis, append(wrap, "--continue", asking)...)
	if !strings.Contains(out, secret) || !strings.Contains(notes, "compaction") || up.summaries() > 0 {
		t.Errorf("the answer is %s\n%s", out, notes)
	}
	if out, _ := h.run(h.precis, "plan", "undo", "--proxied"); !strings.Contains(out, "restores") {
		t.Errorf("undo: %s", out)
	}
	h.run(h.precis, "uninstall", "opencode")
	same(t, before, h.files(".config"))
	t.Log(notes[strings.LastIndex(notes, "precis: "):])
	h.tell(up, w, 1)
}

// A long session of Codex behind precis wrap, with a budget of 24,000 tokens.
//
// SPEC: B6, B25
func TestLongCodex(t *testing.T) {
	w := &worker{t: t, steps: steps(t)}
	h := newHome(t, "codex")
	up := newProvider(t, "responses", w.next)
	const config = "# mine\nmodel = \"gpt-5.1\"\n\n[analytics]\nenabled = false\n"
	h.put(".codex/config.toml", config)
	h.env = append(h.env, "CODEX_HOME="+h.folder+"/.codex", "OPENAI_API_KEY=sk-test")
	h.run(h.precis, "install", "codex")
	wrap := []string{"wrap", "--upstream-openai", up.url, "-b", "24k", "codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"}
	_, notes := h.run(h.precis, append(wrap, errand)...)
	out, more := h.run(h.precis, append(wrap, "resume", "--last", asking)...)
	if !strings.Contains(out+more, secret) || !strings.Contains(notes, "compaction") {
		t.Errorf("the answer is %s\n%s\n%s", out, more, notes)
	}
	if out, _ := h.run(h.precis, "plan", "undo", "--proxied"); !strings.Contains(out, "restores") {
		t.Errorf("undo: %s", out)
	}
	h.run(h.precis, "uninstall", "codex")
	if got := h.read(".codex/config.toml"); !strings.HasPrefix(got, config) || strings.Contains(got, "precis") {
		t.Errorf("the file is %s", got)
	}
	t.Log(notes[strings.LastIndex(notes, "precis: "):])
	h.tell(up, w, 1)
}

// A session of Gemini CLI behind precis wrap, with a budget of 30,000 tokens: of 24 steps
// where nobody asks for a long one. It is one run: of a session whose old results Gemini
// CLI has masked, its --resume leaves out the first message.
//
// SPEC: B6, B25, B27
func TestGeminiCLI(t *testing.T) {
	w := &worker{t: t, steps: 24}
	if os.Getenv("PRECIS_AGENTS_LONG") != "" {
		w.steps = steps(t)
	}
	h := newHome(t, "gemini")
	const settings = `{"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":false}},"general":{"enableAutoUpdate":false}}`
	h.put(".gemini/settings.json", settings)
	h.run(h.precis, "install", "gemini-cli")
	up := newProvider(t, "gemini", w.next)
	h.env = append(h.env, "GEMINI_API_KEY=k", "GEMINI_CLI_TRUST_WORKSPACE=true")
	wrap := []string{"wrap", "--upstream-gemini", up.url, "-b", "30k", "gemini", "--yolo", "-m", "gemini-2.5-pro"}
	out, notes := h.run(h.precis, append(wrap, "-p", errand)...)
	if !strings.Contains(out, secret) || !strings.Contains(notes, "compactions") {
		t.Errorf("it ended with %s\n%s", out, notes)
	}
	if out, _ := h.run(h.precis, "plan", "undo", "--proxied"); !strings.Contains(out, "restores") {
		t.Errorf("undo: %s", out)
	}
	h.run(h.precis, "uninstall", "gemini-cli")
	if got := h.read(".gemini/settings.json"); got != settings {
		t.Logf("Gemini CLI wrote its settings: %s", got)
		if strings.Contains(got, "precis") {
			t.Error("precis is in them")
		}
	}
	t.Log(notes[strings.LastIndex(notes, "precis: "):])
	h.tell(up, w, 1)
}
