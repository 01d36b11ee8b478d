package tool_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/tool"
)

// SPEC: B18. What a command line prints where its program fails is no output of the program: it tells
// only that it failed. That a search or a check finds nothing is no failure, and a value may be the program's own.
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
		{`pytest -q 2>&1 | grep FAILED || echo 'no failures'`, "no failures", tool.Success, "no failures"},
		{`make lint | grep -i error || echo 'no trouble'`, "no trouble", tool.Success, "no trouble"},
		{`gofmt -l . | grep . || echo clean`, "clean", tool.Success, "clean"},
		{`pip list | grep x || echo 'x is not there'`, "x is not there", tool.Success, "x is not there"},
		{`cmp -s a b || echo differ`, "differ", tool.Success, "differ"},
		{`git merge-base --is-ancestor a b || echo apart`, "apart", tool.Success, "apart"},
		{`git diff --quiet || echo changed`, "changed", tool.Success, "changed"},
		{`pkill -f server || echo 'it did not run'`, "it did not run", tool.Success, "it did not run"},
		{`python a.py; ls b || echo gone`, "gone", tool.Success, "gone"},
		{`make && grep -c x out.txt || echo 'no x'`, "built\nno x", tool.Success, "no x"},
		{`make; test -f out || echo missing`, "missing", tool.Success, "missing"},
		{`[[ -d x ]] || echo missing`, "missing", tool.Success, "missing"},
		{`python count.py || echo 0`, "0", tool.Success, "0"},
		{`python state.py || echo none`, "none", tool.Success, "none"},
		{`python a.py | tee out.txt || echo broken`, "broken", tool.Success, "broken"},
	} {
		for _, output := range []string{c.output, "<returncode>0</returncode>\n<output>\n" + c.output + "\n</output>"} {
			r := ran(c.line, output)
			if r.Outcome != c.outcome || r.Telling() != c.telling {
				t.Errorf("%s prints %q: %s, %q", c.line, output, r.Outcome, r.Telling())
			}
		}
	}
}
