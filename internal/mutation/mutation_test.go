package mutation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/internal/mutation"
)

// all is set by the build tag faults: every fault is built and tested, not only
// the quick ones.
var all bool

// quick are packages whose tests take next to no time to build and run.
var quick = map[string]bool{"message": true, "token": true}

const root = "../.."

func list(t *testing.T) []mutation.Fault {
	t.Helper()
	fs, err := mutation.Parse(mutation.List)
	if err != nil {
		t.Fatal(err)
	}
	return fs
}

func source(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Every fault of the list still fits the code, is still Go, and names a test
// that is there.
func TestListIsCurrent(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range list(t) {
		text, err := f.Apply(source(t, f.File))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), f.File, text, parser.SkipObjectResolution); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		name, _, _ := strings.Cut(f.Test, "/")
		if !holds(t, f.Package, "func "+name+"(") {
			t.Errorf("%s: no test %s in %s", f.Name, f.Test, f.Package)
		}
		if seen[f.Name] {
			t.Errorf("%s: listed twice", f.Name)
		}
		seen[f.Name] = true
	}
}

// holds says whether a test file of a package holds a text.
func holds(t *testing.T, pkg, text string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), text) {
			return true
		}
	}
	return false
}

// Every fault is noticed by the test it names.
func TestFaultsAreNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("builds packages")
	}
	for _, f := range list(t) {
		if all || quick[f.Package] {
			t.Run(f.Name, func(t *testing.T) {
				t.Parallel()
				notice(t, f)
			})
		}
	}
}

func notice(t *testing.T, f mutation.Fault) {
	text, err := f.Apply(source(t, f.File))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	args := []string{"test", "-overlay", overlay(t, f.File, text), "-vet=off", "-count=1", "-timeout=60s", "-run", pattern(f.Test), "./" + f.Package}
	if holds(t, f.Package, `"pgregory.net/rapid"`) || holds(t, f.Package, `/storetest"`) {
		args = append(args, "-rapid.nofailfile", "-rapid.shrinktime=1s") // the tree stays as it is
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	start := time.Now()
	out, err := cmd.CombinedOutput()
	name, _, _ := strings.Cut(f.Test, "/")
	var exit *exec.ExitError
	switch {
	case err == nil && strings.Contains(string(out), "no tests to run"):
		t.Fatalf("%s: %s runs no test", f.File, f.Test)
	case err == nil:
		t.Fatalf("%s: %s %s does not notice", f.File, f.Package, f.Test)
	case !errors.As(err, &exit):
		t.Fatal(err)
	case strings.Contains(string(out), "panic: test timed out"):
		t.Fatalf("%s: %s %s hangs", f.File, f.Package, f.Test)
	case !strings.Contains(string(out), "--- FAIL: "+name) && !regexp.MustCompile(`(?m)^panic: `).Match(out):
		t.Fatalf("%s: not built, or not run: %v\n%s", f.File, err, out)
	}
	t.Logf("%s: %s %s, %.1f s", f.File, f.Package, f.Test, time.Since(start).Seconds())
}

// pattern matches a test, and its subtest after a slash, by their whole names.
func pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// overlay writes a file in which the go command finds a source replaced.
func overlay(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	abs, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	faulty := filepath.Join(dir, filepath.Base(name))
	spec, err := json.Marshal(map[string]map[string]string{"Replace": {abs: faulty}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	for file, data := range map[string]string{faulty: text, path: string(spec)} {
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestParse(t *testing.T) {
	for _, bad := range []string{"# x\nin a.go\n", "# x\nwhat\n", "# x\nin a.go\nfails p T\n-a\n+a\n"} {
		if _, err := mutation.Parse(bad); !errors.Is(err, mutation.ErrMalformed) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	fs, err := mutation.Parse("about\n# x\nin a.go\nfails p T\n-a\n-b\n+c\n")
	if err != nil || fmt.Sprint(fs) != "[{x a.go p T a\nb c}]" {
		t.Errorf("%q, %v", fs, err)
	}
	for source, want := range map[string]string{"1a\nb2": "1c2", "a": "", "a\nba\nb": ""} {
		if got, err := fs[0].Apply(source); got != want || (err == nil) != (want != "") {
			t.Errorf("%q became %q, %v", source, got, err)
		}
	}
}
