package extract_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. That all tests passed is told as the word of a script where the agent wrote that itself, and the
// line is no verdict of a test runner.
func TestClaimsOfOwnScripts(t *testing.T) {
	call := func(line, result string) string {
		return `call bash {"command":"` + line + `"}` + "\n---\nresult: <returncode>0</returncode>\n" + result + "\n---\n"
	}
	const wrote = "cat > test_all.py <<'E'\\nimport app\\nprint('x')\\nE"
	for _, c := range []struct {
		name, log     string
		want, without []string
	}{
		{"its own", call(wrote, "") + call("python test_all.py", "All existing tests passed!"), []string{"- `python test_all.py` → exit 0; the agent's script prints: All existing tests passed! (#5)\n"}, nil},
		{"written and run by one call", call(wrote+"\\npython test_all.py", "All existing tests passed!"), []string{"the agent's script prints: All existing tests passed! (#3)\n"}, nil},
		{"another line", call(wrote, "") + call("python test_all.py", "result: 9 of 9"), []string{"→ exit 0: result: 9 of 9 (#5)\n"}, nil},
		{"a verdict", call(wrote, "") + call("python test_all.py", "3 passed in 0.1s"), []string{"→ exit 0: 3 passed in 0.1s (#5)\n"}, nil},
		{"that of the repository", call("python test_all.py", "All existing tests passed!"), []string{"→ exit 0: All existing tests passed! (#3)\n"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, "user: Mend it.\n---\n"+c.log+"user: Go on.")
			checkText(t, wording.Text(summarize(t, ms), 0, nil), c.want, c.without)
			checkText(t, wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:3]))), 0, nil), c.want, c.without)
		})
	}
}

// SPEC: B18. What a script of the agent's prints whatever it finds tells nothing of a run: the line that does
// stands, or what it prints as what it always prints.
func TestWhatOwnScriptsAlwaysPrint(t *testing.T) {
	call := func(line, result string) string {
		return `call bash {"command":"` + line + `"}` + "\n---\nresult: <returncode>0</returncode>\n" + result + "\n---\n"
	}
	const wrote = "cat > fix.py <<'E'\\nn = mend()\\nprint(n)\\nprint('Fix applied!')\\nE"
	for _, c := range []struct {
		name, log     string
		want, without []string
	}{
		{"the line before", call(wrote, "") + call("python fix.py", "lines 3 to 9\nFix applied!"), []string{"- `python fix.py` → exit 0: lines 3 to 9 (#5)\n"}, []string{"applied"}},
		{"no other", call(wrote, "") + call("python fix.py", "Fix applied!"), []string{"- `python fix.py` → exit 0; the agent's script always prints: Fix applied! (#5)\n"}, nil},
		{"written and run by one call", call(wrote+"\\npython fix.py", "lines 3 to 9\nFix applied!"), []string{"→ exit 0: lines 3 to 9 (#3)\n"}, []string{"applied"}},
		{"written by a tool", `call write {"path":"fix.py","content":"n = mend()\nprint(\"Fix applied!\")\n"}` + "\n---\nresult: ok\n---\n" + call("python fix.py", "lines 3 to 9\nFix applied!"), []string{"→ exit 0: lines 3 to 9 (#5)\n"}, []string{"applied"}},
		{"many lines", call("cat > fix.py <<'E'\\nprint(n)\\nprint('1 is read')\\nprint('2 is read')\\nprint('3 is cut')\\nprint('4 is joined')\\nprint('5 is written')\\nprint('Fix applied!')\\nE", "") + call("python fix.py", "lines 3 to 9\n1 is read\n2 is read\n3 is cut\n4 is joined\n5 is written\nFix applied!"), []string{"→ exit 0: lines 3 to 9 (#5)\n"}, nil},
		{"in one case only", call("cat > fix.py <<'E'\\nif n:\\n    print('Fix applied!')\\nE", "") + call("python fix.py", "Fix applied!"), []string{"→ exit 0: Fix applied! (#5)\n"}, nil},
		{"unless it ends before", call("cat > fix.py <<'E'\\nassert n\\nprint('Fix applied!')\\nE", "") + call("python fix.py", "Fix applied!"), []string{"→ exit 0: Fix applied! (#5)\n"}, nil},
		{"written anew", call(wrote, "") + call("cat > fix.py <<'E'\\nprint(n)\\nE", "") + call("python fix.py", "Fix applied!"), []string{"→ exit 0: Fix applied! (#7)\n"}, nil},
		{"changed since", call(wrote, "") + call("sed -i s/a/b/ fix.py", "") + call("python fix.py", "Fix applied!"), []string{"→ exit 0: Fix applied! (#7)\n"}, nil},
		{"a script in the line", call("python -c \\\"\\nprint('Fix applied!')\\n\\\"", "Fix applied!"), []string{"→ exit 0; the agent's script always prints: Fix applied! (#3)"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, "user: Mend it.\n---\n"+c.log+"user: Go on.")
			checkText(t, wording.Text(summarize(t, ms), 0, nil), c.want, c.without)
			checkText(t, wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:3]))), 0, nil), c.want, c.without)
		})
	}
}

// SPEC: B18. A script that the agent wrote, and that reaches nothing but itself, is told as one without the project's
// code: what it shows is no result of that.
func TestScriptsWithoutTheProject(t *testing.T) {
	call := func(line, result string) string {
		return `call bash {"command":"` + line + `"}` + "\n---\nresult: <returncode>0</returncode>\n" + result + "\n---\n"
	}
	wrote := func(text string) string { return call("cat > test_it.py <<'E'\\n"+text+"\\nE", "") }
	const mocked, told = "import re\\nclass MockField:\\n    ok = re.match('a', 'a')\\nprint(MockField.ok)", "- `python test_it.py` → exit 0; the agent's script, without the project's code, prints: test_a works (#5)\n"
	ran := call("python test_it.py", "test_a works")
	for _, c := range []struct {
		name, log     string
		want, without []string
	}{
		{"a mock", wrote(mocked) + ran, []string{told}, nil},
		{"written by a tool", `call write {"path":"test_it.py","content":"` + mocked + `"}` + "\n---\nresult: ok\n---\n" + ran, []string{told}, nil},
		{"written and run by one call", call("cat > test_it.py <<'E'\\n"+mocked+"\\nE\\npython test_it.py", "test_a works"), []string{"without the project's code, prints: test_a works (#3)"}, nil},
		{"no claim", wrote(mocked) + call("python test_it.py", "3 of 4"), []string{"→ exit 0: 3 of 4 (#5)\n"}, nil},
		{"the project", wrote("from app import Field\\nprint(Field)") + ran, []string{"→ exit 0: test_a works (#5)\n"}, []string{"without the project"}},
		{"changed since", wrote(mocked) + call("sed -i 's/re/app/' test_it.py", "") + ran, []string{"→ exit 0: test_a works (#7)\n"}, []string{"without the project"}},
		{"added to", wrote(mocked) + call("cat >> test_it.py <<'E'\\nimport app\\nE", "") + ran, nil, []string{"without the project"}},
		{"by a test runner", wrote(mocked) + call("pytest test_it.py", "test_a works"), nil, []string{"without the project"}},
		{"not by the agent", ran, []string{"→ exit 0: test_a works (#3)\n"}, []string{"without the project"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, "user: Mend it.\n---\n"+c.log+"user: Go on.")
			checkText(t, wording.Text(summarize(t, ms), 0, nil), c.want, c.without)
			checkText(t, wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:3]))), 0, nil), c.want, c.without)
		})
	}
}
