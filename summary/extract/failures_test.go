package extract_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. Of a command its last output is told, with the exit code where one is
// stated, and how many of its runs failed; an error stands until a later run or an
// installation speaks against it.
func TestErrorsAndCommands(t *testing.T) {
	for _, c := range []struct {
		name, log     string
		want, without []string
	}{
		{
			"failures are counted, and nothing is called a success",
			"call bash {\"command\":\"python t.py\"}\n---\nresult: <returncode>1</returncode>\nKeyError: 'a'\n---\n" +
				"call bash {\"command\":\"python t.py\"}\n---\nresult: <returncode>1</returncode>\nKeyError: 'b'\n---\n" +
				"call bash {\"command\":\"python t.py\"}\n---\nresult: <returncode>0</returncode>\n<output>\nStill broken\n</output>",
			[]string{"- `python t.py` → exit 0: Still broken (run 3 times, 2 failed) (#6)", "- earlier: KeyError: 'b' — from `python t.py` (#4) → the same command ended with exit 0 (#6)"},
			[]string{"success", "open:", "KeyError: 'a'"},
		},
		{
			"a run of something else that fails for another reason resolves nothing",
			"call bash {\"command\":\"python -m django test a --settings=one\"}\n---\nresult: ModuleNotFoundError: No module named 'simplejson'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"python -m django test a --settings=two\"}\n---\nresult: AssertionError: 1 != 2\n\nCommand exited with code 1",
			[]string{"open: ModuleNotFoundError: No module named 'simplejson' — from `python -m django test a --settings=one` (#2)", "open: AssertionError: 1 != 2"},
			[]string{"does not show it"},
		},
		{
			"a module that was installed later is not missing",
			"call bash {\"command\":\"pytest -q tests/a.py\"}\n---\nresult: E   ModuleNotFoundError: No module named 'simplejson'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"pip install simplejson==3.1\"}\n---\nresult: Successfully installed simplejson-3.1\n\nCommand exited with code 0",
			[]string{"→ `pip install simplejson==3.1`, not run since (#4)"},
			[]string{"open:"},
		},
		{
			"what a line installed before it ran something else is not missing, and what it ran is told",
			"call bash {\"command\":\"pytest -q tests/a.py\"}\n---\nresult: E   ModuleNotFoundError: No module named 'simplejson'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"pip install simplejson -q && cat > b.py <<'EOF'\\nimport simplejson\\nEOF\\npython b.py\"}\n---\nresult: it decodes 12 of 12\n\nCommand exited with code 0",
			[]string{"→ `pip install simplejson -q`, not run since (#4)", "`python b.py` → it decodes 12 of 12 (#4)"},
			[]string{"open:"},
		},
		{
			"a module that git adds is missing still",
			"call bash {\"command\":\"python a.py\"}\n---\nresult: ModuleNotFoundError: No module named 'utils'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"git add utils\"}\n---\nresult: \n\nCommand exited with code 0\n---\n" +
				"call bash {\"command\":\"kubectl get utils\"}\n---\nresult: utils 1/1\n\nCommand exited with code 0",
			[]string{"open: ModuleNotFoundError: No module named 'utils'"},
			[]string{"earlier:"},
		},
		{
			"a program that was installed later is not missing",
			"call bash {\"command\":\"python -m pytest tests/a.py\"}\n---\nresult: /usr/bin/python: No module named pytest\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"pip install pytest -q\"}\n---\nresult: done\n\nCommand exited with code 0",
			[]string{"→ `pip install pytest -q`, not run since (#4)"},
			[]string{"open:"},
		},
		{
			"a program that was installed and then failed otherwise is not missing",
			"call bash {\"command\":\"python -m pytest tests/a.py -k x\"}\n---\nresult: /usr/bin/python: No module named pytest\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"pip install pytest -q\"}\n---\nresult: done\n\nCommand exited with code 0\n---\n" +
				"call bash {\"command\":\"python -m pytest tests/a.py::T -v\"}\n---\nresult: E   ImportError: cannot import name 'formatargspec'\n\nCommand exited with code 1",
			[]string{"No module named pytest — from `python -m pytest tests/a.py -k x` (#2) → `pip install pytest -q`, then a later run of the program, which failed otherwise, does not show it (#6)", "open: E ImportError: cannot import name 'formatargspec'"},
			[]string{"not run since"},
		},
		{
			"a run of another test does not show whether one still fails",
			"call bash {\"command\":\"pytest tests/a.py::test_x -x\"}\n---\nresult: FAILED tests/a.py::test_x - ValueError: 3\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"pytest tests/a.py::test_y -x\"}\n---\nresult: 1 passed in 0.1s\n\nCommand exited with code 0",
			[]string{"open: FAILED tests/a.py::test_x - ValueError: 3 — from `pytest tests/a.py::test_x -x` (#2)"},
			[]string{"earlier:", "does not show it"},
		},
		{
			"a run of the tests that another pattern picks does not show whether one still fails",
			"call bash {\"command\":\"go test -run=TestA ./x\"}\n---\nresult: --- FAIL: TestA (0.00s)\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"go test -run=TestB ./x\"}\n---\nresult: ok  \tx\t0.1s\n\nCommand exited with code 0",
			[]string{"open: --- FAIL: TestA (0.00s) — from `go test -run=TestA ./x` (#2)"},
			[]string{"earlier:", "ran without an error line"},
		},
		{
			"a variable that is set for a command makes it no other command",
			"call bash {\"command\":\"python -m pytest tests/a.py -q\"}\n---\nresult: OperationalError: could not connect to port 5432\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"PGPORT=5433 timeout 60 python -m pytest tests/a.py -q\"}\n---\nresult: 8 passed in 2.3s\n\nCommand exited with code 0",
			[]string{"earlier: OperationalError: could not connect to port 5432 — from `python -m pytest tests/a.py -q` (#2) → `PGPORT=5433 timeout 60 python -m pytest tests/a.py -q` ran without an error line (#4)"},
			[]string{"open:"},
		},
		{
			"a command of a line that went well has run",
			"call bash {\"command\":\"pytest -q a.py\"}\n---\nresult: E NameError: x\n1 failed in 2s\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"sed -i s/x/y/ a.py\"}\n---\nresult: \n---\n" +
				"call bash {\"command\":\"ruff check a && pytest -q a.py && git commit -qam x\"}\n---\nresult: All checks passed!\n8 passed in 2.3s\n\nCommand exited with code 0",
			[]string{"- `pytest -q a.py` → exit 0: 8 passed in 2.3s (run 2 times, 1 failed) (#6)", "earlier: E NameError: x — from `pytest -q a.py` (#2) → edited a.py, then the same command ended with exit 0 (#6)"},
			[]string{"open:", "not run since"},
		},
		{
			"a command of a line of which no exit code is stated has run where the tests say so",
			"call bash {\"command\":\"pytest -q a.py\"}\n---\nresult: Exit code 1\nE NameError: x\n1 failed in 2s\n---\n" +
				"call bash {\"command\":\"ruff check a && pytest -q a.py && git commit -qam x\"}\n---\nresult: All checks passed!\n8 passed in 2.3s",
			[]string{"- `pytest -q a.py` → 8 passed in 2.3s (run 2 times, 1 with errors) (#4)", "earlier: E NameError: x — from `pytest -q a.py` (#2) → the same command ran without an error line (#4)"},
			[]string{"open:"},
		},
		{
			"a command of a line that failed may not have run",
			"call bash {\"command\":\"pytest -q a.py\"}\n---\nresult: E NameError: x\n1 failed in 2s\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"ruff check a && pytest -q a.py\"}\n---\nresult: Found 1 problem.\n\nCommand exited with code 1",
			[]string{"open: E NameError: x — from `pytest -q a.py`"},
			[]string{"earlier:"},
		},
		{
			"a file that was not to be written is not resolved by writing another",
			"call bash {\"command\":\"python e.py > /srv/a.csv\"}\n---\nresult: bash: /srv/a.csv: Permission denied\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"python e.py > /tmp/a.csv; head -1 /tmp/a.csv\"}\n---\nresult: a;b\n\nCommand exited with code 0",
			[]string{"open: bash: /srv/a.csv: Permission denied — from `python e.py > /srv/a.csv` (#2)"},
			[]string{"earlier:"},
		},
		{
			"a file that was not to be written, and then was",
			"call bash {\"command\":\"python e.py > /srv/a.csv\"}\n---\nresult: bash: /srv/a.csv: Permission denied\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"python e.py > /srv/a.csv\"}\n---\nresult: \n\nCommand exited with code 0",
			[]string{"earlier: bash: /srv/a.csv: Permission denied — from `python e.py > /srv/a.csv` (#2) → `python e.py` ran without an error line (#4)"},
			[]string{"open:"},
		},
		{
			"a rebase that stopped and then went on to its end",
			"call bash {\"command\":\"git checkout -q a/b && git rebase fix/c\"}\n---\nresult: CONFLICT (content): Merge conflict in go.sum\nerror: could not apply b71c9e0... Add x\n---\n" +
				"call bash {\"command\":\"go mod tidy && GIT_EDITOR=true git rebase --continue && go test ./... | tail -5\"}\n---\nresult: Successfully rebased and updated refs/heads/a/b.\nok  \tparcel/api\t0.117s",
			[]string{"earlier: error: could not apply b71c9e0... Add x — from `git checkout -q a/b && git rebase fix/c` (#2) → `go mod tidy && GIT_EDITOR=true git rebase --continue && go test ./...` (#4)"},
			[]string{"open:"},
		},
		{
			"a rebase that stopped again",
			"call bash {\"command\":\"git rebase main\"}\n---\nresult: error: could not apply b71c9e0... Add x\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"git add a && git rebase --continue\"}\n---\nresult: error: could not apply c71c9e0... Add y\n\nCommand exited with code 1",
			[]string{"open: error: could not apply b71c9e0... Add x — from `git rebase main` (#2)", "open: error: could not apply c71c9e0... Add y"},
			nil,
		},
		{
			"a merge that was given up, and not the rebase",
			"call bash {\"command\":\"git rebase main\"}\n---\nresult: error: could not apply b71c9e0... Add x\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"git merge dev\"}\n---\nresult: error: Merging is not possible\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"git -C . merge --abort\"}\n---\nresult: \n\nCommand exited with code 0",
			[]string{"open: error: could not apply b71c9e0... Add x — from `git rebase main` (#2)", "earlier: error: Merging is not possible — from `git merge dev` (#4) → `git -C . merge --abort` (#6)"},
			nil,
		},
		{
			"an installation that took too long brought nothing",
			"call bash {\"command\":\"python a.py\"}\n---\nresult: <returncode>1</returncode>\nModuleNotFoundError: No module named 'numpy'\n---\n" +
				"call bash {\"command\":\"pip install numpy -q 2>&1 | tail -5\"}\n---\nresult: <exception>An error occurred while executing the command: Command '['docker', 'exec', '-w', '/testbed', '" + strings.Repeat("-e A=1 ", 60) + "' timed out after 60 seconds</exception>\n<returncode>-1</returncode>\n<output>\n</output>",
			[]string{"open: ModuleNotFoundError: No module named 'numpy' — from `python a.py` (#2)", "open: timed out after 60 seconds — from `pip install numpy -q` (#4)"},
			[]string{"earlier:", "docker"},
		},
		{
			"another version of a script that does not ask for a module does not bring it",
			"call write {\"path\":\"test_fix.py\",\"content\":\"import pandas\"}\n---\nresult: ok\n---\n" +
				"call bash {\"command\":\"python test_fix.py\"}\n---\nresult: ModuleNotFoundError: No module named 'pandas'\n\nCommand exited with code 1\n---\n" +
				"call write {\"path\":\"test_fix_simple.py\",\"content\":\"print(1)\"}\n---\nresult: ok\n---\n" +
				"call bash {\"command\":\"python test_fix_simple.py\"}\n---\nresult: 1\n\nCommand exited with code 0",
			[]string{"open: ModuleNotFoundError: No module named 'pandas' — from `python test_fix.py` (#4)"},
			[]string{"earlier:"},
		},
		{
			"an error lies in the file that a compiler names, and goes with it",
			"call bash {\"command\":\"npx tsgo --noEmit\"}\n---\nresult: src/ui/mode.ts(331,29): error TS2339: Property 'queue' does not exist.\n\nCommand exited with code 2\n---\n" +
				"call bash {\"command\":\"rm /srv/app/src/ui/mode.ts\"}\n---\nresult: \n\nCommand exited with code 0\n---\n" +
				"call write {\"path\":\"/srv/app/src/ui/mode.ts\",\"content\":\"x\"}\n---\nresult: ok",
			[]string{"earlier: src/ui/mode.ts(331,29): error TS2339: Property 'queue' does not exist. — from `npx tsgo --noEmit` (#2) → deleted /srv/app/src/ui/mode.ts and wrote it anew, not run since (#6)"},
			[]string{"open:"},
		},
		{
			"a file that the agent made is edited, not made, after an error",
			"call write {\"path\":\"src/ui/mode.ts\",\"content\":\"x\"}\n---\nresult: ok\n---\n" +
				"call bash {\"command\":\"npm test\"}\n---\nresult: error: src/ui/mode.ts has no queue\n\nCommand exited with code 2\n---\n" +
				"call edit {\"path\":\"src/ui/mode.ts\",\"oldText\":\"x\",\"newText\":\"y\"}\n---\nresult: ok",
			[]string{"earlier: error: src/ui/mode.ts has no queue — from `npm test` (#4) → edited src/ui/mode.ts, not run since (#6)"},
			[]string{"→ created"},
		},
		{
			"what the agent finds good is no error where no exit code says so",
			"call bash {\"command\":\"python cases.py | head -5\"}\n---\nresult: ValidationError: ['Enter a valid URL.']\n---\n" +
				"assistant: Good! The fix is working.\n\n---\n" +
				"call bash {\"command\":\"python a.py\"}\n---\nresult: ValueError: zone\n\nCommand exited with code 1\n---\n" +
				"assistant: Good! Now I see the error.",
			[]string{"earlier: ValidationError: ['Enter a valid URL.'] — from `python cases.py` (#2) → the agent then: Good! The fix is working. (#3)", "open: ValueError: zone"},
			nil,
		},
		{
			"what the agent is glad to have found is an error",
			"call bash {\"command\":\"pytest | tail -3\"}\n---\nresult: FAILED tests/a.py::t - KeyError: 'a'\n---\n" +
				"assistant: Great! I can reproduce the error now.\n\n---\n" +
				"call bash {\"command\":\"make\"}\n---\nresult: a.c:3:5: error: x undeclared\n---\nassistant: Good, that is the error we expected to see.",
			[]string{"open: FAILED tests/a.py::t - KeyError: 'a'", "open: a.c:3:5: error: x undeclared"},
			[]string{"earlier:"},
		},
		{
			"a line that installs what is missing, goes on and fails otherwise",
			"call bash {\"command\":\"python a.py\"}\n---\nresult: ModuleNotFoundError: No module named 'asgiref'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"pip install asgiref -q && python a.py\"}\n---\nresult: ModuleNotFoundError: No module named 'sqlparse'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"pip install sqlparse -q && python a.py\"}\n---\nresult: ModuleNotFoundError: No module named 'sqlparse'\n\nCommand exited with code 1",
			[]string{"earlier: ModuleNotFoundError: No module named 'asgiref' — from `python a.py` (#2) → `pip install asgiref -q && python a.py` failed otherwise (#4)", "open: ModuleNotFoundError: No module named 'sqlparse'"},
			nil,
		},
		{
			"at the head of a text the sentence that accounts for the error explains it",
			"call bash {\"command\":\"python a.py\"}\n---\nresult: ValueError: zone\n\nCommand exited with code 1\n---\n" +
				"assistant: The fix works for the other inputs. The test of arrays breaks because pd is None.",
			[]string{"ValueError: zone — from `python a.py`; the agent then: The test of arrays breaks because pd is None. (#2)"},
			nil,
		},
		{
			"a file that was moved before is edited, not moved, after an error",
			"call bash {\"command\":\"mv src/ui/old.ts src/ui/mode.ts\"}\n---\nresult: ok\n---\n" +
				"call bash {\"command\":\"npm test\"}\n---\nresult: error: src/ui/mode.ts has no queue\n\nCommand exited with code 2\n---\n" +
				"call edit {\"path\":\"src/ui/mode.ts\",\"oldText\":\"x\",\"newText\":\"y\"}\n---\nresult: ok",
			[]string{"→ edited src/ui/mode.ts, not run since (#6)"},
			[]string{"→ moved"},
		},
		{
			"of errors that led to one another the last counts",
			"call bash {\"command\":\"python a.py\"}\n---\nresult: Traceback (most recent call last):\n  File \"x.py\", line 3, in f\nAttributeError: no attribute 'default'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"y.py\", line 3, in g\nImproperlyConfigured: Requested setting DATABASES\n\nCommand exited with code 1",
			[]string{"open: ImproperlyConfigured: Requested setting DATABASES — from `python a.py` (#2)"},
			[]string{"AttributeError"},
		},
		{
			"a run that took too long",
			"call bash {\"command\":\"pip install numpy\"}\n---\nresult: <exception>the command timed out after 60 seconds</exception>\n<returncode>-1</returncode>\n<output>\nCollecting numpy\nDownloading numpy-2.4.4.whl (16.9 MB)\n</output>",
			[]string{"open: timed out after 60 seconds — from `pip install numpy` (#2)"},
			[]string{"Downloading"},
		},
		{
			"what pip says of versions is no failure to install",
			"call bash {\"command\":\"pip install wrapt==1.14.1 -q\"}\n---\nresult: ERROR: pip's dependency resolver does not currently take into account all the packages that are installed. This behaviour is the source of the following dependency conflicts.\nastroid 2.9.0 requires wrapt<1.14, but you have wrapt 1.14.1 which is incompatible.\n\nCommand exited with code 0",
			[]string{"`pip install wrapt==1.14.1 -q`"},
			[]string{"open:", "ERROR"},
		},
		{
			"another spelling of the run resolves what it no longer shows",
			"call bash {\"command\":\"python -m pytest tests/a.py::test_x -v\"}\n---\nresult: E   KeyError: 'q'\n1 failed\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"pytest tests/a.py\"}\n---\nresult: 4 passed\n\nCommand exited with code 0",
			[]string{"→ `pytest tests/a.py` ran without an error line (#4)", "`pytest tests/a.py` → exit 0: 4 passed"},
			[]string{"open:"},
		},
		{
			"a failure that says nothing resolves nothing",
			"call bash {\"command\":\"lint a.sql\"}\n---\nresult: <returncode>65</returncode>\nERROR: unparsable section\n---\n" +
				"call bash {\"command\":\"lint a.sql\"}\n---\nresult: <returncode>1</returncode>\nAll Finished!",
			[]string{"open: ERROR: unparsable section"},
			[]string{"earlier:", "open: All Finished"},
		},
		{
			"a narrower run resolves nothing it did not run",
			"call bash {\"command\":\"pytest tests/b.py\"}\n---\nresult: E   KeyError: 'q'\n1 failed\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"pytest tests/a.py\"}\n---\nresult: 4 passed\n\nCommand exited with code 0",
			[]string{"open: E KeyError: 'q'"},
			nil,
		},
		{
			"scripts that share their head are not one command",
			"call bash {\"command\":\"python -c 'import os; os.environ[1] = 2; " + strings.Repeat("import django; ", 25) + "print(1)'\"}\n---\nresult: 1\n\nCommand exited with code 0\n---\n" +
				"call bash {\"command\":\"python -c 'import os; os.environ[1] = 2; " + strings.Repeat("import django; ", 25) + "print(2)'\"}\n---\nresult: 2\n\nCommand exited with code 0",
			[]string{"→ exit 0: 1 (#2)", "→ exit 0: 2 (#4)"},
			[]string{"run 2 times"},
		},
		{
			"another patch is another command",
			"call bash {\"command\":\"patch -p1 < one.patch\"}\n---\nresult: patch: **** malformed patch at line 3\n\nCommand exited with code 2\n---\n" +
				"call bash {\"command\":\"patch -p1 < two.patch\"}\n---\nresult: patching file a.py\n\nCommand exited with code 0",
			[]string{"open: patch: **** malformed patch at line 3 — from `patch -p1 < one.patch` (#2)", "edited a.py (#4)"},
			[]string{"earlier:"},
		},
		{
			"the command was run since",
			"call bash {\"command\":\"python t.py\"}\n---\nresult: ModuleNotFoundError: No module named 'asgiref'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"pip install asgiref -q\"}\n---\nresult: \n\nCommand exited with code 0\n---\n" +
				"call bash {\"command\":\"python t.py\"}\n---\nresult: well\n\nCommand exited with code 0",
			[]string{"→ `pip install asgiref -q`, then the same command ended with exit 0 (#6)"},
			[]string{"open:", "not run since"},
		},
		{
			"another shell's complaint refuses nothing of the line",
			"call bash {\"command\":\"sed -i s/a/b/ src/a.py && bash -c 'foo ('\"}\n---\nresult: bash: -c: line 1: syntax error near unexpected token `newline'\n\nCommand exited with code 2\n---\n" +
				"call bash {\"command\":\"sed -i s/a/b/ src/b.py && python run.py\"}\n---\nresult: sub: bash: -c: line 1: syntax error near unexpected token\nAssertionError: 3\n\nCommand exited with code 1",
			[]string{"src/b.py (#4)", "open: AssertionError: 3"},
			nil,
		},
		{
			"an error that came again after an installation, and another installation",
			"call bash {\"command\":\"pytest a.py\"}\n---\nresult: No module named 'x'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"pip install x\"}\n---\nresult: done\n\nCommand exited with code 0\n---\n" +
				"call bash {\"command\":\"pytest a.py -v\"}\n---\nresult: No module named 'x'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"pip install x --force\"}\n---\nresult: done\n\nCommand exited with code 0",
			nil,
			[]string{"open:"},
		},
		{
			"what failed for want of one module after another, and runs that tell no errors",
			"call bash {\"command\":\"python t.py\"}\n---\nresult: ModuleNotFoundError: No module named 'pytz'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"python t.py\"}\n---\nresult: ModuleNotFoundError: No module named 'sqlparse'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"pip install sqlparse -q\"}\n---\nresult: \n\nCommand exited with code 0\n---\n" +
				"call bash {\"command\":\"python -m pytest a.py\"}\n---\nresult: No module named pytest\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"python -m pytest a.py -x 2>/dev/null || python -c 'import b'\"}\n---\nresult: \n\nCommand exited with code 1",
			[]string{"'sqlparse' — from `python t.py` (run 2 times, 2 failed, the last so) (#4) → `pip install sqlparse -q`, not run since (#6)", "open: No module named pytest"},
			[]string{"does not show"},
		},
		{
			"the command was run since, and failed without a word",
			"call bash {\"command\":\"python t.py\"}\n---\nresult: ModuleNotFoundError: No module named 'asgiref'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"pip install asgiref -q\"}\n---\nresult: \n\nCommand exited with code 0\n---\n" +
				"call bash {\"command\":\"python t.py\"}\n---\nresult: \n\nCommand exited with code 1",
			[]string{"open: ModuleNotFoundError"},
			[]string{"not run since", "earlier:"},
		},
		{
			"a module that came with another is not missing",
			"call bash {\"command\":\"python t.py\"}\n---\nresult: ModuleNotFoundError: No module named 'wrapt'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"pip install -e .\"}\n---\nresult: Collecting wrapt\nSuccessfully installed astroid-2.1 wrapt-1.13.3\n\nCommand exited with code 0",
			[]string{"→ `pip install -e .`, not run since (#4)"},
			[]string{"open:"},
		},
		{
			"what a shell refused was not run, and what has no result is not known to be",
			"call bash {\"command\":\"make it's (x)' y && make z\"}\n---\nresult: <returncode>2</returncode>\nbash: -c: line 1: syntax error near unexpected token `)'\n---\n" +
				"call bash {\"command\":\"mkdir -p out && cp a.py out/a.py\"}\n---\nresult: [no result recorded]",
			nil,
			[]string{"make", "mkdir", "out/a.py"},
		},
		{
			"the next time that a file was put back undid a run",
			"call bash {\"command\":\"cat > fix.py <<'E'\\nwith open('src/a.py') as f:\\n    s = f.read()\\nwith open('src/a.py', 'w') as f:\\n    f.write(s)\\nE\"}\n---\nresult: \n\nCommand exited with code 0\n---\n" +
				"call bash {\"command\":\"python fix.py\"}\n---\nresult: fixed\n\nCommand exited with code 0\n---\n" +
				"call bash {\"command\":\"git checkout -- src/a.py\"}\n---\nresult: \n\nCommand exited with code 0\n---\n" +
				"call bash {\"command\":\"sed -i s/a/b/ src/a.py\"}\n---\nresult: \n\nCommand exited with code 0\n---\n" +
				"call bash {\"command\":\"git checkout -- src/a.py\"}\n---\nresult: \n\nCommand exited with code 0",
			[]string{"`python fix.py` → exit 0: fixed (#4), undone in #6"},
			[]string{"undone in #10"},
		},
		{
			"another version of a script that ran takes its place",
			"call bash {\"command\":\"python test_fix.py\"}\n---\nresult: KeyError: 'a'\n\nCommand exited with code 1\n---\n" +
				"call write {\"path\":\"test_fix_v2.py\",\"content\":\"1\"}\n---\nresult: ok\n---\ncall bash {\"command\":\"python test_fix_v2.py\"}\n---\nresult: KeyError: 'b'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"cat > test_fix_v3.py <<'E'\\n1\\nE\\npython test_fix_v3.py\"}\n---\nresult: well\n\nCommand exited with code 0",
			[]string{"earlier: KeyError: 'a' — from `python test_fix.py` (#2) → `python test_fix_v3.py` ended with exit 0 (#8)", "earlier: KeyError: 'b' — from `python test_fix_v2.py` (#6) → `python test_fix_v3.py` ended"},
			[]string{"open:"},
		},
		{
			"a numbered test that ran takes the place of the one before",
			"call bash {\"command\":\"python final_test.py\"}\n---\nresult: KeyError: 'a'\n\nCommand exited with code 1\n---\n" +
				"call write {\"path\":\"final_test2.py\",\"content\":\"1\"}\n---\nresult: ok\n---\ncall bash {\"command\":\"python final_test2.py\"}\n---\nresult: well\n\nCommand exited with code 0",
			[]string{"earlier: KeyError: 'a' — from `python final_test.py` (#2) → `python final_test2.py` ended with exit 0 (#6)"},
			[]string{"open:"},
		},
		{
			"a script that runs by itself, written twice, takes the place of one before",
			"call write {\"path\":\"test_fix_v2.py\",\"content\":\"1\"}\n---\nresult: ok\n---\n" +
				"call bash {\"command\":\"./test_fix.py\"}\n---\nresult: KeyError: 'a'\n\nCommand exited with code 1\n---\n" +
				"call write {\"path\":\"test_fix_v2.py\",\"content\":\"2\"}\n---\nresult: ok\n---\n" +
				"call bash {\"command\":\"./test_fix_v2.py\"}\n---\nresult: well\n\nCommand exited with code 0",
			[]string{"earlier: KeyError: 'a'"},
			[]string{"open:"},
		},
		{
			"an older version of a script takes nothing's place",
			"call write {\"path\":\"test_fix.py\",\"content\":\"1\"}\n---\nresult: ok\n---\ncall write {\"path\":\"test_fix_v2.py\",\"content\":\"1\"}\n---\nresult: ok\n---\n" +
				"call bash {\"command\":\"python test_fix_v2.py\"}\n---\nresult: KeyError: 'a'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"python test_fix.py\"}\n---\nresult: well\n\nCommand exited with code 0",
			[]string{"open: KeyError: 'a'"},
			[]string{"earlier:"},
		},
		{
			"tests of another version of what is tested, and other targets, take nothing's place",
			"call bash {\"command\":\"pytest tests/test_api_v1.py\"}\n---\nresult: E   KeyError: 'a'\n1 failed\n\nCommand exited with code 1\n---\n" +
				"call write {\"path\":\"tests/test_api_v2.py\",\"content\":\"1\"}\n---\nresult: ok\n---\n" +
				"call bash {\"command\":\"pytest tests/test_api_v2.py\"}\n---\nresult: 4 passed\n\nCommand exited with code 0\n---\n" +
				"call bash {\"command\":\"make build\"}\n---\nresult: error: no rule\n\nCommand exited with code 2\n---\n" +
				"call bash {\"command\":\"make build-new\"}\n---\nresult: well\n\nCommand exited with code 0",
			[]string{"open: E KeyError: 'a'", "open: error: no rule"},
			[]string{"earlier:"},
		},
		{
			"an error lies in a file that was put back",
			"call bash {\"command\":\"python t.py\"}\n---\nresult: Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\n    import a\n  File \"/repo/src/a.py\", line 9\n    x = = 1\nSyntaxError: invalid syntax\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"cd /repo && git checkout src/a.py\"}\n---\nresult: Updated 1 path from the index\n\nCommand exited with code 0",
			[]string{"earlier: SyntaxError: invalid syntax — from `python t.py` (#2) → restored src/a.py, not run since (#4)"},
			[]string{"open:"},
		},
		{
			"an error that was there before the file was changed",
			"call bash {\"command\":\"python t.py\"}\n---\nresult: Traceback (most recent call last):\n  File \"/repo/src/a.py\", line 9, in f\n    return 1/0\nZeroDivisionError: division by zero\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"cd /repo && sed -i s/x/y/ src/a.py\"}\n---\nresult: \n\nCommand exited with code 0\n---\n" +
				"call bash {\"command\":\"cd /repo && git checkout src/a.py\"}\n---\nresult: Updated 1 path from the index\n\nCommand exited with code 0",
			[]string{"ZeroDivisionError: division by zero — from `python t.py`"},
			[]string{"→ restored"},
		},
		{
			"what is piped in tells two runs apart",
			"call bash {\"command\":\"echo 'a;;' | lint -\"}\n---\nresult: ERROR: unparsable section\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"echo 'a;' | lint -\"}\n---\nresult: well\n\nCommand exited with code 0",
			[]string{"open: ERROR: unparsable section — from `echo 'a;;' | lint -` (#2)", "`echo 'a;' | lint -` → exit 0: well (#4)"},
			[]string{"earlier:", "times"},
		},
		{
			"a test of another name takes nothing's place",
			"call bash {\"command\":\"python test_fix.py\"}\n---\nresult: KeyError: 'a'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"python test_fields.py\"}\n---\nresult: well\n\nCommand exited with code 0",
			[]string{"open: KeyError: 'a'"},
			[]string{"earlier:"},
		},
		{
			"a file that the agent had read was edited by its script, and runs that failed otherwise are told apart",
			"call bash {\"command\":\"cat src/a.py\"}\n---\nresult: x = 1\n---\ncall bash {\"command\":\"python t.py\"}\n---\nresult: KeyError: 'a'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"cat > fix.py <<'E'\\nopen('src/a.py', 'w').write('')\\nE\\npython fix.py\"}\n---\nresult: Fix applied\n\nCommand exited with code 0\n---\n" +
				"call bash {\"command\":\"python t.py\"}\n---\nresult: well\n\nCommand exited with code 0\n---\n" +
				"call bash {\"command\":\"python u.py\"}\n---\nresult: KeyError: 'b'\n\nCommand exited with code 1\n---\n" +
				"call bash {\"command\":\"python u.py\"}\n---\nresult: KeyError: 'c'\n\nCommand exited with code 1",
			[]string{"→ edited src/a.py, then the same command ended with exit 0", "KeyError: 'c' — from `python u.py` (run 2 times, 2 failed, the last so)"},
			[]string{"created src/a.py"},
		},
		{
			"what was printed stands with its blanks",
			"call bash {\"command\":\"python t.py\"}\n---\nresult: indent(2): '        '\n\nCommand exited with code 0",
			[]string{"→ exit 0: indent(2): '        ' (#2)"},
			nil,
		},
		{
			"a traceback that was cut names no error",
			"call bash {\"command\":\"lint - | head -3\"}\n---\nresult: <returncode>0</returncode>\n<output>\nTraceback (most recent call last):\n  File \"x.py\", line 3, in f\n    g()\n</output>",
			nil,
			[]string{"open:", "</output>"},
		},
		{
			"a sentence far down the text of an error explains it where it names a word of it",
			"call bash {\"command\":\"python a.py\"}\n---\nresult: KeyError: 'shard_map'\n\nCommand exited with code 1\n---\n" +
				"assistant: The tests ran. They took a while to run. The tables of the second group have no owner. We never fill shard_map in this mode.\n\n---\n" +
				"call bash {\"command\":\"python b.py\"}\n---\nresult: KeyError: 'zone'\n\nCommand exited with code 1\n---\n" +
				"assistant: The tests ran. They took a while to run. The tables of the second group have no owner and are in no timezone.",
			[]string{"KeyError: 'shard_map' — from `python a.py`; the agent then: We never fill shard_map in this mode. (#2)", "KeyError: 'zone' — from `python b.py` (#5)"},
			nil,
		},
		{
			"an array of words, and a result of JSON",
			"call shell {\"command\":[\"bash\",\"-lc\",\"make test\"]}\n---\nresult: {\"output\":\"2 failed, 3 passed\\n\",\"metadata\":{\"exit_code\":2}}",
			[]string{"open: 2 failed, 3 passed — from `make test` (#2)"},
			[]string{"success"},
		},
		{
			"an error that a program prints and survives is what it printed",
			"call bash {\"command\":\"python demo.py\"}\n---\nresult: <returncode>0</returncode>\nError: float() argument must be a string\nnext case fine",
			[]string{"`python demo.py` → exit 0: Error: float() argument must be a string"},
			[]string{"open:", "earlier:"},
		},
		{
			"a file that was read before is not created",
			"call read {\"path\":\"src/a.go\"}\n---\nresult: package a\n---\ncall write {\"path\":\"src/a.go\",\"content\":\"x\"}\n---\nresult: ok\n---\n" +
				"call write {\"path\":\"src/b.go\",\"content\":\"x\"}\n---\nresult: ok",
			[]string{"- edited src/a.go (#4)", "- created src/b.go (#6)"},
			[]string{"created src/a.go"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, c.log)
			text, _, _ := strings.Cut(wording.Text(summarize(t, ms), 0, nil), "\n## Identifiers")
			for cut := 2; cut < len(ms); cut += 2 { // a round of the summary ends there
				if ms[cut-1].Role != message.Tool {
					break
				}
				if c.name == "the next time that a file was put back undid a run" && cut == 2 {
					continue // what a script opens is not known in the next round
				}
				got, _, _ := strings.Cut(wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:cut]))), 0, nil), "\n## Identifiers")
				if diff := cmp.Diff(text, got); diff != "" {
					t.Errorf("cut at %d: %s", cut, diff)
				}
			}
			checkText(t, text, c.want, c.without)
		})
	}
}
