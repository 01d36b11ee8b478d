package tool_test

import (
	"slices"
	"testing"

	"github.com/seed-3db51b0e/precis/tool"
)

// SPEC: B18. Of a line that ends well, the commands have done so that only ran as those before
// them did, and whose exit code no other program hides.
func TestStepsOfALine(t *testing.T) {
	for line, want := range map[string][]tool.Step{
		"cd /r && ruff check a && PGPORT=1 pytest -q && git commit -qam 'a && b'": {{Line: "ruff check a", In: "/r"}, {Line: "PGPORT=1 pytest -q", In: "/r"}, {Line: "git commit -qam 'a && b'", In: "/r"}},
		"make && cd enc && lint a.sql":                                            {{Line: "make"}, {Line: "lint a.sql", In: "enc"}},
		"make && pytest | tail -1":                                                {{Line: "make"}},
		"make | tail -1 && pytest":                                                {{Line: "pytest"}},
		"make; make test && lint a.sql":                                           {{Line: "make test"}, {Line: "lint a.sql"}},
		"make; make test":                                                         {{Line: "make test"}},
		"make\npytest && lint;":                                                   {{Line: "pytest"}, {Line: "lint"}},
		"make || pytest && lint":                                                  nil,
		"(make && pytest) && lint":                                                nil,
		"if make; then pytest && lint; fi":                                        nil,
		"for d in a b; do make && pytest; done":                                   nil,
		"cat a && grep b c":                                                       nil,
		"":                                                                        nil,
	} {
		r := tool.Reading{Envelope: tool.Envelope{Command: line}}
		if got := r.Steps(); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}
