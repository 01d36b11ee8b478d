package extract_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// SPEC: B18, V9. Whatever stands in command lines, their summary names what the span holds, and one
// in rounds does so, too.
func TestAnyLinesAreSummarized(t *testing.T) {
	leads := rapid.SampledFrom([]string{"", "", "", "cd enc && ", "cd /srv/app && ", "sudo ", "FOO=1 ", "if ", "( ", "cd ~ && ", "cd /srv/app/enc && ", "cd .. && ", "cd ./enc/ && ", "cd / && ", "cd \"web\" && ", "cd 'my folder' && ", "cd my\\ folder && ", "cd /repo; cd ../api && ", "bash -c \"cd 'web' && touch x.py\"; ", "(cd a && ls); "})
	commands := rapid.SampledFrom([]string{
		"git commit -m x", "git -C /srv checkout -- src/a.py", "git -C enc mv a.py b.py", "git stash", "cat a.sql", "echo x > a.sql", "echo x > ~/notes.md", "ls src/a.py", "rm -rf src", "mkdir -p src/ui",
		"sed -i s/a/b/ src/a.py", "sed -i 's|x|x|' a.sql", "cp src/a.py src/a.py.bak", "cp src/a.py.bak src/a.py", "mv a.sql src/a.sql", "python fix.py", "pytest -q", "pip install pytz",
		"cat > fix.py <<'EOF'\nopen('src/a.py', 'w')\nEOF\npython fix.py", "patch -p1 < a.diff", "npx tsc", "cat > plan.md <<'EOF'\n- [x] Raise `limit 12`\n- [ ] Ship \"it\" 1234\nEOF\n", "for f in $(ls); do rm $f; done",
	})
	ends := rapid.SampledFrom([]string{"", "", " && ", "; ", " | ", " || ", "\n", ")"})
	results := rapid.SampledFrom([]string{
		"", "(no output)", "3 passed in 0.1s", "src/a.py(3,4): error TS1: x", "ModuleNotFoundError: No module named 'pytz'\n\nCommand exited with code 1", "[main 1234567] x\n delete mode 100644 src/a.py",
		"Traceback (most recent call last):\n  File \"src/a.py\", line 3, in f\nKeyError: 'a'\n\nCommand exited with code 1",
	})
	says := rapid.SampledFrom([]string{"", "", "assistant: Good! The fix is working.\n\n---\n", "user: And what now?\n---\n", "assistant: The limit is too low because of the table.\n\n---\n"})
	rapid.Check(t, func(rt *rapid.T) {
		log := "user: Raise the limit."
		for range rapid.IntRange(1, 6).Draw(rt, "calls") {
			line := ""
			for range rapid.IntRange(1, 3).Draw(rt, "commands") {
				line += leads.Draw(rt, "lead") + commands.Draw(rt, "command") + ends.Draw(rt, "end")
			}
			args, err := json.Marshal(map[string]string{"command": line})
			if err != nil {
				rt.Fatal(err)
			}
			log += "\n---\n" + says.Draw(rt, "said") + "call bash " + string(args) + "\n---\nresult: " + results.Draw(rt, "result")
		}
		ms := script(t, log)
		cut := rapid.IntRange(1, len(ms)).Draw(rt, "cut")
		summarize(t, ms, throughJSON(t, summarize(t, ms[:cut]))) // both are verified
	})
}
