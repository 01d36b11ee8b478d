// Package agents_test runs the real agents, headless, with what precis installs in them
// and behind precis wrap, against scripted providers on this machine.
//
// PRECIS_AGENTS names a folder that npm has installed them in:
//
//	npm install --prefix FOLDER node@22 @anthropic-ai/claude-code@latest @google/gemini-cli @openai/codex opencode-ai @earendil-works/pi-coding-agent
//	PRECIS_AGENTS=FOLDER go test ./agents -v
//
// Without it, or without one of them, the tests of what is missing are skipped. A run of
// an agent that is short of nothing takes a second or two; PRECIS_AGENTS_LONG=60 lets the
// long sessions take so many steps, without it they take a few.
package agents_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	version       string
	env           []string
}

// newHome skips the test where the agent is not installed. It prints the agent's version.
func newHome(t *testing.T, name string) *home {
	t.Helper()
	from := os.Getenv("PRECIS_AGENTS")
	if from == "" {
		t.Skip("PRECIS_AGENTS names no folder that npm has installed the agents in")
	}
	h := &home{t: t, folder: t.TempDir(), agent: filepath.Join(from, "node_modules", ".bin", name), version: "unknown"}
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
	version, notes := h.run(h.agent, "--version")
	if h.version = strings.TrimSpace(version); h.version == "" {
		h.version = strings.TrimSpace(notes)
	}
	t.Logf("%s %s", name, h.version)
	return h
}

// files are those of an agent's own folders, byte for byte.
func (h *home) files(folders ...string) map[string]string {
	h.t.Helper()
	all := map[string]string{}
	for _, f := range folders {
		err := filepath.WalkDir(filepath.Join(h.folder, f), func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			all[path] = string(b)
			return err
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	return all
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
	isCall := strings.HasSuffix(r.URL.Path, "/messages") || strings.HasSuffix(r.URL.Path, "/chat/completions") || strings.HasSuffix(r.URL.Path, "/responses") || strings.Contains(r.URL.Path, ":generateContent") || strings.Contains(r.URL.Path, ":streamGenerateContent")
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
	a := p.next(n, string(b))
	p.mu.Unlock()
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

// count is how many requests there were.
func (p *provider) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.bodies)
}

// summaries counts the requests in which an agent asked its model for a summary.
func (p *provider) summaries() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range p.bodies {
		if asksForSummary(b) {
			n++
		}
	}
	return n
}

// asksForSummary reports whether a request is an agent's own compaction.
func asksForSummary(body string) bool {
	for _, words := range []string{"create a detailed summary", "Create a detailed summary", "a structured context checkpoint", "summarization assistant", "context summarization agent", "CONTEXT CHECKPOINT"} {
		if strings.Contains(body, words) {
			return true
		}
	}
	return false
}

// said is what the model says in step n, long enough that a session has to be compacted.
func said(n int, body string) fakeprovider.Reply {
	if asksForSummary(body) {
		return fakeprovider.Reply{Text: "A summary of the agent's own model."}
	}
	return fakeprovider.Reply{Text: strings.Repeat(fmt.Sprintf("Step %d. I checked src/part%d.ts and it fails with E%d. ", n, n, n*37), 300)}
}
