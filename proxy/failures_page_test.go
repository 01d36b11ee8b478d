package proxy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// folders are those of packages whose tests docs/failures.md names.
var folders = map[string]string{
	"precis": "..", "proxy": ".", "strategy": "../strategy", "summary": "../summary", "contradict": "../summary/contradict", "extract": "../summary/extract", "llm": "../summary/llm",
	"render": "../render", "rehydrate": "../rehydrate", "token": "../token", "limits": "../internal/limits", "sdk": "../conformance/sdk", "writebehind": "../store/writebehind", "staged": "../store/staged", "mcp": "../mcp", "decodecache": "decodecache", "message": "../message", "hook": "../hook", "upstream": "../upstream", "tool": "../tool", "sqlite": "../store/sqlite", "postgres": "../store/postgres", "doctor": "../internal/doctor", "main": "../cmd/precis", "openai": "../codec/openai", "codec": "../codec",
	"notices": "../internal/notices", "plan": "../plan", "policy": "../policy",
	"thread": "../thread", "report": "../report",
	"intake": "intake", "recall": "../recall", "session": "../internal/engine/session", "lru": "../internal/lru", "lineage": "../internal/engine/lineage", "transcript": "../transcript",
}

var proof = regexp.MustCompile("`(\\w+)\\.(Test\\w+)`")

// Every failure of docs/failures.md has tests that are there.
//
// SPEC: P1 to P18
func TestFailuresPage(t *testing.T) {
	page, err := os.ReadFile("../docs/failures.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(page)) {
		if id, rest, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | "); ok && strings.HasPrefix(id, "P") {
			rows[id] = rest
		}
	}
	for n := range 18 {
		id := fmt.Sprintf("P%d", n+1)
		proofs := proof.FindAllStringSubmatch(rows[id], -1)
		if len(proofs) < 2 {
			t.Errorf("%s: %d tests", id, len(proofs))
		}
	}
	if len(rows) != 18 {
		t.Errorf("%d rows", len(rows))
	}
	for _, p := range proof.FindAllStringSubmatch(string(page), -1) {
		if !declared(t, p[1], p[2]) {
			t.Errorf("there is no %s.%s", p[1], p[2])
		}
	}
}

// declared says whether a package has a test.
func declared(t *testing.T, name, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folders[name], "*_test.go"))
	if err != nil || folders[name] == "" {
		t.Fatalf("%v: package %s", err, name)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+test+"(t *testing.T)") {
			return true
		}
	}
	return false
}
