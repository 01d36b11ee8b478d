package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// Where a database holds the conversations of a proxy's tenants alone, a command without
// --tenant says whose are there.
//
// SPEC: B8
func TestOtherTenantsAreNamed(t *testing.T) {
	up := newProvider(t)
	db := filepath.Join(t.TempDir(), "p.db")
	s := start(t, "--db", db, "--upstream-anthropic", up.url, "--users", "by-key")
	for _, key := range []string{"one", "another"} {
		sendAs(t, up, key, s.url, asks(3))
	}
	s.end(t)
	precis := func(args ...string) (code int, out, told string) {
		var o, e bytes.Buffer
		code = run(t.Context(), append(args, "--db", db), strings.NewReader(""), &o, &e)
		return code, o.String(), e.String()
	}
	const whose = "those of 2 tenants are here"
	code, _, told := precis("thread", "list")
	if code != exitOK || !strings.Contains(told, whose) {
		t.Errorf("exit code %d: %s", code, told)
	}
	_, names, _ := strings.Cut(told, "--tenant NAME takes one of ")
	name, _, _ := strings.Cut(strings.TrimSpace(names), ",")
	code, out, told := precis("thread", "list", "--tenant", name)
	if code != exitOK || !strings.Contains(out, "Sum the parts.") || strings.Contains(told, whose) {
		t.Errorf("--tenant %q: exit code %d: %q, %s", name, code, out, told)
	}
	for _, args := range [][]string{{"plan", "show"}, {"read", "1"}, {"grep", "row", "--proxied"}} {
		if code, _, told := precis(args...); code != exitFailed || !strings.Contains(told, whose) || !strings.Contains(told, name) {
			t.Errorf("%s: exit code %d: %s", args, code, told)
		}
	}
	if told := toldByInspect(t, db); !strings.Contains(told, whose) || !strings.Contains(told, name) {
		t.Errorf("inspect says %q", told)
	}
	if told := toldByInspect(t, db, "--tenant", name); strings.Contains(told, whose) {
		t.Errorf("inspect --tenant says %q", told)
	}
	if code, _, told := precis("plan", "show", "--tenant", "nobody"); code != exitFailed || !strings.Contains(told, whose) {
		t.Errorf("exit code %d: %s", code, told)
	}
}

// toldByInspect is what the inspector notes until its page is served.
func toldByInspect(t *testing.T, db string, args ...string) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	var told bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"inspect", "--no-browser", "--db", db}, args...), strings.NewReader(""), in, &told)
		_ = in.Close()
	}()
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, "http") {
		t.Errorf("the address is %q: %v", line, err)
	}
	stop()
	<-ended
	return told.String()
}
