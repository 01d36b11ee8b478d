package extract_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// changed is a call that changes a file, by the names and values of its arguments, and its result.
func changed(tool, result string, args ...string) string {
	of := map[string]string{}
	for i := 0; i < len(args); i += 2 {
		of[args[i]] = args[i+1]
	}
	b, err := json.Marshal(of)
	if err != nil {
		panic(err)
	}
	return "call " + tool + " " + string(b) + "\n---\nresult: " + result
}

// SPEC: B18. Of the task list that the agent keeps in a file and ticks, the next steps are told as
// they stand in the file.
func TestTaskListsInFiles(t *testing.T) {
	const path = "docs/plan.md"
	edit := func(old, now string) string {
		return changed("edit", "ok", "path", path, "oldText", old, "newText", now)
	}
	plan := changed("write", "ok", "path", path, "content", "# Plan\n- [ ] Split the parser\n- [ ] Run the checks\n1. [ ] Write `read.go`\n- [ ] Run the checks\n* [ ] Drop the cache\n\n- [ ] Tell the users\n")
	tick := edit("- [ ] Split the parser", "- [x] Split the parser")
	for _, c := range []struct {
		name, log string
		want      []string
	}{
		{"at work; a step that stands twice is not told", plan + "\n---\n" + tick, []string{"Write `read.go` — unticked in plan.md (#2)", "Drop the cache — unticked in plan.md (#2)", "Tell the users — unticked in plan.md (#2)"}},
		{"never ticked, as a form", plan, nil},
		{"a tick that failed", plan + "\n---\n" + changed("edit", "Error: Could not find the exact text", "path", path, "oldText", "- [ ] Split the parser", "newText", "- [x] Split the parser"), nil},
		{"all ticked", plan + "\n---\n" + tick + "\n---\n" + edit("1. [ ] Write `read.go`\n* [ ] Drop the cache\n- [ ] Tell the users", "1. [x] Write `read.go`\n* [x] Drop the cache\n- [X] Tell the users"), nil},
		{"a step in place of another", plan + "\n---\n" + tick + "\n---\n" + edit("* [ ] Drop the cache", "* [ ] Bound the cache\n* [ ] Measure it"), []string{"Write `read.go` — unticked in plan.md (#2)", "Bound the cache — unticked in plan.md (#6)", "Measure it — unticked in plan.md (#6)", "Tell the users — unticked in plan.md (#2)"}},
		{"written anew", plan + "\n---\n" + tick + "\n---\n" + changed("write", "ok", "path", path, "content", "- [x] Split the parser\n- [ ] Ship"), []string{"Ship — unticked in plan.md (#6)"}},
		{"written anew without a list", plan + "\n---\n" + tick + "\n---\n" + changed("write", "ok", "path", path, "content", "Done."), nil},
		{"by a shell", "call bash {\"command\":\"cat > plan.md <<'EOF'\\n- [ ] Split the parser\\n- [ ] Ship\\nEOF\"}\n---\nresult: ok\n---\n" + changed("edit", "ok", "path", "plan.md", "old_string", "- [ ] Split the parser", "new_string", "- [x] Split the parser"), []string{"Ship — unticked in plan.md (#2)"}},
		{"skipped", plan + "\n---\n" + tick + "\n---\n" + edit("* [ ] Drop the cache", "* [ ] SKIPPED (optional cleanup for later)\n* [ ] Skip the checks"), []string{"Write `read.go` — unticked in plan.md (#2)", "Skip the checks — unticked in plan.md (#6)", "Tell the users — unticked in plan.md (#2)"}},
		{
			"a file or a folder that was made since", changed("write", "ok", "path", path, "content", "- [ ] Split the parser\n- [ ] Create `src/modes/` directory\n- [ ] Copy old.go to src/modes/view.go\n- [ ] Create `src/other.go`\n- [ ] Rename the class") + "\n---\n" + tick +
				"\n---\ncall bash {\"command\":\"mkdir -p /srv/src/modes\"}\n---\nresult: \n---\ncall bash {\"command\":\"cp /srv/src/old.go /srv/src/modes/view.go\"}\n---\nresult: ",
			[]string{"Create `src/other.go` — unticked in plan.md (#2)", "Rename the class — unticked in plan.md, perhaps done (#2)"},
		},
		{
			"a file that was made since and deleted again, and one that was moved on", changed("write", "ok", "path", path, "content", "- [ ] Split the parser\n- [ ] Create `src/a.go`\n- [ ] Create `src/modes/` directory\n- [ ] Copy old.go to src/modes/view.go\n- [ ] Rename the class") + "\n---\n" + tick +
				"\n---\n" + changed("write", "ok", "path", "src/a.go", "content", "package src") + "\n---\ncall bash {\"command\":\"mv src/a.go src/b.go\"}\n---\nresult: " +
				"\n---\ncall bash {\"command\":\"mkdir -p src/modes\"}\n---\nresult: \n---\ncall bash {\"command\":\"cp src/old.go src/modes/view.go\"}\n---\nresult: " +
				"\n---\ncall bash {\"command\":\"rm src/modes/view.go\"}\n---\nresult: ",
			[]string{"Copy old.go to src/modes/view.go — unticked in plan.md (#2)", "Rename the class — unticked in plan.md (#2)"},
		},
		{"deleted", plan + "\n---\n" + tick + "\n---\ncall bash {\"command\":\"rm " + path + "\"}\n---\nresult: ", nil},
	} {
		s := summarize(t, script(t, "user: Do it.\n---\n"+c.log+"\n---\nassistant: So far."))
		if diff := cmp.Diff(c.want, unticked(s)); diff != "" {
			t.Errorf("%s: %s\n%s", c.name, diff, wording.Text(s, 0, nil))
		}
	}
}

// unticked returns the lines that tell of steps in files.
func unticked(s *summary.Structured) (told []string) {
	for line := range strings.Lines(wording.Text(s, 0, nil)) {
		if step, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "- [ ] "); ok && strings.Contains(step, " unticked in ") {
			told = append(told, step)
		}
	}
	return told
}

// SPEC: B18, L6. What one summary tells of a task list, the next one goes on from: what was ticked
// since is told no more, what was behind the first steps comes up. A list is told as far as it
// reaches, five steps at a time.
func TestTaskListsInRounds(t *testing.T) {
	steps := strings.Fields("alpha beta gamma delta epsilon zeta eta")
	list := "- [ ] Do " + strings.Join(steps, "\n- [ ] Do ")
	edit := func(step string) string {
		return changed("edit", "ok", "path", "plan.md", "oldText", "- [ ] Do "+step, "newText", "- [x] Do "+step)
	}
	ms := script(t, "user: Do it.\n---\n"+changed("write", "ok", "path", "plan.md", "content", list)+"\n---\nassistant: So far.\n---\nuser: Please begin.")
	told := func(s *summary.Structured) (steps []string) {
		for _, l := range unticked(s) {
			step, _, _ := strings.Cut(strings.TrimPrefix(l, "Do "), " ")
			steps = append(steps, step)
		}
		return steps
	}
	s := throughJSON(t, summarize(t, ms))
	if got := told(s); got != nil {
		t.Errorf("nothing is ticked, and %q are told", got)
	}
	more := func(log string) {
		for _, m := range script(t, log) {
			for i := range m.Parts { // ids of their own
				if m.Parts[i].CallID != "" {
					m.Parts[i].CallID += "-" + log
				}
			}
			ms = append(ms, m)
		}
		s = throughJSON(t, summarize(t, ms, s))
	}
	more(edit("alpha"))
	if diff := cmp.Diff(steps[1:6], told(s)); diff != "" {
		t.Error(diff)
	}
	if text := wording.Text(s, 0, nil); strings.Count(text, "the first of at least") != 1 || !strings.Contains(text, "- [ ] Do beta — the first of at least 6 unticked in plan.md (#2)") {
		t.Errorf("it is not told how many there are: %s", text)
	}
	more(edit("gamma"))
	if diff := cmp.Diff([]string{"beta", "delta", "epsilon", "zeta", "eta"}, told(s)); diff != "" {
		t.Error(diff)
	}
	more(changed("edit", "ok", "path", "plan.md", "oldText", "- [ ] Do delta\n- [ ] Do epsilon\n", "newText", ""))
	if diff := cmp.Diff([]string{"beta", "zeta", "eta"}, told(s)); diff != "" {
		t.Error(diff)
	}
	back := changed("bash", "ok", "command", "git checkout -- .")
	more(changed("bash", "ok", "command", "git commit -am 'plan'"))
	more(back)
	if diff := cmp.Diff([]string{"beta", "zeta", "eta"}, told(s)); diff != "" {
		t.Errorf("what was committed is taken back: %s", diff)
	}
	more(edit("beta"))
	more("assistant: Taking it back.\n---\n" + back)
	if got := told(s); got != nil {
		t.Errorf("what was not committed is taken back, and %q are told", got)
	}
}

// SPEC: B18, V9. Whatever edits a list goes through, what is told as unticked stands so in the file,
// in rounds too; in one reading it is the next steps, in their order.
func TestAnyEditsOfATaskList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		file := strings.Split("- [ ] a1\n- [ ] b22\n- [ ] check\n- [ ] `c c`\n- [ ] \"d\" 44\n- [ ] e\n- [ ] check\n- [ ] f\n- [ ] g", "\n")
		log := "user: Do it.\n---\n" + changed("write", "ok", "path", "plan.md", "content", strings.Join(file, "\n"))
		ticked := false // a step that stands twice does not count: it could be either
		for n := range rapid.IntRange(0, 6).Draw(rt, "edits") {
			from := rapid.IntRange(0, len(file)).Draw(rt, "from")
			to := rapid.IntRange(from, len(file)).Draw(rt, "to")
			var now []string
			for _, l := range file[from:to] {
				switch rapid.IntRange(0, 3).Draw(rt, "what") {
				case 0:
					ticked = ticked || strings.HasPrefix(l, "- [ ]") && l != "- [ ] check"
					now = append(now, strings.Replace(l, "[ ]", "[x]", 1))
				case 1:
					now = append(now, strings.Replace(l, "[x]", "[ ]", 1), fmt.Sprintf("- [ ] new %d of %d", len(now), n))
				case 2:
					now = append(now, l)
				}
			}
			if !slices.ContainsFunc(file[from:to], func(l string) bool { return !strings.HasSuffix(l, "] check") }) {
				continue // tools refuse to change what stands twice
			}
			log += "\n---\n" + changed("edit", "ok", "path", "plan.md", "old_string", strings.Join(file[from:to], "\n"), "new_string", strings.Join(now, "\n"))
			file = slices.Replace(file, from, to, now...)
		}
		var left []string
		for _, l := range file {
			if step, ok := strings.CutPrefix(l, "- [ ] "); ok && step != "check" {
				left = append(left, step)
			}
		}
		told := func(s *summary.Structured) (steps []string) {
			for _, l := range unticked(s) {
				step, _, _ := strings.Cut(l, " — ")
				steps = append(steps, step)
			}
			return steps
		}
		ms := script(t, log)
		if ticked {
			if diff := cmp.Diff(left[:min(5, len(left))], told(summarize(t, ms)), cmpopts.EquateEmpty()); diff != "" {
				rt.Fatalf("%s\n%s", diff, log)
			}
		}
		cut := 1 + 2*rapid.IntRange(0, len(ms)/2).Draw(rt, "cut") // a call stays with its result
		for _, step := range told(summarize(t, ms, throughJSON(t, summarize(t, ms[:cut])))) {
			if !slices.Contains(file, "- [ ] "+step) {
				rt.Fatalf("%q is told, in the file is %q\n%s", step, file, log)
			}
		}
	})
}

// SPEC: B18. Of a long list the first steps stay known, however many there are.
func TestTheFirstStepsOfALongList(t *testing.T) {
	list := "- [x] Do 0"
	for n := 1; n <= 150; n++ {
		list += fmt.Sprintf("\n- [ ] Do %d", n)
	}
	ms := script(t, "user: Do it.\n---\n"+changed("write", "ok", "path", "plan.md", "content", list)+"\n---\n"+
		changed("edit", "ok", "path", "plan.md", "oldText", "- [ ] Do 1\n", "newText", "- [x] Do 1\n"))
	s := throughJSON(t, summarize(t, ms))
	if got := unticked(s); len(got) != 5 || !strings.HasPrefix(got[0], "Do 2 — the first") || len(s.Open) != 100 {
		t.Errorf("%q of %d", got, len(s.Open))
	}
}

// SPEC: B18. A list that a call may have changed in a way that is not understood is told no more: an
// absent line beats a wrong one. What looks at the file, or changes others, leaves it.
func TestListsThatAreNotUnderstood(t *testing.T) {
	edit := func(args ...string) string {
		return changed("edit", "ok", append([]string{"path", "docs/plan.md"}, args...)...)
	}
	run := func(line string) string { return changed("bash", "ok", "command", line) }
	const old, now = "old_string", "new_string"
	plan := changed("write", "ok", "path", "docs/plan.md", "content", "# Plan\n- [ ] Split it\n- [ ] Beta two\n- [ ] Gamma\n\n## Notes\n") + "\n---\n" + edit(old, "- [ ] Split it", now, "- [x] Split it") + "\n---\n"
	commit := run("git add docs/plan.md && git commit -m 'plan'") + "\n---\n"
	for _, c := range []struct {
		log   string
		knows bool
	}{
		{run("cat docs/plan.md"), true},
		{run("grep -n x docs/plan.md | head"), true},
		{run("git add docs/plan.md && git commit -m 'x'"), true},
		{run("git checkout -b work"), true},
		{run("git -C /repo add docs/plan.md"), true},
		{run("./tick docs/plan.md && git add docs/plan.md"), false},
		{run("echo 'see git diff'; ./tick docs/plan.md"), false},
		{run("go test ./..."), true},
		{changed("edit", "ok", "path", "a.go", old, "x", now, "y"), true},
		{changed("write", "ok", "path", "x_test.go", "content", "- [ ] other\n- [x] one"), true},
		{edit(old, "## Notes\n", now, "## Remarks\n"), true},
		{edit(old, "[ ] Beta two", now, "[x] Beta two"), false},
		{edit(old, "- [ ] Beta", now, "- [x] Beta"), false},
		{edit(old, "Beta two", now, "Delta nine"), false},
		{edit(old, "two", now, "nine"), false},
		{edit(old, "# Plan\n", now, "# Plan\n- [ ] Urgent\n"), false},
		{edit(old, "- [ ] Gamma\n\n## No", now, "- [ ] Gamma\n- [ ] Delta"), false}, // the rest of the line joins the last step
		{edit(old, "\n\n## No", now, ""), false},                                    // the rest of the line joins the step above
		{edit(old, "\n\n## Notes\n", now, "\n\n## Remarks\n"), true},
		{edit(old, "- [ ]", now, "- [x]", "replace_all", "true"), false},
		{edit("text", "- [ ] Delta", "line", "3"), false},
		{edit("regex", "Beta", "repl", "B"), false},
		{changed("apply_patch", "Success", "input", "*** Begin Patch\n*** Update File: docs/plan.md\n - [ ] Gamma\n-- [ ] Beta two\n+- [x] Beta two\n*** End Patch"), false},
		{changed("write", "ok", "path", "/repo/docs/plan.md", "content", "- [x] Beta two\n"), false},
		{changed("write_file", "ok", "path", "docs/plan.md", "mode", "append", "content", "- [ ] Delta\n"), false},
		{run("sed -i 's/- \\[ \\] Beta/- [x] Beta/' docs/plan.md"), false},
		{run("sed -i s/a/b/ docs/plan.md && sed -i s/a/b/ other.go"), false},
		{changed("bash", "<returncode>1</returncode>\n<output>\nFAIL\n</output>", "command", "sed -i s/Beta/B/ docs/plan.md; go test"), false},
		{run("cat > t.py <<'EOF'\nopen('docs/plan.md', 'w').write('x')\nEOF\npython3 t.py"), false},
		{run("cat >> docs/plan.md <<'EOF'\n- [ ] Delta four\nEOF"), false},
		{run("echo '- [ ] Delta' >> docs/plan.md"), false},
		{run("cat > docs/plan.md <<'EOF'\n- [x] Beta two\nEOF\ngit commit -m '\n- [ ] Not there'"), false},
		{run("sed -i 's/\\[ \\]/[x]/' docs/*.md"), false},
		{run("sed -i s/a/b/ docs/*.go"), true},
		{run("mv docs/plan.md todo.md"), false},
		{run("mv a.go b.go"), true},
		{run("rm src/a.go && rmdir src"), true},
		{run("rm *"), false},
		{run("cd docs && rm -f a.md"), false},
		{run("for f in a b; do mv $f c; done"), false},
		{run("cd /srv/app/src && for f in *.ts; do mv $f ui; done"), false}, // where docs is, is not known
		{run("rm -rf docs"), false},
		{run("find . -name '*.md' -exec rm {} +"), false},
		{run("ls docs | xargs -n 1 rm"), false},
		{run("ls docs | xargs -n 1 wc -l"), true},
		{run("grep -rl x . | xargs sed -i s/a/b/"), false},
		{run("git --no-pager stash list"), true},
		{run("git -c core.editor=true stash"), false},
		{run("bash -lc 'git stash'"), false},
		{run("git checkout -b work main"), false},
		{run("git restore --staged docs"), true},
		{run("echo 'git stash' > src/x"), true},
		{run("git checkout ."), false},
		{run("git stash"), false},
		{run("git reset --hard"), false},
		{commit + run("git checkout -- ."), true},
		{commit + run("git --no-pager -C /repo checkout -- ."), true},
		{commit + run("git checkout . && rm -rf src/ui"), true},
		{commit + run("git reset --hard HEAD; go test"), true},
		{run("git add -A && git commit -m x") + "\n---\n" + run("git restore ."), true},
		{run("git commit -am x") + "\n---\n" + run("git checkout HEAD -- docs"), true},
		{run("git add src && git commit -m x") + "\n---\n" + run("git checkout -- ."), false},
		{run("git add docs/other/plan.md && git commit -m x") + "\n---\n" + run("git checkout -- ."), false},
		{changed("bash", "<returncode>1</returncode>\n<output>\nhook failed\n</output>", "command", "git commit -am x") + "\n---\n" + run("git checkout -- ."), false},
		{commit + edit(old, "- [ ] Gamma", now, "- [ ] Gamma ray") + "\n---\n" + run("git checkout -- ."), false},
		{commit + run("git reset --hard HEAD~1"), false},
		{commit + run("git reset --hard origin/main"), false},
		{commit + run("git checkout main"), false},
		{commit + run("git checkout main -- docs/plan.md"), false},
		{commit + run("git restore --source=HEAD~2 docs/plan.md"), false},
		{commit + run("git checkout -- . && git stash pop"), false},
		{commit + run("git checkout -- . && rm -rf docs"), false},
	} {
		got := unticked(summarize(t, script(t, "user: Do it.\n---\n"+plan+c.log+"\n---\nassistant: So far.")))
		if c.knows && len(got) != 2 || !c.knows && len(got) != 0 {
			t.Errorf("%q is told after\n%s", got, c.log)
		}
	}
}

// SPEC: B18. Where a line begins in a folder that is known, so is which files it may change.
func TestListsInKnownFolders(t *testing.T) {
	edit := changed("edit", "ok", "path", "/srv/docs/plan.md", "old_string", "- [ ] Split it", "new_string", "- [x] Split it")
	plan := changed("write", "ok", "path", "/srv/docs/plan.md", "content", "- [ ] Split it\n- [ ] Ship it\n") + "\n---\n" + edit + "\n---\n"
	for line, knows := range map[string]bool{
		"cd /srv && rm -rf src":                                   true,
		"cd /srv/src/tui && for f in *.ts; do mv $f ../ui/; done": true,
		"cd /srv/src && mv theme/* ui/theme/":                     true,
		"rm -rf /srv/src/*":                                       true,
		"cd /srv/src && rm -rf ../docs":                           false,
		"cd /srv/src && rm -f ../*/*.md":                          false,
		"cd /srv && rm -rf *":                                     false,
		"cd /srv && mv docs old":                                  false,
		"rm -rf /srv/do*":                                         false,
		"rm -rf /srv/docs/../docs":                                false,
		"cd /srv/src && cd ../docs && rm *":                       false,
	} {
		log := "user: Do it.\n---\n" + plan + changed("bash", "ok", "command", line) + "\n---\nassistant: So far."
		if got := unticked(summarize(t, script(t, log))); len(got) == 1 != knows {
			t.Errorf("%q is told after %s", got, line)
		}
	}
}

// SPEC: B18, V9. Whatever an edit takes out and puts in, no step is told as unticked that does not
// stand so in the file.
func TestNoStepIsMadeUp(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"", "- [ ] ", "- [x] ", "[ ]", "[x]", "Beta", " two", "\n", "- [ ] New\n", "- [x] Gamma\n", "Delta", "## Notes\n", "  "})
	rapid.Check(t, func(rt *rapid.T) {
		file := "# Plan\n- [ ] Alpha\n- [ ] Beta two\n- [ ] Beta\n- [ ] Gamma\n- [ ] two\n## Notes\n- [ ] Last\n"
		log := "user: Do it.\n---\n" + changed("write", "ok", "path", "plan.md", "content", file)
		for range rapid.IntRange(1, 6).Draw(rt, "edits") {
			from := rapid.IntRange(0, len(file)).Draw(rt, "from")
			if rapid.Bool().Draw(rt, "whole line") {
				from = strings.LastIndexByte(file[:from], '\n') + 1
			}
			to := from + rapid.IntRange(0, min(40, len(file)-from)).Draw(rt, "long")
			now := pieces.Draw(rt, "a") + pieces.Draw(rt, "b") + pieces.Draw(rt, "c")
			old := file[from:to]
			if rapid.Bool().Draw(rt, "tick") {
				now = strings.ReplaceAll(old, "[ ]", "[x]")
			}
			if old == "" || strings.Count(file, old) > 1 || strings.Contains(old+now, "\n---\n") {
				continue // tools refuse to change what stands twice
			}
			log += "\n---\n" + changed("edit", "ok", "path", "plan.md", "old_string", old, "new_string", now)
			file = strings.Replace(file, old, now, 1)
		}
		stands := func(step string) bool {
			return slices.ContainsFunc(strings.Split(file, "\n"), func(l string) bool {
				return strings.Join(strings.Fields(l), " ") == "- [ ] "+step
			})
		}
		for _, l := range unticked(summarize(t, script(t, log))) {
			if step, _, _ := strings.Cut(l, " — "); !stands(step) {
				rt.Fatalf("%q is told, in the file stands\n%s\n%s", step, file, log)
			}
		}
	})
}

// SPEC: B18. Of task lists in many files the newest are followed, so that the work does not grow with
// their number.
func TestManyTaskLists(t *testing.T) {
	var log strings.Builder
	for n := range 100 {
		fmt.Fprintf(&log, "call write {\"path\":\"plan_%d.md\",\"content\":\"- [x] step a of %d\\n- [ ] step b of %d\\n\"}\n---\nresult: ok\n---\n", n, n, n)
	}
	log.WriteString("call bash {\"command\":\"echo well\"}\n---\nresult: well")
	told := map[string]bool{}
	for _, o := range summarize(t, script(t, log.String())).Open {
		told[o.File] = true
	}
	if len(told) != 64 || !told["plan_99.md"] || !told["plan_36.md"] || told["plan_35.md"] {
		t.Errorf("%d lists: %v", len(told), told)
	}
}
