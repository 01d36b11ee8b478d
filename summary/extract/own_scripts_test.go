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
	const wrote = "cat > test_all.py <<'E'\\nprint('x')\\nE"
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
