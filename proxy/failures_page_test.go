package proxy_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	proof     = regexp.MustCompile("`(\\w+)\\.(Test\\w+)`")
	packageOf = regexp.MustCompile(`(?m)^package (\w+)`)
	testOf    = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
)

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
	tests := declared(t)
	for _, p := range proof.FindAllStringSubmatch(string(page), -1) {
		if !tests[p[1]+"."+p[2]] {
			t.Errorf("there is no %s.%s", p[1], p[2])
		}
	}
}

// declared returns the tests of the repository, as package.Test.
func declared(t *testing.T) map[string]bool {
	t.Helper()
	tests := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		pkg := strings.TrimSuffix(packageOf.FindStringSubmatch(string(text))[1], "_test")
		for _, f := range testOf.FindAllStringSubmatch(string(text), -1) {
			tests[pkg+"."+f[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}
