package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/seed-3db51b0e/precis/store/sqlite"
)

const planted = "sk-planted-0123456789abcdef"

// secretRequests are bodies that name a server of tools and the credential for
// it, after so many messages of 2 kB that do not compress.
func secretRequests(messages int) map[string]string {
	random := rand.New(rand.NewPCG(7, 7))
	var ms []string
	for i := range messages {
		role, text := []string{"user", "assistant"}[i%2], make([]string, 128)
		for n := range text {
			text[n] = fmt.Sprintf("%016x", random.Uint64())
		}
		ms = append(ms, fmt.Sprintf(`{"role":%q,"content":%q}`, role, strings.Join(text, "")))
	}
	all := strings.Join(ms, ",")
	return map[string]string{
		"anthropic": `{"model":"claude-opus-4-5","max_tokens":9,"mcp_servers":[{"type":"url","name":"s","url":"https://s.example/mcp","authorization_token":"` + planted + `"}],"messages":[` + all + `]}`,
		"responses": `{"model":"gpt-5.2","tools":[{"type":"mcp","server_label":"s","server_url":"https://s.example/mcp","authorization":"` + planted + `","headers":{"X-Key":"` + planted + `"}}],"input":[` + all + `]}`,
	}
}

// holds reports whether a database holds a text: in the file as it lies there,
// in what is compressed in it, or in what the store reads back.
func holds(t *testing.T, path, text string) bool {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := bytes.Contains(data, []byte(text))
	frames := bytes.Split(data, []byte{0x28, 0xb5, 0x2f, 0xfd}) // how a frame of zstd begins
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, frame := range frames[1:] {
		if err := d.Reset(io.MultiReader(bytes.NewReader([]byte{0x28, 0xb5, 0x2f, 0xfd}), bytes.NewReader(frame))); err != nil {
			continue
		}
		plain, _ := io.ReadAll(d) // a frame ends where the next record begins
		found = found || bytes.Contains(plain, []byte(text))
	}
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	heads, err := s.Heads(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range heads {
		around, err := s.Envelope(t.Context(), h.Key)
		if err != nil {
			t.Fatal(err)
		}
		es, err := s.Load(t.Context(), h.Key)
		if err != nil {
			t.Fatal(err)
		}
		found = found || bytes.Contains(around, []byte(text))
		for _, e := range es {
			found = found || bytes.Contains(e.Message.Raw, []byte(text))
		}
	}
	return found
}

// The log of compact keeps no credential of a request.
//
// SPEC: V1, V10
func TestCompactKeepsNoCredential(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	for name, body := range secretRequests(6) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			db, file := filepath.Join(dir, "p.db"), filepath.Join(dir, "r.json")
			if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
			var out, stderr bytes.Buffer
			if code := run(t.Context(), []string{"compact", file, "--db", db}, nil, &out, &stderr); code != exitOK {
				t.Fatalf("exit code %d: %s", code, &stderr)
			}
			if out.String() != body {
				t.Errorf("a request within the budget was changed: %s", &out)
			}
			if holds(t, db, planted) {
				t.Error("the database holds the credential")
			}
			if !holds(t, db, "https://s.example/mcp") {
				t.Error("the database does not hold the parameters of the request: this test would find nothing")
			}
			out.Reset()
			if code := run(t.Context(), []string{"thread", "export", "--raw", "--db", db}, nil, &out, &stderr); code != exitOK {
				t.Fatalf("exit code %d: %s", code, &stderr)
			}
			if want := redactedBody(name, body); out.String() != want {
				t.Errorf("exported %.300s\nwant %.300s", &out, want)
			}
		})
	}
}

// redactedBody is the body with the mark of what is left out.
func redactedBody(name, body string) string {
	body = strings.ReplaceAll(body, `{"X-Key":"`+planted+`"}`, `"(left out)"`)
	return strings.ReplaceAll(body, planted, "(left out)")
}

// A second run over the same request adds nothing to the database, and one over
// a longer request adds what is new in it.
//
// SPEC: V1
func TestCompactStoresConversationOnce(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	for name := range secretRequests(0) {
		dir := t.TempDir()
		db, file := filepath.Join(dir, "p.db"), filepath.Join(dir, "r.json")
		size := func(messages int) int64 {
			if err := os.WriteFile(file, []byte(secretRequests(messages)[name]), 0o600); err != nil {
				t.Fatal(err)
			}
			var out, stderr bytes.Buffer
			if code := run(t.Context(), []string{"compact", file, "--db", db}, nil, &out, &stderr); code != exitOK {
				t.Fatalf("exit code %d: %s", code, &stderr)
			}
			info, err := os.Stat(db)
			if err != nil {
				t.Fatal(err)
			}
			return info.Size()
		}
		first := size(60)
		if again := size(60); again != first {
			t.Errorf("%s: a second run makes %d bytes of %d", name, again, first)
		}
		if longer := size(62); longer > first+24<<10 {
			t.Errorf("%s: two new messages of 2 kB add %d bytes to %d", name, longer-first, first)
		}
	}
}
