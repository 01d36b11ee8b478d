package precis_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page for Go programs names the import path of every package of this module that
// its pieces of Go use, and the README one of those of its piece.
func TestPagesNameImports(t *testing.T) {
	paths := map[string][]string{"precis": nil} // the root: its path is in the command below
	for _, pattern := range []string{"*/*.go", "*/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			dir := filepath.ToSlash(filepath.Dir(f))
			if name := filepath.Base(dir); name != "precis" && (len(paths[name]) == 0 || paths[name][len(paths[name])-1] != dir) {
				paths[name] = append(paths[name], dir)
			}
		}
	}
	page := read(t, "docs/embedding.md")
	checked := 0
	for _, block := range strings.Split(page, "\n```go\n")[1:] {
		block, _, _ = strings.Cut(block, "\n```")
		for _, m := range regexp.MustCompile(`(?m)(?:^|[^\w.])([a-z]\w*)\.[A-Z]`).FindAllStringSubmatch(block, -1) {
			named := len(paths[m[1]]) == 0 // of the standard library, or a variable
			for _, dir := range paths[m[1]] {
				checked++
				named = named || regexp.MustCompile("`(github.com/seed-3db51b0e/precis/)?"+dir+"`").MatchString(page)
			}
			if !named {
				t.Errorf("the page uses %s and names none of %v", m[1], paths[m[1]])
			}
		}
	}
	if checked < 10 {
		t.Errorf("%d packages found", checked)
	}
	for _, page := range []string{page, read(t, "README.md")} {
		if !strings.Contains(page, "-replace github.com/seed-3db51b0e/precis=CLONE") {
			t.Error("a page does not say how to require the module")
		}
	}
}
