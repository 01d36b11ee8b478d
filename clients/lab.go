package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/seed-3db51b0e/precis/clients/provider"
)

// task is what every client is asked to do.
const task = "Read the files notes/01.txt to notes/%02d.txt with the shell, one command for each, in order. Do nothing else. Then answer this: %s"

// The facts and the notes that hold them, in the first 2,000 characters: of a result, pi
// shows the model no more when it has the conversation summarized.
var facts = map[string]string{"vessel-tern": "4711", "vessel-osprey": "9083", "vessel-gannet": "1902"}

var factNotes = map[int]string{2: "vessel-tern", 5: "vessel-osprey", 9: "vessel-gannet"}

// lab is one run of one client through the proxy.
type lab struct {
	client   client
	precis   string // the program
	packages string // where clients are installed
	dir      string // work, home, database
	notes    int
	budget   string
	base     string // URL that the client is given
	address  string // of the proxy
	upstream string // URL of the model
	tap      *tap
	model    *provider.Provider
	server   *exec.Cmd
	log      *os.File
}

// tap stands between client and proxy and keeps what the client sent and got.
type tap struct {
	mu     sync.Mutex
	sent   []string
	leaked bool   // the client was told to call a recall tool
	told   []told // errors that the client got
}

// told is an error as a client got it.
type told struct {
	status int
	after  string // Retry-After
}

func (t *tap) ServeHTTP(w http.ResponseWriter, r *http.Request, to *httputil.ReverseProxy) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	t.mu.Lock()
	t.sent = append(t.sent, string(body))
	t.mu.Unlock()
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(string(body))), int64(len(body))
	to.ServeHTTP(watched{w, t}, r)
}

type watched struct {
	http.ResponseWriter
	tap *tap
}

func (w watched) Write(b []byte) (int, error) {
	if strings.Contains(string(b), "precis_grep") || strings.Contains(string(b), "precis_read") {
		w.tap.mu.Lock()
		w.tap.leaked = true
		w.tap.mu.Unlock()
	}
	return w.ResponseWriter.Write(b)
}

func (w watched) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.tap.mu.Lock()
		w.tap.told = append(w.tap.told, told{status, w.Header().Get("Retry-After")})
		w.tap.mu.Unlock()
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// open starts provider, proxy and tap.
func (l *lab) open(ctx context.Context, s provider.Script) (closeAll func(), err error) {
	if l.model, err = provider.New(s); err != nil {
		return nil, err
	}
	if err := l.write(); err != nil {
		return nil, err
	}
	upstream := httptest.NewServer(l.model)
	defer func() {
		if err != nil {
			upstream.Close()
		}
	}()
	if l.address, err = freeAddress(); err != nil {
		return nil, err
	}
	if l.log, err = os.Create(filepath.Join(l.dir, "serve.log")); err != nil {
		return nil, err
	}
	l.upstream = upstream.URL
	if err := l.serve(ctx); err != nil {
		_ = l.log.Close()
		return nil, err
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: l.address})
	proxy.FlushInterval = -1
	l.tap = &tap{}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { l.tap.ServeHTTP(w, r, proxy) }))
	l.base = front.URL
	return func() {
		l.keepBodies()
		front.Close()
		l.stop(syscall.SIGTERM)
		upstream.Close()
		_ = l.log.Close()
	}, nil
}

// keepBodies keeps what the client sent and what the model got, a request a line, for people: a
// run is judged without it.
func (l *lab) keepBodies() {
	l.tap.mu.Lock()
	defer l.tap.mu.Unlock()
	for name, bodies := range map[string][]string{"sent.jsonl": l.tap.sent, "got.jsonl": l.model.Report().Bodies} {
		var b bytes.Buffer
		for _, body := range bodies {
			if json.Compact(&b, []byte(body)) == nil {
				b.WriteByte('\n')
			}
		}
		_ = os.WriteFile(filepath.Join(l.dir, name), b.Bytes(), 0o644)
	}
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String(), nil
}

// write makes the notes.
func (l *lab) write() error {
	notes := filepath.Join(l.dir, "work", "notes")
	if err := os.MkdirAll(notes, 0o755); err != nil {
		return err
	}
	for n := 1; n <= l.notes; n++ {
		var b strings.Builder
		fmt.Fprintf(&b, "Note %02d of the harbour log.\n", n)
		for i := range 60 {
			if name := factNotes[n]; i == 20 && name != "" {
				b.WriteString(provider.Fact(name, facts[name]) + "\n")
			}
			fmt.Fprintf(&b, "Berth log: vessel-%d took %d crates of %s and left without remarks.\n", 1000*n+7*i, (n*31+i*17)%4000, cargo[(n+i)%len(cargo)])
		}
		b.WriteString(provider.End(n) + "\n")
		if err := os.WriteFile(filepath.Join(notes, fmt.Sprintf("%02d.txt", n)), []byte(b.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

var cargo = []string{"salt", "rope", "dried cod", "lamp oil", "tin", "paper", "wool", "copper wire"}

// serve starts the proxy and waits until it is ready.
func (l *lab) serve(ctx context.Context) error {
	l.server = exec.CommandContext(ctx, l.precis, "serve", "--listen", l.address, "--budget", l.budget, "--db", filepath.Join(l.dir, "precis.db"),
		"--upstream-anthropic", l.upstream, "--upstream-openai", l.upstream, "--json")
	l.server.Stderr, l.server.Stdout = l.log, l.log
	l.server.Env = append(os.Environ(), "HOME="+l.dir)
	if err := l.server.Start(); err != nil {
		return fmt.Errorf("start proxy: %w", err)
	}
	for range 200 {
		if l.ready(ctx) {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
	l.stop(syscall.SIGKILL)
	return errors.New("proxy did not become ready")
}

// ready asks the proxy whether it is, for at most a second.
func (l *lab) ready(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+l.address+"/readyz", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	_ = resp.Body.Close() // its status is enough
	return resp.StatusCode == http.StatusOK
}

func (l *lab) stop(how syscall.Signal) {
	if l.server == nil || l.server.Process == nil {
		return
	}
	_ = l.server.Process.Signal(how)
	_ = l.server.Wait()
	l.server = nil
}

// kill ends the proxy as a crash would, and starts it again, when the model has read so
// many notes. Where waiting ends before that, it does nothing; ctx is the new proxy's.
func (l *lab) kill(ctx, waiting context.Context, after int) error {
	for l.model.Report().Requests < after {
		select {
		case <-waiting.Done():
			return waiting.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	l.stop(syscall.SIGKILL)
	return l.serve(ctx)
}
