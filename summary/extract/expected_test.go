package extract_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. An error that the agent expected is told with its word for that, and is not open; a run of which no exit
// code says that it failed did not fail where the agent found all well.
func TestErrorsThatWereExpected(t *testing.T) {
	fails := func(line, code, said string) string {
		return "call bash {\"command\":\"" + line + "\"}\n---\nresult: <returncode>" + code + "</returncode>\n<output>\nTypeError: 'x' is None\n</output>\n---\nassistant: " + said + "\n---\n"
	}
	for _, c := range []struct {
		name, log     string
		want, without []string
	}{
		{
			"with a reason", fails("python r.py", "1", "Good, it raises another error. The `TypeError` is expected since nothing is set up."),
			[]string{"earlier: TypeError: 'x' is None — from `python r.py` (#2) → the agent then: The `TypeError` is expected since nothing is set up. (#3)"},
			[]string{"open:", "superseded", "from `python r.py`; the agent then"},
		},
		{
			"in few words", fails("python r.py", "1", "As expected, this fails without the patch."),
			[]string{"→ the agent then: As expected, this fails without the patch. (#3)"},
			[]string{"open:"},
		},
		{"not so", fails("python r.py", "1", "This error is not expected. The limit is wrong."), []string{"open: TypeError"}, []string{"earlier:"}},
		{"something else", fails("python r.py", "1", "A dict is expected to be there."), []string{"open: TypeError"}, []string{"earlier:"}},
		{"one that is to be mended", fails("python r.py", "1", "This error is expected, but we need to mend it."), []string{"open: TypeError"}, []string{"earlier:"}},
		{
			"found well", fails("python r.py | tail -5", "0", "Let me see.") + fails("python r.py | tail -5", "0", "Perfect! The fix is working correctly."),
			[]string{"`python r.py` → ran (run 2 times, 1 with errors)", "earlier: TypeError: 'x' is None — from `python r.py` (run 2 times, 1 with errors) (#5) → the agent then: Perfect! The fix is working correctly. (#6)"},
			[]string{"open:", "superseded", "2 with errors"},
		},
		{
			"found well in spite of tests", "call bash {\"command\":\"pytest | tail -5\"}\n---\nresult: <returncode>0</returncode>\n<output>\nFAILED t.py::a - KeyError: 'a'\n1 failed in 0.1s\n</output>\n---\nassistant: Great! The fix is working.\n---\n" + fails("make", "1", "Hmm."),
			[]string{"- `pytest` → FAILED t.py::a - KeyError: 'a' (#2)"},
			[]string{"superseded"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, c.log)
			for cut := 0; cut < len(ms); cut++ { // a round of the summary ends there
				if ms[cut].Role == message.Tool {
					continue // within a call and its result
				}
				text := wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:cut]))), 0, nil)
				checkText(t, text, c.want, c.without)
			}
		})
	}
}

// SPEC: B18. What the agent says of something else that was expected, or with a word of what is to be mended, leaves
// an error open.
func TestErrorsThatWereNotExpected(t *testing.T) {
	for _, said := range []string{
		"The TypeError was expected to be gone, but it is still there.",
		"I expected the error to be gone.",
		"The expected error message differs.",
		"The error says that a string was expected.",
		"This error is as expected a real bug, which I mend now.",
		"As expected, the error is back, so I have to mend the parser.",
		"As expected, the error comes from the parser. Let me fix it.",
		"The error is expected to go away after the next step.",
		"As expected the test fails: the bug is real.",
		"Expected 3 but the error says 4.",
		"An error is expected here only on Windows.",
		"The TypeError should be expected by nobody.",
		"The expected failure was a KeyError, yet it is a TypeError.",
		"The error is different from the expected one.",
		"This fails where a success was expected.",
	} {
		log := "call bash {\"command\":\"python r.py\"}\n---\nresult: <returncode>1</returncode>\n<output>\nTypeError: 'x' is None\n</output>\n---\nassistant: " + said
		t.Run(said, func(t *testing.T) {
			checkText(t, wording.Text(summarize(t, script(t, log)), 0, nil), []string{"open: TypeError"}, []string{"earlier:"})
		})
	}
}
