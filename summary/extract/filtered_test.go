package extract_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. A run of which a filter shows neither an error nor a verdict of tests resolves nothing; an
// account of an error that a filter cut off is one.
func TestFilteredRuns(t *testing.T) {
	const fails = "call bash {\"command\":\"lint a 2>&1 | tail -50\"}\n---\nresult: <returncode>0</returncode>\n<output>\nTraceback (most recent call last):\n  File \"l.py\", line 3, in f\nRuntimeError: dropped\n</output>\n---\n"
	run := func(command, output string) string {
		return "call bash {\"command\":\"" + command + "\"}\n---\nresult: " + output
	}
	for _, c := range []struct {
		name, then    string
		want, without []string
	}{
		{
			"the filter found nothing",
			run("lint a 2>&1 | grep -A5 DEBUG", "<returncode>1</returncode>\n<output>\n</output>"),
			[]string{"open: RuntimeError: dropped — from `lint a` (#2)", "- `lint a` → ran (run 2 times, 1 with errors, 1 filtered) (#4)"},
			[]string{"earlier:", "without an error line"},
		},
		{
			"the filter found something else",
			run("lint a 2>&1 | grep -A5 DEBUG", "<returncode>0</returncode>\n<output>\nDEBUG: 3\n</output>"),
			[]string{"open: RuntimeError: dropped"},
			[]string{"earlier:", "without an error line"},
		},
		{
			"the filter found the verdict of tests",
			run("lint a 2>&1 | grep passed", "<returncode>0</returncode>\n<output>\n3 passed in 0.1s\n</output>"),
			[]string{"earlier: RuntimeError: dropped", "the same command ran without an error line (#4)"},
			[]string{"open:"},
		},
		{
			"as many lines as the filter leaves",
			run("lint a 2>&1 | head -2", "<returncode>0</returncode>\n<output>\none\ntwo\n</output>"),
			[]string{"open: RuntimeError: dropped"},
			[]string{"earlier:"},
		},
		{
			"fewer lines than the filter leaves",
			run("lint a 2>&1 | head -n 3", "<returncode>0</returncode>\n<output>\none\ntwo\n</output>"),
			[]string{"earlier: RuntimeError: dropped", "the same command ran without an error line (#4)"},
			[]string{"open:", "filtered"},
		},
		{
			"the account of the error was cut off",
			run("lint a 2>&1 | head -2", "<returncode>0</returncode>\n<output>\nTraceback (most recent call last):\n  File \"l.py\", line 3, in f\n</output>"),
			[]string{"open: RuntimeError: dropped — from `lint a` (#2)", "- `lint a` → Traceback (most recent call last): (run 2 times, 2 with errors) (#4)"},
			[]string{"earlier:", "open: Traceback"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkText(t, wording.Text(summarize(t, script(t, fails+c.then)), 0, nil), c.want, c.without)
		})
	}
}
