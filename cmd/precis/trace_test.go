package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// collector is an OpenTelemetry collector that keeps what it is sent.
type collector struct {
	mu   sync.Mutex
	got  []byte
	path string
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.path, c.got = r.URL.Path, append(c.got, b...)
}

// Traces reach a collector, the last when the proxy is stopped, whether a flag or
// the environment names it; they hold nothing that was said. Without either there
// are none.
//
// SPEC: B6
func TestServeTraces(t *testing.T) {
	for name, by := range map[string]string{"flag": "--otlp", "environment": "OTEL_EXPORTER_OTLP_ENDPOINT", "neither": ""} {
		t.Run(name, func(t *testing.T) {
			c := &collector{}
			to := httptest.NewServer(c)
			t.Cleanup(to.Close)
			up := newProvider(t)
			args := []string{"--db", filepath.Join(t.TempDir(), "p.db"), "--upstream-anthropic", up.url}
			switch {
			case strings.HasPrefix(by, "--"):
				args = append(args, by, to.URL)
			case by != "":
				t.Setenv(by, to.URL)
			}
			s := start(t, args...)
			send(t, s.url+"/v1/messages", asks(2))
			s.end(t)
			if by == "" {
				if c.path != "" {
					t.Errorf("traces at %s", c.path)
				}
				return
			}
			if c.path != "/v1/traces" || !bytes.Contains(c.got, []byte("precis request")) || !bytes.Contains(c.got, []byte("upstream")) {
				t.Errorf("at %s: %q", c.path, c.got)
			}
			for _, word := range []string{"secret", "Sum the", "opus"} {
				if bytes.Contains(c.got, []byte(word)) {
					t.Errorf("a trace has %q", word)
				}
			}
		})
	}
}

// What is wrong with a collector's address is said without the address: it may
// hold a password.
func TestTracesUnnamed(t *testing.T) {
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"serve", "--check", "--otlp", "http://me:secret@[::1"}, nil, io.Discard, &stderr)
	if code == exitOK || strings.Contains(stderr.String(), "secret") || !strings.Contains(stderr.String(), "--otlp") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}
