package tool_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
)

func ran(command, output string) *tool.Reading {
	return tool.Parse(
		message.Part{Kind: message.Call, CallID: "1", Name: "bash", Args: `{"command":"` + command + `"}`},
		&message.Part{Kind: message.Result, CallID: "1", Parts: []message.Part{{Kind: message.Text, Text: output}}})
}

// SPEC: B18. The telling line is the verdict of the tests, else the last line that
// says something; markup, and words that a program is done, are none, and a heading or an error that was expected is no error.
func TestTelling(t *testing.T) {
	for _, c := range []struct{ output, telling, failure string }{
		{"<returncode>0</returncode>\n<output>\ncan_migrate: True\nTest complete.\n</output>", "can_migrate: True", ""},
		{"<returncode>65</returncode>\n<output>\n== [stdin] FAIL\nL:   1 | P:  20 |  PRS | Found unparsable section: ';'\nAll Finished 📜 🎉!\n</output>", "L:   1 | P:  20 |  PRS | Found unparsable section: ';'", "L:   1 | P:  20 |  PRS | Found unparsable section: ';'"},
		{"<returncode>1</returncode>\n<output>\nAll Finished!\n</output>", "", ""},
		{"Successfully installed pytz-2025.2\nWARNING: Running pip as the 'root' user can result in broken permissions", "Successfully installed pytz-2025.2", ""},
		{"modified:   a.go\nno changes added to commit (use \"git add\")", "no changes added to commit (use \"git add\")", ""},
		{"copied a\nMigration NOT completed", "Migration NOT completed", ""},
		{"copied a\nUnable to complete request.", "Unable to complete request.", ""},
		{"copied a\nIt couldn't be completed!", "It couldn't be completed!", ""},
		{"Could not find the method\ndef match(self, path):\n    if match:\n        return None\n", "Could not find the method", ""},
		{"Could not find the method\n    def match(self, path):\n        self.arrays = tuple(arrays)\n", "Could not find the method", ""},
		{"Fixed it\n137-    try:\n138:        f(x)\n139-            raise ValueError", "Fixed it", ""},
		{"At lines 7-9\nFound it at line 8:\n            if not x:\n                set(\n                    part(cls, field=self),", "At lines 7-9", ""},
		{"  two of (2),", "two of (2),", ""},
		{"Found 3\n\"\"\"\nThis module\nfinds things.\n\"\"\"\nimport re\n\ndef f(x):\n    return x\n", "Found 3", ""},
		{"\"\"\"\nis the mark", "is the mark", ""},
		{"copied a\n</warning><output_head>", "copied a", ""},
		{"got <a> and <b>", "got <a> and <b>", ""},
		{"    parser = make(argv)\n             ^^^^^^^^^^\n  File \"/srv/a.py\", line 64, in _setup\n    raise ImproperlyConfigured(\n", "raise ImproperlyConfigured(", ""},
		{"Found 2\ndef f(x):\n", "Found 2", ""},
		{"Found 2\nclass A:\n    def f(x):", "Found 2", ""},
		{"definitely over:", "definitely over:", ""},
		{"<warning>\nThe output of your last command was too long.\nPlease use head.\n</warning><output_head>\nimport a\n</output_head>\n<output_tail>\n    return b\n</output_tail>", "import a", ""},
		{"<returncode>0</returncode>\n<warning>\nPlease use head.\n</warning><output_head>\n    return b\n</output_head>", "return b", ""},
		{"all went well\n<warning>\nbut one\n</warning>\n", "but one", ""},
		{"<warning>\nThe disk is full.", "The disk is full.", ""},
		{"Could not find it\n@lru_cache(maxsize=None)\ndef f(x):\n    return x\n", "Could not find it", ""},
		{"Current:\nimport re\nfrom a import b\n\nclass A:\n    def f(self):\n        return b", "Current:", ""},
		{"lines:\n229-\n230:\n231:     x = {\n232:     }\n\n234:         else:\n235-", "lines:", ""},
		{"8 of 9\n\n    with f:\n        x = 1\n        return x\n</output>", "8 of 9", ""},
		{"  return 3\n    rate = 4", "rate = 4", ""},
		{"step 3\nContext:\n1-\n2-        return 3", "step 3", ""},
		{"        return None\n", "return None", ""},
		{"case 1\n    returned 4 rows", "returned 4 rows", ""},
		{"two of three\n<elided_chars>\n18173 characters elided\n</elided_chars>", "two of three", ""},
		{"18 lines truncated", "", ""},
		{"18 lines match", "18 lines match", ""},
		{"3 files copied\n2 of 5 tasks completed", "2 of 5 tasks completed", ""},
		{"<returncode>0</returncode>\n<output>\nmy_id: 9 spaces (expected: 8)\nStill broken\n</output>", "Still broken", ""},
		{"<returncode>1</returncode>\n<output>\n</output>", "", ""},
		{"ERROR: setUpClass (a.b.T)\n-----\nTraceback (most recent call last):\n  f()\nIndexError: pop from empty list\n\nRan 0 tests in 0.0s\n\nFAILED (errors=1)", "Ran 0 tests in 0.0s: FAILED (errors=1)", "IndexError: pop from empty list"},
		{"ERROR: t (unittest.loader._FailedTest.t)\n-----\nImportError: Failed to import test module: t\nTraceback (most recent call last):\n  f()\nModuleNotFoundError: No module named 't'\n", "ModuleNotFoundError: No module named 't'", "ModuleNotFoundError: No module named 't'"},
		{"test_x (a.T) ... ERROR\nERROR: test_x (a.T)\n", "ERROR: test_x (a.T)", "ERROR: test_x (a.T)"},
		{"Traceback (most recent call last):\n  File \"f.py\", line 9, in <module>\n    assert r.data is None\n           ^^^^^^^^^^^^^^\nAssertionError\n1 of 2 done\n", "1 of 2 done", "AssertionError: assert r.data is None"},
		{"<returncode>1</returncode>\nTraceback (most recent call last):\n  File \"f.py\", line 9, in <module>\n    assert r.data is None\nAssertionError\n", "AssertionError", "AssertionError: assert r.data is None"},
		{"    def test_x():\n>       assert_allclose(out, 1.5, atol=10)\nE       AssertionError: \nE       Not equal to tolerance\n\na_test.py:97: AssertionError\n==== 1 failed in 0.05s ====", "1 failed in 0.05s", "AssertionError: assert_allclose(out, 1.5, atol=10)"},
		{">       raise AssertionError\nE       AssertionError\n==== 1 failed in 0.05s ====", "1 failed in 0.05s", "E       AssertionError"},
		{">       assert f(1) == 2\nE       AssertionError: f is off\n==== 1 failed in 0.05s ====", "1 failed in 0.05s", "E       AssertionError: f is off"},
		{"Warning: _curses.error: setupterm: could not find terminfo database\nthree capsules", "three capsules", ""},
		{"python: can't open file '/r/a.py': [Errno 2] No such file or directory\nbash-$", "python: can't open file '/r/a.py': [Errno 2] No such file or directory", "python: can't open file '/r/a.py': [Errno 2] No such file or directory"},
		{"(no output)", "", ""},
		{"<returncode>-1</returncode>\n<exception>it timed out after 60 seconds</exception>\nCollecting numpy", "Collecting numpy", "timed out after 60 seconds"},
		{"<exception>Command '" + strings.Repeat("-e A=1 ", 60) + "' ended: no space is left</exception>\n<returncode>-1</returncode>\n<output>\n</output>", "…" + strings.Repeat(" A=1 -e", 38) + " A=1 ' ended: no space is left", "…" + strings.Repeat(" A=1 -e", 38) + " A=1 ' ended: no space is left"},
		{"Traceback (most recent call last):\n  f()\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  g()\nValueError: b", "ValueError: b", "ValueError: b"},
		{"Traceback (most recent call last):\n  f()\nKeyError: 'a'\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  g()\nValueError: b", "ValueError: b", "ValueError: b"},
		{"<returncode>1</returncode>\n1. Error: Select a valid choice.\nHas value: True\nTraceback (most recent call last):\n  f()\nTypeError: not iterable", "TypeError: not iterable", "TypeError: not iterable"},
		{"Traceback (most recent call last):\n  f()\n=== Testing it ===\nTest 1 of 2:\n  g()\npkg.Error", "pkg.Error", "pkg.Error"},
		{"Traceback (most recent call last):\n  f()\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\n[output cut]", "[output cut]", "KeyError: 'a'"},
		{"collecting ... ERROR: not found: /t/a_test.py::x\ncollected 0 items\n==== 2 warnings in 0.01s ====", "2 warnings in 0.01s", "collecting ... ERROR: not found: /t/a_test.py::x"},
		{"Traceback (most recent call last):\n  f()\nKeyError: 'a'\nTraceback (most recent call last):\n  g()\nValueError: b", "ValueError: b", "KeyError: 'a'"},
		{"ERROR: pip's dependency resolver does not currently take into account all the packages.\na 2.9 requires b<1.14, but you have b 1.14.1 which is incompatible.", "a 2.9 requires b<1.14, but you have b 1.14.1 which is incompatible.", ""},
		{"<returncode>2</returncode>\n<output>\npatching file L003.py\npatch: **** malformed patch at line 39\n</output>", "patch: **** malformed patch at line 39", "patch: **** malformed patch at line 39"},
		{"collected 18 items\n==== 1 failed, 17 passed in 0.3s ====\n\nCommand exited with code 1", "1 failed, 17 passed in 0.3s", "==== 1 failed, 17 passed in 0.3s ===="},
		{"Ran 3 tests in 0.1s\n\nFAILED (failures=1)\n", "Ran 3 tests in 0.1s: FAILED (failures=1)", "FAILED (failures=1)"},
		{"<returncode>0</returncode>\n<output>\n.....\n-----\nRan 29 tests in 0.051s\n\nOK (skipped=2)\nDestroying test database for alias 'default'...\n</output>", "Ran 29 tests in 0.051s: OK (skipped=2)", ""},
		{"3 tests\nOK", "OK", ""},
		{"go test ./...\n?   \tx/cmd\t[no test files]\nok  \tx/a\t0.2s\nok  \tx/b\t(cached)\n", "ok  \tx/b\t(cached)", ""},
		{"--- FAIL: TestA (0.01s)\nFAIL\nFAIL\tx/a\t0.482s\nok  \tx/b\t0.2s\nFAIL\n", "FAIL\tx/a\t0.482s", "--- FAIL: TestA (0.01s)"},
		{"one fix was not applied\nDone. Please check your files to confirm.", "one fix was not applied", ""},
		{"one fix was applied\nDone. 5 files changed", "Done. 5 files changed", ""},
		{"<returncode>0</returncode>\n✗ a join: FAIL (expected: PASS)\n✓ no join: PASS (expected: PASS)", "✓ no join: PASS (expected: PASS)", "✗ a join: FAIL (expected: PASS)"},
		{"<returncode>0</returncode>\n✓ a join: FAIL (expected: FAIL)\nError: no such join (expected)", "Error: no such join (expected)", ""},
		{"Ran 10 tests in 0.5s\n\nPASSED (successes=10)", "Ran 10 tests in 0.5s: PASSED (successes=10)", ""},
		{"Ran 4 tests with 2 failures\n12 files", "12 files", ""},
		{"Ran well\nOK", "OK", ""},
		{"ok\nDestroying test database for alias 'default'...", "ok", ""},
		{"<returncode>0</returncode>\n=== Testing the fix for TypeError: 'x' is None ===\nSingle value failed as expected\ndone", "Single value failed as expected", ""},
		{`{"output":"3 passed\n","metadata":{"exit_code":0}}`, "3 passed", ""},
		{"All Finished!", "", ""},
		{"got: /other/a.css\nExpected: /other/b.css", "got: /other/a.css", ""},
		{"<returncode>0</returncode>\none: well\ntwo: no\nCRASH: it broke\n", "CRASH: it broke", "CRASH: it broke"},
		{"<returncode>0</returncode>\nTraceback (most recent call last):\n  File \"x.py\"\n--\nwell\n", "well", "well"},
		{"one: 7\n   Error: \n", "one: 7", ""},
		{"<returncode>0</returncode>\n<output>\nTraceback (most recent call last):\n  File \"x.py\", line 3, in f\n    g()\n</output>", "Traceback (most recent call last):", ""},
		{"password ok\n(Interactive session: connect host 1)\n(Open file: n/a)\n(Current directory: /)\nbash-$", "password ok", ""},
		{"344\n(Open file: n/a)\n(Current directory: /repo)\nbash-$", "344", ""},
		{"> x@1.0.0 check\n> tsc --noEmit\n\n", "", ""},
		{"<returncode>65</returncode>\nL:   1 | PRS | unparsable\nWARNING: have you set the dialect?", "L:   1 | PRS | unparsable", "L:   1 | PRS | unparsable"},
		{"<returncode>0</returncode>\nWARNING: nothing was done", "WARNING: nothing was done", ""},
		{"<returncode>1</returncode>\n=== How keys work ===\n", "", ""},
		{"<returncode>0</returncode>\n1. one:\n   Error: \n2. two: 7", "2. two: 7", ""},
		{"<returncode>1</returncode>\npatching file a.py\nHunk #1 FAILED at 1.\nHunk #2 succeeded at 9.\n1 out of 2 hunks FAILED", "1 out of 2 hunks FAILED", "Hunk #1 FAILED at 1."},
		{"<returncode>2</returncode>\npatch: **** malformed patch at line 39:\npatching file a.py", "patching file a.py", "patch: **** malformed patch at line 39:"},
		{"<returncode>5</returncode>\ncollected 0 items\n\n==== no tests ran in 0.03s ====", "no tests ran in 0.03s", ""},
		{"<returncode>5</returncode>\ncollected 146 items / 146 deselected / 0 selected\n\n==== 146 deselected in 0.02s ====", "146 deselected in 0.02s", ""},
		{"<returncode>4</returncode>\nERROR: file or directory not found: t.py\n\ncollected 0 items\n\n==== no tests ran in 0.03s ====", "no tests ran in 0.03s", "ERROR: file or directory not found: t.py"},
		{"<returncode>5</returncode>\nit broke", "it broke", "it broke"},
		{"t.py::test_a[x-1] PASSED\nt.py::test_b PASSED\n\n=== warnings summary ===\nconftest.py:6\n    from pkg_resources import parse_version", "t.py::test_b PASSED", ""},
		{"t.py::test_a PASSED\nt.py::test_b FAILED [ 66%]\nt.py::test_c PASSED\n\nwhat else", "t.py::test_b FAILED [ 66%]", ""},
		{"t.py::test_a PASSED\nt.py::test_b FAILED\n=== 1 failed, 1 passed in 0.1s ===\nwell", "1 failed, 1 passed in 0.1s", "=== 1 failed, 1 passed in 0.1s ==="},
		{"<returncode>0</returncode>\ncollected 1 item\n\n==== 1 skipped in 0.30s ====", "1 skipped in 0.30s", ""},
		{"<returncode>2</returncode>\ncollected 0 items / 1 error\n==== 1 error in 62.31s (0:01:02) ====", "1 error in 62.31s (0:01:02)", "1 error in 62.31s (0:01:02)"},
		{"<returncode>0</returncode>\nall well: 12\n=== finished in 5s ===", "all well: 12", ""},
		{"<returncode>2</returncode>\ncollected 0 items / 1 error\n==== 1 error in 0.12s ====", "1 error in 0.12s", "1 error in 0.12s"},
		{"<returncode>1</returncode>\n> biome check\n\nsrc/a.ts:16:22 lint/noUnused  FIXABLE  ━━━━━━━━\n\n  ! Several imports are unused.\n\nsrc/a.ts:205:2 parse ━━━━━━━━\n\n  × expected a semicolon, but found none\n  \n  > 205 │ \tinterface P {\n\nFound 49 errors.\ncheck ━━━━━━━━\n\n  × Some errors were emitted while applying fixes.\n", "× Some errors were emitted while applying fixes.", "src/a.ts:205:2: expected a semicolon, but found none"},
		{"<returncode>1</returncode>\ncheck ━━━━━━━━\n\n  × Some errors were emitted while applying fixes.\n", "× Some errors were emitted while applying fixes.", "× Some errors were emitted while applying fixes."},
		{"<returncode>1</returncode>\n\n/srv/src/b.js\n  2:1   warning  'z' is unused       no-unused-vars\n\n/srv/src/a.js\n  1:9   warning  'y' is unused       no-unused-vars\n  12:3  error    'x' is not defined  no-undef\n\n✖ 2 problems (1 error, 1 warning)\n", "✖ 2 problems (1 error, 1 warning)", "/srv/src/a.js:12:3: 'x' is not defined  no-undef"},
		{"<returncode>1</returncode>\n  12:3  error    'x' is not defined  no-undef\nit broke", "it broke", "it broke"},
		{"", "", ""},
	} {
		r := ran("python x.py", c.output)
		if got := r.Telling(); got != c.telling {
			t.Errorf("%q: telling line %q, want %q", c.output, got, c.telling)
		}
		if r.Error != c.failure {
			t.Errorf("%q: error %q, want %q", c.output, r.Error, c.failure)
		}
	}
}

// SPEC: B18. A commit is named by the line that git prints of it, and what it was called is
// left out of the command line where nothing is done after it.
func TestCommitted(t *testing.T) {
	const raised = "[main 3f2a91c] Raise the limit"
	const made = raised + "\n 1 file changed"
	const logged = "3f2a91c (HEAD -> main) Raise the limit\n1f2a91c Add a cache"
	for _, c := range []struct{ line, output, named, told string }{
		{"cd /srv && git commit -am 'Raise the limit'", made, raised, "git commit…"},
		{"cd /srv && git add -A && git commit -am 'Raise the limit'", made, raised, "git commit…"},
		{"git add -A && git status && git commit -m x", made, raised, "git commit…"},
		{"git -C /srv status && git commit -m x", made, raised, "git commit…"},
		{"git rm -r old && git commit -m x", made, raised, "git rm -r old && git commit…"},
		{"git add -A `make gen` && git commit -m x", made, raised, "git add -A `make gen` && git commit…"},
		{"cd $(make install) && git commit -m x", made, raised, "cd $(make install) && git commit…"},
		{"git -C /srv -c user.name=x commit -m x", made, raised, "git commit…"},
		{"sudo git commit -m x", made, raised, "git commit…"},
		{"npm install && git commit -am 'Raise the limit'", made, raised, "npm install && git commit…"},
		{"git commit -am 'Raise the limit' | tail -1", made, raised, "git commit…"},
		{"git commit -am x && git push origin main", made, raised, "git commit -am x && git push origin main"},
		{"git commit -m a a.go; git commit -m b b.go", made, raised, "git commit -m a a.go; git commit -m b b.go"},
		{"echo 'now git commit it' && git commit -m x", made, raised, "git commit…"},
		{"git commit -m x", "[1234567] a hook\n[main (root-commit) 3f2a91c] x", "[main (root-commit) 3f2a91c] x", "git commit…"},
		{"git commit -m x", "see [docs 1234567] for more\nnothing to commit", "", "git commit -m x"},
		{"git log -1", made, "", "git log -1"},
		{"git commit -qm x && git log --oneline -3", logged, "3f2a91c (HEAD -> main) Raise the limit", "git commit…"},
		{"git commit -qm x && git status -sb && git log --oneline -n 2 | cat", "## main\n" + logged, "3f2a91c (HEAD -> main) Raise the limit", "git commit…"},
		{"git commit -m x && git log --oneline -3", made + "\n" + logged, raised, "git commit…"},
		{"git commit -qm x; git log --oneline -3", logged, "", "git commit -qm x; git log --oneline -3"},
		{"git log --oneline -3 && git commit -qm x", logged, "", "git log --oneline -3 && git commit -qm x"},
		{"git commit -qm x && git log --oneline other", logged, "", "git commit -qm x && git log --oneline other"},
		{"git commit -qm x && git log --oneline --reverse", logged, "", "git commit -qm x && git log --oneline --reverse"},
		{"git commit -qm x && git log --oneline -- a.go", logged, "", "git commit -qm x && git log --oneline -- a.go"},
		{"git commit -qm x && git log -3", logged, "", "git commit -qm x && git log -3"},
	} {
		if named, told := ran(c.line, c.output).Committed(); named != c.named || told != c.told {
			t.Errorf("%s: %q, %q", c.line, named, told)
		}
	}
}
