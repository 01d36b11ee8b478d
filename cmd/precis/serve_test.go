package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/wirecheck"
)

// provider is a fake of all APIs: it keeps what it is sent, judges it, and
// answers with wait's leave.
type provider struct {
	t    *testing.T
	url  string
	wait chan bool // nil: at once
	here chan bool

	mu     sync.Mutex
	bodies []string
}

func newProvider(t *testing.T) *provider {
	p := &provider{t: t, here: make(chan bool, 99)}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.url = s.URL
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Error(err)
	}
	p.mu.Lock()
	p.bodies = append(p.bodies, string(b))
	p.mu.Unlock()
	dialect := map[string]string{"/v1/messages": "anthropic", "/v1/chat/completions": "openai", "/v1/responses": "responses"}[r.URL.Path]
	for _, f := range wirecheck.Check(dialect, b, wirecheck.Options{}) {
		p.t.Errorf("%s: %s", dialect, f)
	}
	p.here <- true
	if p.wait != nil {
		<-p.wait
	}
	_, _ = io.WriteString(w, `{"ok":true}`) // the client reads it, or the test fails
}

// started is a proxy that runs as the command does.
type started struct {
	url    string
	stop   func()
	code   chan int
	stderr *bytes.Buffer
}

func start(t *testing.T, args ...string) *started {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	s := &started{stop: cancel, code: make(chan int, 1), stderr: &bytes.Buffer{}}
	go func() {
		code := run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...), strings.NewReader(""), in, s.stderr)
		_ = in.Close()
		s.code <- code
	}()
	t.Cleanup(cancel)
	var said struct{ URL string }
	text := bufio.NewReader(out)
	var err error
	if slices.Contains(args, "--json") {
		err = json.NewDecoder(text).Decode(&said)
	} else {
		said.URL, err = text.ReadString('\n')
	}
	if err != nil {
		t.Fatalf("%v: exit code %d: %s", err, <-s.code, s.stderr)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	s.url = strings.TrimSpace(said.URL)
	return s
}

// end stops it as Ctrl-C does.
func (s *started) end(t *testing.T) {
	t.Helper()
	s.stop()
	if code := <-s.code; code != exitOK {
		t.Errorf("exit code %d: %s", code, s.stderr)
	}
}

func send(t *testing.T, url, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer sk-very-secret")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, status %d: %s", err, resp.StatusCode, b)
	}
	_ = resp.Body.Close()
	return string(b)
}

// asks is a request with so many rounds.
func asks(rounds int) string {
	var ms []string
	for i := range rounds {
		out := quoted(lines(30, func(n int) string { return fmt.Sprintf("row %d of part%d: order_%d", n, i, i*1000+n) }))
		ms = append(ms, fmt.Sprintf(`,{"role":"assistant","content":[{"type":"tool_use","id":"toolu_%d","name":"query","input":{"part": %d}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":%s}]}`, i, i, i, out))
	}
	return `{"model":"claude-opus-4-5","max_tokens":99,"messages":[{"role":"user","content":"Sum the parts."}` + strings.Join(ms, "") + `]}`
}

// The command serves: what is small goes through as it is, what is large is
// compacted, the other commands read what it kept, and it ends when it is told
// to.
//
// SPEC: B6, B8, V1, V11
func TestServe(t *testing.T) {
	up := newProvider(t)
	db := filepath.Join(t.TempDir(), "p.db")
	s := start(t, "--db", db, "--budget", "6k", "--upstream-anthropic", up.url, "--upstream-openai", up.url+"/v1")
	for _, rounds := range []int{1, 3, 5, 20} {
		if got := send(t, s.url+"/v1/messages", asks(rounds)); got != `{"ok":true}` {
			t.Errorf("answer %q", got)
		}
	}
	send(t, s.url+"/v1/chat/completions", `{"model":"gpt-4.1","messages":[{"role":"user","content":"hi"}]}`)
	s.end(t)
	if up.bodies[0] != asks(1) || up.bodies[1] != asks(3) {
		t.Error("a small request was changed")
	}
	if last := up.bodies[3]; len(last) > len(asks(20))/2 {
		t.Errorf("a request of %d bytes", len(last))
	}
	if text := s.stderr.String(); strings.Contains(text, "secret") || strings.Contains(text, "Sum the") || strings.Count(text, "msg=call") != 5 {
		t.Errorf("log %s", text)
	}
	var list []struct {
		Thread string `json:"thread"`
		Plan   int    `json:"plan_version"`
	}
	var out bytes.Buffer
	if code := run(t.Context(), []string{"thread", "list", "--json", "--db", db}, nil, &out, io.Discard); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	if err := json.Unmarshal(out.Bytes(), &list); err != nil || len(list) != 2 || list[1].Plan == 0 {
		t.Fatalf("%v: %s", err, out.String())
	}
	out.Reset()
	if code := run(t.Context(), []string{"grep", "order_7", "--json", "--db", db, "--thread", list[1].Thread}, nil, &out, io.Discard); code != exitOK {
		t.Errorf("grep: exit code %d: %s", code, out.String())
	}
}

// Where each key is a user, other commands read a user's conversations by what
// stands for the key; nobody else's.
//
// SPEC: V1, V10
func TestServeUsers(t *testing.T) {
	up := newProvider(t)
	db := filepath.Join(t.TempDir(), "p.db")
	s := start(t, "--db", db, "--users", "by-key", "--upstream-anthropic", up.url)
	send(t, s.url+"/v1/messages", asks(3))
	s.end(t)
	var who, none, all bytes.Buffer
	if code := run(t.Context(), []string{"tenant"}, strings.NewReader("Authorization: Bearer sk-very-secret\n"), &who, io.Discard); code != exitOK {
		t.Fatal(who.String())
	}
	if code := run(t.Context(), []string{"thread", "list", "--json", "--db", db}, nil, &none, io.Discard); code != exitOK || strings.TrimSpace(none.String()) != "[]" {
		t.Errorf("nobody's threads: %s", none.String())
	}
	args := []string{"thread", "export", "--db", db, "--tenant", strings.TrimSpace(who.String())}
	if code := run(t.Context(), args, nil, &all, io.Discard); code != exitOK || strings.Count(all.String(), "tool_result") != 3 {
		t.Errorf("exit code %d: %s", code, all.String())
	}
}

// A request that is being served when the proxy is stopped is finished.
//
// SPEC: B6
func TestServeFinishes(t *testing.T) {
	up := newProvider(t)
	up.wait = make(chan bool)
	s := start(t, "--db", filepath.Join(t.TempDir(), "p.db"), "--json", "--users", "by-key", "--upstream-anthropic", up.url)
	answer := make(chan string)
	go func() { answer <- send(t, s.url+"/v1/messages", asks(1)) }()
	<-up.here
	s.stop()
	select {
	case code := <-s.code:
		t.Fatalf("exit code %d before the answer", code)
	case up.wait <- true:
	}
	if got := <-answer; got != `{"ok":true}` {
		t.Errorf("answer %q", got)
	}
	if code := <-s.code; code != exitOK {
		t.Errorf("exit code %d", code)
	}
	if line, _, _ := strings.Cut(s.stderr.String(), "\n"); !json.Valid([]byte(line)) {
		t.Errorf("log %s", line)
	}
}

// Times of the log for programs have their unit.
func TestServeLogsTimesWithUnits(t *testing.T) {
	up := newProvider(t)
	s := start(t, "--db", filepath.Join(t.TempDir(), "p.db"), "--json", "--upstream-anthropic", up.url)
	send(t, s.url+"/v1/messages", asks(1))
	s.end(t)
	for line := range strings.Lines(s.stderr.String()) {
		var call struct{ Msg, Prepared string }
		if err := json.Unmarshal([]byte(line), &call); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		if _, err := time.ParseDuration(call.Prepared); call.Msg == "call" && err != nil {
			t.Errorf("%v: %s", err, line)
		}
	}
	if !strings.Contains(s.stderr.String(), `"msg":"call"`) {
		t.Error(s.stderr)
	}
}
