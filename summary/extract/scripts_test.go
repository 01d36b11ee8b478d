package extract_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. A file that a script of the agent's rewrites is edited once the script ran, one
// that was restored before too; commands with effects stand, what only looks does not.
func TestScriptsChangeFiles(t *testing.T) {
	fix := `call bash {"command":"cat > fix.py <<'EOF'\nwith open('src/limits.py') as f:\n    s = f.read()\nwith open('src/limits.py', 'w') as f:\n    f.write(s)\nEOF"}`
	s := summarize(t, script(t, strings.Join([]string{
		"user: Raise the limit.",
		`call bash {"command":"pip install pytz -q"}`, "result: \n\nCommand exited with code 0",
		`call bash {"command":"sed -i s/12/15/ src/limits.py"}`, "result: ",
		`call bash {"command":"git checkout -- src/limits.py"}`, "result: ",
		fix, "result: ",
	}, "\n---\n")))
	if text := wording.Text(s, 0, nil); !strings.Contains(text, "- restored src/limits.py") {
		t.Errorf("a script that did not run changed a file:\n%s", text)
	}
	s = summarize(t, script(t, strings.Join([]string{
		"user: Raise the limit.",
		`call bash {"command":"pip install pytz -q"}`, "result: \n\nCommand exited with code 0",
		`call bash {"command":"sed -i s/12/15/ src/limits.py"}`, "result: ",
		`call bash {"command":"git checkout -- src/limits.py"}`, "result: ",
		fix, "result: ",
		`call bash {"command":"python fix.py"}`, "result: done",
		`call bash {"command":"git log --oneline"}`, "result: 1 one",
	}, "\n---\n")))
	text := wording.Text(s, 0, nil)
	ms := script(t, strings.Join([]string{
		"user: Raise the limit.",
		fix, "result: ",
		`call bash {"command":"python fix.py"}`, "result: done",
		`call bash {"command":"git checkout -- src/limits.py"}`, "result: ",
	}, "\n---\n"))
	inRounds := throughJSON(t, summarize(t, ms[:3]))
	for _, n := range []int{5, len(ms)} { // its run, and what takes that back
		inRounds = throughJSON(t, summarize(t, ms[:n], inRounds))
	}
	if whole, parts := wording.Text(summarize(t, ms), 0, nil), wording.Text(inRounds, 0, nil); !strings.Contains(parts, "(#5), undone in #7") || !strings.Contains(whole, "(#5), undone in #7") {
		t.Errorf("at once\n%s\nin rounds\n%s", whole, parts)
	}
	for _, want := range []string{"- edited src/limits.py (#11", "- created fix.py (#9)", "- ran `pip install pytz -q` (#3), `git checkout -- src/limits.py` (#7)\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// SPEC: B18. What a script changes is read of it also where a patch writes it, in a call of its own, as
// words or in a command line.
func TestScriptsThatAPatchWrites(t *testing.T) {
	const patch = `*** Begin Patch\n*** Add File: fix.py\n+name = 'src/limits.py'\n+with open(name) as f:\n+    s = f.read()\n+with open(name, 'w') as f:\n+    f.write(s)\n*** End Patch`
	for _, call := range []string{
		`call apply_patch {"input":"` + patch + `"}`,
		`call shell {"command":["apply_patch","` + patch + `"]}`,
		`call shell {"command":["bash","-lc","apply_patch <<'E'\n` + patch + `\nE"]}`,
	} {
		s := summarize(t, script(t, strings.Join([]string{
			"user: Raise the limit.",
			call, `result: {"output":"Success. Updated the following files:\nA fix.py\n","metadata":{"exit_code":0}}`,
			`call shell {"command":["bash","-lc","python fix.py"]}`, `result: {"output":"done","metadata":{"exit_code":0}}`,
		}, "\n---\n")))
		if text := wording.Text(s, 0, nil); !strings.Contains(text, "- edited src/limits.py (#5") || !strings.Contains(text, "- created fix.py (#3)") {
			t.Errorf("%s:\n%s", call, text)
		}
	}
}

// SPEC: B18. What failed is not told as done: a sed that failed edited nothing, a script that
// ended early may have made nothing; what a commit deleted is gone.
func TestWhatFailedChangedNothing(t *testing.T) {
	for _, c := range []struct{ name, log, want, without string }{
		{"sed", `call bash {"command":"cd src && sed -i s/a/b/ a.py"}` + "\n---\nresult: sed: no such command\n\nCommand exited with code 1", "", "a.py ("},
		{"one of two files", `call bash {"command":"sed -i s/a/b/ a.py missing.py"}` + "\n---\nresult: sed: can't read missing.py\n\nCommand exited with code 2", "- edited a.py (#2)", ""},
		{"one of two", `call bash {"command":"sed -i s/a/b/ a.py; false"}` + "\n---\nresult: \n\nCommand exited with code 1", "- edited a.py (#2)", ""},
		{
			"a script", `call write {"path":"t.py","content":"open(\"made.txt\", \"w\")"}` + "\n---\nresult: ok\n---\n" + `call bash {"command":"python t.py"}` + "\n---\nresult: RuntimeError: x\n\nCommand exited with code 1",
			"- created t.py (#2)", "made.txt",
		},
		{
			"a script that may have found nothing", `call bash {"command":"sed -i s/a/b/ a.py"}` + "\n---\nresult: \n---\n" + `call write {"path":"t.py","content":"s = open(\"a.py\").read()\nopen(\"a.py\", \"w\")"}` + "\n---\nresult: ok" +
				strings.Repeat("\n---\n"+`call bash {"command":"python t.py"}`+"\n---\nresult: Already fixed", 3),
			"- edited a.py (#10)", "changes",
		},
		{
			"a commit", `call write {"path":"/srv/docs/plan.md","content":"x"}` + "\n---\nresult: ok\n---\n" + `call bash {"command":"cd /srv && git commit -am x"}` + "\n---\nresult: [main 1234567] x\n delete mode 100644 docs/plan.md",
			"- deleted /srv/docs/plan.md (#4)", "created",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := filesIn(summarize(t, script(t, c.log)))
			if !strings.Contains(text, c.want) || c.without != "" && strings.Contains(text, c.without) {
				t.Errorf("want %q, not %q, in\n%s", c.want, c.without, text)
			}
		})
	}
}

// SPEC: B18. What tests said before a file of theirs changed is told as of before.
func TestTestsBeforeAChange(t *testing.T) {
	test := `call bash {"command":"pytest -q"}` + "\n---\nresult: 3 passed in 0.1s"
	edit := `call bash {"command":"sed -i s/a/b/ src/a.py"}` + "\n---\nresult: "
	for log, want := range map[string]string{
		edit + "\n---\n" + test: "- `pytest -q` → 3 passed in 0.1s (#4)\n",
		test + "\n---\n" + edit: "- `pytest -q` → 3 passed in 0.1s (#2), before src/a.py changed (#4)\n",
		`call write {"path":"src/a.py","content":"x"}` + "\n---\nresult: ok\n---\n" + test + "\n---\n" + edit:        "- `pytest -q` → 3 passed in 0.1s (#4), before src/a.py changed (#6)\n",
		edit + "\n---\n" + test + "\n---\n" + `call bash {"command":"git checkout -- src/a.py"}` + "\n---\nresult: ": "- `pytest -q` → 3 passed in 0.1s (#4), before src/a.py changed (#6)\n",
		test + "\n---\n" + `call write {"path":"try.py","content":"x"}` + "\n---\nresult: ok":                        "- `pytest -q` → 3 passed in 0.1s (#2)\n",
	} {
		if text := wording.Text(summarize(t, script(t, log)), 0, nil) + "\n"; !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// SPEC: B18, B20. Who says what he does not have or know demands nothing.
func TestNotHavingIsNoRule(t *testing.T) {
	text := wording.Text(summarize(t, script(t, strings.Join([]string{
		"user: Please change my flight. I don't have the reservation ID handy, though. My user ID is liam_khan_2521.",
		"assistant: Which flight?",
		"user: I don't know its number, and never book a flight before 11:00. No exceptions. Never push. Thanks, but never touch src/db.go. Thanks for clarifying the cabin policy.",
		"assistant: Which name?",
		"user: I actually don’t remember which email I used. I don't have my reservation ID on hand, but I'm canceling because of a change of plans. I really don't like aisles, never book one. I don't see the point of port 9000, change it to 8080.",
	}, "\n---\n"))), 0, nil)
	rules, _, _ := strings.Cut(text, "\n## Facts")
	if strings.Contains(text, "- I don't have the") || strings.Contains(text, "- No exceptions") || !strings.Contains(rules, "- Never push.") || !strings.Contains(rules, "- Thanks, but never touch src/db.go.") || strings.Contains(text, "- Thanks for") || !strings.Contains(rules, "\n- I don't know its number, and never book a flight before 11:00. (#3)") {
		t.Errorf("the rules are:\n%s", text)
	}
	if strings.Contains(rules, "email") || strings.Contains(rules, "on hand") || !strings.Contains(rules, "never book one") || !strings.Contains(rules, "change it to 8080") || !strings.Contains(text, "on hand, but I'm canceling") {
		t.Errorf("the rules are:\n%s", text)
	}
}

// SPEC: B18. A commit is told as git named it; one that was not made has no name.
func TestCommitsAreNamed(t *testing.T) {
	ms := script(t, strings.Join([]string{
		"user: Raise the limit.",
		`call bash {"command":"cd /srv/app && git add -A && git commit -m \"Raise the limit of retries, as the queue asked for it, to fifteen\""}`,
		"result: [main 3f2a91c] Raise the limit of retries, as the queue asked for it, to fifteen\n 1 file changed, 1 insertion(+)",
		`call bash {"command":"git commit -am again"}`, "result: On branch main\nnothing to commit, working tree clean",
	}, "\n---\n"))
	want := "- ran `git commit…` → [main 3f2a91c] Raise the limit of retries, as the queue asked for it, to fifteen (#3), `git commit -am again` (#5)"
	for _, s := range []*summary.Structured{summarize(t, ms), summarize(t, ms, throughJSON(t, summarize(t, ms[:3])))} {
		if text := wording.Text(s, 0, nil); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// SPEC: B18. The error of a script that was to edit a file is not open once the file was edited without it.
func TestScriptsWhoseWorkWasDone(t *testing.T) {
	const fix = `call bash {"command":"cat > fix.py <<'EOF'\nwith open('src/limits.py') as f:\n    s = f.read()\nwith open('src/limits.py', 'w') as f:\n    f.write(s)\nEOF"}` + "\n---\nresult: \n---\n" +
		`call bash {"command":"python fix.py"}` + "\n---\nresult: <returncode>1</returncode>\nre.error: bad escape\n---\nuser: Go on.\n---\n"
	const open = "open: re.error: bad escape — from `python fix.py` (#4)"
	const done = "earlier: re.error: bad escape — from `python fix.py` (#4) → edited src/limits.py without it"
	tests := strings.Replace(fix, "re.error: bad escape", "Ran 3 tests in 0.1s\n\nFAILED (errors=1)", 1)
	text := wording.Text(summarize(t, script(t, tests+`call edit {"path":"src/limits.py","old":"1","new":"2"}`+"\n---\nresult: ok")), 0, nil)
	checkText(t, text, []string{"open: FAILED (errors=1) — from `python fix.py` (#4)"}, nil) // it ran tests behind its work
	for _, c := range []struct{ name, log, want string }{
		{"by a tool", `call edit {"path":"src/limits.py","old":"1","new":"2"}` + "\n---\nresult: ok", done + " (#7)"},
		{"by a command", `call bash {"command":"sed -i s/1/2/ src/limits.py"}` + "\n---\nresult: <returncode>0</returncode>\n", done + " (#7)"},
		{"by another script", `call bash {"command":"cat > manual.py <<'EOF'\nwith open('src/limits.py') as f:\n    s = f.read()\nwith open('src/limits.py', 'w') as f:\n    f.write(s)\nEOF"}` + "\n---\nresult: \n---\n" + `call bash {"command":"python manual.py"}` + "\n---\nresult: <returncode>0</returncode>\n<output>\nFixed limits\n</output>", done + " (#9)"},
		{"put back", `call bash {"command":"git checkout -- src/limits.py"}` + "\n---\nresult: <returncode>0</returncode>\n", open},
		{"of another file", `call edit {"path":"src/others.py","old":"1","new":"2"}` + "\n---\nresult: ok", open},
		{"again in vain", `call bash {"command":"sed -i s/1/2/ src/limits.py && make"}` + "\n---\nresult: <returncode>2</returncode>\nerror: no rule", open},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, fix+c.log)
			checkText(t, wording.Text(summarize(t, ms), 0, nil), []string{c.want}, nil)
			for _, n := range []int{2, 4, 5} { // a round of the summary ends there
				checkText(t, wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:n]))), 0, nil), []string{c.want}, nil)
			}
		})
	}
}

// SPEC: B18. The error of a patch that the agent wrote is not open once a file of it was edited without it.
func TestPatchesWhoseWorkWasDone(t *testing.T) {
	call := func(line, result string) string {
		return `call bash {"command":"` + line + `"}` + "\n---\nresult: " + result + "\n---\n"
	}
	const body = "<<'EOF'\\n--- a/src/limits.py\\n+++ b/src/limits.py\\n@@ -1 +1 @@\\n-a\\n+b\\nEOF"
	for _, line := range []string{"patch -p1 < fix.patch", "git apply fix.patch"} {
		said := map[bool]string{true: "error: corrupt patch at line 6", false: "patch: **** malformed patch at line 6: EOF"}[strings.HasPrefix(line, "git")]
		failed := call("cat > fix.patch "+body, "") + call(line, "<returncode>2</returncode>\n"+said)
		done := "earlier: " + said + " — from `" + line + "` (#5) → edited src/limits.py without it (#7)"
		for _, c := range []struct{ name, then, want string }{
			{"edited", "sed -i s/1/2/ src/limits.py", done},
			{"put back and edited", "git checkout -- src/limits.py && sed -i s/1/2/ src/limits.py", done},
			{"put back", "git checkout -- src/limits.py", "open: " + said},
			{"another file", "sed -i s/1/2/ src/others.py", "open: " + said},
		} {
			t.Run(line+" "+c.name, func(t *testing.T) {
				ms := script(t, "user: Raise the limit.\n---\n"+failed+call(c.then, "<returncode>0</returncode>\n")+"user: Go on.")
				checkText(t, wording.Text(summarize(t, ms), 0, nil), []string{c.want}, nil)
				for _, n := range []int{3, 5} { // a round of the summary ends there
					checkText(t, wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:n]))), 0, nil), []string{c.want}, nil)
				}
			})
		}
	}
}

// SPEC: B18. A script of a shell that the agent wrote changes files as its commands do once it ran, and what it
// changed is undone once they are put back; who only looks at it, or may run it later, has changed none.
func TestShellScriptsChangeFiles(t *testing.T) {
	call := func(line string) string {
		return `call bash {"command":"` + line + `"}` + "\n---\nresult: <returncode>0</returncode>\n"
	}
	const (
		text  = "#!/bin/sh\\nn=$(grep -n x src/a.go)\\ncat > /tmp/part.txt << 'P'\\nx\\nP\\nsed -i \\\"${n}d\\\" src/a.go\\nrm -f tmp.txt\\necho ok"
		wrote = "cat > fix.sh << 'E'\\n" + text + "\\nE\\nchmod +x fix.sh"
	)
	for _, c := range []struct {
		name          string
		calls         []string
		want, without []string
	}{
		{"run by itself", []string{call(wrote), call("./fix.sh")}, []string{"- edited src/a.go (#5)", "/tmp/part.txt (#5)"}, []string{"deleted", "gone"}},
		{"by the call that wrote it", []string{call(wrote + "\\n./fix.sh")}, []string{"- edited src/a.go (#3)"}, nil},
		{"by a shell", []string{call(wrote), call("bash fix.sh")}, []string{"- edited src/a.go (#5)"}, nil},
		{"written by a tool", []string{`call write {"path":"fix.sh","content":"` + text + `"}` + "\n---\nresult: ok", call("sh fix.sh")}, []string{"- edited src/a.go (#5)"}, nil},
		{"not run", []string{call(wrote), call("cat fix.sh")}, []string{"created fix.sh"}, []string{"edited"}},
		{"not the run beside the change", []string{call("cp src/a.go src/a.go.bak"), call("sed -i s/a/b/ src/a.go && go vet ./..."), call("cp src/a.go.bak src/a.go")}, []string{"- restored src/a.go (#7", "- `go vet ./...` → exit 0 (#5)"}, []string{"undone"}},
		{"nor before it", []string{call("cp src/a.go src/a.go.bak"), call("go vet ./... && sed -i s/a/b/ src/a.go"), call("cp src/a.go.bak src/a.go")}, []string{"- `go vet ./...` → exit 0 (#5)"}, []string{"undone"}},
		{"behind another change", []string{call("cp src/a.go src/a.go.bak"), call(wrote), call("sed -i s/a/b/ src/a.go && ./fix.sh"), call("cp src/a.go.bak src/a.go")}, []string{"undone in #9"}, nil},
		{"a script in the line", []string{call("cp src/a.go src/a.go.bak"), call("python - << 'E'\\nopen('src/a.go', 'w').write('x')\\nE"), call("cp src/a.go.bak src/a.go")}, []string{"undone in #7"}, nil},
		{"put back", []string{call("cp src/a.go src/a.go.bak"), call(wrote), call("./fix.sh"), call("cp src/a.go.bak src/a.go")}, []string{"- restored src/a.go (#9", "undone in #9"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, "user: Mend it.\n---\n"+strings.Join(c.calls, "\n---\n")+"\n---\nuser: Go on.")
			checkText(t, wording.Text(summarize(t, ms), 0, nil), c.want, c.without)
			checkText(t, wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:3]))), 0, nil), c.want, c.without)
		})
	}
}
