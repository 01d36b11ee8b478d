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

// SPEC: B18. A filtered run of the same command is a run since, also where it may hide the error; one that
// showed nothing at all is not told by itself.
func TestFilteredRunsAreRuns(t *testing.T) {
	const restored = "call bash {\"command\":\"python t.py 2>&1 | grep -v Warning\"}\n---\nresult: <returncode>0</returncode>\n<output>\nTraceback (most recent call last):\n  File \"/repo/src/a.py\", line 9\n    x = = 1\nSyntaxError: invalid syntax\n</output>\n---\n" +
		"call bash {\"command\":\"git checkout src/a.py\"}\n---\nresult: <returncode>0</returncode>\n<output>\n</output>\n---\n"
	run := func(command, output string) string {
		return "call bash {\"command\":\"" + command + "\"}\n---\nresult: <returncode>0</returncode>\n<output>\n" + output + "</output>"
	}
	for _, c := range []struct {
		name, log     string
		want, without []string
	}{
		{
			"after the file was put back",
			restored + run("python t.py 2>&1 | grep -v Warning", "Result: 3\n"),
			[]string{"earlier: SyntaxError: invalid syntax — from `python t.py`", "(#2) → restored src/a.py, then a filtered run does not show it (#6)"},
			[]string{"not run since", "open:"},
		},
		{
			"of something else",
			restored + run("python u.py 2>&1 | grep -v Warning", "Result: 3\n"),
			[]string{"→ restored src/a.py, not run since (#4)"},
			[]string{"filtered run"},
		},
		{
			"that shows nothing",
			run("python -m p.test_a 2>&1 | grep FAIL | head -50", ""),
			nil,
			[]string{"p.test_a"},
		},
		{
			"that shows nothing, and what the agent makes of it",
			run("python -m p.test_a 2>&1 | grep FAIL | head -50", "") + "\n---\nassistant: There are no failures in any of the tests.",
			[]string{"`python -m p.test_a` → ran; the agent then: There are no failures in any of the tests. (#2)"},
			nil,
		},
		{
			"that is sent nowhere",
			run("python make_a.py > /dev/null", ""),
			[]string{"`python make_a.py` → exit 0 (#2)"},
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkText(t, wording.Text(summarize(t, script(t, c.log)), 0, nil), c.want, c.without)
		})
	}
}
