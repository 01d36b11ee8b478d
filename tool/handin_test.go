package tool_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/tool"
)

// SPEC: B18. Of the program that hands in the work of SWE-agent the output is of what comes next; another
// program of that name is read as any.
func TestOutputOfHandingIn(t *testing.T) {
	for _, c := range []struct {
		output string
		want   tool.Outcome
	}{
		{"We solve an issue.\nError: it broke\n(Open file: n/a)\n(Current directory: /two)\nbash-$", tool.Success},
		{"Error: not logged in", tool.Failure},
		{"<returncode>0</returncode>\n<output>\nError: not logged in\n</output>", tool.Partial},
	} {
		if r := ran("submit", c.output); r.Outcome != c.want {
			t.Errorf("%q: %s, %q", c.output, r.Outcome, r.Error)
		}
	}
}
