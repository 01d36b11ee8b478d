package extract_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. A run while the changes are put aside tells of what was there before them: its error is told as
// such and not as open, and neither it nor a run that ended well says what became of an error with them.
func TestRunsWithChangesPutAside(t *testing.T) {
	call := func(line, result string) string {
		return `call bash {"command":"` + line + `"}` + "\n---\nresult: " + result + "\n---\n"
	}
	edit := call("sed -i s/a/b/ src/a.py", "<returncode>0</returncode>")
	failed := call("pytest -q t.py", "<returncode>1</returncode>\nKeyError: 'a'")
	const open, before = "- open: KeyError: 'a' — from `pytest -q t.py` (#5)", "- with the changes stashed: KeyError: 'a' — from `"
	for _, c := range []struct {
		name, log     string
		want, without []string
	}{
		{"in one line", edit + failed + call("cd /r && git stash && pytest -q t.py | tail -5", "KeyError: 'a'"), []string{open, before + "git stash && pytest -q t.py`"}, nil},
		{"put back in the same line", edit + failed + call("git stash && pytest -q t.py; git stash pop", "KeyError: 'a'"), []string{open, before}, nil},
		{"by itself", edit + failed + call("git stash", "Saved working directory") + call("pytest -q t.py", "<returncode>1</returncode>\nKeyError: 'a'") + call("git stash pop", "ok"), []string{open, before + "pytest -q t.py` (run 2 times, 2 failed, the last so) (#9)"}, nil},
		{"well without them", edit + failed + call("git stash", "Saved working directory") + call("pytest -q t.py", "<returncode>0</returncode>\n3 passed in 0.1s") + call("git stash pop", "ok"), []string{open, "3 passed in 0.1s, with the changes stashed"}, []string{"earlier"}},
		{"run before they were put aside", edit + call("pytest -q t.py; git stash", "KeyError: 'a'"), []string{"- open: KeyError: 'a'"}, []string{"with the changes"}},
		{"run when they are back", edit + call("git stash", "Saved") + call("git stash pop && pytest -q t.py", "<returncode>1</returncode>\nKeyError: 'a'"), []string{"- open: KeyError: 'a'"}, []string{"with the changes"}},
		{"nothing to put aside", call("git stash && pytest -q t.py", "No local changes to save\nKeyError: 'a'"), []string{"- open: KeyError: 'a'"}, []string{"with the changes"}},
		{"taken back for good", edit + call("git checkout .", "Updated 1 path from the index") + call("pytest -q t.py", "<returncode>1</returncode>\nKeyError: 'a'"), []string{"- open: KeyError: 'a'"}, []string{"with the changes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, "user: Mend it.\n---\n"+c.log+"user: Go on.")
			checkText(t, wording.Text(summarize(t, ms), 0, nil), c.want, c.without)
			for n := 3; n < len(ms); n += 2 { // a round of the summary ends there
				checkText(t, wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:n]))), 0, nil), c.want, c.without)
			}
		})
	}
}
