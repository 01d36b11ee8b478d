package tool_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/tool"
)

// SPEC: B18. An error that a program logged is none of the run; one that it died of is, whatever it logged
// before: the last counts, unless the program is known to have ended with exit 0.
func TestErrorsBehindRecordsOfALog(t *testing.T) {
	const account = "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    x()\nValueError: bad\n"
	const well = "<returncode>0</returncode>\n<output>\n"
	for _, c := range []struct {
		line, output string
		outcome      tool.Outcome
	}{
		{"python a.py", well + "2026-04-10 08:51:58 ERROR app: it broke\n" + account + "</output>", tool.Success},
		{"python a.py", "2026-04-10 08:51:58 ERROR app: it broke\n" + account + "3 of 3 done\n", tool.Success},
		{"python a.py", "2026-04-10 08:51:58 ERROR app: it broke\n" + account, tool.Failure},
		{"python a.py", "INFO:root:begin\n" + account, tool.Failure},
		{"python a.py", "[1/3] DEBUG begin\n" + account + "\n", tool.Failure},
		{"python a.py", "ERROR:app:it broke\n" + account + "ERROR:app:it broke\n" + account, tool.Failure},
		{"python a.py 2>&1 | tail -20", well + "INFO:root:begin\n" + account + "</output>", tool.Partial},
		{"python a.py; echo end", well + "INFO:root:begin\n" + account + "</output>", tool.Partial},
	} {
		if r := ran(c.line, c.output); r.Outcome != c.outcome {
			t.Errorf("%s prints %q: %s, %q", c.line, c.output, r.Outcome, r.Error)
		}
	}
}
