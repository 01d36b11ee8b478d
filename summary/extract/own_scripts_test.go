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
