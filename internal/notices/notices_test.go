package notices_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/notices"
)

var rewrite = flag.Bool("rewrite", false, "write notices.txt anew")

// licence are the names of files that must go with a program.
var licence = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents)[^/]*$`)

// The notices are those of every module that the command imports, on every system.
func TestNotices(t *testing.T) {
	if testing.Short() {
		t.Skip("lists the packages of three systems")
	}
	files := map[string]string{} // of licences, to the module
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if .Module}}{{.Dir}}\t{{.Module.Dir}}\t{{.Module.Path}}\t{{.Module.Main}}{{end}}", "../../cmd/precis")
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			at := strings.Split(strings.TrimSpace(line), "\t")
			if len(at) != 4 || at[3] == "true" {
				continue
			}
			for dir := at[0]; strings.HasPrefix(dir, at[1]); dir = filepath.Dir(dir) {
				entries, err := os.ReadDir(dir)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range entries {
					if !e.IsDir() && licence.MatchString(e.Name()) && !strings.HasSuffix(e.Name(), ".go") {
						files[filepath.Join(dir, e.Name())] = at[2]
					}
				}
			}
		}
	}
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	files[filepath.Join(strings.TrimSpace(string(root)), "LICENSE")] = "the Go standard library"
	want := text(t, files)
	if *rewrite {
		if err := os.WriteFile("notices.txt", []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if notices.Text() != want {
		t.Error("notices.txt is not that of the modules: go test ./internal/notices -rewrite")
	}
}

// text puts each licence once, with its modules.
func text(t *testing.T, files map[string]string) string {
	t.Helper()
	of := map[string][]string{}
	for file, module := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n"))
		if !slices.Contains(of[words], module) {
			of[words] = append(of[words], module)
		}
	}
	for _, modules := range of {
		slices.Sort(modules)
	}
	var b strings.Builder
	b.WriteString("This program contains the following software, under the licences that stand with it.\n")
	for _, words := range slices.SortedFunc(maps.Keys(of), func(x, y string) int {
		return cmp.Or(slices.Compare(of[x], of[y]), strings.Compare(x, y))
	}) {
		fmt.Fprintf(&b, "\n%s\n\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(of[words], "\n"), words)
	}
	return b.String()
}
