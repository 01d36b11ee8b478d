package extract_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. A run that ends with an account of an error failed, also where the program caught it and its
// exit code is 0; one that goes on after it, or that expected it, did not.
func TestErrorsThatProgramsCatch(t *testing.T) {
	const lacks = "call bash {\"command\":\"python r.py\"}\n---\nresult: <returncode>1</returncode>\n<output>\nModuleNotFoundError: No module named 'm'\n</output>\n---\n" +
		"call bash {\"command\":\"pip install -e .\"}\n---\nresult: <returncode>0</returncode>\n<output>\ndone\n</output>\n---\n"
	again := func(output string) string {
		return lacks + "call bash {\"command\":\"python r.py\"}\n---\nresult: <returncode>0</returncode>\n<output>\n" + output + "\n</output>"
	}
	const account = "Traceback (most recent call last):\n  File \"r.py\", line 3, in f\n    g()\nTypeError: 'x' is None\n"
	well := []string{"(run 2 times, 1 failed) (#6)", "earlier: ModuleNotFoundError: No module named 'm'", "the same command ended with exit 0 (#6)"}
	for _, c := range []struct {
		name, output  string
		want, without []string
	}{
		{
			"the account alone", account,
			[]string{"open: TypeError: 'x' is None — from `python r.py` (run 2 times, 2 failed, the last so) (#6)"},
			[]string{"ended with exit 0"},
		},
		{
			"the error in other words behind it", account + "Trying the next:\nException: <class 'TypeError'>: 'x' is None",
			[]string{"open: TypeError: 'x' is None — from `python r.py` (run 2 times, 2 failed, the last so) (#6)"},
			[]string{"ended with exit 0"},
		},
		{"more behind it", account + "Result: 3 of 3", well, []string{"open:"}},
		{"an error that was expected", account + "Got TypeError: 'x' is None (expected)", well, []string{"open:"}},
		{
			"an error that was expected, told within the account", "Traceback (most recent call last):\nGot TypeError: 'x' is None (expected)\n  File \"r.py\", line 3, in f\n    g()\nTypeError: 'x' is None",
			well,
			[]string{"open:", "2 failed"},
		},
		{
			"a record of a log before it", "2026-04-10 08:51:58,279 - app.calls - ERROR - Error calling g (x)\n" + account,
			[]string{"(run 2 times, 1 failed) (#6)", "the same command ended with exit 0 (#6)"},
			[]string{"open:", "TypeError"},
		},
		{
			"a record of a log before two that led to one another", "ERROR:app.calls:it broke\n" + account + "\nDuring handling of the above exception, another exception occurred:\n\n" + account + "3 of 4",
			well,
			[]string{"open:", "TypeError"},
		},
		{
			"a line that is no record of a log before it", "ERROR: Exception:\n" + account,
			[]string{"open: ERROR: Exception: — from `python r.py` (run 2 times, 2 failed, the last so) (#6)"},
			[]string{"ended with exit 0"},
		},
		{"another error in words only", "Error: no such name", well, []string{"2 failed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkText(t, wording.Text(summarize(t, script(t, again(c.output))), 0, nil), c.want, c.without)
		})
	}
}

// SPEC: B18. A command is told as failed, and not by what the line prints in its place.
func TestWhatALinePrintsInstead(t *testing.T) {
	log := "call bash {\"command\":\"python -m m --version 2>/dev/null || echo 'm is not there'\"}\n---\nresult: <returncode>0</returncode>\n<output>\nm is not there\n</output>"
	checkText(t, wording.Text(summarize(t, script(t, log)), 0, nil), []string{"- `python -m m --version` → failed (#2)"}, []string{"not there", "open:"})
}
