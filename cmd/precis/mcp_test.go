package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// output is what a process has written so far.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
	at  chan string // the first address it names
}

var served = regexp.MustCompile(`serving at (http://\S+)`)

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.buf.Write(b)
	if m := served.FindStringSubmatch(o.buf.String()); m != nil {
		select {
		case o.at <- m[1]:
		default:
		}
	}
	return n, err
}

// connect runs the program and connects a client to it, over its standard streams
// or over HTTP.
func connect(t *testing.T, db string, overHTTP bool) *sdk.ClientSession {
	t.Helper()
	args := []string{"mcp", "--db", db}
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	if !overHTTP {
		s, err := c.Connect(t.Context(), &sdk.CommandTransport{Command: exec.Command("precis", args...)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Errorf("it ended with %v", err)
			}
		})
		return s
	}
	out := &output{at: make(chan string, 1)}
	cmd := exec.Command("precis", append(args, "--http", "127.0.0.1:0")...)
	cmd.Stderr = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: <-out.at}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("it ended with %v", err)
		}
	})
	return s
}

var answered = regexp.MustCompile(`^\[begin [0-9a-f]{8} .*, bytes (\d+)-(\d+) of (\d+)\]\n`)

// The official client reads a message page by page from the built program, each
// page of a process started anew, and has it byte for byte.
//
// SPEC: B8, V1
func TestMCP(t *testing.T) {
	dir := t.TempDir()
	db, file := filepath.Join(dir, "p.db"), filepath.Join(dir, "s.jsonl")
	body := strings.Repeat("a line of the output, № 7\t€\n", 2000)
	text := sessionFile(3)
	parent := "00000006-0000-4000-8000-000000000000" // the last line's
	for i, content := range []string{body, "Go on."} {
		for _, role := range []string{"user", "assistant"} {
			id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", 100+len(text)+i)
			text = fmt.Appendf(text, `{"parentUuid":%q,"isSidechain":false,"sessionId":"5f2c9a10-1111-4222-8333-944445555666","type":%q,`+
				`"message":{"role":%q,"content":%s},"uuid":%q,"timestamp":"2026-03-01T11:00:00Z"}`+"\n", parent, role, role, quoted(content), id)
			parent, content = id, "Done."
		}
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("precis", "compact", file, "--db", db, "--budget", "8k").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command("precis", "describe", "8", "--db", db).Output(); err != nil || bytes.Contains(out, []byte("whole")) {
		t.Fatalf("the prompt shows it: %v: %s", err, out)
	}
	for name, overHTTP := range map[string]bool{"stdio": false, "http": true} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for cursor, more := "", true; more; {
				var answer string
				t.Run("page", func(t *testing.T) {
					answer = one(t, connect(t, db, overHTTP), map[string]any{"id": "#8", "cursor": cursor})
				})
				m := answered.FindStringSubmatch(answer)
				if m == nil {
					t.Fatalf("no page: %.300s", answer)
				}
				from, _ := strconv.Atoi(m[1])
				to, _ := strconv.Atoi(m[2])
				got.WriteString(answer[len(m[0]):][:to-from])
				_, cursor, more = strings.Cut(answer[len(m[0])+to-from:], `cursor "`)
				cursor, _, _ = strings.Cut(cursor, `"`)
			}
			if got.String() != body {
				t.Errorf("the pages make %d bytes, not the %d that were logged", got.Len(), len(body))
			}
		})
	}
}

func one(t *testing.T, s *sdk.ClientSession, args map[string]any) string {
	t.Helper()
	res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "precis_read", Arguments: args})
	if err != nil || res.IsError {
		t.Fatalf("%v, %+v", err, res)
	}
	return res.Content[0].(*sdk.TextContent).Text
}
