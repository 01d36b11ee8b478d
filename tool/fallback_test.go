package tool_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/tool"
)

// SPEC: B18. What a command line prints where its program fails is no output of the program: it tells
// only that it failed.
func TestWhatIsPrintedInstead(t *testing.T) {
	for _, c := range []struct {
		line, output string
		outcome      tool.Outcome
		telling      string
	}{
		{`python -m m --version 2>/dev/null || echo 'm is not there'`, "m is not there", tool.Failure, ""},
		{`python a.py || echo it   failed`, "x = 3\nit failed", tool.Failure, "x = 3"},
		{`cd /r && python a.py && echo fine || echo broken`, "fine", tool.Success, "fine"},
		{`cd /r && python a.py && echo fine || echo broken`, "broken", tool.Failure, ""},
		{`python a.py || echo broken; python b.py`, "broken\ny = 4", tool.Success, "y = 4"},
		{`python a.py || python b.py`, "y = 4", tool.Success, "y = 4"},
		{`python a.py || echo 'broken'`, "not broken", tool.Success, "not broken"},
		{`grep -q x a.py || echo 'no x here'`, "no x here", tool.Success, "no x here"},
	} {
		for _, output := range []string{c.output, "<returncode>0</returncode>\n<output>\n" + c.output + "\n</output>"} {
			r := ran(c.line, output)
			if r.Outcome != c.outcome || r.Telling() != c.telling {
				t.Errorf("%s prints %q: %s, %q", c.line, output, r.Outcome, r.Telling())
			}
		}
	}
}
