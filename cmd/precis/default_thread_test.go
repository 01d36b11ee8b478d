package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The thread that commands take by default is none that only the proxy made, unless
// that is asked for; what was taken is told.
//
// SPEC: B8, V10
func TestDefaultThread(t *testing.T) {
	up := newProvider(t)
	dir := t.TempDir()
	db, session := filepath.Join(dir, "p.db"), filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(session, []byte(`{"role":"user","content":"my own words"}`+"\n"+`{"role":"assistant","content":"yes"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	precis := func(args ...string) (code int, out, told string) {
		var o, e bytes.Buffer
		code = run(t.Context(), append(args, "--db", db), strings.NewReader(""), &o, &e)
		return code, o.String(), e.String()
	}
	proxied := func() {
		s := start(t, "--db", db, "--upstream-anthropic", up.url)
		send(t, s.url+"/v1/messages", asks(3))
		s.end(t)
	}
	proxied()
	if code, out, told := precis("read", "1"); code != exitFailed || out != "" || !strings.Contains(told, "--proxied") {
		t.Errorf("exit code %d: %q, %s", code, out, told)
	}
	if code, _, told := precis("compact", session); code != exitOK || strings.Contains(told, "--thread") {
		t.Errorf("exit code %d: %s", code, told)
	}
	proxied() // updated last
	for _, args := range [][]string{{"read", "1"}, {"grep", "own"}, {"describe", "1"}, {"thread", "show"}, {"thread", "export"}} {
		code, out, told := precis(args...)
		if code != exitOK || !strings.Contains(out, "my own words") || !strings.Contains(told, "but for those of a proxy (--proxied), of 2") {
			t.Errorf("%s: exit code %d: %q, %s", args, code, out, told)
		}
		code, out, told = precis(append(args, "--proxied")...)
		if args[0] != "grep" && (code != exitOK || strings.Contains(out, "my own words") || !strings.Contains(told, "the last updated of 2")) {
			t.Errorf("%s --proxied: exit code %d: %q, %s", args, code, out, told)
		}
	}
}
