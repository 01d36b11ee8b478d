package extract_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. An error is open only as long as nothing shows otherwise: a run of the same test takes its
// place or resolves it, and a call that named what is not there is not left to do once another was made
// in its place.
func TestErrorsThatAreNotOpen(t *testing.T) {
	const failed = "FAILED tests/a.py::test_x[one] - KeyError: 'q'\n1 failed in 0.1s\n\nCommand exited with code 1"
	call := func(line, result string) string {
		return "call bash {\"command\":\"" + line + "\"}\n---\nresult: " + result
	}
	for _, c := range []struct {
		name, log     string
		want, without []string
	}{
		{
			"a test that fails otherwise by itself",
			call("pytest tests/a.py -x", "E   KeyError: 'q'\n"+failed) + "\n---\n" + call("pytest tests/a.py::test_x -x", "E   KeyError: 'r'\nFAILED tests/a.py::test_x[two] - KeyError: 'r'\n1 failed, 1 passed\n\nCommand exited with code 1"),
			[]string{"open: E KeyError: 'r' — from `pytest tests/a.py::test_x -x` (#4)"},
			[]string{"open: E KeyError: 'q'"},
		},
		{
			"a test that is fine by itself",
			call("pytest tests/a.py -x", "E   KeyError: 'q'\n"+failed) + "\n---\n" + call("pytest tests/a.py::test_x", "2 passed\n\nCommand exited with code 0"),
			[]string{"earlier: E KeyError: 'q' — from `pytest tests/a.py -x` (#2) → `pytest tests/a.py::test_x` ran without an error line (#4)"},
			[]string{"open:"},
		},
		{
			"another test that is fine",
			call("pytest tests/a.py -x", "E   KeyError: 'q'\n"+failed) + "\n---\n" + call("pytest tests/a.py::test_y", "2 passed\n\nCommand exited with code 0"),
			[]string{"open: E KeyError: 'q'"},
			[]string{"earlier:"},
		},
		{
			"the same line in another folder",
			call("cd web && npm test", "Error: no lock\n\nCommand exited with code 1") + "\n---\n" + call("cd api && npm test", "4 passed\n\nCommand exited with code 0"),
			[]string{"open: Error: no lock — from `npm test` in web", "`npm test` in api → exit 0: 4 passed (#4)"},
			[]string{"earlier:"},
		},
		{
			"a test that passes where another fails",
			call("pytest tests/a.py -x", "E   KeyError: 'q'\n"+failed) + "\n---\n" + call("pytest tests/a.py -v", "tests/a.py::test_x[one] PASSED\ntests/a.py::test_y FAILED\nE   ValueError: s\nFAILED tests/a.py::test_y - ValueError: s\n1 failed, 1 passed\n\nCommand exited with code 1"),
			[]string{"earlier: E KeyError: 'q' — from `pytest tests/a.py -x` (#2) → a later run shows the test pass (#4)", "open: E ValueError: s"},
			nil,
		},
		{
			"a wrong path, and the right one",
			call("pytest src/a_test.py", "ERROR: file or directory not found: src/a_test.py\n\nCommand exited with code 4") + "\n---\n" + call("pytest test/a_test.py", "E   KeyError: 'q'\n1 failed\n\nCommand exited with code 1"),
			[]string{"src/a_test.py` (#2) → `pytest test/a_test.py` was run in its place (#4)", "open: E KeyError: 'q'"},
			[]string{"open: ERROR"},
		},
		{
			"a wrong path, and another one",
			call("pytest src/a_test.py", "ERROR: file or directory not found: src/a_test.py\n\nCommand exited with code 4") + "\n---\n" + call("pytest lib/a_test.py", "ERROR: file or directory not found: lib/a_test.py\n\nCommand exited with code 4") + "\n---\n" + call("ls test", "a_test.py"),
			[]string{"open: ERROR: file or directory not found: src/a_test.py", "open: ERROR: file or directory not found: lib/a_test.py"},
			nil,
		},
		{
			"a test that is not there, and the whole suite",
			call("python -m pytest tests/test_a.py::TestB -xvs | tail -9", "collecting ... ERROR: not found: /r/tests/test_a.py::TestB\n(no match in any of [<Module test_a.py>])\n\ncollected 0 items\n\nCommand exited with code 0") + "\n---\n" + call("python -m pytest tests/ -x", "779 passed in 0.4s\n\nCommand exited with code 0"),
			[]string{"-xvs` (#2) → `python -m pytest tests/ -x` was run in its place (#4)"},
			[]string{"open:"},
		},
		{
			"a test that is not there, and others elsewhere",
			call("pytest tests/test_a.py::TestB", "ERROR: not found: /r/tests/test_a.py::TestB\n\nCommand exited with code 4") + "\n---\n" + call("pytest lib/test_c.py", "2 passed\n\nCommand exited with code 0"),
			[]string{"open: ERROR: not found: /r/tests/test_a.py::TestB"},
			[]string{"earlier:"},
		},
		{
			"a module from its own folder, and from above it",
			call("ls /r && python a.py", "fine") + "\n---\n" + call("cd pydicom && python -c 'import tests.test_a'", "ModuleNotFoundError: No module named 'pydicom'\n\nCommand exited with code 1") + "\n---\n" + call("cd /r && python -c 'import pydicom.tests.test_a'", "ModuleNotFoundError: No module named 'pytest'\n\nCommand exited with code 1"),
			[]string{"earlier: ModuleNotFoundError: No module named 'pydicom' — from `python -c 'import tests.test_a'` in pydicom (#4) → `python -c 'import pydicom.tests.test_a'` was run in its place (#6)", "open: ModuleNotFoundError: No module named 'pytest'"},
			[]string{"open: ModuleNotFoundError: No module named 'pydicom'"},
		},
		{
			"a module from its own folder in the second of two ways, and from above it",
			call("ls /r && python a.py", "fine") + "\n---\n" + call("cd pydicom && python -m pytest tests 2>/dev/null || python -c 'import tests.test_a'", "ModuleNotFoundError: No module named 'pydicom'\n\nCommand exited with code 1") + "\n---\n" + call("cd /r && python -c 'import pydicom.tests.test_a'", "ModuleNotFoundError: No module named 'pytest'\n\nCommand exited with code 1"),
			[]string{"(#4) → `python -c 'import pydicom.tests.test_a'` was run in its place (#6)"},
			[]string{"open: ModuleNotFoundError: No module named 'pydicom'"},
		},
		{
			"a module from its own folder, and from above it without it",
			call("ls /r && python a.py", "fine") + "\n---\n" + call("cd pydicom && python -c 'import tests.test_a'", "ModuleNotFoundError: No module named 'pydicom'\n\nCommand exited with code 1") + "\n---\n" + call("cd /r && python -c 'import json'", "fine\n\nCommand exited with code 0"),
			[]string{"not run again: ModuleNotFoundError: No module named 'pydicom'"},
			[]string{"earlier:"},
		},
		{
			"a script that is not there, and the right one",
			call("python one.py", "python: can't open file '/r/one.py': [Errno 2] No such file or directory") + "\n---\n" + call("python 1.py", "fine"),
			[]string{"earlier: python: can't open file '/r/one.py'", "→ `python 1.py` was run in its place (#4)"},
			[]string{"open:"},
		},
		{
			"a script that is not there, and another one later",
			call("python one.py", "python: can't open file '/r/one.py': [Errno 2] No such file or directory") + "\n---\n" + call("ls", "a") + "\n---\n" + call("python 1.py", "fine"),
			[]string{"open: python: can't open file '/r/one.py'"},
			[]string{"earlier:"},
		},
		{
			"a slip in a script, and the script that was written next",
			call("cat > a.py <<'E'\\nimport b\\nE\\npython a.py", "Traceback (most recent call last):\n  File \"/r/a.py\", line 1, in <module>\nImportError: cannot import name 'b'\n\nCommand exited with code 1") + "\n---\n" +
				call("cat > check_b.py <<'E'\\nimport c\\nE\\npython check_b.py | head -200", "E   KeyError: 'q'"),
			[]string{"earlier: ImportError: cannot import name 'b' — from `python a.py` (#2) → `python check_b.py` was written after it, and run (#4)", "open: E KeyError: 'q'"},
			[]string{"open: ImportError"},
		},
		{
			"a slip in a script, and the same in the one that was written next",
			call("cat > a.py <<'E'\\nimport b\\nE\\npython a.py", "Traceback (most recent call last):\n  File \"/r/a.py\", line 1, in <module>\nImportError: cannot import name 'b'\n\nCommand exited with code 1") + "\n---\n" +
				call("cat > a2.py <<'E'\\nimport b\\nE\\npython a2.py", "Traceback (most recent call last):\n  File \"/r/a2.py\", line 1, in <module>\nImportError: cannot import name 'b'\n\nCommand exited with code 1"),
			[]string{"from `python a.py` (#2) → `python a2.py` ran into the same (#4)", "open: ImportError: cannot import name 'b' — from `python a2.py` (#4)"},
			nil,
		},
		{
			"a slip in a script, and a copy of it that was written later",
			call("cat > a.py <<'E'\\nimport b\\nE\\npython a.py", "Traceback (most recent call last):\n  File \"/r/a.py\", line 1, in <module>\nImportError: cannot import name 'b'\n\nCommand exited with code 1") + "\n---\n" +
				call("grep -rn b src", "src/c.py:1:b = 1") + "\n---\n" + call("cat > a2.py <<'E'\\nimport c\\nE\\npython a2.py", "E   KeyError: 'q'\n\nCommand exited with code 1"),
			[]string{"from `python a.py` (#2) → `python a2.py` was written after it, and run (#6)", "open: E KeyError: 'q'"},
			nil,
		},
		{
			"a slip that the agent says is its own, and a copy of the script",
			call("cat > r.py <<'E'\\nimport b\\nE\\npython r.py | head -200", "start\nError: f() takes 2 positional arguments") + "\n---\nassistant: I have an error in my function.\n---\nassistant: Now again.\n---\n" +
				call("cat > r2.py <<'E'\\nimport c\\nE\\npython r2.py", "E   KeyError: 'q'\n\nCommand exited with code 1"),
			[]string{"from `python r.py`; the agent then: I have an error in my function. (#2) → `python r2.py` was written after it, and run (#6)", "open: E KeyError: 'q'"},
			nil,
		},
		{
			"an error of what a script starts, and a copy that went well",
			call("cat > a.py <<'E'\\nimport b\\nE\\npython a.py", "Traceback (most recent call last):\n  File \"/tmp/x/t.py\", line 1, in <module>\nNameError: name 'Path' is not defined\n\nCommand exited with code 0") + "\n---\n" +
				call("cat > a2.py <<'E'\\nimport c\\nE\\npython a2.py", "Output: 3\n\nCommand exited with code 0"),
			[]string{"from `python a.py` (#2) → `python a2.py` was written after it, and run (#4)"},
			[]string{"open:"},
		},
		{
			"an error of what a script starts, and a copy of which a filter shows nothing",
			call("cat > a.py <<'E'\\nimport b\\nE\\npython a.py", "Traceback (most recent call last):\n  File \"/tmp/x/t.py\", line 1, in <module>\nNameError: name 'Path' is not defined\n\nCommand exited with code 0") + "\n---\n" +
				call("cat > a2.py <<'E'\\nimport c\\nE\\npython a2.py | grep Output", "Output: 3\n\nCommand exited with code 0"),
			[]string{"open: NameError: name 'Path' is not defined"},
			[]string{"earlier:"},
		},
		{
			"a check that failed, and the script that was written next",
			call("cat > a.py <<'E'\\nimport b\\nE\\npython a.py", "Traceback (most recent call last):\n  File \"/r/a.py\", line 9, in <module>\n    assert b.n == 1\nAssertionError\n\nCommand exited with code 1") + "\n---\n" +
				call("cat > look.py <<'E'\\nimport c\\nE\\npython look.py", "n is 2\n\nCommand exited with code 0"),
			[]string{"open: AssertionError: assert b.n == 1 — from `python a.py` (#2)"},
			[]string{"earlier:"},
		},
		{
			"a slip in a script, and another script that was written later",
			call("cat > a.py <<'E'\\nimport b\\nE\\npython a.py", "Traceback (most recent call last):\n  File \"/r/a.py\", line 1, in <module>\nImportError: cannot import name 'b'\n\nCommand exited with code 1") + "\n---\n" +
				call("grep -rn b src", "src/c.py:1:b = 1") + "\n---\n" + call("cat > check_c.py <<'E'\\nimport c\\nE\\npython check_c.py", "E   KeyError: 'q'\n\nCommand exited with code 1"),
			[]string{"open: ImportError: cannot import name 'b' — from `python a.py` (#2)", "open: E KeyError: 'q'"},
			nil,
		},
		{
			"an error that a script only shows, and the script that was written next",
			call("cat > a.py <<'E'\\nimport b\\nE\\npython a.py", "Traceback (most recent call last):\n  File \"/r/a.py\", line 1, in <module>\n  File \"/r/src/b.py\", line 7, in f\nRuntimeError: dropped\n\nCommand exited with code 1") + "\n---\n" +
				call("cat > look.py <<'E'\\nimport c\\nE\\npython look.py", "E   KeyError: 'q'\n\nCommand exited with code 1"),
			[]string{"open: RuntimeError: dropped — from `python a.py`"},
			[]string{"earlier:"},
		},
		{
			"a program that is not there, and another one on the same file",
			call("hexdump -C test.sql", "bash: line 1: hexdump: command not found\n\nCommand exited with code 127") + "\n---\n" + call("echo well", "well\n\nCommand exited with code 0") + "\n---\n" + call("python -c \\\"print(open('test.sql').read())\\\"", "SELECT 1\n\nCommand exited with code 0"),
			[]string{"earlier: bash: line 1: hexdump: command not found", "was run in its place (#6)"},
			[]string{"open:"},
		},
		{
			"the file that a compiler names was edited, and another one after it",
			call("npm run check", "core/tools/bash.ts(8,49): error TS2307: Cannot find it.\n\nCommand exited with code 2") + "\n---\n" + call("sed -i s/a/b/ core/tools/bash.ts", "") + "\n---\n" + call("sed -i s/a/b/ test/tools.test.ts", "") + "\n---\n" + call("npm run check", "fine\n\nCommand exited with code 0"),
			[]string{"→ edited core/tools/bash.ts, then the same command ended with exit 0 (#8)"},
			[]string{"open:"},
		},
		{
			"the file that a compiler names was not edited",
			call("npm run check", "core/tools/bash.ts(8,49): error TS2307: Cannot find it.\n\nCommand exited with code 2") + "\n---\n" + call("sed -i s/a/b/ test/tools.test.ts", "") + "\n---\n" + call("npm run check", "fine\n\nCommand exited with code 0"),
			[]string{"(#2) → the same command ended with exit 0 (#6)"},
			[]string{"open:"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, c.log)
			text := wording.Text(summarize(t, ms), 0, nil)
			for cut := 2; cut < len(ms); cut += 2 { // a round of the summary ends there
				got := wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:cut]))), 0, nil)
				if diff := cmp.Diff(withoutLedger(text), withoutLedger(got)); diff != "" {
					t.Errorf("cut at %d: %s", cut, diff)
				}
			}
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("missing %q in\n%s", w, text)
				}
			}
			for _, w := range c.without {
				if strings.Contains(withoutLedger(text), w) {
					t.Errorf("%q stands in\n%s", w, text)
				}
			}
		})
	}
}

// withoutLedger returns a text up to its identifiers.
func withoutLedger(text string) string {
	text, _, _ = strings.Cut(text, "\n## Identifiers")
	return text
}
