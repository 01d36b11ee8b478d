package extract_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
	"pgregory.net/rapid"
)

// shell writes a script of shell calls that all succeed.
func shell(lines ...string) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteString("\n---\n")
		}
		args, _ := json.Marshal(map[string]string{"command": l})
		fmt.Fprintf(&b, "call bash %s\n---\nresult: \n\nCommand exited with code 0", args)
	}
	return b.String()
}

// SPEC: B18. A run in another folder than the others is told with it, and is another run.
func TestRunsInFolders(t *testing.T) {
	for want, lines := range map[string][]string{
		"- `pytest a.py` → exit 0 (run 2 times) (#4)":                              {"cd /srv/app && pytest a.py", "pytest a.py"},
		"- `pytest a.py` → exit 0 (#2)\n- `pytest a.py` in enc → exit 0 (#4)":      {"cd /srv/app && pytest a.py", "cd /srv/app/enc && pytest a.py"},
		"- `pytest a.py` → exit 0 (#2)\n- `pytest a.py` in enc/b → exit 0 (#4)":    {"cd /srv/app && pytest a.py", "cd enc && cd b && pytest a.py"},
		"- `pytest a.py` → exit 0 (#2)\n- `pytest a.py` in /tmp/try → exit 0 (#4)": {"cd /srv/app && pytest a.py", "cd /tmp/try && ls && pytest a.py"},
	} {
		ms := script(t, shell(lines...))
		for _, s := range []*summary.Structured{summarize(t, ms), summarize(t, ms, throughJSON(t, summarize(t, ms[:len(ms)-2])))} {
			if text := wording.Text(s, 0, nil); !strings.Contains(text, want) {
				t.Errorf("%q: want %q in\n%s", lines, want, text)
			}
		}
	}
}

// SPEC: B18. The state of files is what is on disk: what was taken back, moved or deleted
// again does not stand as created or edited.
func TestFilesAsTheyAre(t *testing.T) {
	for _, c := range []struct {
		name          string
		lines         []string
		want, without string
	}{
		{"a copy put back", []string{"cp src/a.py src/a.py.bak", "sed -i s/a/b/ src/a.py", "cp src/a.py.bak src/a.py"}, "- restored src/a.py (#6)", "edited src/a.py"},
		{"a numbered copy put back", []string{"cp src/a.py src/a.py.backup2", "sed -i s/a/b/ src/a.py", "cp src/a.py.backup2 src/a.py"}, "- restored src/a.py (#6)", "edited src/a.py"},
		{"a copy made before it was changed by one line", []string{"cp src/a.py src/a.py.bak && sed -i s/a/b/ src/a.py", "cp src/a.py.bak src/a.py"}, "- restored src/a.py (#4)", "edited src/a.py"},
		{"a number alone tells no copy", []string{"cp src/a.py.2 src/a.py"}, "- created src/a.py (#2)", "restored"},
		{"a copy made", []string{"cp src/a.py src/b.py"}, "- created src/b.py (#2)", "read"},
		{"a copy moved back", []string{"sed -i s/a/b/ src/a.py", "mv src/a.py.orig src/a.py"}, "- restored src/a.py (#4)", "edited"},
		{"taken back with git", []string{"sed -i s/a/b/ src/a.py", "git checkout src/a.py"}, "- restored src/a.py (#4)", "edited"},
		{"a branch is no file", []string{"sed -i s/a/b/ src/a.py", "git checkout v1.2"}, "- edited src/a.py (#2)", "restored"},
		{"a patch taken back", []string{"patch -p1 <<'E'\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\nE", "patch -R -p1 <<'E'\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\nE"}, "- restored x.py (#4)", "edited"},
		{"edited again", []string{"git checkout -- src/a.py", "sed -i s/a/b/ src/a.py"}, "- edited src/a.py (#4, after it was restored in #2)", "- restored"},
		{"edited again after much", []string{"sed -i s/a/b/ src/a.py", "sed -i s/b/c/ src/a.py", "sed -i s/c/d/ src/a.py", "git checkout -- src/a.py", "sed -i s/a/b/ src/a.py"}, "- edited src/a.py (#10, after it was restored in #8)", "change"},
		{"read after it was edited again", []string{"git checkout -- src/a.py", "sed -i s/a/b/ src/a.py", "cat src/a.py"}, "- edited src/a.py (#4, after it was restored in #2)", "- read"},
		{"all taken back", []string{"sed -i s/a/b/ src/a.py", "echo x > new.py", "git reset --hard"}, "- restored src/a.py (#6)", "restored new.py"},
		{"put aside and back", []string{"sed -i s/a/b/ src/a.py", "git stash", "pytest", "git stash pop"}, "- edited src/a.py (#8)", "restored"},
		{"put aside and back in one line", []string{"sed -i s/a/b/ src/a.py", "git stash && pytest; git stash pop"}, "- edited src/a.py (#2)", "restored"},
		{"one put aside", []string{"sed -i s/a/b/ src/a.py", "sed -i s/a/b/ src/b.py", "git stash push src/a.py"}, "- edited src/b.py (#4)\n- stashed src/a.py (#6)", "edited src/a.py"},
		{"one put aside and back", []string{"sed -i s/a/b/ src/a.py", "sed -i s/a/b/ src/b.py", "git stash -- src/a.py", "git stash pop"}, "- edited src/b.py (#4), src/a.py (#8)", "restored"},
		{"all put aside with new files", []string{"sed -i s/a/b/ src/a.py", "git stash --include-untracked"}, "- stashed src/a.py (#4)", "edited"},
		{"all put aside to look", []string{"sed -i s/a/b/ src/a.py", "git stash && pytest"}, "- stashed src/a.py (#4)", "restored"},
		{"put aside and given up", []string{"sed -i s/a/b/ src/a.py", "git stash", "git stash drop"}, "- restored src/a.py (#6)", "stashed"},
		{"put aside and made anew", []string{"sed -i s/a/b/ src/a.py", "git stash", "cat > src/a.py <<'E'\nx\nE"}, "- edited src/a.py (#6)", "stashed"},
		{"put aside, others taken back", []string{"sed -i s/a/b/ src/a.py", "git stash", "sed -i s/a/b/ src/b.py", "git checkout .", "git stash pop"}, "- edited src/a.py (#10)\n- restored src/b.py (#8)", "stashed"},
		{"only no longer staged", []string{"sed -i s/a/b/ src/a.py", "git restore --staged src/a.py"}, "- edited src/a.py (#2)", "restored"},
		{"only no longer tracked", []string{"sed -i s/a/b/ src/a.py", "git rm --cached src/a.py"}, "- edited src/a.py (#2)", "deleted"},
		{"a branch that is named like a file", []string{"sed -i s/a/b/ src/a.py", "git checkout -b release-1.x", "git checkout stable/3.x"}, "- edited src/a.py (#2)", "restored"},
		{"moved into another's place", []string{"cat main.ts", "sed -i s/a/b/ main-new.ts", "mv main-new.ts main.ts"}, "- moved main-new.ts to main.ts (#6)", "created"},
		{"the agent's own file under another name", []string{"echo x > a.py", "mv a.py b.py"}, "- created b.py (#4)", " a.py"},
		{"moved by a shorter name", []string{"sed -i s/a/b/ /srv/app/src/main-new.ts", "cd /srv/app/src && mv main-new.ts main.ts"}, "- moved /srv/app/src/main-new.ts to", "created"},
		{"moved into a folder", []string{"sed -i s/a/b/ a.py", "mv a.py c.py lib/"}, "", "- deleted"},
		{"moved here", []string{"cat lib/a.py", "mv lib/a.py ."}, "- moved lib/a.py to a.py (#4)", "deleted"},
		{"created and deleted", []string{"echo x > try.py", "python try.py", "rm try.py"}, "", "- deleted"},
		{"a folder that was made anew", []string{"rm -rf src/ui", "mkdir -p src/ui && cp lib/a.py src/ui/a.py"}, "- created src/ui/a.py (#4)", "deleted"},
		{"a folder that was deleted under another name", []string{"cd /srv/app && rm -rf src/ui/", "mkdir -p /srv/app/src/ui && cp lib/a.py /srv/app/src/ui/a.py"}, "- created /srv/app/src/ui/a.py (#4)", "deleted"},
		{"a folder that was made again", []string{"rm -rf src/ui", "mkdir -p src/ui"}, "", "deleted"},
		{"a folder that was made again from another", []string{"rm -rf /srv/app/src/ui/parts", "cd /srv/app/src && mkdir -p lib ui/parts"}, "", "deleted"},
		{"by git from another folder", []string{"sed -i s/a/b/ /srv/src/a.py", "git -C /srv checkout -- src/a.py"}, "- restored /srv/src/a.py (#4)", "edited"},
		{"all by git from another folder", []string{"sed -i s/a/b/ src/a.py", "git -C /srv -c user.name=x reset --hard"}, "- restored src/a.py (#4)", "edited"},
		{"in a folder below", []string{"cd enc && echo x > a.sql"}, "- created enc/a.sql (#2)", "- read"},
		{"by git in a folder that nothing else names", []string{"git -C /srv checkout -- src/a.py"}, "- restored src/a.py (#2)", "edited"},
		{"deleted, and looked for", []string{"rm src/old.py", "ls src/old.py 2>/dev/null || echo gone"}, "- deleted src/old.py (#2)", "read"},
		{"quotes escaped", []string{`sed -i 's/"/\\"/g' src/a.json`, "sed -i 's/a/a/;5d' src/b.json"}, "- edited src/a.json (#2), src/b.json (#4)", "- read"},
		{"put in its own place", []string{"cat src/a.py", "sed -i '' 's|from \"./a.js\"|from \"./a.js\"|g' src/a.py", "sed -i 's/a\\.b/a.b/' src/a.py"}, "", "edited"},
		{"put in another's place", []string{"sed -i 's|a|b|g' src/a.py"}, "- edited src/a.py (#2)", "read"},
		{"made and changed later", []string{"cat > a.py <<'E'\n1\nE", "sed -i s/1/2/ a.py"}, "- created a.py (#2, changed last in #4)", "edited"},
		{"an address is no file", []string{"open https://example.org/a.py", "sed -i s/a/b/ src/b.py"}, "- edited src/b.py (#4)", "example"},
		{"changed after it was moved", []string{"mv a.py b.py", "sed -i s/a/b/ b.py"}, "- moved a.py to b.py (#2, changed last in #4)", "edited"},
		{"made, committed and deleted", []string{"echo x > notes.md", "git add -A && git commit -m notes", "rm notes.md"}, "- deleted notes.md (#6)", "created"},
		{"made, committed and moved", []string{"echo x > new.py", "git add -A && git commit -m new", "mv new.py old.py"}, "- moved new.py to old.py (#6)", "created"},
		{"made again", []string{"echo x > b.py", "sed -i s/a/b/ b.py", "sed -i s/b/c/ b.py", "rm b.py", "echo y > b.py"}, "- created b.py (#10)", "changes"},
		{"a folder in another of its name", []string{"rm -rf lib/ui", "mkdir -p vendor/lib/ui && cp x.py vendor/lib/ui/x.py"}, "- deleted lib/ui (#2)", "- restored"},
		{"made, and another committed", []string{"echo x > repro.py", "git add src/a.py && git commit -m fix", "rm repro.py"}, "", "repro"},
		{"made and added in one line", []string{"cat > new.py <<'E'\n1\nE\ngit add new.py && git commit -m one", "rm new.py"}, "- deleted new.py (#4)", "created"},
		{"added with its folder", []string{"echo x > src/new.py", "git add src && git commit -m one", "rm src/new.py"}, "- deleted src/new.py (#6)", "created"},
		{"added by a pattern", []string{"echo x > src/new.py", "git add src/*.py && git commit -m one", "rm src/new.py"}, "- deleted src/new.py (#6)", "created"},
		{"another folder added", []string{"echo x > repro.py", "git add -A src/ && git commit -m one", "rm repro.py"}, "", "repro"},
		{"made after a commit", []string{"git add -A && git commit -m one && echo y > new.py", "rm new.py"}, "", "new.py"},
		{"made in the folder for scratch", []string{"echo x > /tmp/repro.py", "git add -A && git commit -m fix", "rm /tmp/repro.py"}, "", "repro"},
		{"deleted with its folder", []string{"echo x > out/try.py", "rm -rf out/"}, "", "created"},
		{"of one name in two folders", []string{"cd /srv/app && echo x > a.sql", "cd /srv/app/enc && echo x > a.sql", "cd /srv/app && mkdir -p enc && cd enc && echo y >> b.sql"}, "- created a.sql (#2), enc/a.sql (#4)", " b.sql"},
		{"in a folder elsewhere", []string{"cd /srv/app && cat a.py", "cd /tmp/try && echo x > a.py"}, "- created /tmp/try/a.py (#4)", "created a.py"},
		{"in a folder above", []string{"cd /srv/app/src && echo x > a.py", "cd /srv/app && sed -i s/x/y/ src/a.py"}, "- created a.py (#2, changed last in #4", "src/a.py"},
		{"deleted with its folder from a folder", []string{"cd sub && echo 1 > pkg/lib/a.py", "cd sub && rm -rf pkg/lib"}, "", "created"},
		{"a folder of that name elsewhere deleted", []string{"echo 1 > pkg/lib/a.py", "cd sub && rm -rf pkg/lib"}, "- created pkg/lib/a.py (#2)", ""},
		{"committed from a folder", []string{"cd web && echo 1 > a.py && git add a.py && git commit -m x", "cd web && git rm a.py"}, "- deleted web/a.py (#4)", "created"},
		{"of one name in one line", []string{"(cd a && echo 1 > main.go); (cd b && echo 1 > main.go)"}, "- created a/main.go (#2), b/main.go (#2)", ""},
		{"put aside and back in a folder", []string{"cd web && sed -i s/x/y/ a.py && git stash push a.py && touch b.py && git stash pop"}, "- created web/b.py (#2)", "web/web"},
		{"in a folder behind a setting", []string{"set -e\ncd /srv/web && touch b.py"}, "- created b.py (#2)", "web"},
		{"made by a script in a folder", []string{"cd web && cat > fix.py <<'E'\nopen('src/a.py', 'w')\nE", "cd web && python fix.py"}, "web/src/a.py (#4)", "created src"},
		{"edited by a pattern in another folder", []string{"cd /srv/app && sed -i s/a/b/ core/one.ts", "cd /srv/app/ui && for f in *.ts; do sed -i s/a/b/ \"$f\"; done"}, "- edited core/one.ts (#2)", "perhaps"},
		{"edited by a pattern in its folder", []string{"cd /srv/app && sed -i s/a/b/ core/one.ts", "cd /srv/app/core && for f in *.ts; do sed -i s/a/b/ \"$f\"; done"}, "- edited core/one.ts (#2, perhaps again in #4)", ""},
		{"one file in two spellings", []string{"cd /repo && sed -i s/a/b/ src/a.py", "sed -i s/b/c/ /repo/src/a.py", "cd /repo/src && sed -i s/c/d/ a.py"}, "- edited src/a.py (#6, 3 changes)", "/repo/src/a.py ("},
		{"two files of one name", []string{"sed -i s/a/b/ /x/src/a.py", "sed -i s/a/b/ /y/src/a.py", "sed -i s/a/b/ src/a.py"}, "- edited /x/src/a.py (#2), /y/src/a.py (#4), src/a.py (#6)", "changes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, shell(c.lines...))
			text := filesIn(summarize(t, ms))
			first := throughJSON(t, summarize(t, ms[:len(ms)-2]))
			for _, text := range []string{text, filesIn(summarize(t, ms, first))} {
				if !strings.Contains(text, c.want) || c.without != "" && strings.Contains(text, c.without) {
					t.Errorf("want %q, not %q in\n%s", c.want, c.without, text)
				}
			}
		})
	}
}

// SPEC: B18. A file of Windows is one, with whichever slashes it is named.
func TestFilesOfWindows(t *testing.T) {
	ms := script(t, `call edit {"path":"C:\\r\\src\\a.go","old_string":"a","new_string":"b"}`+"\n---\nresult: ok\n---\n"+`call edit {"path":"C:/r/src/a.go","old_string":"b","new_string":"c"}`+"\n---\nresult: ok")
	if text, want := filesIn(summarize(t, ms)), `- edited C:\r\src\a.go (#4)`; !strings.Contains(text, want) {
		t.Errorf("want %q in\n%s", want, text)
	}
}

// SPEC: B18. A command whose changes were all taken back says so, until it runs again.
func TestWhatWasTakenBackIsUndone(t *testing.T) {
	write := "cat > fix.py <<'E'\ntext = open('src/a.py').read()\nopen('src/a.py', 'w').write(text)\nE"
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"stands", []string{write, "python fix.py"}, "`python fix.py` → exit 0 (#4)\n"},
		{"undone", []string{write, "python fix.py", "git checkout -- src/a.py"}, "`python fix.py` → exit 0 (#4), undone in #6"},
		{"undone from another folder", []string{write, "python fix.py", "git -C /repo checkout -- src/a.py"}, "`python fix.py` → exit 0 (#4), undone in #6"},
		{"undone with other options of git", []string{write, "python fix.py", "git --no-pager restore src/a.py"}, "`python fix.py` → exit 0 (#4), undone in #6"},
		{"a copy put back beside a text about git", []string{write, "python fix.py", "echo git checkout; cp src/a.py.orig src/a.py"}, "`python fix.py` → exit 0 (#4)\n"},
		{"run again", []string{write, "python fix.py", "git checkout -- src/a.py", "python fix.py"}, "`python fix.py` → exit 0 (run 2 times) (#8)\n"},
		{"read since", []string{write, "python fix.py", "git checkout -- src/a.py", "cat src/a.py"}, "`python fix.py` → exit 0 (#4), undone in #6"},
		{"committed before", []string{write, "python fix.py", "git commit -am x", "git checkout -- src/a.py"}, "`python fix.py` → exit 0 (#4)\n"},
		{"in the copy", []string{write, "python fix.py", "cp src/a.py src/a.py.bak", "sed -i s/a/b/ src/a.py", "cp src/a.py.bak src/a.py"}, "`python fix.py` → exit 0 (#4)\n"},
		{"not in the copy", []string{write, "cp src/a.py src/a.py.bak", "python fix.py", "cp src/a.py.bak src/a.py"}, "`python fix.py` → exit 0 (#6), undone in #8"},
		{"put aside", []string{write, "python fix.py", "git stash", "git stash pop"}, "`python fix.py` → exit 0 (#4)\n"},
		{"a copy made nobody knows when", []string{write, "python fix.py", "cp src/a.py.orig src/a.py"}, "`python fix.py` → exit 0 (#4)\n"},
		{"run by another name", []string{strings.Replace(write, "fix.py", "/srv/app/fix.py", 1), "cd /srv/app && python fix.py", "git checkout -- src/a.py"}, "`python fix.py` → exit 0 (#4), undone in #6"},
		{"written and run at once", []string{write + "\npython fix.py", "git checkout -- src/a.py"}, "`python fix.py` → exit 0 (#2), undone in #4"},
		{"another file", []string{write, "python fix.py", "git checkout -- src/b.py"}, "`python fix.py` → exit 0 (#4)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, shell(c.lines...))
			first := throughJSON(t, summarize(t, ms[:len(ms)-2]))
			for _, s := range []*summary.Structured{summarize(t, ms), summarize(t, ms, first)} {
				if text := wording.Text(s, 0, nil) + "\n"; !strings.Contains(text, c.want) {
					t.Errorf("want %q in\n%s", c.want, text)
				}
			}
		})
	}
}

// SPEC: B18. What the agent found wrong as it took its changes back stands with the file;
// what it says of other calls, or of what was well, does not.
func TestWhyItWasTakenBack(t *testing.T) {
	call := func(line string) string {
		return "\n\n---\ncall bash {\"command\":\"" + line + "\"}\n---\nresult: \n\nCommand exited with code 0\n---\n"
	}
	for _, back := range []string{"git checkout -- src/a.py", "cp src/a.py.orig src/a.py"} {
		ms := script(t, "assistant: I change the first line of it now."+call("sed -i s/a/b/ src/a.py")+
			"assistant: Hmm. With the other table it still has nine spaces. Let me take it back."+call(back)+
			"assistant: The second way looks at the whole line."+call("sed -i s/c/d/ src/a.py"))
		want := "src/a.py (#9, after it was restored in #6; the agent before that: With the other table it still has nine spaces.)"
		for _, s := range []*summary.Structured{summarize(t, ms), summarize(t, ms, throughJSON(t, summarize(t, ms[:len(ms)-2])))} {
			if text := filesIn(s); !strings.Contains(text, want) {
				t.Errorf("%s: want %q in\n%s", back, want, text)
			}
		}
	}
}

// SPEC: B18. What the agent found to fail stands with the file also where it looked once more before it
// took its changes back; what it said before it made them does not.
func TestWhyBeforeALook(t *testing.T) {
	call := func(line string) string {
		return "\n\n---\ncall bash {\"command\":\"" + line + "\"}\n---\nresult: \n\nCommand exited with code 0\n---\n"
	}
	const regret = "So the test expects True! That means my fix breaks the tests. We need another."
	edit, look, back := call("sed -i s/a/b/ src/a.py"), call("cat tests/a.py"), call("git checkout -- src/a.py")
	const mine, last = "assistant: I change it now.", "assistant: I take it back:"
	for _, c := range []struct{ log, want string }{
		{mine + edit + "assistant: " + regret + look + last, "src/a.py (#9; the agent before that: my fix breaks the tests.)"},
		{"assistant: " + regret + edit + "assistant: I look at it once more." + look + last, "src/a.py (#9)"},
		{mine + edit + "assistant: Wait, that patch is wrong. It's adding duplicate code. I take it back:", "src/a.py (#6; the agent before that: Wait, that patch is wrong. It's adding duplicate code.)"},
		{mine + edit + "assistant: It doesn't break anything else that wasn't already broken." + look + last, "src/a.py (#9)"},
		{mine + edit + "assistant: The original code would have failed with a string." + look + last, "src/a.py (#9)"},
		{mine + edit + "assistant: Callers will fail at runtime if they pass a string. I take it back:", "src/a.py (#6)"},
		{mine + edit + "assistant: It seems b.py was not changed. My script `fix.py` does not work as it should." + look + last, "src/a.py (#9)"},
		{mine + edit + "assistant: It seems `a.py` was not changed. My script does not work as it should." + look + last, "src/a.py (#9; the agent before that: "},
		{mine + edit + "assistant: My fix shouldn't change that behavior. I take it back:", "src/a.py (#6)"},
	} {
		ms := script(t, c.log+back+"assistant: Done.")
		if text := filesIn(summarize(t, ms)); !strings.Contains(text, c.want) {
			t.Errorf("want %q in\n%s", c.want, text)
		}
	}
}

// SPEC: B18. SWE-agent's editor: the file that its result names, in the folder that its prompt
// names, and no command.
func TestFilesOfSWEAgent(t *testing.T) {
	const prompt = "\n(Open file: /repo/fix.py)\n(Current directory: /repo)\nbash-$"
	text := wording.Text(summarize(t, script(t, "call bash {\"command\":\"create fix.py\"}\n---\nresult: [File: /repo/fix.py (1 lines total)]\n1:"+prompt+
		"\n---\ncall bash {\"command\":\"edit 1:1\\nprint(344)\\nend_of_edit\"}\n---\nresult: [File: /repo/fix.py (1 lines total)]\n1:print(344)"+prompt+
		"\n---\ncall bash {\"command\":\"edit 1:1\\n  print(\\nend_of_edit\"}\n---\nresult: Your proposed edit has introduced new syntax error(s).\n[File: /repo/fix.py (1 lines total)]"+prompt+
		"\n---\ncall bash {\"command\":\"python fix.py\"}\n---\nresult: 344"+prompt)), 0, nil)
	for _, want := range []string{"- created fix.py (#2, changed last in #4)\n", "## Commands run\n- `python fix.py` → 344 (#8)"} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in\n%s", want, text)
		}
	}
}

// SPEC: B18. What was done in another folder than the one where the shell stands now is told with its folder, and
// what follows the handing in of work is no output of that.
func TestWorkInAnotherFolder(t *testing.T) {
	in := func(dir, line, output string) string {
		return "call bash {\"command\":\"" + line + "\"}\n---\nresult: " + output + "\n(Open file: n/a)\n(Current directory: " + dir + ")\nbash-$\n---\n"
	}
	log := in("/one", "ls", "src") +
		in("/one", "open src/a/b.py", "[File: src/a/b.py (9 lines total)]\n1:x") +
		in("/one", "edit 1:1\\nprint(344)\\nend_of_edit", "[File: /one/src/a/b.py (9 lines total)]\n1:print(344)") +
		in("/one", "python r.py", "344") + in("/one", "rm r.py", "") +
		in("/two", "submit", "We are solving an issue. Here is its text:\nError: it broke\n7. Start it.") +
		"assistant: The folder of the tests is too deep.\n\n---\n" +
		in("/two", "create r.py", "[File: /two/r.py (1 lines total)]\n1:") +
		in("/two", "python r.py", "345") +
		in("/two", "edit 1:1\\nprint(345)\\nend_of_edit", "[File: /two/src/a/b.py (9 lines total)]\n1:print(345)")
	ms := script(t, log+"assistant: Well.")
	for _, n := range []int{0, 4, 8, 10, 12, 13, 15} { // a round of the summary ends there
		text := wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:n]))), 0, nil)
		checkText(t, text, []string{
			"- edited /one/src/a/b.py (#6), /two/src/a/b.py (#19)\n", "- created /two/r.py (#15)\n",
			"- `python r.py` in /one → 344 (#8)\n", "- `python r.py` in /two → 345 (#17)", "- `submit` in /one → ran (#12)\n",
			"- ran `rm r.py` in /one (#10)\n",
		}, []string{"open:"})
	}
}

// SPEC: B18. What the agent decided on the way to work that it took back is not told as standing.
func TestDecisionsOfUndoneWork(t *testing.T) {
	call := func(line string) string {
		return "\n\n---\ncall bash {\"command\":\"" + line + "\"}\n---\nresult: \n\nCommand exited with code 0\n---\n"
	}
	ms := script(t, "assistant: I'll keep the file format, because clients depend on it."+call("cp src/a.py src/a.py.bak")+
		"assistant: I'll cache the parser instead of the lexer."+call("sed -i s/a/b/ src/a.py")+
		"assistant: That broke the other mode."+call("cp src/a.py.bak src/a.py")+
		"assistant: I'll use a queue instead of a table."+call("sed -i s/c/d/ src/a.py"))
	again := script(t, "assistant: Once more."+call("cp src/a.py.orig src/a.py")) // a copy that nobody knows of
	for _, s := range []*summary.Structured{
		summarize(t, ms), summarize(t, ms, throughJSON(t, summarize(t, ms[:6]))), summarize(t, slices.Concat(ms, again)),
	} {
		_, text, _ := strings.Cut(wording.Text(s, 0, nil), "## Decisions of the agent when it made them\n")
		text, _, _ = strings.Cut(text, "\n##")
		if want := "- I'll keep the file format, because clients depend on it. (#1)\n- I'll use a queue instead of a table. (#10)"; text != want {
			t.Errorf("decisions:\n%s\nwant\n%s", text, want)
		}
	}
}

// SPEC: B18. A decision in the message that takes work back stands, also where the call is one
// of several; and nothing is doubted for a file that was as it had been.
func TestDecisionsBesideUndoneWork(t *testing.T) {
	n := 0
	round := func(text string, lines ...string) (ms []message.Message) {
		said := message.TextOf(message.Assistant, text)
		for _, l := range lines {
			n++
			args, _ := json.Marshal(map[string]string{"command": l})
			id := fmt.Sprint("call", n)
			said.Parts = append(said.Parts, message.Part{Kind: message.Call, CallID: id, Name: "bash", Args: string(args)})
			ms = append(ms, message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: "\n\nCommand exited with code 0"}}}}})
		}
		return append([]message.Message{said}, ms...)
	}
	const decision = "I'll use a queue instead of a table."
	for name, rounds := range map[string][][]message.Message{
		"several calls":  {round("First the table.", "sed -i s/a/b/ src/a.py"), round(decision, "ls", "date", "git checkout -- src/a.py")},
		"as it had been": {round(decision, "ls"), round("Now the file.", "git checkout -- src/a.py")},
	} {
		if text := wording.Text(summarize(t, slices.Concat(rounds...)), 0, nil); !strings.Contains(text, "- "+decision) {
			t.Errorf("%s: no decision in\n%s", name, text)
		}
	}
	n = 0
	twice := slices.Concat(round("First the file.", "sed -i s/a/b/ src/a.py", "git checkout -- src/a.py"), round(decision, "sed -i s/a/b/ src/b.py"), round("Now the file.", "ls", "git checkout -- src/a.py"))
	if text := wording.Text(summarize(t, twice), 0, nil); !strings.Contains(text, "- "+decision) {
		t.Errorf("a file that was restored already undid a decision:\n%s", text)
	}
	n = 0
	again := slices.Concat(round(decision, "sed -i s/a/b/ src/a.py"), round("Now the file.", "ls", "git checkout -- src/a.py"), round(decision, "sed -i s/a/b/ src/a.py"))
	if text := wording.Text(summarize(t, again), 0, nil); !strings.Contains(text, "- "+decision) {
		t.Errorf("a decision that was taken again is lost:\n%s", text)
	}
	n = 0
	undone := summarize(t, slices.Concat(round(decision, "sed -i s/a/b/ src/a.py"), round("Now the file.", "ls", "git checkout -- src/a.py")))
	if text := wording.Text(undone, 0, nil); strings.Contains(text, "- "+decision) {
		t.Errorf("the decision of undone work stands in\n%s", text)
	}
}

// SPEC: B18. A command line that is told in part ends with a whole word.
func TestEffectsAreNotCutInAPath(t *testing.T) {
	line := "cd /srv/project && git add -A && git commit -m one && rm -rf packages/coding-agent/src/modes/interactive/components"
	deep := strings.Repeat("/components", 20)
	text := wording.Text(summarize(t, script(t, shell(line, line+deep))), 0, nil)
	for _, want := range []string{"- ran `" + line + "` (#2)", "`cd /srv/project && git add -A && git commit -m one && rm -rf…` (#4)"} {
		if !strings.Contains(text, want) {
			t.Error(text)
		}
	}
	post := "curl -XPOST https://api.example.org/v1/projects/alpha/members/" // longer than what is told of a line
	text = wording.Text(summarize(t, script(t, shell(post+strings.Repeat("ada", 100), post+strings.Repeat("bob", 100)+"/x"))), 0, nil)
	if !strings.Contains(text, "- ran `"+post+"adaada") || !strings.Contains(text, "`"+post+"bobbob") {
		t.Errorf("two effects are not told:\n%s", text)
	}
	post += strings.Repeat("long/", 60)
	text = wording.Text(summarize(t, script(t, shell(post+"ada", post+"bob", "rm -rf /srv/project/packages/"+strings.Repeat("widgets/", 40)))), 0, nil)
	if strings.Count(text, "`curl -XPOST") != 2 || !strings.Contains(text, "`rm -rf…`") {
		t.Errorf("two effects are not told, or a path is cut:\n%s", text)
	}
}

// SPEC: B18. A sentence that finds nothing wrong is no reason to take changes back.
func TestNoReasonIsNoWhy(t *testing.T) {
	ms := script(t, "call bash {\"command\":\"sed -i s/a/b/ src/a.py\"}\n---\nresult: \n\nCommand exited with code 0\n---\n"+
		"assistant: The syntax of the file looks correct.\n\n---\ncall bash {\"command\":\"git checkout -- src/a.py\"}\n---\nresult: \n\nCommand exited with code 0")
	if text := filesIn(summarize(t, ms)); strings.Contains(text, "the agent") {
		t.Errorf("a reason in\n%s", text)
	}
}

// filesIn is what the state says of files.
func filesIn(s *summary.Structured) string {
	_, text, _ := strings.Cut(wording.Text(s, 0, nil), "## Files")
	text, _, _ = strings.Cut(text, "\n##")
	return text
}

// SPEC: B18. Whatever is done to files, in one round or in several, the state shown is
// that of the disk.
func TestFilesAreThoseOnDisk(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		disk := map[string]summary.FileState{} // what the agent did to a file that is there
		names := []string{"src/a.py", "src/b.py", "lib/c.py"}
		for _, n := range names {
			disk[n] = ""
		}
		var lines []string
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			n := rapid.SampledFrom([]string{"src/a.py", "src/b.py", "lib/c.py", "new1.py", "new2.py"}).Draw(rt, "file")
			was, there := disk[n]
			own := was == summary.FileCreated
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0:
				if !there {
					lines, disk[n] = append(lines, "echo x > "+n), summary.FileCreated
				}
			case 1:
				if there {
					lines = append(lines, "sed -i s/a/b/ "+n)
					if !own {
						disk[n] = summary.FileEdited
					}
				}
			case 2:
				if there && !own {
					lines, disk[n] = append(lines, "git checkout -- "+n), summary.FileRestored
				}
			case 3:
				if own {
					lines = append(lines, "rm "+n)
					delete(disk, n)
				}
			}
		}
		if len(lines) == 0 {
			return
		}
		ms := script(t, shell(lines...))
		cut := 2 * rapid.IntRange(0, len(ms)/2).Draw(rt, "round")
		var s *summary.Structured
		if cut > 0 && cut < len(ms) {
			s = summarize(t, ms, summarize(t, ms[:cut]))
		} else {
			s = summarize(t, ms)
		}
		shown := map[string]summary.FileState{}
		for _, f := range s.Files {
			if f.State != summary.FileGone {
				shown[f.Path] = f.State
			}
		}
		for n, state := range disk {
			if shown[n] != state {
				rt.Errorf("%s is %q, shown as %q, after\n%s", n, state, shown[n], strings.Join(lines, "\n"))
			}
			delete(shown, n)
		}
		if len(shown) > 0 {
			rt.Errorf("%v shown, after\n%s", shown, strings.Join(lines, "\n"))
		}
	})
}

// SPEC: B18. A file that a pattern of an edit holds for may have been changed again.
func TestFilesOfAPattern(t *testing.T) {
	edit := func(path string) string {
		return changed("edit", "ok", "path", path, "old", "a", "new", "b")
	}
	run := func(line string) string { return changed("bash", "ok", "command", line) }
	for _, c := range []struct {
		line string
		want []string
	}{
		{"cd /srv/src && sed -i '' 's/a/b/' core/*.ts", []string{"/srv/src/core/one.ts (#3, perhaps again in #7)"}},
		{"cd /srv/src\n\n# imports\nsed -i 's/a/b/' core/*.ts ui/*.ts", []string{"/srv/src/core/one.ts (#3, perhaps again in #7)", "/srv/src/ui/two.ts (#5, perhaps again in #7)"}},
		{"perl -pi -e s/a/b/ /srv/src/*/two.ts", []string{"/srv/src/core/one.ts (#3)", "/srv/src/ui/two.ts (#5, perhaps again in #7)"}},
		{"cd /other && sed -i s/a/b/ core/*.ts", []string{"/srv/src/core/one.ts (#3)", "/srv/src/ui/two.ts (#5)"}},
		{"cd /srv/src && sed -n s/a/b/p core/*.ts", []string{"/srv/src/core/one.ts (#3)", "/srv/src/ui/two.ts (#5)"}},
		{"cd /srv/src && sed -i s/a/a/ core/*.ts", []string{"/srv/src/core/one.ts (#3)"}},
	} {
		ms := script(t, "user: Do it.\n---\n"+edit("/srv/src/core/one.ts")+"\n---\n"+edit("/srv/src/ui/two.ts")+"\n---\n"+run(c.line)+"\n---\nassistant: So far.")
		rounds := summarize(t, ms, throughJSON(t, summarize(t, ms[:5])))
		for _, s := range []*summary.Structured{summarize(t, ms), rounds} {
			for _, want := range c.want {
				if text := wording.Text(s, 0, nil); !strings.Contains(text, want) {
					t.Errorf("%s: no %q in\n%s", c.line, want, text)
				}
			}
		}
	}
}
