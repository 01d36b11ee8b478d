package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inspected runs the command until the test ends, and returns the address it prints.
func inspected(t *testing.T, args ...string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	var said bytes.Buffer
	go func() { ended <- run(ctx, args, strings.NewReader(""), in, &said); _ = in.Close() }()
	t.Cleanup(func() {
		stop()
		go func() { _, _ = io.Copy(io.Discard, out) }()
		if code := <-ended; code != exitOK {
			t.Errorf("the command ends with %d: %s", code, &said)
		}
	})
	r := bufio.NewReader(out)
	line, err := r.ReadString('\n')
	for err == nil && strings.HasPrefix(line, "{") && !strings.HasSuffix(line, "}\n") { // an object
		var more string
		more, err = r.ReadString('\n')
		line += more
	}
	if err != nil {
		t.Fatalf("no address: %v, %s", err, &said)
	}
	return strings.TrimSpace(line)
}

// addresses reads what --json prints.
func addresses(t *testing.T, text string) map[string]string {
	t.Helper()
	var all map[string]string
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return all
}

// threadsOf opens an inspector as a browser does, and lists the threads.
func threadsOf(t *testing.T, address string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar}
	base, _, _ := strings.Cut(address, "?")
	for _, url := range []string{address, base + "api/v1/threads"} {
		resp, err := c.Get(url) //nolint:noctx // the test ends soon
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v %s", url, resp.StatusCode, err, body)
		}
		if url != address {
			return string(body)
		}
	}
	return ""
}

// SPEC: B13
// A session is compacted in memory and shown; nothing is written.
func TestInspectAFile(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_DATA_HOME", home)
	address := inspected(t, "inspect", filepath.FromSlash("../../examples/session.jsonl"), "--budget", "32k", "--no-browser")
	var got struct {
		Threads []struct {
			Messages int `json:"messages"`
			Version  int `json:"plan_version"`
		} `json:"threads"`
	}
	if err := json.Unmarshal([]byte(threadsOf(t, address)), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Threads) != 1 || got.Threads[0].Messages < 300 || got.Threads[0].Version < 2 {
		t.Errorf("it shows %+v, want one thread that was compacted on the way", got)
	}
	if files, err := os.ReadDir(home); err != nil || len(files) > 0 {
		t.Errorf("files %v were written, %v", files, err)
	}
}

// A database that cannot be written is shown, and nothing can be changed.
func TestInspectADatabaseThatCannotBeWritten(t *testing.T) {
	db := filepath.Join(t.TempDir(), "p.db")
	var out, said bytes.Buffer
	if code := run(t.Context(), []string{"compact", filepath.FromSlash("../../examples/session.jsonl"), "--budget", "32k", "--db", db}, strings.NewReader(""), &out, &said); code != exitOK {
		t.Fatalf("%d %s", code, &said)
	}
	address := inspected(t, "inspect", "--db", db, "--read-only", "--no-browser", "--json")
	if got := threadsOf(t, addresses(t, address)["url"]); !strings.Contains(got, `"plan_version":1`) {
		t.Errorf("it shows %s", got)
	}
}

// serve --inspect shows the same beside a proxy.
func TestServeWithInspector(t *testing.T) {
	db := filepath.Join(t.TempDir(), "p.db")
	address := inspected(t, "serve", "--listen", "127.0.0.1:0", "--inspect", "127.0.0.1:0", "--db", db, "--json")
	if got := threadsOf(t, addresses(t, address)["inspect"]); !strings.Contains(got, `"threads":[]`) {
		t.Errorf("it shows %s", got)
	}
}

// A name under which a proxy is reached is one of its inspector, too.
//
// SPEC: B13
func TestInspectorHasTheNamesOfItsProxy(t *testing.T) {
	db := filepath.Join(t.TempDir(), "p.db")
	address := inspected(t, "serve", "--listen", "127.0.0.1:0", "--inspect", "127.0.0.1:0", "--db", db, "--json", "--allow-host", "precis.example")
	for host, want := range map[string]int{"precis.example": http.StatusSeeOther, "evil.example": http.StatusForbidden} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, addresses(t, address)["inspect"], nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode != want {
			t.Errorf("under the name %s: status %d, %v", host, resp.StatusCode, err)
		}
	}
}
