// Package agents_test runs the real agents, headless, with what precis installs in them
// and behind precis wrap, against scripted providers on this machine.
//
// PRECIS_AGENTS names a folder that npm has installed them in:
//
//	npm install --prefix FOLDER @anthropic-ai/claude-code @google/gemini-cli @openai/codex opencode-ai @mariozechner/pi-coding-agent
//	PRECIS_AGENTS=FOLDER go test ./agents -v
//
// Without it, or without one of them, the tests of what is missing are skipped.
package agents_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/internal/fakeprovider"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

const (
	task    = "Find out why the nightly build fails. Never touch db/migrations."
	longest = 10 * time.Minute // of one agent's run
)

// home is a home folder, with precis and an agent.
type home struct {
	t             *testing.T
	folder        string
	agent, precis string
	env           []string
}

// newHome skips the test where the agent is not installed. It prints the agent's version.
func newHome(t *testing.T, name string) *home {
	t.Helper()
	from := os.Getenv("PRECIS_AGENTS")
	if from == "" {
		t.Skip("PRECIS_AGENTS names no folder that npm has installed the agents in")
	}
	h := &home{t: t, folder: t.TempDir(), agent: filepath.Join(from, "node_modules", ".bin", name)}
	if _, err := os.Stat(h.agent); err != nil {
		t.Skipf("%s is not installed in PRECIS_AGENTS: %v", name, err)
	}
	h.precis = filepath.Join(h.folder, "bin", "precis")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", h.precis, "./cmd/precis")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	h.env = append(os.Environ(), "HOME="+h.folder, "XDG_DATA_HOME="+filepath.Join(h.folder, "data"), "XDG_CONFIG_HOME="+filepath.Join(h.folder, ".config"),
		"PATH="+filepath.Dir(h.agent)+string(os.PathListSeparator)+os.Getenv("PATH"))
	version, _ := h.run(h.agent, "--version")
	t.Logf("%s %s", name, strings.TrimSpace(version))
	return h
}

func (h *home) put(file, text string) {
	h.t.Helper()
	path := filepath.Join(h.folder, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) read(file string) string {
	h.t.Helper()
	b, err := os.ReadFile(filepath.Join(h.folder, filepath.FromSlash(file)))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b)
}

// run runs a program in a folder of its own, and returns both of its outputs.
func (h *home) run(program string, args ...string) (stdout, stderr string) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), longest)
	defer cancel()
	var out, notes bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = h.work(), h.env, &out, &notes, time.Second
	if err := cmd.Run(); err != nil {
		h.t.Fatalf("%s %s: %v\n%s\n%s", filepath.Base(program), strings.Join(args, " "), err, out.String(), notes.String())
	}
	return out.String(), notes.String()
}

func (h *home) work() string {
	dir := filepath.Join(h.folder, "work")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		h.t.Fatal(err)
	}
	return dir
}

// provider answers what next says, and judges every request of its API.
type provider struct {
	t    *testing.T
	api  string
	url  string
	next func(n int, body string) fakeprovider.Reply

	mu     sync.Mutex
	bodies []string
}

func newProvider(t *testing.T, api string, next func(n int, body string) fakeprovider.Reply) *provider {
	t.Helper()
	p := &provider{t: t, api: api, next: next}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.url = s.URL
	return p
}

// ServeHTTP implements http.Handler.
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	isCall := strings.HasSuffix(r.URL.Path, "/messages") || strings.HasSuffix(r.URL.Path, "/chat/completions") || strings.Contains(r.URL.Path, ":generateContent") || strings.Contains(r.URL.Path, ":streamGenerateContent")
	if err != nil || !isCall {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"totalTokens":1,"input_tokens":1}`) // the agent may have left
		return
	}
	for _, f := range wirecheck.Check(p.api, b, wirecheck.Options{AllowUnknown: true, AllowNeighbours: true}) {
		p.t.Errorf("%s: %s", r.URL.Path, f)
	}
	p.mu.Lock()
	p.bodies = append(p.bodies, string(b))
	n := len(p.bodies)
	p.mu.Unlock()
	a := p.next(n, string(b))
	a.ID, a.Model, a.Input, a.Output = fmt.Sprint("r", n), "m", len(b)/4, 20
	kind, text := "application/json", ""
	if strings.Contains(string(b), `"stream":true`) || strings.Contains(r.URL.Path, ":stream") {
		kind, text = "text/event-stream", a.Stream(p.api)
	} else {
		text = a.Whole(p.api)
	}
	w.Header().Set("Content-Type", kind)
	_, _ = io.WriteString(w, text)
}

func (p *provider) last() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bodies[len(p.bodies)-1]
}

// said is what the model says in step n, long enough that a session has to be compacted.
func said(n int, _ string) fakeprovider.Reply {
	return fakeprovider.Reply{Text: strings.Repeat(fmt.Sprintf("Step %d. I checked src/part%d.ts and it fails with E%d. ", n, n, n*37), 300)}
}

// Claude Code: after its own compaction the next request has the user's rule, word for
// word, and uninstalling leaves its settings as they were.
//
// SPEC: B25
func TestClaudeCode(t *testing.T) {
	h := newHome(t, "claude")
	const settings = "{\n  \"theme\": \"dark\"\n}\n"
	h.put(".claude/settings.json", settings)
	h.run(h.precis, "install", "claude-code")
	if out, _ := h.run(h.agent, "mcp", "list"); !strings.Contains(out, "Connected") {
		t.Errorf("servers: %s", out)
	}
	up := newProvider(t, "anthropic", said)
	h.env = append(h.env, "ANTHROPIC_BASE_URL="+up.url, "ANTHROPIC_API_KEY=sk-test", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
	h.run(h.agent, "-p", task)
	for n := range 5 {
		h.run(h.agent, "-p", "--continue", fmt.Sprint("Go on with part ", n))
	}
	h.run(h.agent, "-p", "--continue", "/compact")
	h.run(h.agent, "-p", "--continue", "What is the rule?")
	if last := up.last(); !strings.Contains(last, `The user said, word for word (#1):\n`+task) {
		t.Errorf("the request after the compaction: %.3000s", last)
	}
	if out, _ := h.run(h.precis, "grep", "migrations"); !strings.Contains(out, task) {
		t.Errorf("grep: %s", out)
	}
	h.run(h.precis, "uninstall", "claude-code")
	if got := h.read(".claude/settings.json"); got != settings {
		t.Errorf("settings are %s", got)
	}
}

// Gemini CLI behind precis wrap: it runs through a window that it does not fit, every
// request is valid, and the rule from the beginning is in the last one.
//
// SPEC: B6, B27
func TestGeminiCLI(t *testing.T) {
	h := newHome(t, "gemini")
	h.put(".gemini/settings.json", `{"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":false}},"general":{"disableAutoUpdate":true}}`)
	h.run(h.precis, "install", "gemini-cli")
	up := newProvider(t, "gemini", func(n int, body string) fakeprovider.Reply {
		if n > 24 || !strings.Contains(body, "functionDeclarations") {
			return fakeprovider.Reply{Text: "Done."}
		}
		return fakeprovider.Reply{
			Thinking: fmt.Sprint("Part ", n), Signature: base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "signature %d", n)),
			Calls: []fakeprovider.Call{{Name: "run_shell_command", Args: fmt.Sprintf(`{"command":"seq %d00 %d99","description":"counts"}`, n, n+5)}},
		}
	})
	h.env = append(h.env, "GEMINI_API_KEY=k", "GEMINI_CLI_TRUST_WORKSPACE=true")
	out, notes := h.run(h.precis, "wrap", "--upstream-gemini", up.url, "-b", "30k", "gemini", "--yolo", "-m", "gemini-2.5-pro", "-p", task)
	if !strings.Contains(out, "Done.") || len(up.bodies) < 25 || !strings.Contains(notes, "compactions") {
		t.Errorf("%d requests: %s\n%s", len(up.bodies), out, notes)
	}
	if last := up.last(); !strings.Contains(last, task) || !strings.Contains(last, "precis_read") {
		t.Errorf("the last request: %.2000s", last)
	}
	t.Log(notes[strings.Index(notes, "precis: "):])
}

// pi: a compaction is precis', made within the time that the extension gives it.
//
// SPEC: B25
func TestPi(t *testing.T) {
	h := newHome(t, "pi")
	up := newProvider(t, "openai", said)
	h.put(".pi/agent/models.json", `{"providers":{"fake":{"baseUrl":"`+up.url+`/v1","api":"openai-completions","apiKey":"k","models":[{"id":"fake","name":"fake","reasoning":false,"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":200000,"maxTokens":8000}]}}}`)
	h.put(".pi/agent/settings.json", `{"compaction":{"enabled":true,"keepRecentTokens":3000,"reserveTokens":1000}}`)
	h.run(h.precis, "install", "pi")
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.agent, "--mode", "rpc", "--provider", "fake", "--model", "fake")
	cmd.Dir, cmd.Env = h.work(), append(h.env, "PI_OFFLINE=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(out)
	ask := func(request, ends string) (data struct {
		Type, Command string
		Data          struct{ Summary string }
	},
	) {
		t.Helper()
		if _, err := io.WriteString(in, request+"\n"); err != nil {
			t.Fatal(err)
		}
		for data.Type+data.Command != ends {
			data.Type, data.Command = "", ""
			if err := d.Decode(&data); err != nil {
				t.Fatal(err)
			}
		}
		return data
	}
	ask(`{"type":"prompt","message":"`+task+`"}`, "agent_end")
	for n := range 5 {
		ask(fmt.Sprintf(`{"type":"prompt","message":"Go on with part %d"}`, n), "agent_end")
	}
	began := time.Now()
	got := ask(`{"type":"compact"}`, "responsecompact")
	if !strings.Contains(got.Data.Summary, "word for word (#1):\n"+task) || len(up.bodies) != 6 {
		t.Errorf("%d requests; the summary is %s", len(up.bodies), got.Data.Summary)
	}
	t.Logf("a compaction took %v", time.Since(began).Round(time.Millisecond))
	_ = in.Close()
	_ = cmd.Process.Kill() // it waits for more
	_ = cmd.Wait()
	h.run(h.precis, "uninstall", "pi")
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
