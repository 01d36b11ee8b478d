package wording_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. Work is told with the folder that it is told from where the shell stands outside of that, and a folder
// that no path can be joined to is not named twice.
func TestFoldersWhereTheShellStandsElsewhere(t *testing.T) {
	for folder, c := range map[string]struct{ stands, file, run string }{
		"/one":       {"/two", "- edited /one/a.py (#2)", "- `make` in /one → ran (#3)"},
		"/one/":      {"/one/src", "- edited a.py (#2)", "- `make` → ran (#3)"},
		`C:\one`:     {`C:\two`, "- edited a.py (#2)", "- `make` → ran (#3)"},
		"repository": {"/two", "- edited a.py (#2)", "- `make` → ran (#3)"},
	} {
		s := &summary.Structured{
			From: summary.Source{N: 1}, To: summary.Source{N: 9}, Folder: folder, Stands: c.stands,
			Files:    []summary.File{{Path: "a.py", State: summary.FileEdited, From: summary.Source{N: 2}}},
			Commands: []summary.Command{{Line: "make", Outcome: "success", From: summary.Source{N: 3}}},
		}
		text := wording.Text(s, 0, nil) + "\n"
		for _, want := range []string{c.file + "\n", c.run + "\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", folder, want, text)
			}
		}
	}
}
