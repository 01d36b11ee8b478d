package precis_test

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// bar is what parts the cells of a Markdown row.
var bar = regexp.MustCompile(`(?:^|[^\\])\|`)

// Every row of a page's tables stands below a head, and has as many cells.
func TestTablesAreWhole(t *testing.T) {
	for _, f := range repositoryFiles(t) {
		if path.Ext(f.path) != ".md" {
			continue
		}
		cells, fenced := 0, false
		lines := append(strings.Split(f.text, "\n"), "")
		for i, line := range lines[:len(lines)-1] {
			line = strings.TrimSpace(line)
			fenced = fenced != strings.HasPrefix(line, "```")
			if fenced || !strings.HasPrefix(line, "|") {
				cells = 0
				continue
			}
			have := len(bar.FindAllString(line, -1))
			if cells == 0 {
				cells = have
				if !strings.HasPrefix(strings.TrimSpace(lines[i+1]), "|--") {
					t.Errorf("%s:%d: a row without a head", f.path, i+1)
				}
			}
			if have != cells {
				t.Errorf("%s:%d: %d cells, the head has %d", f.path, i+1, have-1, cells-1)
			}
		}
	}
}
